//! The option table of `fsbench smallfiles`.

use crate::remote::{Kind, Opt};

/// More files than this are no quick check any more.
const FILES_MAX: u64 = 100_000_000;
/// A file that is larger is not small.
const SIZE_MAX: u64 = 64 << 20;
const THREADS_MAX: u64 = 4096;

/// All options.
pub fn options() -> impl Iterator<Item = &'static Opt> {
    OPTIONS.iter()
}

/// The option of this name; dashes inside a name count as underscores.
pub(super) fn find(name: &str) -> Option<&'static Opt> {
    let name = name.replace('-', "_");
    OPTIONS.iter().find(|opt| opt.name == name)
}

const OPTIONS: &[Opt] = &[
    Opt::new(
        "count",
        Kind::Count(1, FILES_MAX),
        "N",
        "1000",
        "How many files. GitLab's text says 1,000; its loop, {0..1000}, makes 1001.",
    ),
    Opt::new(
        "size",
        Kind::Size(0, SIZE_MAX),
        "BYTES",
        "5",
        "Bytes of each file, written by one call. 5 bytes are the line that the loop's echo writes, test; any other \
         size is seeded content, different in each file.",
    ),
    Opt::new("threads", Kind::Count(1, THREADS_MAX), "N", "1", "Workers that share the files. The loop is one."),
    Opt::new("sync", Kind::Switch, "BOOL", "false", "Make each file durable before closing it. The loop does not."),
    Opt::new(
        "cold",
        Kind::Switch,
        "BOOL",
        "false",
        "local: evict the files' content from the page cache before they are read.",
    ),
    Opt::new(
        "verify",
        Kind::Switch,
        "BOOL",
        "true",
        "Compare what is read with what was written, outside of the latencies.",
    ),
    Opt::new(
        "limit",
        Kind::Seconds,
        "SECONDS",
        "10",
        "Wall time below which writing all files is good, and reading them.",
    ),
    Opt::new("keep", Kind::Switch, "BOOL", "false", "Leave the files there; fsbench clean DIR removes them later."),
    Opt::new(
        "shell",
        Kind::Switch,
        "BOOL",
        "false",
        "local: let bash (or sh) run GitLab's loop too, with a process of cat for each file that is read, and show \
         both.",
    ),
    Opt::new("format", Kind::Choice(&["text", "json"]), "FORMAT", "text", "Format of what is printed."),
    Opt::new("record", Kind::Text, "FILE", "", "Write the Record here: everything measured, as JSON."),
    Opt::new(
        "conf",
        Kind::Text,
        "FILE",
        "",
        "File of key=value lines: how to reach the store, as fsbench remote has it.",
    ),
    Opt::new(
        "set",
        Kind::Setting,
        "KEY=VALUE",
        "",
        "Set a key of the store as the conf file would; also -D KEY=VALUE. May be repeated, and beats the conf file.",
    ),
    Opt::new("quiet", Kind::Switch, "BOOL", "false", "No progress line and no notes."),
    Opt::new("dry_run", Kind::Switch, "BOOL", "false", "Print the plan and stop."),
    Opt::new("help", Kind::Switch, "BOOL", "", "Show this help."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_help_is_a_sentence() {
        for (at, opt) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS[..at].iter().all(|other| other.name != opt.name), "{} stands twice", opt.name);
            assert!(opt.help.ends_with('.'), "{}", opt.name);
        }
    }
}
