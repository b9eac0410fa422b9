//! What a repetition costs this host: `/proc` before and after.
//!
//! Sources: proc(5) for `/proc/self/io`, `/proc/self/status`, `/proc/self/stat`, `/proc/stat` and `/proc/net/dev`. What
//! a kernel or container does not show counts as 0.

use crate::clock::Clock;
use fsbench_results::Resources;
use rustix::time::{ClockId, clock_gettime};
use std::fs::read_to_string;

/// CPU time of the calling thread in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    cpu_ns(ClockId::ThreadCPUTime)
}

fn cpu_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

/// The host at one moment.
pub(crate) struct Sample {
    values: Resources,
    at: u64,
}

impl Sample {
    /// Taken before something begins: the process's CPU clock is read last, so that sampling is not in what it shows.
    pub(crate) fn before(clock: &Clock) -> Self {
        let mut values = files();
        values.user_ns = cpu_ns(ClockId::ProcessCPUTime);
        Self { values, at: clock.now() }
    }

    /// What happened since: the process's CPU clock is read first.
    pub(crate) fn until_now(&self, clock: &Clock) -> Resources {
        let (at, cpu) = (clock.now(), cpu_ns(ClockId::ProcessCPUTime));
        let (before, after) = (&self.values, files());
        let cpu = cpu.saturating_sub(before.user_ns);
        let system = after.system_ns.saturating_sub(before.system_ns).min(cpu);
        let since = |of: fn(&Resources) -> u64| of(&after).saturating_sub(of(before));
        Resources {
            span_ns: at.saturating_sub(self.at),
            user_ns: cpu - system,
            system_ns: system,
            peak_rss_bytes: after.peak_rss_bytes,
            device_read_bytes: since(|r| r.device_read_bytes),
            device_write_bytes: since(|r| r.device_write_bytes),
            network_received_bytes: since(|r| r.network_received_bytes),
            network_sent_bytes: since(|r| r.network_sent_bytes),
            host_busy_ns: since(|r| r.host_busy_ns),
            host_total_ns: since(|r| r.host_total_ns),
        }
    }
}

/// Absolute values of what only files tell, in ticks of 10 ms where they are times.
fn files() -> Resources {
    let io = read_to_string("/proc/self/io").unwrap_or_default();
    let (received, sent) = network(&read_to_string("/proc/net/dev").unwrap_or_default());
    let (busy, all) = host_cpu(&read_to_string("/proc/stat").unwrap_or_default());
    Resources {
        span_ns: 0,
        user_ns: 0,
        system_ns: system_ticks(&read_to_string("/proc/self/stat").unwrap_or_default()) * tick_ns(),
        peak_rss_bytes: field(&read_to_string("/proc/self/status").unwrap_or_default(), "VmHWM:") * 1024,
        device_read_bytes: field(&io, "read_bytes:"),
        device_write_bytes: field(&io, "write_bytes:"),
        network_received_bytes: received,
        network_sent_bytes: sent,
        host_busy_ns: busy * tick_ns(),
        host_total_ns: all * tick_ns(),
    }
}

/// The number behind `name` at the start of a line.
pub(crate) fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Field 15, `stime`: the command in parentheses may hold anything, so count from behind its last `)`.
fn system_ticks(stat: &str) -> u64 {
    let behind = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    behind.split_whitespace().nth(12).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn network(dev: &str) -> (u64, u64) {
    let numbers = |line: &str| -> Option<(u64, u64)> {
        let fields: Vec<&str> = line.split_once(':')?.1.split_whitespace().collect();
        Some((fields.first()?.parse().ok()?, fields.get(8)?.parse().ok()?))
    };
    dev.lines().filter_map(numbers).fold((0, 0), |(r, s), (received, sent)| (r + received, s + sent))
}

/// Busy and all ticks of the whole host. Idle are the fields `idle` and `iowait`; guests are inside `user`.
fn host_cpu(stat: &str) -> (u64, u64) {
    let line = stat.lines().next().unwrap_or("");
    let ticks: Vec<u64> = line.split_whitespace().skip(1).take(8).filter_map(|n| n.parse().ok()).collect();
    let all = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    (all - idle, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_read_as_documented() {
        assert_eq!(system_ticks("12 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 77 13"), 77);
        let dev = "Inter-|   Receive\n face |bytes\n    lo: 10 1 0 0 0 0 0 0 20 1 0\n  eth0:5 1 0 0 0 0 0 0 6 1 0\n";
        assert_eq!(network(dev), (15, 26));
        assert_eq!(host_cpu("cpu  10 1 5 100 20 0 3 0 0 0\ncpu0 1"), (19, 139));
        assert_eq!(field("rchar: 5\nread_bytes: 4096\n", "read_bytes:"), 4096);
        assert_eq!(field("", "read_bytes:"), 0);
    }

    #[test]
    fn work_shows_up_as_cpu_time() {
        let clock = Clock::start();
        let before = Sample::before(&clock);
        let sum: u64 = (0..20_000_000u64).map(std::hint::black_box).sum();
        assert!(sum > 0);
        let used = before.until_now(&clock);
        assert!(used.cpu_ns() > 0 && used.peak_rss_bytes > 0 && used.span_ns > 0);
    }
}
