//! fsbench room report
