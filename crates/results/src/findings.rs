//! Sentences that a reader of the numbers must see: was it the store that was measured, or something else?

use crate::{Record, Repetition};

/// Share of a worker's time on the CPU from which the worker itself is the limit.
const WORKER_BUSY: f64 = 0.9;
/// Share of the host's CPU from which the host is the limit.
const HOST_BUSY: f64 = 0.95;

/// Shorter repetitions say nothing: host times come in ticks of 10 ms.
const SPAN_NS_MIN: u64 = 50_000_000;

/// Whether this client, rather than the store, limited the repetition, and how that shows.
#[must_use]
pub fn client_limit(repetition: &Repetition, cpus: u32) -> Option<String> {
    let resources = &repetition.resources;
    if resources.span_ns < SPAN_NS_MIN {
        return None;
    }
    let used = resources.cpu_ns() as f64 / resources.span_ns as f64;
    if used >= WORKER_BUSY * f64::from(cpus.max(1)) {
        return Some(format!("the client was the limit: fsbench used {used:.1} of {cpus} CPUs"));
    }
    let busy = worker_share(repetition);
    if busy >= WORKER_BUSY {
        let percent = busy * 100.0;
        return Some(format!(
            "the client was the limit: its workers were on the CPU {percent:.0} % of the time; use more --threads"
        ));
    }
    let host = resources.host_busy_ns as f64 / resources.host_total_ns.max(1) as f64;
    (host >= HOST_BUSY).then(|| {
        format!(
            "this host was the limit: all its CPUs were {:.0} % busy, fsbench itself used {used:.1} of {cpus}",
            host * 100.0
        )
    })
}

/// The mean share of their time that workers were on the CPU.
fn worker_share(repetition: &Repetition) -> f64 {
    let running = repetition.workers.iter().filter(|w| w.end_ns > w.start_ns);
    let shares: Vec<f64> = running.map(|w| w.cpu_ns as f64 / (w.end_ns - w.start_ns) as f64).collect();
    (shares.iter().sum::<f64>() / shares.len().max(1) as f64).min(1.0)
}

/// All sentences about a Record.
#[must_use]
pub fn findings(record: &Record) -> Vec<String> {
    let mut sentences = Vec::new();
    for phase in &record.phases {
        let limits: Vec<String> =
            phase.repetitions.iter().filter_map(|r| client_limit(r, record.environment.cpu.count)).collect();
        if let Some(last) = limits.last() {
            let of = phase.repetitions.len();
            sentences.push(format!("{}: {last} (in {} of {of} repetitions)", phase.name, limits.len()));
        }
    }
    if record.environment.target.iter().any(|f| f.name == "scheme" && f.value == "null") {
        sentences.push("null: moves no data; these numbers are fsbench's own cost".into());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resources, WorkerRecord};

    /// Of 100 ms on four CPUs, in units of 0.1 ms.
    fn repetition(process: u64, worker: u64, host: u64) -> Repetition {
        Repetition {
            elapsed_ns: 1_000,
            resources: Resources {
                span_ns: 100_000_000,
                user_ns: process * 100_000,
                host_busy_ns: host * 100_000,
                host_total_ns: 400_000_000,
                ..Resources::default()
            },
            workers: vec![WorkerRecord { end_ns: 100_000_000, cpu_ns: worker * 100_000, ..WorkerRecord::default() }],
            ..Repetition::default()
        }
    }

    #[test]
    fn a_limit_is_told_from_a_store_that_is_slow() {
        assert_eq!(client_limit(&repetition(300, 300, 1_000), 4), None);
        let busy = |r| client_limit(&r, 4).expect("a limit");
        assert!(busy(repetition(3_700, 900, 3_900)).contains("used 3.7 of 4"));
        assert!(busy(repetition(960, 950, 1_000)).contains("workers were on the CPU 95 %"));
        assert!(busy(repetition(500, 400, 3_900)).contains("this host was the limit"));
        let mut short = repetition(3_700, 900, 3_900);
        short.resources.span_ns = SPAN_NS_MIN - 1;
        assert_eq!(client_limit(&short, 4), None);
    }
}
