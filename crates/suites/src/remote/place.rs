//! A place and the keys of its store alone, for suites that have no options of `fs_benchmark_tool`.

use super::conf::Conf;
use super::error::UsageError;
use super::location::locate;
use super::notes;
use super::operation::{FsType, Operation};
use super::store_keys::store_settings;
use super::typed::{Given, Typed};
use super::values::Values;
use fsbench_model::{Bytes, Settings, TargetSpec};

/// The store of `uri`, how to reach it, and what the user should know. Files of `file_size` bytes will be written.
///
/// # Errors
/// As of `--base_dir=uri`, and of the keys in the conf file and the settings.
pub(crate) fn place(
    uri: &str,
    conf: Option<&Conf>,
    sets: &Settings,
    file_size: Bytes,
) -> Result<(FsType, TargetSpec, Vec<String>), UsageError> {
    let given = |text: String, origin: &str| Given { text, origin: origin.to_string() };
    let mut typed = Typed::default();
    typed.values.insert("base_dir", given(uri.to_string(), "--base_dir"));
    typed.values.insert("file_size", given(file_size.0.to_string(), "--size"));
    typed.values.insert("null_size", given(file_size.0.to_string(), "--size"));
    let mut settings = conf.map(|conf| conf.settings.clone()).unwrap_or_default();
    for set in sets.iter() {
        settings.set(&set.key, &set.value, &set.origin);
    }
    let values = Values::resolve(&typed, &mut settings)?;
    let location = locate(&values, Operation::CreateWrite, &settings, conf.is_some())?;
    let mut said: Vec<String> = conf.iter().flat_map(|conf| conf.notes.iter().cloned()).collect();
    notes::unknown_keys(&settings, location.fs, &mut said);
    if location.fs != FsType::Local {
        said.extend(location.notes.iter().cloned());
    }
    let settings = store_settings(&values, settings, conf, &location, &mut said)?;
    Ok((location.fs, TargetSpec { uri: location.uri, settings }, said))
}
