//! fsbench room target-posix
