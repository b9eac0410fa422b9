//! Tests of the gflags parser: spellings, flag files, the environment, and the text of every error.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Parses with these files and variables.
fn parse_with(args: &[&str], files: &[(&str, &str)], env: &[(&str, &str)]) -> Result<Typed, UsageError> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_string()).collect();
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let env: BTreeMap<_, _> = env.iter().copied().collect();
    let read = |path: &str| files.get(path).map(|t| (*t).to_string()).ok_or_else(|| "no such file".to_string());
    let variable = |name: &str| env.get(name).map(|t| (*t).to_string());
    parse(&args, &Sources { read: &read, env: &variable })
}

fn given(typed: &Typed) -> Vec<(&str, &str, &str)> {
    typed.values.iter().map(|(name, given)| (*name, given.text.as_str(), given.origin.as_str())).collect()
}

#[test]
fn every_spelling_of_gflags_is_read() {
    for args in [
        &["--threads=3"][..],
        &["-threads=3"],
        &["--threads", "3"],
        &["-threads", "3"],
        &["--threads=1", "--threads=3"],
    ] {
        assert_eq!(given(&parse_with(args, &[], &[]).expect("spelling")), [("threads", "3", "--threads")], "{args:?}");
    }
    for (arg, value) in [
        ("--verify", "true"),
        ("-verify", "true"),
        ("--noverify", "false"),
        ("--verify=false", "false"),
        ("--verify=T", "T"),
    ] {
        assert_eq!(given(&parse_with(&[arg], &[], &[]).expect("switch")), [("verify", value, "--verify")], "{arg}");
    }
    let dashes = parse_with(&["--dry-run", "--file-size", "-1"], &[], &[]).expect("dashes");
    assert_eq!(given(&dashes), [("dry_run", "true", "--dry_run"), ("file_size", "-1", "--file_size")]);
}

#[test]
fn google_benchmarks_flags_work_everywhere() {
    let typed = parse_with(
        &["--benchmark_format=csv", "--", "--benchmark_out=r.json", "--benchmark_counters_tabular"],
        &[],
        &[("BENCHMARK_OUT", "env.json"), ("BENCHMARK_OUT_FORMAT", "csv"), ("BENCHMARK_FILTER", ""), ("V", "1")],
    )
    .expect("flags");
    assert_eq!(
        given(&typed),
        [
            ("benchmark_counters_tabular", "true", "--benchmark_counters_tabular"),
            ("benchmark_format", "csv", "--benchmark_format"),
            ("benchmark_out", "r.json", "--benchmark_out"),
            ("benchmark_out_format", "csv", "BENCHMARK_OUT_FORMAT"),
        ]
    );
    let typed = parse_with(&[], &[], &[("BENCHMARK_TIME_UNIT", "us")]).expect("a variable is no order");
    assert_eq!(
        typed.notes,
        [
            "BENCHMARK_TIME_UNIT is ignored: The original sets ms for its benchmarks, so that this flag has no effect there."
        ]
    );
}

#[test]
fn flag_files_nest_and_keep_their_order() {
    let files = [
        ("outer", "# a comment\n\n  --threads=2\n-noverify\n--flagfile=inner\n--file_size=4\n"),
        ("inner", "--threads=7\r\n--set=a.b=c\r\n"),
    ];
    let typed = parse_with(&["--threads=1", "--flagfile", "outer", "--iterations=5"], &files, &[]).expect("flag files");
    assert_eq!(
        given(&typed),
        [
            ("file_size", "4", "outer:6"),
            ("iterations", "5", "--iterations"),
            ("threads", "7", "inner:1"),
            ("verify", "false", "outer:4"),
        ]
    );
    assert_eq!(typed.settings.find("a.b"), Some("c"));
}

#[test]
fn flags_come_from_the_environment_when_asked() {
    let env = [("FLAGS_threads", "9"), ("FLAGS_conf", "h.conf")];
    let typed = parse_with(&["--fromenv=threads,conf", "--tryfromenv=iterations"], &[], &env).expect("from env");
    assert_eq!(given(&typed), [("conf", "h.conf", "FLAGS_conf"), ("threads", "9", "FLAGS_threads")]);
    assert_eq!(typed.conf_path(), Some("h.conf"));
}

#[test]
fn unknown_flags_can_be_excused() {
    let typed = parse_with(&["--later=1", "--nofoo", "--undefok=later,foo", "--threads=2"], &[], &[]).expect("excused");
    assert_eq!(given(&typed), [("threads", "2", "--threads")]);
}

#[test]
fn help_and_version_come_before_mistakes() {
    for flag in ["--help", "-help", "--helpfull", "--helpshort", "--helpon=x", "--helpmatch=x", "--helpxml"] {
        assert_eq!(parse_with(&[flag, "--bogus=1"], &[], &[]).expect(flag).asks(), Some(Ask::Help), "{flag}");
    }
    assert_eq!(parse_with(&["--version"], &[], &[]).expect("version").asks(), Some(Ask::Version));
    assert_eq!(parse_with(&["--help=false", "--nohelp"], &[], &[]).expect("no help").asks(), None);
}

#[test]
fn settings_of_the_store_are_kept_as_secrets() {
    let typed = parse_with(&["--set", "dfs.replication=2", "--set=AWS_SECRET_KEY=hush=1"], &[], &[]).expect("settings");
    assert_eq!(typed.settings.find("dfs.replication"), Some("2"));
    assert_eq!(typed.settings.find("AWS_SECRET_KEY"), Some("hush=1"));
    assert!(!format!("{typed:?}").contains("hush"));
}

#[test]
fn every_mistake_is_one_sentence() {
    let files =
        [("loop", "--flagfile=loop\n"), ("bad", "\nhush\n"), ("unknown", "--thread=1"), ("bare", "--threads\n")];
    for (args, message) in [
        (&["--thread=3"][..], "--thread: unknown command line flag 'thread'; did you mean --threads?"),
        (&["--zzzzzz"], "--zzzzzz: unknown command line flag 'zzzzzz'; see --help for all flags"),
        (&["--threads"], "--threads: flag '--threads' is missing its argument; write --threads=N"),
        (&["--conf", "--threads=3"], "--conf: flag '--conf' is missing its argument; write --conf=FILE"),
        (&["--conf", "--"], "--conf: flag '--conf' is missing its argument; write --conf=FILE"),
        (&["hdfs"], "command line: 'hdfs' is not a flag; every argument is a flag, --name=value; see --help"),
        (&["-"], "command line: '-' is not a flag; every argument is a flag, --name=value; see --help"),
        (&["threads=3"], "command line: 'threads' is not a flag; write --threads=N"),
        (
            &["AWS_TOKEN=hush"],
            "command line: 'AWS_TOKEN' is not a flag; write --set AWS_TOKEN=… for a key of the store, or put it into \
             the conf file",
        ),
        (
            &["--verify", "false"],
            "command line: 'false' is not a flag; a switch takes its value with '=', as in --verify=false",
        ),
        (
            &["--", "--threads=3"],
            "--threads: it is not a flag of Google Benchmark; after a bare -- only --benchmark_… flags can stand; put \
             this one before it",
        ),
        (
            &["--benchmark_perf_counters=CYCLES"],
            "--benchmark_perf_counters: not supported; Hardware counters tell nothing about remote storage; the \
             client's CPU time is always reported.",
        ),
        (&["--set=dfs.replication"], "--set: a setting is KEY=VALUE; write --set dfs.replication=2"),
        (&["--help=maybe"], "--help: 'maybe' is neither true nor false; give true or false"),
        (&["--flagfile=none"], "--flagfile: cannot read flag file none: no such file; name a readable text file"),
        (&["--flagfile=loop"], "loop:1: flag file loop includes itself; take that line out"),
        (&["--flagfile=bad"], "bad:2: the line is not a flag; write --name=value on each line"),
        (&["--flagfile=unknown"], "unknown:1: unknown command line flag 'thread'; did you mean --threads?"),
        (&["--flagfile=bare"], "bare:1: flag 'threads' has no value; write --threads=N on one line"),
        (&["--fromenv=threads"], "--fromenv: FLAGS_threads is not set in the environment; set it, or use --tryfromenv"),
        (&["--fromenv=thread"], "--fromenv: unknown command line flag 'thread'; did you mean --threads?"),
    ] {
        let error = parse_with(args, &files, &[]).expect_err(message);
        assert_eq!(error.to_string(), message, "{args:?}");
    }
    let error = parse_with(&["--fromenv=fromenv"], &[], &[("FLAGS_fromenv", "x")]).expect_err("no recursion");
    assert_eq!(error.to_string(), "--fromenv: 'fromenv' cannot come from the environment; take it out of the list");
}

proptest! {
    #[test]
    fn no_arguments_make_it_panic(
        args in proptest::collection::vec("(--?)?(no)?(threads|verify|set|flagfile|fromenv|undefok|help|x|é|-)?=?[a=,. é-]{0,6}", 0..6),
        text in "(-{0,2}[a-z]{0,8}=?[a#\\r\\n=]{0,4}\n){0,3}",
    ) {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let files = [("a", text.as_str())];
        if let Err(error) = parse_with(&args, &files, &[("FLAGS_a", "b")]) {
            prop_assert!(!error.place.is_empty() && !error.remedy.is_empty());
        }
    }

    #[test]
    fn a_value_is_taken_word_for_word(value in "[ -~é]{0,20}") {
        let typed = parse_with(&[&format!("--conf={value}")], &[], &[]).expect("a value");
        prop_assert_eq!(&typed.values["conf"].text, &value);
    }
}
