//! Any text as the value of any option: read or refused in one line, never a panic, and never twice differently.

use super::super::options::options;
use super::Made;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9a-z%:,/.()*^$-]{0,12}",
        "[0-9]{1,20}[kmgtpKMGTP]?[iI]?[bB]?",
        "[0-9]{1,3}(ms|us|s|m|h|d)?",
        "(zipf|pareto|normal|zoned|zoned_abs|random|iops|bw_slope|wait_before)[:,]?[0-9./:%,]{0,8}",
        "(hdfs|s3|file)://[a-z:/0-9]{0,10}",
        "[\\x20-\\x7eé\"'%o]{0,10}",
        "\\([0-9()*/%^+ -]{0,12}\\)",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_value_of_any_option_is_planned_or_refused(
        picks in proptest::collection::vec((0..options().count(), value()), 1..4),
        bare in any::<bool>(),
    ) {
        let names: Vec<_> = options().map(|opt| opt.name).collect();
        let line = |(at, value): &(usize, String)| match bare && value.is_empty() {
            true => names[*at].to_string(),
            false => format!("{}={value}", names[*at]),
        };
        let lines: Vec<_> = picks.iter().filter(|(at, _)| names[*at] != "nrfiles").map(line).collect();
        let text = format!("[a]\nsize=1m\nnumjobs=2\n{}\n", lines.join("\n"));
        let made = Made::default().text("t", &text);
        let first = made.run("t --max-jobs=64");
        if let Err(error) = &first {
            prop_assert!(error.starts_with("fio: ") && error.lines().count() == 1, "{}: {}", text, error);
        }
        prop_assert_eq!(first, made.run("t --max-jobs=64"));
    }

    #[test]
    fn any_argument_is_planned_or_refused(args in proptest::collection::vec("-{0,2}[a-z_-]{0,8}=?[a-z0-9.,]{0,6}", 0..4)) {
        if let Err(error) = Made::default().command(&args.join(" ")) {
            prop_assert!(error.starts_with("fio: "), "{}", error);
        }
    }
}
