//! The option table of Google Benchmark 1.8.0, the library that the original's `main` is written with.

use super::options::{Kind, Opt, Origin};

const fn flag(name: &'static str, kind: Kind, value: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, kind, value, default, help).from(Origin::GoogleBenchmark)
}

const FORMATS: &[&str] = &["console", "json", "csv"];

/// Its flags. In the original they work only after a bare `--`, or as variables such as `BENCHMARK_OUT`.
pub(super) const FLAGS: &[Opt] = &[
    flag("benchmark_out", Kind::Text, "FILE", "", "Write the results here too."),
    flag("benchmark_out_format", Kind::Choice(FORMATS), "FORMAT", "json", "Format of --benchmark_out."),
    flag("benchmark_format", Kind::Choice(FORMATS), "FORMAT", "console", "Format of what is printed."),
    flag(
        "benchmark_filter",
        Kind::Text,
        "REGEX",
        "",
        "Run only benchmarks whose row name matches; a leading - negates, all runs all.",
    )
    .differs("Rust's regular expressions; when nothing matches, the exit code is 2, not 0."),
    flag("benchmark_counters_tabular", Kind::Switch, "BOOL", "false", "Show the counters as columns."),
    flag(
        "benchmark_color",
        Kind::Choice(&["auto", "yes", "no", "true", "false"]),
        "WHEN",
        "auto",
        "Colours in the table; auto when it goes to a terminal.",
    ),
    flag("benchmark_context", Kind::Text, "KEY=VALUE,...", "", "Added to the context of the results."),
    flag(
        "benchmark_report_aggregates_only",
        Kind::Switch,
        "BOOL",
        "false",
        "Only mean, median, … of the repetitions, printed and written.",
    ),
    flag(
        "benchmark_display_aggregates_only",
        Kind::Switch,
        "BOOL",
        "false",
        "Only mean, median, … of the repetitions, printed.",
    ),
    flag("benchmark_list_tests", Kind::Switch, "BOOL", "false", "Print the row names and stop."),
    flag(
        "benchmark_min_time",
        Kind::Seconds,
        "SECONDS",
        "0.5",
        "With --iterations=0: how long each thread repeats the operation.",
    )
    .differs(
        "Also as 0.5s. A count (10x) is refused: that is --iterations=10. It is time for each \
         thread, not the sum over threads.",
    ),
    flag(
        "benchmark_repetitions",
        Kind::Count(1, 10_000),
        "N",
        "",
        "The same as --repetitions, which wins when both are given.",
    )
    .differs("In the original it has no effect."),
    flag(
        "benchmark_enable_random_interleaving",
        Kind::Switch,
        "BOOL",
        "false",
        "Mix the repetitions of several benchmarks.",
    )
    .rejected("One call runs one benchmark: there is nothing to interleave."),
    flag("benchmark_min_warmup_time", Kind::Text, "SECONDS", "0", "Run so long before measuring.")
        .rejected("The first run is shown apart from later runs instead of being thrown away."),
    flag("benchmark_perf_counters", Kind::Text, "NAMES", "", "Hardware counters.")
        .rejected("Hardware counters tell nothing about remote storage; the client's CPU time is always reported."),
    flag("benchmark_time_unit", Kind::Text, "UNIT", "", "Unit of the time columns.")
        .rejected("The original sets ms for its benchmarks, so that this flag has no effect there."),
    flag("benchmark_dry_run", Kind::Switch, "BOOL", "false", "Run each benchmark once, to see that it works.")
        .rejected("Use --dry_run, which prints the plan, or --iterations=1 --repetitions=1."),
    flag("v", Kind::Count(0, u64::MAX), "LEVEL", "0", "Verbosity of Google Benchmark's log.")
        .rejected("There is no such log."),
];
