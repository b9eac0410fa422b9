//! The programs that people feed fio's output to, unchanged, on ours.

use crate::support::call::{Call, Ended, FSBENCH, program};
use crate::support::fio::{has, ours};
use crate::support::room::{Room, files_below};
use crate::support::skip;
use std::path::{Path, PathBuf};

/// The Python environment that `xtask/fio-tools.sh` installs.
fn tools() -> Option<PathBuf> {
    let cache = || {
        let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))
    };
    let given = std::env::var_os("FSBENCH_TEST_FIO_TOOLS").map(PathBuf::from);
    let bin = given.or_else(|| Some(cache()?.join("fsbench/fio-plot-1.1.21/bin")))?;
    if bin.join("fio-plot").is_file() {
        return Some(bin);
    }
    skip("fio-plot is not installed (xtask/fio-tools.sh)");
    None
}

/// A tool with a home of its own, for what its libraries cache.
fn tool(room: &Room, program_path: &Path, args: &[&str]) -> Call {
    let path = std::env::var("PATH").unwrap_or_default();
    let bin = program_path.parent().expect("a directory").display().to_string();
    program(program_path, args)
        .env("HOME", room.at("home"))
        .env("MPLCONFIGDIR", room.at("home"))
        .env("PATH", format!("{bin}:{path}"))
        .in_dir(&room.path(""))
}

/// Runs the job that all tools look at, with logs named as fio-plot wants them.
fn measured(room: &Room, dir: &str, depth: u32) -> Ended {
    std::fs::create_dir_all(room.path(dir)).expect("a directory");
    let logs = room.at(&format!("{dir}/randread-iodepth-{depth}-numjobs-1"));
    ours(&[
        "--name=a",
        "--rw=randread",
        "--bs=4k",
        "--size=1m",
        "--ioengine=libaio",
        "--output-format=json",
        "--numjobs=1",
    ])
    .args(&[format!("--iodepth={depth}"), format!("--directory={}", room.at(""))])
    .args(&["bw", "lat", "iops"].map(|kind| format!("--write_{kind}_log={logs}")))
    .args(&[format!("--output={}", room.at(&format!("{dir}/randread-{depth}-1.json")))])
    .run()
    .expect(0)
}

fn is_image(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG") && bytes.len() > 1000)
}

#[test]
fn fio_plot_draws_depths_histograms_and_logs() {
    let Some(bin) = tools() else { return };
    let room = Room::new();
    [1, 4].iter().for_each(|&depth| drop(measured(&room, "in", depth)));
    for (kind, more) in [
        ("-l", &["-d", "1", "4", "-n", "1"][..]),
        ("-H", &["-d", "4", "-n", "1"]),
        ("-g", &["-d", "4", "-n", "1", "-t", "bw", "lat", "iops"]),
    ] {
        let image = format!("chart{kind}.png");
        let common = ["-i", "in", "--source", "test", "-T", "title", "-r", "randread", kind, "-o", &image];
        tool(&room, &bin.join("fio-plot"), &common).args(more).run().expect(0);
        assert!(is_image(&room.path(&image)), "{kind}");
    }
}

#[test]
fn fio_plot_compares() {
    let Some(bin) = tools() else { return };
    let room = Room::new();
    ["one", "two"].iter().for_each(|dir| drop(measured(&room, dir, 4)));
    let flags = ["-i", "one", "two", "--source", "test", "-T", "title", "-r", "randread", "-C", "-d", "4", "-n", "1"];
    tool(&room, &bin.join("fio-plot"), &flags).args(&["-o", "compared.png"]).run().expect(0);
    assert!(is_image(&room.path("compared.png")));
}

#[test]
fn bench_fio_runs_us_as_fio() {
    let Some(bin) = tools() else { return };
    let room = Room::new();
    std::fs::create_dir_all(room.path("bin")).expect("a directory");
    std::fs::create_dir_all(room.path("data")).expect("a directory");
    std::os::unix::fs::symlink(FSBENCH, room.path("bin/fio")).expect("a link");
    let path = format!("{}:{}:{}", room.at("bin"), bin.display(), std::env::var("PATH").unwrap_or_default());
    let data = room.at("data");
    let flags = ["--target", &data, "--type", "directory", "--size", "1M", "--mode", "randread", "randwrite"];
    let more =
        ["--iodepth", "1", "4", "--numjobs", "1", "--output", "out", "--runtime", "1", "--quiet", "--destructive"];
    let call = tool(&room, &bin.join("bench-fio"), &flags).args(&more).env("PATH", path);
    let ended = call.run().expect(0).hides("An error occurred");
    let files = files_below(&room.path("out"));
    for mode in ["randread", "randwrite"] {
        for depth in [1, 4] {
            let json = format!("{mode}-{depth}-1.json");
            assert!(files.iter().any(|file| file.ends_with(&json)), "no {json} among {files:?}: {ended}");
            let log = format!("{mode}-iodepth-{depth}-numjobs-1_clat.1.log");
            assert!(files.iter().any(|file| file.ends_with(&log)), "no {log} among {files:?}");
        }
    }
}

#[test]
fn fio_jsonplus_clat2csv_validates() {
    let Some(bin) = tools() else { return };
    if !has("fio_jsonplus_clat2csv", "apt-get install fio") {
        return;
    }
    let room = Room::new();
    let file = room.at("plus.json");
    let flags = ["--name=a", "--rw=randrw", "--size=1m", "--output-format=json+", "--output", &file, "--numjobs=2"];
    ours(&flags).args(&["--directory", &room.at("")]).run().expect(0);
    let python = bin.join("python");
    for more in [&[][..], &["--validate"]] {
        let script = ["/usr/bin/fio_jsonplus_clat2csv"];
        tool(&room, &python, &script).args(more).args(&[&file, "table.csv"]).run().expect(0);
    }
    for job in 0..2 {
        let table = std::fs::read_to_string(room.path(&format!("table_job{job}.csv"))).expect("a table");
        assert!(table.lines().count() > 2, "{table}");
    }
}

#[test]
fn fio2gnuplot_reads_the_logs() {
    let Some(bin) = tools() else { return };
    if !has("fio2gnuplot", "apt-get install fio") || !has("gnuplot", "apt-get install gnuplot-nox") {
        return;
    }
    let room = Room::new();
    measured(&room, "in", 4);
    for flag in ["-b", "-i"] {
        let script = ["/usr/bin/fio2gnuplot", flag, "-g", "-d", &format!("{}/", room.at("in"))];
        tool(&room, &bin.join("python"), &script).in_dir(&room.path("in")).run().expect(0);
    }
    assert!(
        files_below(&room.path("in")).iter().any(|file| file.ends_with(".png")),
        "{:?}",
        files_below(&room.path("in"))
    );
}

/// Debian's package lacks it; a checkout of fio has it in tools/hist.
#[test]
#[ignore = "no package has fiologparser_hist.py; set FSBENCH_TEST_FIOLOGPARSER_HIST to its path and run with --ignored"]
fn fiologparser_hist_reads_histogram_logs() {
    let Some(bin) = tools() else { return };
    let script = std::env::var("FSBENCH_TEST_FIOLOGPARSER_HIST").expect("the path of fiologparser_hist.py");
    let room = Room::new();
    let log = format!("--write_hist_log={}", room.at("h"));
    let flags = ["--name=a", "--ioengine=null", "--rw=randread", "--size=1g", "--time_based", "--runtime=1"];
    ours(&flags).args(&["--log_hist_msec=200", &log]).run().expect(0);
    let call = tool(&room, &bin.join("python"), &[&script, &room.at("h_clat_hist.1.log")]);
    assert!(call.run().expect(0).stdout.lines().count() > 2);
}
