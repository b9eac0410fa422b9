//! Help and `docs/compat/smallfiles-options.md`, both from the option table.

use super::table::options;
use crate::remote::{flag_help, row};

const INTRODUCTION: &str = "\
GitLab's check of a file system that needs no fio: writes 1,000 small files, each opened, written and closed as the
shell's loop does it, reads them back, and says whether each took less than 10 seconds.

Usage: fsbench smallfiles DIR|URI [OPTIONS]

  fsbench smallfiles /var/opt/gitlab/git-data
  fsbench smallfiles /mnt/nfs --shell
  fsbench smallfiles s3://bucket/prefix --conf s3.conf --threads 16
  fsbench smallfiles hdfs://namenode:8020/tmp -D dfs.replication=2 --format json

The files are in a directory of the run's own below DIR, and removed afterwards. DIR is made when only it is missing.

Exit codes: 0 all went well and in time; 1 the limit was missed, or something failed: the verdict says which;
2 the input was wrong and nothing was measured; 130 interrupted, what was measured is shown.

Options (switches: --x, --no-x; sizes are bytes or have a unit, 4k, 1MiB; DIR: /dir, file:///dir, hdfs://host:port/dir,
s3://bucket/prefix, null:, mem:):
";

/// The whole help text.
#[must_use]
pub fn help() -> String {
    let mut text = INTRODUCTION.to_string();
    options().for_each(|opt| flag_help(&mut text, opt));
    text
}

/// The text of `docs/compat/smallfiles-options.md`.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "# The options of `fsbench smallfiles`\n\n\
         Made from the option table in `crates/suites/src/smallfiles`; do not edit. Update it with\n\
         `FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites`. What GitLab's loop does and what differs is in\n\
         [smallfiles.md](smallfiles.md).\n\n\
         | option | conf | default | allowed | meaning | status |\n|---|---|---|---|---|---|\n",
    );
    options().for_each(|opt| row(&mut text, opt));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_made_from_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compat/smallfiles-options.md");
        if std::env::var_os("FSBENCH_UPDATE_DOCS").is_some() {
            std::fs::write(path, markdown()).expect("docs/compat can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == markdown(), "{path} is old: run FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites");
    }

    #[test]
    fn the_help() {
        insta::assert_snapshot!(help(), @r"
        GitLab's check of a file system that needs no fio: writes 1,000 small files, each opened, written and closed as the
        shell's loop does it, reads them back, and says whether each took less than 10 seconds.

        Usage: fsbench smallfiles DIR|URI [OPTIONS]

          fsbench smallfiles /var/opt/gitlab/git-data
          fsbench smallfiles /mnt/nfs --shell
          fsbench smallfiles s3://bucket/prefix --conf s3.conf --threads 16
          fsbench smallfiles hdfs://namenode:8020/tmp -D dfs.replication=2 --format json

        The files are in a directory of the run's own below DIR, and removed afterwards. DIR is made when only it is missing.

        Exit codes: 0 all went well and in time; 1 the limit was missed, or something failed: the verdict says which;
        2 the input was wrong and nothing was measured; 130 interrupted, what was measured is shown.

        Options (switches: --x, --no-x; sizes are bytes or have a unit, 4k, 1MiB; DIR: /dir, file:///dir, hdfs://host:port/dir,
        s3://bucket/prefix, null:, mem:):
          --count=N
              How many files. GitLab's text says 1,000; its loop, {0..1000}, makes 1001. (default: 1000;
              allowed: 1 to 100000000)
          --size=BYTES
              Bytes of each file, written by one call. 5 bytes are the line that the loop's echo writes,
              test; any other size is seeded content, different in each file. (default: 5; allowed: 0 B to
              64 MiB)
          --threads=N
              Workers that share the files. The loop is one. (default: 1; allowed: 1 to 4096)
          --[no]sync
              Make each file durable before closing it. The loop does not. (default: false)
          --[no]cold
              local: evict the files' content from the page cache before they are read. (default: false)
          --[no]verify
              Compare what is read with what was written, outside of the latencies. (default: true)
          --limit=SECONDS
              Wall time below which writing all files is good, and reading them. (default: 10; allowed:
              above 0)
          --[no]keep
              Leave the files there; fsbench clean DIR removes them later. (default: false)
          --[no]shell
              local: let bash (or sh) run GitLab's loop too, with a process of cat for each file that is
              read, and show both. (default: false)
          --format=FORMAT
              Format of what is printed. (default: text; allowed: text, json)
          --record=FILE
              Write the Record here: everything measured, as JSON.
          --conf=FILE
              File of key=value lines: how to reach the store, as fsbench remote has it.
          --set=KEY=VALUE
              Set a key of the store as the conf file would; also -D KEY=VALUE. May be repeated, and beats
              the conf file.
          --[no]quiet
              No progress line and no notes. (default: false)
          --[no]dry_run
              Print the plan and stop. (default: false)
          --[no]help
              Show this help.
        ");
    }
}
