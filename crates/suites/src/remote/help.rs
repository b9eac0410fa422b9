//! Help and `docs/compat/doris-options.md`, both from the option table.

use super::options::{Kind, Opt, Origin, Status, options};
use std::fmt::Write;

const WIDTH: usize = 100;

const INTRODUCTION: &str = "\
Measures HDFS, S3 and local files with the benchmarks of Doris' fs_benchmark_tool.

Usage: fsbench remote [--conf=FILE] [--fs_type=TYPE] --operation=OPERATION [--base_dir=URI] [FLAGS]

  fsbench remote --conf=hdfs.conf --fs_type=hdfs --operation=create_write --file_size=1024000 --threads=3 --iterations=5
  fsbench remote --conf=s3.conf --fs_type=s3 --operation=single_read --file_path=s3://bucket/file
  fsbench remote --operation=create_write --base_dir=/mnt/disk/bench --file_size=64MiB --threads=4

Operations:
  create_write   create test_<thread> below base_dir, write it, close it
  open_read      open test_<thread> and read it
  single_read    all threads read the one file of file_path
  prefetch_read  the same, with several ranged reads in flight
  exists         ask whether test_<thread> exists
  rename         rename test_<thread> to test_<thread>_new, and back
  list           list everything below base_dir
  delete         delete test_<thread>, if fsbench made it

Flags are written -x=v, --x=v or --x v; switches --x, --nox or --x=false. A flag beats the conf file. Options marked
(conf) may also stand there, as x=v. Sizes are bytes or have a unit: 10MiB, 10M (both 2^20), 10MB (10^6).
";

/// The whole help text.
#[must_use]
pub fn help() -> String {
    let mut text = INTRODUCTION.to_string();
    let sections = [
        (Origin::Doris, "Flags and conf keys of fs_benchmark_tool:"),
        (Origin::Fsbench, "Flags of fsbench:"),
        (
            Origin::GoogleBenchmark,
            "Flags of Google Benchmark, also after a bare -- and as variables like BENCHMARK_OUT:",
        ),
        (Origin::Gflags, "Flags of gflags:"),
    ];
    for (origin, title) in sections {
        let _ = write!(text, "\n{title}\n");
        for opt in options().filter(|opt| opt.origin == origin && opt.status != Status::Rejected) {
            flag_help(&mut text, opt);
        }
    }
    text
}

fn flag_help(text: &mut String, opt: &Opt) {
    let conf = if opt.conf { " (conf)" } else { "" };
    let _ = match opt.kind {
        Kind::Switch => writeln!(text, "  --[no]{}{conf}", opt.name),
        _ => writeln!(text, "  --{}={}{conf}", opt.name, opt.value),
    };
    let mut words = opt.help.to_string();
    let facts: Vec<_> = [("default", opt.default.to_string()), ("allowed", shown_range(opt))]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    if !facts.is_empty() {
        let _ = write!(words, " ({})", facts.join("; "));
    }
    wrap(text, &words);
}

/// A switch's values need no words.
fn shown_range(opt: &Opt) -> String {
    if opt.kind == Kind::Switch { String::new() } else { opt.range() }
}

/// Indented lines of at most [`WIDTH`] columns.
fn wrap(text: &mut String, words: &str) {
    const INDENT: &str = "      ";
    let mut line = String::new();
    for word in words.split(' ') {
        if !line.is_empty() && INDENT.len() + line.len() + 1 + word.len() > WIDTH {
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

/// The text of `docs/compat/doris-options.md`.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "# The options of `fsbench remote`\n\n\
         Made from the option table in `crates/suites/src/remote`; do not edit. Update it with\n\
         `FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites`. What differs from `fs_benchmark_tool` beyond its\n\
         options is in [doris.md](doris.md).\n\n\
         *same*: means what it means there. *differs*: means something else, for the stated reason. *rejected*:\n\
         refused by name. *new*: has no original. Options with a tick may also stand in the conf file.\n",
    );
    let sections = [
        (Origin::Doris, "`fs_benchmark_tool`"),
        (Origin::Fsbench, "fsbench"),
        (Origin::GoogleBenchmark, "Google Benchmark 1.8.0"),
        (Origin::Gflags, "gflags"),
    ];
    for (origin, title) in sections {
        let _ = write!(
            text,
            "\n## {title}\n\n| option | conf | default | allowed | meaning | status |\n|---|---|---|---|---|---|\n"
        );
        options().filter(|opt| opt.origin == origin).for_each(|opt| row(&mut text, opt));
    }
    text
}

fn row(text: &mut String, opt: &Opt) {
    let status = match opt.status {
        Status::Same => "same".to_string(),
        Status::New => "new".to_string(),
        Status::Differs => format!("differs: {}", opt.reason),
        Status::Rejected => format!("rejected: {}", opt.reason),
    };
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    let _ = writeln!(
        text,
        "| `--{}={}` | {} | {} | {} | {} | {} |",
        opt.name,
        opt.value,
        if opt.conf { "✓" } else { "" },
        code(opt.default),
        opt.range(),
        opt.help,
        status
    );
}
