//! What an option is, and how one is found by the name that was typed. The rows are in `table`.

use super::table;

/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000_000_000;
/// Nanoseconds of a microsecond.
pub(super) const MICROSECOND: u64 = 1_000;
/// The largest value of most of fio's numbers.
pub(super) const U32: u64 = u32::MAX as u64;

/// One row of the option table.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// fio's name.
    pub name: &'static str,
    /// fio's other name, or empty.
    pub alias: &'static str,
    /// What a value is.
    pub kind: Kind,
    /// The value when nothing is given, as it would be typed; empty when there is none.
    pub default: &'static str,
    /// One plain sentence.
    pub help: &'static str,
    /// How it relates to fio's.
    pub status: Status,
}

/// What a value is, and which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that may be missing: `write_bw_log`.
    LogName,
    /// `0` or `1`; the bare word is `1`.
    Flag,
    /// `0` or `1`, never bare.
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, with something behind it: `zipf:1.2`.
    Words(&'static [&'static str]),
    /// A count in this range.
    Number(u64, u64),
    /// A count that may be negative, in this range.
    Signed(i64, i64),
    /// Counts for reads, writes and trims.
    Numbers(u64, u64),
    /// Bytes in this range.
    Size(u64, u64),
    /// Bytes for reads, writes and trims.
    Sizes(u64, u64),
    /// Bytes, or a percentage.
    Part,
    /// Bytes, or a range of them.
    Range,
    /// Ranges of bytes for reads, writes and trims.
    Ranges,
    /// `size/percent:size/percent`, for reads, writes and trims.
    Split,
    /// Milliseconds without a unit.
    Millis,
    /// A time; a bare number is so many of these nanoseconds.
    Time(u64),
    /// Times for reads, writes and trims.
    Times(u64),
    /// A time, or a range of them.
    TimeRange(u64),
    /// Numbers with decimals, separated by colons, each in this range.
    Floats(u32, u32),
    /// Bytes to repeat.
    Pattern,
    /// `0,2-5`.
    Processors,
}

impl Kind {
    /// What a value is, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::LogName => "string, or nothing",
            Kind::Flag => "empty or boolean value",
            Kind::Bool => "boolean value",
            Kind::Word(_) => "one of these words",
            Kind::Words(_) => "one of these words, and what belongs to it",
            Kind::Number(..) | Kind::Signed(..) => "integer value",
            Kind::Numbers(..) => "integer values for reads,writes,trims",
            Kind::Size(..) => "bytes",
            Kind::Sizes(..) => "bytes for reads,writes,trims",
            Kind::Part => "bytes, or a percentage",
            Kind::Range => "bytes, or a range min-max",
            Kind::Ranges => "ranges min-max of bytes for reads,writes,trims",
            Kind::Split => "size/percent:size/percent for reads,writes,trims",
            Kind::Millis => "milliseconds",
            Kind::Time(SECOND) => "time, in seconds without unit",
            Kind::Time(_) => "time, in microseconds without unit",
            Kind::Times(_) => "times for reads,writes,trims, in microseconds without unit",
            Kind::TimeRange(_) => "time or range min-max, in seconds without unit",
            Kind::Floats(..) => "list of floating point values separated by ':'",
            Kind::Pattern => "bytes: 0xdeadbeef, \"text\", 'file', %o",
            Kind::Processors => "processors: 0,2-5",
        }
    }

    /// What stands for a value in help.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Kind::Text | Kind::LogName | Kind::Pattern => "=TEXT",
            Kind::Flag => "",
            Kind::Bool => "=0|1",
            Kind::Word(_) | Kind::Words(_) => "=WORD",
            Kind::Number(..) | Kind::Signed(..) => "=N",
            Kind::Numbers(..) => "=N[,N[,N]]",
            Kind::Size(..) => "=BYTES",
            Kind::Sizes(..) => "=BYTES[,BYTES[,BYTES]]",
            Kind::Part => "=BYTES|N%",
            Kind::Range => "=BYTES[-BYTES]",
            Kind::Ranges => "=BYTES-BYTES[,...]",
            Kind::Split => "=BYTES/N:BYTES/N[,...]",
            Kind::Millis => "=MS",
            Kind::Time(_) | Kind::TimeRange(_) => "=TIME",
            Kind::Times(_) => "=TIME[,TIME[,TIME]]",
            Kind::Floats(..) => "=N[:N...]",
            Kind::Processors => "=N[-N][,...]",
        }
    }

    /// The words that are allowed; empty when any will do.
    #[must_use]
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Kind::Word(words) | Kind::Words(words) => words,
            Kind::Flag | Kind::Bool => &["0", "1"],
            _ => &[],
        }
    }

    /// The smallest and largest number that is allowed, in words.
    #[must_use]
    pub fn range(self) -> Option<(String, String)> {
        match self {
            Kind::Number(min, max) | Kind::Numbers(min, max) | Kind::Size(min, max) | Kind::Sizes(min, max) => {
                Some((min.to_string(), if max == u64::MAX { "none".into() } else { max.to_string() }))
            }
            Kind::Signed(min, max) => Some((min.to_string(), max.to_string())),
            Kind::Floats(min, max) => Some((min.to_string(), max.to_string())),
            _ => None,
        }
    }
}

/// How an option relates to fio's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Means what it means there.
    Same,
    /// Means something else, or less, for the stated reason.
    Differs(&'static str),
    /// Accepted, and cannot matter here, for the stated reason.
    Noted(&'static str),
    /// Refused by name with the stated reason, unless the value asks for nothing.
    Rejected(&'static str),
    /// fio has no such option.
    New,
}

impl Status {
    /// Why it is not the same; empty when it is.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Status::Same | Status::New => "",
            Status::Differs(why) | Status::Noted(why) | Status::Rejected(why) => why,
        }
    }
}

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Jobs as a whole.
    Job,
    /// Files.
    Files,
    /// The pattern of requests.
    Pattern,
    /// Engines.
    Engine,
    /// Options of single engines.
    EngineOwn,
    /// Rates, pauses, latency limits.
    Rate,
    /// What is written, syncs, errors.
    Data,
    /// Verification.
    Verify,
    /// Traces.
    Replay,
    /// Measuring and reports.
    Report,
    /// Processes and processors.
    Process,
}

impl Group {
    /// Title of the group's section in help.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Group::Job => "Jobs: how many, when, how long",
            Group::Files => "Files",
            Group::Pattern => "Pattern of requests",
            Group::Engine => "Engines",
            Group::EngineOwn => "Options of single engines",
            Group::Rate => "Rates, pauses, latency limits",
            Group::Data => "Data, syncs, errors",
            Group::Verify => "Verification",
            Group::Replay => "Traces",
            Group::Report => "Measuring, logs, reports",
            Group::Process => "Processes and processors",
        }
    }
}

/// A row that means what it means in fio.
pub(super) const fn opt(
    name: &'static str,
    alias: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> Opt {
    Opt { name, alias, kind, default, help, status: Status::Same }
}

impl Opt {
    pub(super) const fn differs(self, why: &'static str) -> Self {
        Self { status: Status::Differs(why), ..self }
    }

    pub(super) const fn noted(self, why: &'static str) -> Self {
        Self { status: Status::Noted(why), ..self }
    }

    pub(super) const fn rejected(self, why: &'static str) -> Self {
        Self { status: Status::Rejected(why), ..self }
    }

    pub(super) const fn ours(self) -> Self {
        Self { status: Status::New, ..self }
    }

    /// Whether the bare word is enough.
    #[must_use]
    pub fn may_be_bare(&self) -> bool {
        matches!(self.kind, Kind::Flag | Kind::LogName)
    }

    /// Whether this value of a rejected option asks for nothing.
    pub(super) fn asks_nothing(&self, text: &str) -> bool {
        // For these 0 is a value like any other: a user, a processor, the highest priority.
        let zero_asks = matches!(self.name, "uid" | "gid" | "gtod_cpu" | "prio") || self.kind == Kind::Text;
        match self.default {
            "" => text == "none" || text == "0" && !zero_asks,
            default => text == default,
        }
    }
}

/// All job options, group by group.
pub fn options() -> impl Iterator<Item = &'static Opt> {
    groups().flat_map(|(_, rows)| rows.iter())
}

/// All job options by group.
pub fn groups() -> impl Iterator<Item = (Group, &'static [Opt])> {
    table::GROUPS.into_iter()
}

/// The switches of the command line that are no job options.
pub fn switches() -> impl Iterator<Item = &'static Opt> {
    table::SWITCHES.iter()
}

/// The job option of this name or alias. Names are case-sensitive, as in fio.
pub(super) fn find(name: &str) -> Option<&'static Opt> {
    options().find(|opt| opt.name == name || (!opt.alias.is_empty() && opt.alias == name))
}

/// The switch of this name.
pub(super) fn find_switch(name: &str) -> Option<&'static Opt> {
    switches().find(|opt| opt.name == name)
}

/// The candidate nearest to `name`, when one is near enough to be meant.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let length = name.chars().count();
    let allowed = (length / 3).clamp(1, 3);
    candidates
        .filter(|c| !c.is_empty())
        .map(|c| (distance(&name, &c.replace('-', "_")), c))
        .filter(|(d, c)| *d <= allowed && *d < c.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
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
