//! What an option is, and how one is found by the name that was typed.
//!
//! The rows themselves are in `table` (Doris' and ours) and `google` (Google Benchmark's).

use super::{google, table};
use fsbench_model::Bytes;

/// One row of the option table.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Name of the flag, without dashes.
    pub name: &'static str,
    /// What a value is.
    pub kind: Kind,
    /// Stands for the value in help: `BYTES`, `URI`.
    pub value: &'static str,
    /// The value when nothing is given, as it would be typed; empty when there is none.
    pub default: &'static str,
    /// One or two plain sentences.
    pub help: &'static str,
    /// Where the option comes from.
    pub origin: Origin,
    /// How it relates to its original.
    pub status: Status,
    /// Why it differs or is rejected; empty otherwise.
    pub reason: &'static str,
    /// Whether it may also stand in the conf file, as a key.
    pub conf: bool,
}

/// What a value is, and which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text; an empty one counts as not given.
    Text,
    /// Bytes, with or without unit, in this range.
    Size(u64, u64),
    /// A whole number in this range.
    Count(u64, u64),
    /// `true`, `false` and their kin; the bare flag is `true`.
    Switch,
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
    /// Seconds, a decimal number with or without `s`.
    Seconds,
    /// `key=value`, as often as wanted.
    Setting,
}

/// Where an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A flag or conf key of `fs_benchmark_tool`.
    Doris,
    /// A flag of Google Benchmark 1.8.0.
    GoogleBenchmark,
    /// gflags' own flags.
    Gflags,
    /// Ours.
    Fsbench,
}

/// How an option relates to its original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Means what it means there.
    Same,
    /// Means something else, for the stated reason.
    Differs,
    /// Refused by name, for the stated reason.
    Rejected,
    /// Has no original.
    New,
}

impl Opt {
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        value: &'static str,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        let (origin, status) = (Origin::Fsbench, Status::New);
        Self { name, kind, value, default, help, origin, status, reason: "", conf: false }
    }

    pub(super) const fn from(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self.status = Status::Same;
        self
    }

    pub(super) const fn differs(mut self, reason: &'static str) -> Self {
        self.status = Status::Differs;
        self.reason = reason;
        self
    }

    pub(super) const fn rejected(mut self, reason: &'static str) -> Self {
        self.status = Status::Rejected;
        self.reason = reason;
        self
    }

    pub(super) const fn in_conf(mut self) -> Self {
        self.conf = true;
        self
    }

    /// The allowed values in words; empty when any will do.
    #[must_use]
    pub fn range(&self) -> String {
        match self.kind {
            Kind::Text | Kind::Setting => String::new(),
            Kind::Size(0, u64::MAX) | Kind::Count(0, u64::MAX) => "0 or more".to_string(),
            Kind::Size(min, u64::MAX) => format!("at least {}", Bytes(min)),
            Kind::Size(min, max) => format!("{} to {}", Bytes(min), Bytes(max)),
            Kind::Count(min, u64::MAX) => format!("at least {min}"),
            Kind::Count(min, max) => format!("{min} to {max}"),
            Kind::Switch => "true, false".to_string(),
            Kind::Choice(words) => words.join(", "),
            Kind::Seconds => "above 0".to_string(),
        }
    }

    /// Google Benchmark's rule: every flag of its own can also be set by the environment, in upper case.
    #[must_use]
    pub fn environment(&self) -> Option<String> {
        (self.origin == Origin::GoogleBenchmark).then(|| self.name.to_ascii_uppercase())
    }
}

/// All options: Doris' first, then ours, Google Benchmark's, gflags'.
pub fn options() -> impl Iterator<Item = &'static Opt> {
    table::DORIS.iter().chain(table::FSBENCH).chain(google::FLAGS).chain(table::GFLAGS)
}

/// The option of this name; as in gflags, dashes inside a name count as underscores.
pub(super) fn find(name: &str) -> Option<&'static Opt> {
    let name = name.replace('-', "_");
    options().find(|opt| opt.name == name)
}

/// The option whose default and kind the caller relies on.
pub(super) fn known(name: &str) -> &'static Opt {
    find(name).expect("options are asked for by names that stand in the table")
}

/// The candidate nearest to `name`, when one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let length = name.chars().count();
    let allowed = (length / 3).clamp(1, 3).min(length.saturating_sub(1));
    candidates.map(|c| (distance(&name, c), c)).filter(|(d, _)| *d <= allowed).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_rows_are_whole() {
        let mut names = BTreeSet::new();
        for opt in options() {
            assert!(names.insert(opt.name), "{} stands twice", opt.name);
            assert!(opt.help.ends_with('.'), "{}: help is a sentence", opt.name);
            let explained = matches!(opt.status, Status::Differs | Status::Rejected);
            assert_eq!(
                explained,
                !opt.reason.is_empty(),
                "{}: a reason for what differs, none for what does not",
                opt.name
            );
            assert_eq!(opt.origin == Origin::Fsbench, opt.status == Status::New, "{}", opt.name);
        }
    }

    #[test]
    fn the_nearest_name_is_one_that_could_be_meant() {
        let names = || options().map(|o| o.name);
        for (typed, meant) in [
            ("thread", Some("threads")),
            ("iteration", Some("iterations")),
            ("file-sise", Some("file_size")),
            ("bufer_size", Some("buffer_size")),
            ("benchmark_ot", Some("benchmark_out")),
            ("x", None),
            ("cluster", None),
        ] {
            assert_eq!(nearest(typed, names()), meant, "{typed}");
        }
    }
}
