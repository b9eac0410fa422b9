//! `fsbench fio` and the real fio on the same jobs: the same I/Os and bytes, each block once, mixes and distributions
//! as asked, rates kept. No speeds are compared: see `bench/fio` for those.

mod support;

#[path = "fio_agreement/counts.rs"]
mod counts;
#[path = "fio_agreement/mixes.rs"]
mod mixes;
#[path = "fio_agreement/offsets.rs"]
mod offsets;
#[path = "fio_agreement/rates.rs"]
mod rates;
#[path = "fio_agreement/statistics.rs"]
mod statistics;
