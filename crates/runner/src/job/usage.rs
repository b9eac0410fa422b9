//! What a job's own thread costs, and what the disks below its files do meanwhile.

use crate::observe::field;
use fsbench_results::{DiskRecord, JobRecord};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::fs::read_to_string;
use std::time::{SystemTime, UNIX_EPOCH};

/// Counters of the calling thread.
pub(crate) struct Usage {
    user_ns: u64,
    system_ns: u64,
    switches: u64,
    major: u64,
    minor: u64,
}

impl Usage {
    /// Now. All zero where the kernel does not say.
    pub(crate) fn of_thread() -> Self {
        let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else {
            return Self { user_ns: 0, system_ns: 0, switches: 0, major: 0, minor: 0 };
        };
        let positive = |value: i64| u64::try_from(value).unwrap_or(0);
        Self {
            user_ns: positive(usage.user_time().num_microseconds()) * 1_000,
            system_ns: positive(usage.system_time().num_microseconds()) * 1_000,
            switches: positive(usage.voluntary_context_switches()) + positive(usage.involuntary_context_switches()),
            major: positive(usage.major_page_faults()),
            minor: positive(usage.minor_page_faults()),
        }
    }

    /// What was used since `before`, into a record.
    pub(crate) fn since(&self, before: &Usage, record: &mut JobRecord) {
        record.user_ns = self.user_ns.saturating_sub(before.user_ns);
        record.system_ns = self.system_ns.saturating_sub(before.system_ns);
        record.context_switches = self.switches.saturating_sub(before.switches);
        record.major_faults = self.major.saturating_sub(before.major);
        record.minor_faults = self.minor.saturating_sub(before.minor);
    }
}

/// Counters of all block devices at one moment.
pub(crate) struct Disks {
    devices: Vec<(u32, u32, DiskRecord)>,
}

impl Disks {
    /// Now, from `/proc/diskstats` (fields as in the kernel's `Documentation/admin-guide/iostats.rst`).
    pub(crate) fn now() -> Self {
        let text = read_to_string("/proc/diskstats").unwrap_or_default();
        Self { devices: text.lines().filter_map(device).collect() }
    }

    /// What devices with these numbers (major, minor) have done until now.
    pub(crate) fn until_now(&self, numbers: &[(u32, u32)], span_ms: u64) -> Vec<DiskRecord> {
        let after = Self::now();
        let wanted = after.devices.iter().filter(|(major, minor, _)| numbers.contains(&(*major, *minor)));
        let pairs = wanted.filter_map(|(major, minor, after)| {
            let same = |device: &&(u32, u32, DiskRecord)| (device.0, device.1) == (*major, *minor);
            let (.., before) = self.devices.iter().find(same)?;
            Some(difference(after, before, span_ms))
        });
        pairs.collect()
    }
}

fn device(line: &str) -> Option<(u32, u32, DiskRecord)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    let record = DiskRecord {
        name: (*fields.get(2)?).to_string(),
        reads: number(3),
        read_merges: number(4),
        read_sectors: number(5),
        read_ticks: number(6),
        writes: number(7),
        write_merges: number(8),
        write_sectors: number(9),
        write_ticks: number(10),
        busy_ms: number(12),
        in_queue: number(13),
        span_ms: 0,
    };
    Some((number(0) as u32, number(1) as u32, record))
}

fn difference(after: &DiskRecord, before: &DiskRecord, span_ms: u64) -> DiskRecord {
    let since = |of: fn(&DiskRecord) -> u64| of(after).saturating_sub(of(before));
    DiskRecord {
        name: after.name.clone(),
        reads: since(|disk| disk.reads),
        writes: since(|disk| disk.writes),
        read_merges: since(|disk| disk.read_merges),
        write_merges: since(|disk| disk.write_merges),
        read_sectors: since(|disk| disk.read_sectors),
        write_sectors: since(|disk| disk.write_sectors),
        read_ticks: since(|disk| disk.read_ticks),
        write_ticks: since(|disk| disk.write_ticks),
        in_queue: since(|disk| disk.in_queue),
        busy_ms: since(|disk| disk.busy_ms),
        span_ms,
    }
}

/// The device that a local path lives on, as (major, minor): the whole disk for a partition, as fio shows it.
pub(crate) fn device_of(path: &str) -> Option<(u32, u32)> {
    use std::os::linux::fs::MetadataExt;
    use std::os::unix::fs::FileTypeExt;
    let existing = std::path::Path::new(path).ancestors().find_map(|path| std::fs::metadata(path).ok())?;
    let number = if existing.file_type().is_block_device() { existing.st_rdev() } else { existing.st_dev() };
    let (major, minor) = (nix::sys::stat::major(number) as u32, nix::sys::stat::minor(number) as u32);
    let parent = read_to_string(format!("/sys/dev/block/{major}:{minor}/../dev")).unwrap_or_default();
    let whole = parent.trim().split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    Some(whole.unwrap_or((major, minor)))
}

/// Id of the calling thread.
pub(crate) fn thread_id() -> u32 {
    let status = read_to_string("/proc/thread-self/status").unwrap_or_default();
    field(&status, "Pid:") as u32
}

/// Milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diskstats_are_read_as_the_kernel_documents_them() {
        let line = " 254       0 vda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17";
        let (major, minor, disk) = device(line).expect("a device");
        assert_eq!((major, minor, disk.name.as_str()), (254, 0, "vda"));
        assert_eq!((disk.reads, disk.read_ticks, disk.writes, disk.busy_ms, disk.in_queue), (1, 4, 5, 10, 11));
    }

    #[test]
    fn a_thread_has_used_what_it_used() {
        let before = Usage::of_thread();
        let sum: u64 = (0..50_000_000u64).map(std::hint::black_box).sum();
        let mut record = JobRecord::default();
        Usage::of_thread().since(&before, &mut record);
        assert!(sum > 0 && record.user_ns > 0 && thread_id() > 0);
    }
}
