//! What is printed instead of a run: `--help`, `--cmdhelp`, `--enghelp`, `--version`, `--list-jobs`.

use super::error::FioError;
use super::options::{Group, Kind, Opt, Status, find, groups, nearest, options, switches};
use super::plan::ENGINES;
use super::ready;
use super::typed::Typed;
use std::fmt::Write;

/// What `--version` prints: scripts look for `fio-3`.
pub const VERSION: &str = concat!("fio-3.42-fsbench-", env!("CARGO_PKG_VERSION"));

const WIDTH: usize = 100;

const INTRODUCTION: &str = "\
Runs fio's jobs on local files and devices, on HDFS and on S3.

Usage: fsbench fio [SWITCHES] [--JOB-OPTION=VALUE ...] [JOB FILE ...]

  fsbench fio jobs.fio
  fsbench fio --name=a --directory=/mnt/disk --rw=randread --bs=4k --size=1g --ioengine=libaio --iodepth=32
  fsbench fio --name=test --filename=s3://bucket/file --rw=write --bs=1m --size=1g --conf=s3.conf
  fsbench fio --job=fs-compare --directory=/mnt/disk

--name=NAME starts a job. Job options before the first --name, and those behind --name=global, are for all jobs; a job
file's own options beat them, and --override=OPT=VALUE beats a job file. A job file - is standard input.
";

/// The text that a command line asks for, if it asks for one.
pub(super) fn asked(typed: &Typed) -> Option<Result<String, FioError>> {
    let value = |name: &str| typed.switch(name).map(|switch| (switch, switch.value.as_deref().unwrap_or_default()));
    if let Some((_, which)) = value("help") {
        return Some(Ok(match which {
            "man" => man(),
            "all" => help() + &listed(),
            _ => help(),
        }));
    }
    if typed.has("version") {
        return Some(Ok(format!("{VERSION}\n")));
    }
    if let Some((_, name)) = value("cmdhelp") {
        return Some(Ok(cmdhelp(name)));
    }
    if let Some((switch, name)) = value("enghelp") {
        return Some(enghelp(name).map_err(|why| FioError::at(&switch.place, why)));
    }
    typed.has("list-jobs").then(|| Ok(ready::list()))
}

/// The help text: switches, and where the job options are described.
#[must_use]
pub fn help() -> String {
    let mut text = INTRODUCTION.to_string();
    for (title, ours) in [("Switches:", false), ("Switches that fio does not have:", true)] {
        let _ = write!(text, "\n{title}\n");
        let wanted = |opt: &&Opt| (opt.status == Status::New) == ours && !matches!(opt.status, Status::Rejected(_));
        switches().filter(wanted).for_each(|opt| entry(&mut text, opt));
    }
    text.push_str(
        "\n--cmdhelp=OPT explains a job option, --cmdhelp=all and --help=all list them, --enghelp lists the engines.\n",
    );
    text
}

/// All job options by group.
fn listed() -> String {
    let mut text = String::new();
    for (group, rows) in groups() {
        let _ = write!(text, "\n{}:\n", group.title());
        let wanted = |opt: &&Opt| !matches!(opt.status, Status::Rejected(_));
        rows.iter().filter(wanted).for_each(|opt| entry(&mut text, opt));
    }
    text
}

fn entry(text: &mut String, opt: &Opt) {
    let value = match opt.kind {
        Kind::Flag => "",
        Kind::LogName => "[=TEXT]",
        kind => kind.placeholder(),
    };
    let _ = writeln!(text, "  --{}{value}", opt.name);
    let default = if opt.default.is_empty() { String::new() } else { format!(" (default: {})", opt.default) };
    wrap(text, &format!("{}{default}", opt.help));
}

/// Indented lines of at most [`WIDTH`] columns.
fn wrap(text: &mut String, words: &str) {
    const INDENT: &str = "      ";
    let mut line = String::new();
    for word in words.split(' ') {
        if !line.is_empty() && INDENT.len() + line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{INDENT}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{INDENT}{line}");
}

/// `--cmdhelp`: one option in fio's layout, or all in two columns.
#[must_use]
pub fn cmdhelp(name: &str) -> String {
    if matches!(name, "" | "all") {
        return options().map(|opt| format!("{:<24}: {}\n", opt.name, opt.help)).collect();
    }
    if let Some(opt) = find(name) {
        return described(opt);
    }
    let meant = nearest(name, options().flat_map(|opt| [opt.name, opt.alias]));
    let meant = meant.map(|name| format!("Did you mean {name}?\n")).unwrap_or_default();
    format!("No such command: {name}\n{meant}")
}

fn described(opt: &Opt) -> String {
    let mut text = format!("{:>20}: {}\n", opt.name, opt.help);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:>20}: {value}");
    };
    if !opt.alias.is_empty() {
        line("alias", opt.alias);
    }
    line("type", opt.kind.name());
    line("default", if opt.default.is_empty() { "no default" } else { opt.default });
    if let Some((min, max)) = opt.kind.range() {
        line("range", &format!("min={min}, max={max}"));
    }
    for (at, word) in opt.kind.words().iter().enumerate() {
        line(if at == 0 { "valid values" } else { "" }, word);
    }
    match opt.status {
        Status::Same | Status::New => {}
        Status::Differs(why) => line("differs from fio", why),
        Status::Noted(why) => line("has no effect", why),
        Status::Rejected(why) => line("not supported", why),
    }
    text.push('\n');
    text
}

/// `--enghelp`: the engines, the options of one, or one of these.
fn enghelp(text: &str) -> Result<String, String> {
    let (engine, option) = text.split_once(',').map_or((text, None), |(engine, option)| (engine, Some(option)));
    if engine.is_empty() {
        let mut text = String::from("Available IO engines:\n");
        for (name, what) in ENGINES {
            let _ = writeln!(text, "\t{:<12}{what}", name.name());
        }
        return Ok(text);
    }
    if !ENGINES.iter().any(|(name, _)| name.name() == engine) {
        return Err(format!("--enghelp={engine}: engine {engine} is not known; --enghelp lists the engines"));
    }
    if let Some(option) = option {
        return Ok(cmdhelp(option));
    }
    let rows = groups().find(|(group, _)| *group == Group::EngineOwn).map_or(&[][..], |(_, rows)| rows);
    let of_engine = |opt: &&Opt| opt.help.split(':').next().is_some_and(|names| names.split(", ").any(|n| n == engine));
    let listed: String = rows.iter().filter(of_engine).map(|opt| format!("{:<24}: {}\n", opt.name, opt.help)).collect();
    Ok(if listed.is_empty() { format!("IO engine {engine} has no options\n") } else { listed })
}

/// The manual page, for `man -l`.
#[must_use]
pub fn man() -> String {
    let mut text = String::from(
        ".TH FSBENCH-FIO 1\n.SH NAME\nfsbench fio \\- run fio's jobs on local files, HDFS and S3\n.SH SYNOPSIS\n\
         .B fsbench fio\n[switches] [\\-\\-option=value ...] [job file ...]\n.SH DESCRIPTION\n",
    );
    for line in INTRODUCTION.lines().filter(|line| !line.is_empty() && !line.starts_with("Usage")) {
        let _ = writeln!(text, "{}{}", if line.starts_with("  ") { ".br\n" } else { "" }, roff(line.trim_start()));
    }
    text.push_str(".SH SWITCHES\n");
    switches().for_each(|opt| man_entry(&mut text, opt));
    text.push_str(".SH JOB OPTIONS\n");
    for (group, rows) in groups() {
        let _ = writeln!(text, ".SS {}", roff(group.title()));
        rows.iter().for_each(|opt| man_entry(&mut text, opt));
    }
    text.push_str(".SH EXIT STATUS\n0 all went well; 1 an error; 128 ended by a signal.\n");
    text
}

fn man_entry(text: &mut String, opt: &Opt) {
    let _ = writeln!(text, ".TP\n.B \\-\\-{}", roff(opt.name));
    let mut words = opt.help.to_string();
    if !opt.default.is_empty() {
        let _ = write!(words, " Default: {}.", opt.default);
    }
    match opt.status {
        Status::Same | Status::New => {}
        Status::Differs(why) => _ = write!(words, " Differs from fio: {why}"),
        Status::Noted(why) => _ = write!(words, " Has no effect: {why}"),
        Status::Rejected(why) => _ = write!(words, " Not supported: {why}"),
    }
    let _ = writeln!(text, "{}", roff(&words));
}

/// Text as roff has it: no accidental commands, no hyphens for dashes.
fn roff(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}
