//! `fsbench fio` as people call it: commands, job files, verification, traces, limits, order, files and devices, signals.

mod support;

#[path = "fio_jobs/commands.rs"]
mod commands;
#[path = "fio_jobs/data.rs"]
mod data;
#[path = "fio_jobs/devices.rs"]
mod devices;
#[path = "fio_jobs/files.rs"]
mod files;
#[path = "fio_jobs/kept.rs"]
mod kept;
#[path = "fio_jobs/limits.rs"]
mod limits;
#[path = "fio_jobs/numbers.rs"]
mod numbers;
#[path = "fio_jobs/order.rs"]
mod order;
#[path = "fio_jobs/signals.rs"]
mod signals;
#[path = "fio_jobs/traces.rs"]
mod traces;
#[path = "fio_jobs/verify.rs"]
mod verify;
