//! fsbench room target
