//! The whole binary, as a user calls it.
