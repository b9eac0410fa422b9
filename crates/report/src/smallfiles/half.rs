//! One half of the check: all files written, or all files read.

use fsbench_results::model::{Program, SmallFiles, Span};
use fsbench_results::{Kind, PhaseRecord, Record, Repetition};

/// What is to be said about a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every file, in time.
    Good,
    /// Every file, and too late.
    TooSlow,
    /// Something went wrong.
    Failed,
    /// It was cut short.
    Interrupted,
    /// It did not begin.
    NotMeasured,
}

impl Verdict {
    /// The word in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::TooSlow => "too_slow",
            Verdict::Failed => "failed",
            Verdict::Interrupted => "interrupted",
            Verdict::NotMeasured => "not_measured",
        }
    }
}

/// A half of the plan, and what was measured of it.
pub(super) struct Half<'a> {
    /// Its place among the phases.
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) plan: &'a SmallFiles,
    pub(super) phase: Option<&'a PhaseRecord>,
}

/// All halves of the plan, in order.
pub(super) fn halves(record: &Record) -> Vec<Half<'_>> {
    let phases = record.plan.phases.iter().enumerate();
    let halves = phases.filter_map(|(index, phase)| match &phase.program {
        Program::SmallFiles(plan) => Some(Half { index, name: &phase.name, plan, phase: record.phases.get(index) }),
        _ => None,
    });
    halves.collect()
}

impl Half<'_> {
    pub(super) fn measured(&self) -> Option<&Repetition> {
        self.phase?.repetitions.first()
    }

    /// The shell that ran it: `bash`, `sh`. `None` for fsbench's own calls.
    pub(super) fn shell(&self) -> Option<&'static str> {
        self.plan.shell.as_ref()?;
        let is_sh = self.measured().is_some_and(|repetition| repetition.counted("sh") > 0);
        Some(if is_sh { "sh" } else { "bash" })
    }

    /// Files that went well.
    pub(super) fn done(&self) -> u64 {
        let operations = self.measured().and_then(|repetition| repetition.kind(Kind::Operation));
        let count = operations.map_or(0, |kind| kind.count);
        if self.plan.shell.is_some() { count * self.plan.files } else { count }
    }

    /// Operations that failed; a shell's loop is one.
    pub(super) fn failed(&self) -> u64 {
        self.measured().map_or(0, |repetition| repetition.failed)
    }

    /// Wall time. Of the loop by a shell, that of the shell: its start is in it, a thread's is not.
    pub(super) fn elapsed(&self) -> Option<Span> {
        let repetition = self.measured()?;
        let of_shell = repetition.kind(Kind::Operation).filter(|_| self.plan.shell.is_some());
        Some(Span(of_shell.map_or(repetition.elapsed_ns, |kind| kind.busy_ns)))
    }

    /// Files that went well in each second.
    pub(super) fn rate(&self) -> f64 {
        match self.elapsed() {
            Some(Span(ns)) if ns > 0 => self.done() as f64 / Span(ns).seconds(),
            _ => 0.0,
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let (Some(repetition), Some(elapsed)) = (self.measured(), self.elapsed()) else {
            return Verdict::NotMeasured;
        };
        if repetition.interrupted {
            return Verdict::Interrupted;
        }
        if repetition.error_count() > 0 || self.done() != self.plan.files {
            return Verdict::Failed;
        }
        if elapsed < self.plan.limit { Verdict::Good } else { Verdict::TooSlow }
    }
}
