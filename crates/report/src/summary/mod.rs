//! What Google Benchmark's table cannot say, for the person who reads it: where the time went, the spread, what
//! failed, what it cost this host, and how far the numbers can be trusted.
//!
//! One block for each phase, then findings, notes and the ending. A line is there only when it says something.

mod facts;
mod jobs;
mod latency;
#[cfg(test)]
mod tests;

use fsbench_results::{Ending, Kind, KindRecord, PhaseRecord, Record, Repetition, findings};
use std::collections::BTreeMap;

pub(crate) use facts::short;

/// The longest line that is not somebody else's text.
const WIDTH: usize = 100;
/// Columns of the label before a line of facts.
const LABEL: usize = 14;

/// The summary, at most about 100 columns wide, each line ended. Empty for a Record that has nothing in it yet.
#[must_use]
pub fn summary(record: &Record) -> String {
    let mut out = String::new();
    for (index, phase) in record.phases.iter().enumerate() {
        let phase = PhaseView::new(record, index, phase);
        out.push_str(&block(&phase));
    }
    out.push_str(&sentences("Findings", &findings(record)));
    out.push_str(&sentences("Notes", &record.notes));
    out.push_str(&sentences("Incomplete", &ending(record)));
    out
}

/// Labels, each with its line.
pub(crate) type Facts = Vec<(&'static str, String)>;

/// The facts of the phase at `index`, none when it was not measured.
pub(crate) fn facts_of(record: &Record, index: usize) -> Facts {
    record.phases.get(index).map(|phase| facts::all(&PhaseView::new(record, index, phase))).unwrap_or_default()
}

/// One phase, its plan, and its repetitions merged.
struct PhaseView<'a> {
    phase: &'a PhaseRecord,
    plan: Option<&'a fsbench_results::model::Phase>,
    /// `file`, `hdfs`, `s3`, …
    scheme: &'a str,
    /// Each kind over all repetitions.
    kinds: BTreeMap<&'static str, KindRecord>,
}

impl<'a> PhaseView<'a> {
    fn new(record: &'a Record, index: usize, phase: &'a PhaseRecord) -> Self {
        let mut kinds: BTreeMap<&'static str, KindRecord> = BTreeMap::new();
        for repetition in &phase.repetitions {
            for kind in Kind::ALL {
                if let Some(of_kind) = repetition.kind(kind).filter(|k| k.count > 0) {
                    kinds.entry(kind.name()).or_default().merge(of_kind);
                }
            }
        }
        Self {
            phase,
            plan: crate::gbench::planned(record, index, &phase.name),
            scheme: record.plan.target.uri.split(':').next().unwrap_or_default(),
            kinds,
        }
    }

    fn kind(&self, kind: Kind) -> Option<&KindRecord> {
        self.kinds.get(kind.name())
    }

    fn repetitions(&self) -> &[Repetition] {
        &self.phase.repetitions
    }

    fn sum(&self, of: impl Fn(&Repetition) -> u64) -> u64 {
        self.repetitions().iter().map(of).sum()
    }

    fn counted(&self, name: &str) -> u64 {
        self.sum(|repetition| repetition.counted(name))
    }
}

fn block(phase: &PhaseView<'_>) -> String {
    let mut out = format!("\n{}\n", heading(phase));
    let jobs = jobs::table(phase);
    out.push_str(&jobs);
    if !jobs.is_empty() && !phase.kinds.is_empty() {
        out.push('\n');
    }
    out.push_str(&latency::table(phase));
    let lines: Vec<(&str, String)> = facts::all(phase);
    if !lines.is_empty() && (!phase.kinds.is_empty() || !jobs.is_empty()) {
        out.push('\n');
    }
    for (label, text) in lines {
        out.push_str(&labelled(label, &text));
    }
    out
}

/// `LocalReadBenchmark: 3 repetitions, 3 threads`.
fn heading(phase: &PhaseView<'_>) -> String {
    let done = phase.repetitions().len() as u64;
    let planned = phase.plan.map_or(done, |plan| u64::from(plan.repetitions));
    let repetitions = match done == planned {
        true => counted(done, "repetition"),
        false => format!("{done} of {}", counted(planned, "repetition")),
    };
    let threads = phase.plan.map(|plan| format!(", {}", counted(u64::from(plan.workers), "thread")));
    format!("{}: {repetitions}{}", phase.phase.name, threads.unwrap_or_default())
}

/// `1 thread`, `3 threads`.
fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A line of facts; what is too long goes on below its beginning.
pub(crate) fn labelled(label: &str, text: &str) -> String {
    let mut out = String::new();
    for (index, line) in wrapped(text, WIDTH - LABEL - 2).into_iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("  {label:<LABEL$}{line}\n"));
    }
    out
}

pub(crate) fn sentences(heading: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{heading}\n");
    for sentence in sentences {
        for (index, line) in wrapped(sentence, WIDTH - 4).into_iter().enumerate() {
            out.push_str(&format!("  {} {line}\n", if index == 0 { '-' } else { ' ' }));
        }
    }
    out
}

/// Words in lines of at most `width` columns. A longer word has a line of its own and stays whole: it may be a path.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a last line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

/// What the ending means for the numbers; nothing when all was measured.
pub(crate) fn ending(record: &Record) -> Vec<String> {
    let mut said: Vec<String> = match record.ending {
        Ending::Finished => None,
        Ending::Interrupted => {
            Some("the run was interrupted by a signal; what was measured until then is above".into())
        }
        Ending::Failed => {
            let why = record.failure.as_deref().unwrap_or("it could not go on");
            Some(format!("the run failed: {why}"))
        }
        Ending::Running => Some("the run has not ended: it goes on, or its process was killed".into()),
    }
    .into_iter()
    .collect();
    if record.ending != Ending::Finished || !record.complete {
        said.extend(record.plan.phases.iter().enumerate().filter_map(|(index, plan)| missing(record, index, plan)));
    }
    said
}

/// How much of a phase there is, unless it is all there.
fn missing(record: &Record, index: usize, plan: &fsbench_results::model::Phase) -> Option<String> {
    let Some(phase) = record.phases.get(index) else { return Some(format!("{}: did not begin", plan.name)) };
    let complete = phase.repetitions.iter().filter(|repetition| !repetition.interrupted).count() as u32;
    if complete >= plan.repetitions {
        return None;
    }
    let verb = if complete == 1 { "is" } else { "are" };
    let aggregates = match phase.repetitions.iter().any(|repetition| repetition.interrupted) {
        true => "; the one that was cut short has a row, but is not in the aggregates",
        false => "",
    };
    Some(format!(
        "{}: {complete} of {} {verb} complete{aggregates}",
        plan.name,
        counted(u64::from(plan.repetitions), "repetition")
    ))
}
