//! The option table against fio's own, and against itself.

use super::super::options::{find, options, switches};
use super::super::value::parse;
use super::super::{Kind, Status, cmdhelp, help, man};
use super::{Command, Made};
use std::collections::BTreeSet;

const FIO: &str = include_str!("../../../../../fixtures/fio/fio-options.tsv");

#[test]
fn every_option_of_fio_is_in_the_table() {
    let mut count = 0;
    for line in FIO.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let (name, alias, default, allowed) = (cells[0], cells[1], cells[3], cells[5]);
        let opt = find(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!((opt.name, opt.alias, opt.default), (name, alias, default));
        if let Kind::Word(words) | Kind::Words(words) = opt.kind {
            assert_eq!(words.join(","), allowed, "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 238);
}

#[test]
fn rows_are_whole() {
    let mut names = BTreeSet::new();
    for opt in options().chain(switches()) {
        assert!(names.insert(opt.name), "{} stands twice", opt.name);
        assert!(opt.alias.is_empty() || names.insert(opt.alias), "{} stands twice", opt.alias);
        assert!(opt.help.ends_with('.'), "{}: help is a sentence", opt.name);
        let reason = opt.status.reason();
        assert_eq!(reason.is_empty(), matches!(opt.status, Status::Same | Status::New), "{}", opt.name);
        assert!(reason.is_empty() || reason.ends_with(['.', '…']), "{}: {reason}", opt.name);
        if !opt.default.is_empty() {
            assert!(parse(opt, Some(opt.default), 1024).is_ok(), "{}: the default is a value", opt.name);
        }
    }
}

/// What must be refused when it asks for something is refused.
#[test]
fn rejected_options_are_refused_by_name_unless_they_ask_for_nothing() {
    for opt in options().filter(|opt| matches!(opt.status, Status::Rejected(_))) {
        let value = match opt.kind {
            Kind::Bool | Kind::Flag if opt.default == "1" => "0".to_string(),
            Kind::Bool | Kind::Flag => "1".to_string(),
            Kind::Word(words) => words.last().expect("words").to_string(),
            Kind::Number(_, max) => max.min(9).max(if opt.name == "cgroup_weight" { 200 } else { 0 }).to_string(),
            Kind::Floats(..) => "1".to_string(),
            Kind::Text => "x".to_string(),
            _ => "4k".to_string(),
        };
        let line = format!("--name=a --size=1m --{}={value}", opt.name);
        let error = Made::default().command(&line).expect_err(&line);
        assert!(error.contains(opt.name) && error.contains("is not supported: "), "{line}: {error}");
    }
    for line in ["mem=malloc", "zonemode=none", "lockmem=0", "atomic=0", "verify_header_seed=1", "lockfile=none"] {
        let line = format!("--name=a --size=1m --{line}");
        assert!(Made::default().run(&line).is_ok(), "{line}");
    }
}

/// The sources that turn options into jobs.
const PLAN: [&str; 8] = [
    include_str!("../plan/build.rs"),
    include_str!("../plan/checks.rs"),
    include_str!("../plan/control.rs"),
    include_str!("../plan/data.rs"),
    include_str!("../plan/engine.rs"),
    include_str!("../plan/files.rs"),
    include_str!("../plan/output.rs"),
    include_str!("../plan/pattern.rs"),
];

#[test]
fn what_is_not_honoured_is_not_called_the_same() {
    // All values of random_generator name the same generator.
    let elsewhere = ["name", "random_generator", "stonewall", "new_group", "numjobs", "create_serialize", "kb_base"];
    for opt in options().filter(|opt| matches!(opt.status, Status::Same | Status::Differs(_))) {
        let named = format!("\"{}\"", opt.name);
        let more = [include_str!("../plan/sizes.rs"), include_str!("../plan/seed.rs")];
        let used = PLAN.iter().chain(&more).any(|source| source.contains(&named));
        assert!(used || elsewhere.contains(&opt.name), "{} is accepted, and nothing reads it", opt.name);
    }
}

#[test]
fn cmdhelp_has_fios_layout() {
    let want = "                  bs: Bytes of a request: for reads, writes and trims, separated by commas.\n\
                \x20              alias: blocksize\n\
                \x20               type: bytes for reads,writes,trims\n\
                \x20            default: 4096\n\
                \x20              range: min=1, max=4294967295\n\n";
    assert_eq!(cmdhelp("blocksize"), want);
    assert_eq!(cmdhelp("iodeph"), "No such command: iodeph\nDid you mean iodepth?\n");
    assert!(cmdhelp("lockfile").contains("not supported: Files are not locked"));
    assert!(cmdhelp("all").lines().count() > 238);
}

#[test]
fn texts_are_printed_instead_of_a_run() {
    let text = |line: &str| match Made::default().command(line) {
        Ok(Command::Text(text)) => text,
        other => panic!("{line}: {other:?}"),
    };
    assert!(text("--version").starts_with("fio-3.42-fsbench-"));
    assert!(text("-h").contains("Usage: fsbench fio"));
    assert!(text("--help=all").contains("--iodepth=N"));
    assert!(text("--enghelp").contains("\tio_uring "));
    assert!(text("--enghelp=io_uring").contains("fixedbufs"));
    assert!(!text("--enghelp=libaio").contains("fixedbufs"));
    assert!(text("--enghelp=libaio,nowait").contains("RWF_NOWAIT"));
    assert!(Made::default().command("--enghelp=foo").is_err());
    assert_eq!(text("--parse-only --name=a --size=1m"), "");
    assert_eq!(text("--showcmd --name=a --size=1m --thread"), "fsbench fio --name=a --size=1m --thread\n");
}

#[test]
fn help_and_man_name_every_switch() {
    for line in help().lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
    let (help, man) = (help(), man());
    for opt in switches() {
        let rejected = matches!(opt.status, Status::Rejected(_));
        assert_eq!(help.contains(&format!("\n  --{}", opt.name)), !rejected, "{}", opt.name);
    }
    for opt in options().chain(switches()) {
        assert!(man.contains(&format!(".B \\-\\-{}\n", opt.name.replace('-', "\\-"))), "{}", opt.name);
    }
}
