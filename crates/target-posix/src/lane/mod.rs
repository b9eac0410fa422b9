//! Lanes: block I/O with buffers that stay where they are, one file for each family of engines.
//!
//! `core.rs` holds what all share (buffers, files, options) and makes a [`Lane`] of an engine. What a request returns is
//! what the kernel returned: a short transfer is not continued, EAGAIN with `RWF_NOWAIT` is an error, only EINTR is
//! tried again. A trim that succeeded counts its whole length, a sync counts nothing.
//!
//! Links are followed, as the user named the file; nothing is ever truncated by opening it.

mod aio;
mod arena;
mod calls;
mod core;
mod files;
mod gather;
mod map;
mod names;
mod null;
mod plain;
mod uring;

use self::core::{Core, Engine, Shell};
use crate::base::SCHEME;
use crate::target::Shared;
use fsbench_target::{Error, ErrorKind, Lane, LaneEngine, LaneOptions, Result};
use std::sync::Arc;

/// A lane with the engine that `options` name; `None` for the one that works through sessions.
pub(crate) fn make(shared: &Arc<Shared>, options: &LaneOptions) -> Result<Option<Box<dyn Lane>>> {
    check(shared, options)?;
    let core = Core::new(shared, *options)?;
    let lane = match options.engine {
        LaneEngine::Psync => shell(core, plain::Plain(plain::Psync)),
        LaneEngine::Pvsync => shell(core, plain::Plain(plain::Pvsync)),
        LaneEngine::Pvsync2 => shell(core, plain::Plain(plain::Pvsync2(plain::transfer_flags(options)))),
        LaneEngine::Sync => shell(core, plain::Plain(plain::Seeking::default())),
        LaneEngine::Libaio => {
            let engine = aio::Libaio::new(&core, options)?;
            shell(core, engine)
        }
        LaneEngine::IoUring => {
            let engine = uring::Uring::new(&core, options)?;
            shell(core, engine)
        }
        LaneEngine::Vsync => {
            let engine = gather::Gather::new(core.arena.slots());
            shell(core, engine)
        }
        LaneEngine::Mmap => shell(core, map::Mmap::default()),
        LaneEngine::Names => shell(core, names::Names::default()),
        LaneEngine::Null if core.arena.slots() == 1 => shell(core, null::Now),
        LaneEngine::Null => {
            let engine = null::Later::new(core.arena.slots());
            shell(core, engine)
        }
        LaneEngine::Store => return Ok(None),
    };
    Ok(Some(lane))
}

fn shell(core: Core, engine: impl Engine + 'static) -> Box<dyn Lane> {
    Box::new(Shell::new(core, engine))
}

/// Flags that the engine has no use for are refused, never ignored.
fn check(shared: &Shared, options: &LaneOptions) -> Result<()> {
    use LaneEngine::{IoUring, Libaio, Pvsync2};
    let ring = options.engine == IoUring;
    let flagged = matches!(options.engine, IoUring | Libaio | Pvsync2);
    let wishes = [
        (options.nowait && !flagged, "RWF_NOWAIT"),
        (options.hipri && !flagged, "RWF_HIPRI"),
        (options.uncached && !flagged, "RWF_DONTCACHE"),
        (options.fixed_buffers && !ring, "registered buffers"),
        (options.registered_files && !ring, "registered files"),
        (options.submission_thread && !ring, "a submission thread"),
        (options.force_async > 0 && !ring, "forced asynchronous requests"),
    ];
    match wishes.iter().find(|(wish, _)| *wish) {
        Some((_, what)) => Err(refuse(shared, options.engine, what)),
        None => Ok(()),
    }
}

fn refuse(shared: &Shared, engine: LaneEngine, what: &str) -> Error {
    let engine = format!("{engine:?}").to_lowercase();
    let detail = format!("the engine {engine} has no {what}");
    Error::new(ErrorKind::Unsupported, SCHEME, "make a lane on", shared.base.name(""), detail)
}
