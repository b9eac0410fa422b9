//! Sentences that a reader of the numbers must see: was it the store that was measured, or something else?

use crate::{Record, Repetition};

/// Share of a worker's time on the CPU from which the worker itself is the limit.
const WORKER_BUSY: f64 = 0.9;
/// Share of the host's CPU from which the host is the limit.
const HOST_BUSY: f64 = 0.95;

/// Whether this client, rather than the store, limited the repetition, and how that shows.
#[must_use]
pub fn client_limit(repetition: &Repetition, cpus: u32) -> Option<String> {
    let elapsed = repetition.elapsed_ns;
    if elapsed == 0 {
        return None;
    }
    let used = repetition.resources.cpu_ns() as f64 / elapsed as f64;
    if used >= WORKER_BUSY * f64::from(cpus.max(1)) {
        return Some(format!("the client was the limit: fsbench used {used:.1} of {cpus} CPUs"));
    }
    let busiest = repetition.workers.iter().filter(|w| w.end_ns > w.start_ns).map(|w| {
        let wall = (w.end_ns - w.start_ns) as f64;
        w.cpu_ns as f64 / wall
    });
    let mean = busiest.clone().sum::<f64>() / repetition.workers.len().max(1) as f64;
    if mean >= WORKER_BUSY {
        return Some(format!(
            "the client was the limit: its workers were on the CPU {:.0} % of the time; use more --threads",
            mean * 100.0
        ));
    }
    let host = repetition.resources.host_busy_ns as f64 / repetition.resources.host_total_ns.max(1) as f64;
    (host >= HOST_BUSY).then(|| {
        format!(
            "this host was the limit: all its CPUs were {:.0} % busy, fsbench itself used {used:.1} of {cpus}",
            host * 100.0
        )
    })
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

    fn repetition(process_ns: u64, worker_ns: u64, host_ns: u64) -> Repetition {
        Repetition {
            elapsed_ns: 1_000,
            resources: Resources {
                user_ns: process_ns,
                host_busy_ns: host_ns,
                host_total_ns: 4_000,
                ..Resources::default()
            },
            workers: vec![WorkerRecord { end_ns: 1_000, cpu_ns: worker_ns, ..WorkerRecord::default() }],
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
    }
}
