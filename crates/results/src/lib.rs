//! fsbench room results
