//! Tests of whole command lines: what is planned, and what is refused.

mod gitlab;
mod nonsense;
mod notes;
mod planned;
mod ready;
mod stores;
mod table;
mod traps;

use super::{Command, Found, Machine, Run, World, command};
use fsbench_model::job::{Job, Jobs};
use fsbench_model::{Plan, Program};
use std::collections::BTreeMap;

/// A world of made-up files: job files by their text, data files by their size.
#[derive(Default)]
pub(super) struct Made {
    texts: BTreeMap<String, String>,
    data: BTreeMap<String, Option<u64>>,
    variables: BTreeMap<String, String>,
    entropy: u64,
}

impl Made {
    pub(super) fn text(mut self, path: &str, text: &str) -> Self {
        self.texts.insert(path.into(), text.into());
        self
    }

    pub(super) fn data(mut self, path: &str, bytes: Option<u64>) -> Self {
        self.data.insert(path.into(), bytes);
        self
    }

    pub(super) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Runs a command line; arguments are separated by blanks, `~` is a blank.
    pub(super) fn command(&self, line: &str) -> Result<Command, String> {
        let args: Vec<String> = line.split_whitespace().map(|arg| arg.replace('~', " ")).collect();
        let read = |path: &str| self.texts.get(path).cloned().ok_or_else(|| "no such file".to_string());
        let find = |path: &str| match path {
            "/d" | "/" => Some(Found { bytes: None, is_directory: true }),
            path => self.data.get(path).map(|bytes| Found { bytes: *bytes, is_directory: false }),
        };
        let world = World {
            read: &read,
            find: &find,
            environment: &self.variables,
            directory: "/d",
            machine: Machine { page_bytes: 4096, memory_mib: 16_000, processors: 8 },
            entropy: self.entropy,
        };
        command(&args, &world).map_err(|error| error.to_string())
    }

    pub(super) fn run(&self, line: &str) -> Result<Run, String> {
        match self.command(line)? {
            Command::Run(run) => Ok(*run),
            Command::Text(text) => Err(format!("text: {text}")),
        }
    }

    pub(super) fn plan(&self, line: &str) -> Plan {
        self.run(line).map(|run| run.plan).unwrap_or_else(|error| panic!("{line}: {error}"))
    }
}

/// The plan of a job file.
pub(super) fn plan_of(text: &str) -> Plan {
    Made::default().text("t.fio", text).plan("t.fio")
}

/// The error of a job file.
pub(super) fn error_of(text: &str) -> String {
    match Made::default().text("t.fio", text).command("t.fio") {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

/// The jobs of a phase.
pub(super) fn jobs(plan: &Plan, phase: usize) -> &[Job] {
    match &plan.phases[phase].program {
        Program::Jobs(Jobs { jobs, .. }) => jobs,
        other => panic!("no jobs: {other:?}"),
    }
}

/// The only job of `[j]` with these lines.
pub(super) fn job(lines: &str) -> Job {
    jobs(&plan_of(&format!("[j]\nsize=1g\n{lines}\n")), 0)[0].clone()
}

/// Why `[j]` with these lines is refused, without the place's file.
pub(super) fn refusal(lines: &str) -> String {
    error_of(&format!("[j]\nsize=1g\n{lines}\n"))
}
