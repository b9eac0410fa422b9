//! Options of single engines: in fio they must stand behind `ioengine`, here they may stand anywhere.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("fixedbufs", "", Kind::Flag, "", "io_uring: register the buffers with the kernel."),
    opt("registerfiles", "", Kind::Flag, "", "io_uring: register the files with the kernel."),
    opt("sqthread_poll", "", Kind::Flag, "", "io_uring: a thread of the kernel takes submissions."),
    opt("sqthread_poll_cpu", "", Kind::Number(0, 65_535), "", "io_uring: the processor of that thread."),
    opt("nonvectored", "", Kind::Number(0, 1), "", "io_uring: read and write without vectors.")
        .noted("Requests are always without vectors."),
    opt("force_async", "", Kind::Number(0, U32), "0", "io_uring: each n-th request goes to a worker of the kernel."),
    opt("hipri", "", Kind::Flag, "", "pvsync2, io_uring: poll for completions."),
    opt("nowait", "", Kind::Bool, "0", "pvsync2, libaio, io_uring: fail rather than wait (RWF_NOWAIT)."),
    opt("userspace_reap", "", Kind::Flag, "", "libaio: take completions from the ring without a system call.")
        .noted("Completions are taken in whichever way is fastest."),
    opt("uncached", "", Kind::Number(0, 1), "0", "pvsync2, io_uring: leave nothing in the page cache (RWF_DONTCACHE)."),
];
