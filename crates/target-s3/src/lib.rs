//! fsbench room target-s3
