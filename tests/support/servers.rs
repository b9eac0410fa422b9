//! The servers of `cargo xtask servers`, as the environment names them.
