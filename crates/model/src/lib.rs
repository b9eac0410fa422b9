//! fsbench room model
