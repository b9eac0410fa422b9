//! A TCP proxy between fsbench and a server, which fails as networks and servers do.
