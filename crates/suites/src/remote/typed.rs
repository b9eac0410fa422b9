//! What was typed: flag values as text, each with the place that it came from. Nothing is decided yet.

use super::options::Opt;
use fsbench_model::Settings;
use std::collections::BTreeMap;

/// A value as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// The text.
    pub(super) text: String,
    /// `--threads`, `flags.txt:3`, `BENCHMARK_OUT`, `hdfs.conf:7`.
    pub(super) origin: String,
}

/// What the user asks for instead of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `--help` and its kin.
    Help,
    /// `--version`.
    Version,
}

/// The command line, its flag files and the environment, read and not yet understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    pub(super) values: BTreeMap<&'static str, Given>,
    pub(super) settings: Settings,
    pub(super) notes: Vec<String>,
    pub(super) ask: Option<Ask>,
}

impl Typed {
    /// The conf file to read before [`super::plan`]; `None` when there is none to read.
    #[must_use]
    pub fn conf_path(&self) -> Option<&str> {
        self.values.get("conf").map(|given| given.text.as_str()).filter(|path| !path.is_empty())
    }

    /// Whether help or the version is wanted instead of a run.
    #[must_use]
    pub fn asks(&self) -> Option<Ask> {
        self.ask
    }

    /// Whether this option was given on the command line or in the environment.
    pub(super) fn has(&self, opt: &Opt) -> bool {
        self.values.contains_key(opt.name)
    }
}
