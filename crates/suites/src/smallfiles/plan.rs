//! What was typed into what it means: two phases, or four when a shell runs the loop too.

use super::arguments::Typed;
use super::table::options;
use crate::remote::{self, Conf, FsType, Opt, UsageError, Value};
use fsbench_model::{Bytes, Content, Phase, Plan, Program, SMALL_LINE, SmallFiles, SmallStep, Span, Stop, TargetSpec};
use std::collections::BTreeMap;

/// What the directories' names begin with; the run's id follows.
const DIRECTORY: &str = "fsbench-smallfiles-";
const SHELL_DIRECTORY: &str = "fsbench-smallfiles-shell-";
/// Seed of the content, where it is not the loop's line.
const SEED: u64 = 42;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// A call of `fsbench smallfiles`, resolved and validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What runs.
    pub plan: Plan,
    /// `--format`.
    pub format: Format,
    /// `--record`: the file that gets the Record.
    pub record: Option<String>,
    /// `--quiet`: no progress and no notes.
    pub quiet: bool,
    /// `--dry_run`: print the plan and stop.
    pub dry_run: bool,
}

/// The values of all options, given or by default.
struct Values<'a> {
    values: BTreeMap<&'static str, Value>,
    typed: &'a Typed,
}

impl<'a> Values<'a> {
    fn resolve(typed: &'a Typed) -> Result<Self, UsageError> {
        let mut values = BTreeMap::new();
        for opt in options() {
            let given = typed.values.get(opt.name).map(String::as_str);
            if let Some(text) = given.or(Some(opt.default)).filter(|text| given.is_some() || !text.is_empty()) {
                values.insert(opt.name, remote::value(opt, text, &flag(opt))?);
            }
        }
        Ok(Self { values, typed })
    }

    fn number(&self, name: &str) -> u64 {
        match self.values.get(name) {
            Some(Value::Number(number)) => *number,
            _ => unreachable!("the table has a number for {name}"),
        }
    }

    fn is_on(&self, name: &str) -> bool {
        matches!(self.values.get(name), Some(Value::Switch(true)))
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Value::Text(text) => Some(text).filter(|text| !text.is_empty()).map(String::as_str),
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    fn limit(&self) -> Span {
        match self.values.get("limit") {
            Some(Value::Time(span)) => *span,
            _ => unreachable!("the table has a time for limit"),
        }
    }

    fn is_given(&self, name: &str) -> bool {
        self.typed.values.contains_key(name)
    }
}

fn flag(opt: &Opt) -> String {
    format!("--{}", opt.name.replace('_', "-"))
}

/// Makes the plan. `conf` is the file that [`Typed::conf_path`] names, or `None` when that is `None`.
///
/// # Errors
/// Anything that could not be run as it was typed.
pub fn plan(typed: &Typed, conf: Option<&Conf>) -> Result<Check, UsageError> {
    let values = Values::resolve(typed)?;
    let Some(place) = typed.place.as_deref().filter(|place| !place.trim().is_empty()) else {
        let remedy = "give a directory or URI: fsbench smallfiles /mnt/disk, hdfs://host:8020/dir, s3://bucket/prefix";
        return Err(UsageError::new("command line", "no place is given", remedy));
    };
    let size = Bytes(values.number("size"));
    let (fs, target, mut notes) = remote::place(place, conf, &typed.settings, size).map_err(name_place)?;
    let phases = phases(&values, fs, &target)?;
    without_effect(&values, fs, &mut notes);
    let plan = Plan {
        suite: "smallfiles".to_string(),
        target,
        phases,
        cleanup: !values.is_on("keep"),
        cold: values.is_on("cold") && fs == FsType::Local,
        notes,
    };
    Ok(Check {
        plan,
        format: if values.text("format") == Some("json") { Format::Json } else { Format::Text },
        record: values.text("record").map(String::from),
        quiet: values.is_on("quiet"),
        dry_run: values.is_on("dry_run"),
    })
}

/// `remote` knows the place as its own option.
fn name_place(error: UsageError) -> UsageError {
    let place = if error.place == "--base_dir" { "DIR".to_string() } else { error.place };
    UsageError { place, ..error }
}

fn phases(values: &Values<'_>, fs: FsType, target: &TargetSpec) -> Result<Vec<Phase>, UsageError> {
    let size = Bytes(values.number("size"));
    let is_line = size.0 == SMALL_LINE.len() as u64;
    // S3 has no sync to ask for; what `null:` gives back is not what was written.
    let sync = values.is_on("sync") && fs != FsType::S3;
    let verify = values.is_on("verify") && fs != FsType::Null;
    let files = SmallFiles {
        directory: DIRECTORY.to_string(),
        files: values.number("count"),
        size,
        content: (!is_line).then(|| Content { seed: SEED, ..Content::default() }),
        step: SmallStep::Write { sync },
        shell: None,
        limit: values.limit(),
    };
    let workers = u32::try_from(values.number("threads")).unwrap_or(u32::MAX);
    let steps = |files: &SmallFiles, names: [&str; 2], workers| {
        let read = SmallFiles { step: SmallStep::Read { verify }, ..files.clone() };
        [(names[0], files.clone()), (names[1], read)].map(|(name, files)| phase(name, files, workers))
    };
    let mut phases = steps(&files, ["write", "read"], workers).to_vec();
    if values.is_on("shell") {
        let path = shell_path(fs, target, is_line)?;
        let files = SmallFiles {
            directory: SHELL_DIRECTORY.to_string(),
            step: SmallStep::Write { sync: false },
            shell: Some(path),
            ..files
        };
        phases.extend(steps(&files, ["shell write", "shell read"], 1));
    }
    Ok(phases)
}

fn phase(name: &str, files: SmallFiles, workers: u32) -> Phase {
    let share = if files.shell.is_some() { 1 } else { files.files.div_ceil(u64::from(workers)) };
    let stop = Stop::Iterations(share);
    Phase { name: name.to_string(), workers, repetitions: 1, stop, program: Program::SmallFiles(files) }
}

/// Where the shell works: a directory of this machine.
fn shell_path(fs: FsType, target: &TargetSpec, is_line: bool) -> Result<String, UsageError> {
    let refuse = |what: String, remedy: &str| Err(UsageError::new("--shell", what, remedy));
    if fs != FsType::Local {
        return refuse(format!("a shell cannot write to {}", fs.word()), "take it away, or give a local directory");
    }
    if !is_line {
        return refuse("GitLab's loop writes files of 5 bytes".into(), "take --shell or --size away");
    }
    let path = target.uri.strip_prefix("file:").unwrap_or(&target.uri);
    Ok(path.strip_prefix("//").unwrap_or(path).to_string())
}

/// Options that were given and change nothing here.
fn without_effect(values: &Values<'_>, fs: FsType, notes: &mut Vec<String>) {
    let mut note = |name: &str, why: &str| {
        if values.is_given(name) && values.is_on(name) {
            notes.push(format!("--{name} has no effect on {}: {why}", fs.word()));
        }
    };
    match fs {
        FsType::Local => {}
        FsType::S3 => {
            note("cold", "there is no page cache");
            note("sync", "an object is durable when its upload ends");
        }
        FsType::Null => {
            note("cold", "there is no page cache");
            note("verify", "it keeps nothing");
        }
        FsType::Hdfs | FsType::Mem => note("cold", "there is no page cache"),
    }
    let is_alone = !values.is_on("sync") && values.number("threads") == 1;
    if values.is_on("shell") && !is_alone {
        notes.push(
            "the shell's loop is one process at a time and syncs nothing, whatever --threads and --sync say".into(),
        );
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
