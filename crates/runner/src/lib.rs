//! fsbench room runner
