//! fsbench room target-hdfs
