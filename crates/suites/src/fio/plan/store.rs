//! Stores: what they can do of what fio describes, and how they are reached.

use super::super::error::FioError;
use super::super::typed::Typed;
use super::super::value::Part;
use super::super::values::Values;
use super::super::world::World;
use super::place::Site;
use crate::remote::Conf;
use fsbench_model::job::{Mode, Pattern, WriteSync};
use fsbench_model::{Settings, TargetSpec};

/// Options that a store has no counterpart of, with what is possible there.
const LOCAL_ONLY: [(&str, &str); 19] = [
    ("direct", "a store has no page cache to bypass; take it away"),
    ("sync", "a store makes data durable when the file is closed; take it away"),
    ("overwrite", "files of a store are written once, from the start to the end"),
    ("file_append", "files of a store are written once, from the start to the end"),
    ("fill_device", "a store has no device to fill; give a size"),
    ("fsync", "a store makes data durable when the file is closed; take it away"),
    ("fdatasync", "a store makes data durable when the file is closed; take it away"),
    ("sync_file_range", "a store makes data durable when the file is closed; take it away"),
    ("end_fsync", "a store makes data durable when the file is closed; take it away"),
    ("fsync_on_close", "a store makes data durable when the file is closed; take it away"),
    ("pre_read", "a store's cache is not ours; read in a job before, with stonewall"),
    ("nowait", "it is for files of this host"),
    ("hipri", "it is for files of this host"),
    ("uncached", "it is for files of this host"),
    ("fixedbufs", "it is for io_uring"),
    ("registerfiles", "it is for io_uring"),
    ("sqthread_poll", "it is for io_uring"),
    ("force_async", "it is for io_uring"),
    ("zonesize", "a store has no zones"),
];

/// Refuses what the store of this URI cannot do.
pub(super) fn check(values: &Values, pattern: &Pattern, uri: &str) -> Result<(), FioError> {
    let refuse = |name: &str, why: &str| Err(values.refuse(name, format!("on {uri} not possible: {why}")));
    let word = values.word("ioengine");
    if values.has("ioengine") && word != "store" {
        return refuse("ioengine", "a store has an engine of its own; take ioengine away, or write ioengine=store");
    }
    for (name, why) in LOCAL_ONLY {
        let asks = values.is_on(name) || values.number(name).unwrap_or(0) > 0 || asks_sync(values, name);
        if asks && values.has(name) {
            return refuse(name, why);
        }
    }
    match pattern.mode {
        Mode::Trim | Mode::TrimWrite => return refuse("rw", "a store has no trim; accepted: read, randread, write"),
        Mode::ReadWrite => {
            return refuse("rw", "files are read or written, not both; use one job for reads and one for writes");
        }
        Mode::Write if pattern.random => {
            return refuse("rw", "files are written from the start to the end; accepted: read, randread, write");
        }
        Mode::Write if pattern.hole != 0 => return refuse("rw", "files have no holes; accepted: rw=write"),
        Mode::Read | Mode::Write => {}
    }
    if pattern.mode == Mode::Write {
        written_once(values, &refuse)?;
    }
    let begins_later = !matches!(values.part("offset"), None | Some(Part::Bytes(0)));
    if pattern.mode == Mode::Write && begins_later {
        return refuse("offset", "files are written from the start");
    }
    Ok(())
}

/// A file of a store is written once, from the start to the end, and cannot be read before it is closed.
fn written_once(values: &Values, refuse: &dyn Fn(&str, &str) -> Result<(), FioError>) -> Result<(), FioError> {
    let once = "files of a store are written once, from the start to the end; take it away";
    if values.number("loops").unwrap_or(1) > 1 {
        return refuse("loops", once);
    }
    for name in ["time_based", "io_size"] {
        if values.is_on(name) || name == "io_size" && values.has(name) {
            return refuse(name, once);
        }
    }
    let verifies = values.has("verify") && !matches!(values.word("verify").as_str(), "0" | "none");
    if verifies && (values.is_on("do_verify") || values.number("verify_backlog").unwrap_or(0) > 0) {
        let why =
            "a file can be read when it is closed; write with do_verify=0, and verify with a second job that reads";
        return refuse("verify", why);
    }
    Ok(())
}

fn asks_sync(values: &Values, name: &str) -> bool {
    match name {
        "sync" => write_sync(values) != WriteSync::None,
        "sync_file_range" => values.has(name),
        _ => false,
    }
}

fn write_sync(values: &Values) -> WriteSync {
    match values.word("sync").as_str() {
        "sync" | "1" => WriteSync::Sync,
        "dsync" => WriteSync::Dsync,
        _ => WriteSync::None,
    }
}

/// The target, with the settings of `--conf` and `--set`.
pub(super) fn target(typed: &Typed, site: &Site, world: &World<'_>) -> Result<TargetSpec, FioError> {
    let uri = match site {
        Site::Local => "file:///".to_string(),
        Site::Nowhere => "null:".to_string(),
        Site::Store(uri) => uri.clone(),
    };
    Ok(TargetSpec { settings: settings(typed, &uri, world)?, uri })
}

fn settings(typed: &Typed, uri: &str, world: &World<'_>) -> Result<Settings, FioError> {
    let mut settings = Settings::default();
    if let Some(switch) = typed.switch("conf") {
        let path = switch.value.as_deref().unwrap_or_default();
        let refuse = |why: String| FioError::at(&switch.place, format!("--conf={path}: {why}"));
        let text = (world.read)(path).map_err(refuse)?;
        let conf = Conf::parse(path, &text).map_err(|error| refuse(error.to_string()))?;
        settings = conf.settings.clone();
        if uri.starts_with("hdfs:") {
            settings.set("conf_file_dir", conf.folder(), format!("the folder of {path}"));
        }
    }
    for switch in typed.all("set") {
        let text = switch.value.as_deref().unwrap_or_default();
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => settings.set(key.trim(), value.trim(), "--set"),
            // The text is not shown: it may hold a secret.
            _ => return Err(FioError::at(&switch.place, "--set has no key=value; write --set=KEY=VALUE")),
        }
    }
    Ok(settings)
}
