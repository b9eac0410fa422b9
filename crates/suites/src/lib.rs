//! fsbench room suites
