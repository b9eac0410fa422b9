//! `fsbench selftest`: what the tool itself costs, on stores that cost nothing.
//!
//! Part one runs the programs of `fsbench remote` on `null:`, so that all that is measured is the engine. Part two runs
//! the S3 client against a server in this process that stores nothing; only the CPU time of the workers' threads is
//! counted, which is the client's.

use super::VERSION;
use crate::exit::{self, Exit};
use crate::{null_s3, output, stores};
use anyhow::Context;
use fsbench_model::{
    Bytes, Content, ContentKind, ExistsFile, FileNames, Phase, Plan, Program, ReadFile, Settings, Span,
    Stop as StopRule, TargetSpec, WriteFile,
};
use fsbench_results::{Kind, Repetition};
use fsbench_runner::{Clock, Control, Live, Stop, run as measure};
use std::sync::Arc;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Threads of each measurement
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Seconds of each measurement
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
}

/// One measurement: what it is called, where it runs, what it does, and which kind of operation is counted.
struct Case {
    name: &'static str,
    store: TargetSpec,
    program: Program,
    counted: Kind,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    output::print(&format!(
        "fsbench {VERSION}: its own cost, {} thread(s), {} s each\n\n{:<34}{:>14}{:>12}{:>12}{:>12}\n",
        args.threads, args.seconds, "on null:", "operations/s", "ns each", "CPU ns", "p99 ns"
    ))?;
    for case in engine() {
        let repetition = case.measure(args)?;
        output::print(&engine_row(&case, &repetition, args.threads))?;
    }
    let heading = format!(
        "\n{:<34}{:>14}{:>12}{:>16}{:>12}\n",
        "S3 client, on a server of no cost", "requests/s", "MiB/s", "CPU s/10,000", "CPU s/GB"
    );
    output::print(&heading)?;
    for case in s3()? {
        let repetition = case.measure(args)?;
        output::print(&s3_row(&case, &repetition))?;
    }
    Ok(Exit::Ok)
}

fn files() -> FileNames {
    FileNames::PerWorker("test_".into())
}

fn read(limit: u64, buffer: u64) -> Program {
    let (limit, buffer) = (Some(Bytes(limit)), Bytes(buffer));
    Program::Read(ReadFile { files: files(), limit, buffer, prefetch: None, verify: None })
}

fn write(size: u64, kind: ContentKind) -> Program {
    let content = Content { kind, seed: 42 };
    let (size, buffer) = (Bytes(size), Bytes(size.min(MIB)));
    Program::Write(WriteFile { files: files(), size, buffer, content, sync: false, overwrite_foreign: true })
}

/// The engine on `null:`.
fn engine() -> Vec<Case> {
    let store = || {
        let mut settings = Settings::default();
        settings.set("null_size", (64 * MIB).to_string(), "selftest");
        TargetSpec { uri: "null:".into(), settings }
    };
    let case = |name, program, counted| Case { name, store: store(), program, counted };
    vec![
        case("exists", Program::Exists(ExistsFile { files: files() }), Kind::Exists),
        case("open, one read, close", read(4 * KIB, 4 * KIB), Kind::Operation),
        case("read 4 KiB of an open file", read(64 * MIB, 4 * KIB), Kind::Read),
        case("create, write 4 KiB, close", write(4 * KIB, ContentKind::Random), Kind::Operation),
        case("write 1 MiB of random content", write(64 * MIB, ContentKind::Random), Kind::Write),
    ]
}

/// The S3 client on a server of no cost.
fn s3() -> anyhow::Result<Vec<Case>> {
    let store = |object_bytes| -> anyhow::Result<TargetSpec> {
        let address = null_s3::serve(object_bytes).context("cannot start the server of the S3 part")?;
        let mut settings = Settings::default();
        for (key, value) in [
            ("AWS_ENDPOINT", format!("http://{address}").as_str()),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY", "selftest"),
            ("AWS_SECRET_KEY", "selftest"),
            ("use_path_style", "true"),
            ("part_size", "16777216"),
        ] {
            settings.set(key, value, "selftest");
        }
        Ok(TargetSpec { uri: "s3://selftest/fsbench".into(), settings })
    };
    let case = |name, store, program| Case { name, store, program, counted: Kind::Request };
    Ok(vec![
        case("HEAD", store(4 * KIB)?, Program::Exists(ExistsFile { files: files() })),
        case("HEAD and GET of 4 KiB in turn", store(4 * KIB)?, read(4 * KIB, 4 * KIB)),
        case("PUT of 4 KiB", store(4 * KIB)?, write(4 * KIB, ContentKind::Pattern)),
        case("GET of 8 MiB", store(64 * MIB)?, read(64 * MIB, 8 * MIB)),
        case("PUT of 8 MiB", store(8 * MIB)?, write(8 * MIB, ContentKind::Pattern)),
    ])
}

impl Case {
    fn measure(&self, args: &Args) -> anyhow::Result<Repetition> {
        let stop = StopRule::After(Span(u64::from(args.seconds) * 1_000_000_000));
        let phase = Phase {
            name: self.name.into(),
            workers: args.threads,
            repetitions: 1,
            stop,
            program: self.program.clone(),
        };
        let plan = Plan {
            suite: "selftest".into(),
            target: self.store.clone(),
            phases: vec![phase],
            cleanup: false,
            cold: false,
            notes: Vec::new(),
        };
        let store = stores::open(&self.store)?;
        let (stop, live, clock) = (Arc::new(Stop::default()), Arc::new(Live::default()), Clock::start());
        let mut control = Control { stop, live, clock, version: VERSION, save: &mut |_| {}, status: None };
        let mut run = measure(plan, &store.target, &mut control);
        if let Some(error) = run.refusal {
            return Err(error).context(self.name);
        }
        anyhow::ensure!(exit::of_record(&run.record) == Exit::Ok, "{}: {:?}", self.name, run.record.phases);
        let repetition = run.record.phases.pop().and_then(|mut phase| phase.repetitions.pop());
        repetition.context("the selftest measured nothing")
    }
}

fn seconds(repetition: &Repetition) -> f64 {
    repetition.elapsed_ns.max(1) as f64 / 1e9
}

fn client_cpu_ns(repetition: &Repetition) -> u64 {
    repetition.workers.iter().map(|worker| worker.cpu_ns).sum()
}

fn engine_row(case: &Case, repetition: &Repetition, threads: u32) -> String {
    let kind = repetition.kind(case.counted).cloned().unwrap_or_default();
    let count = kind.count.max(1) as f64;
    format!(
        "{:<34}{:>14.0}{:>12.0}{:>12.0}{:>12}\n",
        case.name,
        count / seconds(repetition),
        seconds(repetition) * 1e9 * f64::from(threads) / count,
        client_cpu_ns(repetition) as f64 / count,
        kind.quantile_ns(0.99).unwrap_or(0)
    )
}

fn s3_row(case: &Case, repetition: &Repetition) -> String {
    let requests = repetition.kind(case.counted).map_or(0, |kind| kind.count).max(1) as f64;
    let cpu = client_cpu_ns(repetition) as f64 / 1e9;
    let per_gb = match repetition.bytes {
        0 => "-".to_string(),
        bytes => format!("{:.3}", cpu / (bytes as f64 / 1e9)),
    };
    format!(
        "{:<34}{:>14.0}{:>12.0}{:>16.3}{:>12}\n",
        case.name,
        requests / seconds(repetition),
        repetition.bytes as f64 / MIB as f64 / seconds(repetition),
        cpu / requests * 1e4,
        per_gb
    )
}
