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

/// An option as help shows it.
pub(crate) fn flag_help(text: &mut String, opt: &Opt) {
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

/// An option as a line of a table.
pub(crate) fn row(text: &mut String, opt: &Opt) {
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
        opt.help.replace('<', "&lt;"),
        status
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_made_from_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compat/doris-options.md");
        if std::env::var_os("FSBENCH_UPDATE_DOCS").is_some() {
            std::fs::write(path, markdown()).expect("docs/compat can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == markdown(), "{path} is old: run FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites");
    }

    #[test]
    fn cells_do_not_break_the_table() {
        for line in markdown().lines().filter(|line| line.starts_with('|')) {
            assert_eq!(line.matches('|').count(), 7, "{line}");
        }
    }

    #[test]
    fn help_fits_a_terminal_and_names_every_option_once() {
        let help = help();
        for line in help.lines() {
            assert!(line.chars().count() <= 120, "{line}");
        }
        for opt in options() {
            let lines = help.lines().filter(|line| {
                let name = line.trim_start().trim_start_matches("--").trim_start_matches("[no]");
                line.starts_with("  --") && name.split(['=', ' ']).next() == Some(opt.name)
            });
            assert_eq!(lines.count(), usize::from(opt.status != Status::Rejected), "{}", opt.name);
        }
    }

    #[test]
    fn help_reads_like_this() {
        insta::assert_snapshot!(help(), @r"
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

    Flags and conf keys of fs_benchmark_tool:
      --conf=FILE
          File of key=value lines: how to reach the store, and any option that may stand there.
      --fs_type=TYPE (conf)
          The file system. When it is not given, the scheme of base_dir or file_path decides. (default:
          hdfs; allowed: hdfs, s3, local, file, null, mem)
      --operation=OPERATION (conf)
          create_write, open_read, single_read, prefetch_read, exists, rename, list or delete. (default:
          create_write)
      --threads=N (conf)
          Workers that run at the same time, each on its own file test_<thread>. (default: 1; allowed: 1
          to 65536)
      --iterations=N (conf)
          Operations of each thread in one repetition. 0 repeats them until --benchmark_min_time is
          over. (default: 1; allowed: 0 or more)
      --repetitions=N (conf)
          How often the whole measurement is repeated. Not given: 3, or 1 for rename and delete.
          (allowed: 1 to 10000)
      --file_size=BYTES (conf)
          create_write: size of each file (0: 10 MiB). Reads: read at most so much of each file (0: all
          of it). (default: 0; allowed: 0 or more)
      --base_dir=URI (conf)
          Directory or prefix in which the files test_<thread> are made and read.
      --file_path=URI (conf)
          The one file that all threads read in single_read and prefetch_read. Not given: each reads
          test_<thread> below base_dir.
      --buffer_size=BYTES (conf)
          Bytes of one read or write call. (default: 1000000; allowed: 1 B to 1 GiB)

    Flags of fsbench:
      --content=KIND (conf)
          What is written: seeded and incompressible, zero bytes as the original writes them, or the
          seed over and over. (default: random; allowed: random, zero, pattern)
      --seed=N (conf)
          Seed of the content. The same seed makes the same bytes on every machine. (default: 42;
          allowed: 0 or more)
      --[no]verify (conf)
          Compare what is read with what create_write makes from --content and --seed. (default: false)
      --[no]sync (conf)
          create_write: make the data durable before closing. Not given: on for hdfs (hsync, as the
          original does), off elsewhere.
      --[no]cold (conf)
          local: evict the files from the page cache before each read phase. (default: false)
      --[no]overwrite
          Let create_write replace files that fsbench did not make. (default: false)
      --[no]cleanup (conf)
          Remove at the end what this run created. (default: false)
      --prefetch_size=BYTES (conf)
          prefetch_read: bytes of one ranged read. (default: 4MiB; allowed: 1 B to 1 GiB)
      --prefetch_concurrency=N (conf)
          prefetch_read: ranged reads in flight for each thread. (default: 4; allowed: 1 to 1024)
      --part_size=BYTES (conf)
          s3: bytes of one part of an upload; larger for files of more than 10,000 parts. Smaller files
          are one PUT. (default: 5MiB; allowed: 5 MiB to 5 GiB)
      --upload_concurrency=N (conf)
          s3: parts of one file uploaded at the same time. (default: 4; allowed: 1 to 1024)
      --retries=N (conf)
          How often a failed request is tried again. s3: counted in the result. hdfs: by the client
          library, unseen. (default: 0; allowed: 0 to 100)
      --replication=N (conf)
          hdfs: copies of each block (dfs.replication). (allowed: 1 to 512)
      --block_size=BYTES (conf)
          hdfs: size of a block, a multiple of 512 (dfs.blocksize). (allowed: 512 B to 1 TiB)
      --hadoop_conf_dir=DIR (conf)
          hdfs: folder of core-site.xml and hdfs-site.xml. Not given: HADOOP_CONF_DIR, else the folder
          of the conf file.
      --null_size=BYTES (conf)
          null: how large every file seems to be. (default: 10MiB; allowed: 0 B to 1 PiB)
      --set=KEY=VALUE
          Set a key of the store as the conf file would. May be repeated, and beats the conf file.
      --record=FILE
          Write the Record here: everything measured, as JSON, after each repetition.
      --[no]quiet
          No progress line, no echo of the conf file and no notes. (default: false)
      --[no]dry_run
          Print the plan and stop. (default: false)

    Flags of Google Benchmark, also after a bare -- and as variables like BENCHMARK_OUT:
      --benchmark_out=FILE
          Write the results here too.
      --benchmark_out_format=FORMAT
          Format of --benchmark_out. (default: json; allowed: console, json, csv)
      --benchmark_format=FORMAT
          Format of what is printed. (default: console; allowed: console, json, csv)
      --benchmark_filter=REGEX
          Run only benchmarks whose row name matches; a leading - negates, all runs all.
      --[no]benchmark_counters_tabular
          Show the counters as columns. (default: false)
      --benchmark_color=WHEN
          Colours in the table; auto when it goes to a terminal. (default: auto; allowed: auto, yes, no,
          true, false)
      --benchmark_context=KEY=VALUE,...
          Added to the context of the results.
      --[no]benchmark_report_aggregates_only
          Only mean, median, … of the repetitions, printed and written. (default: false)
      --[no]benchmark_display_aggregates_only
          Only mean, median, … of the repetitions, printed. (default: false)
      --[no]benchmark_list_tests
          Print the row names and stop. (default: false)
      --benchmark_min_time=SECONDS
          With --iterations=0: how long each thread repeats the operation. (default: 0.5; allowed: above
          0)
      --benchmark_repetitions=N
          The same as --repetitions, which wins when both are given. (allowed: 1 to 10000)

    Flags of gflags:
      --flagfile=FILE
          Read more flags from a file: one on each line, # for comments, nested if wanted.
      --fromenv=FLAGS
          Comma-separated flags that are taken from FLAGS_<name> in the environment, which must be
          there.
      --tryfromenv=FLAGS
          The same, but a missing variable is no error.
      --undefok=FLAGS
          Comma-separated flags that may be unknown.
      --[no]help
          Show this help.
      --[no]helpfull
          Show this help.
      --[no]helpshort
          Show this help.
      --helpon=FILE
          Show this help.
      --helpmatch=TEXT
          Show this help.
      --[no]helppackage
          Show this help.
      --[no]helpxml
          Show this help.
      --[no]version
          Show the version.
    ");
    }
}
