//! The host that a run is measured on, from `/proc` and `/sys`.

use crate::observe::field;
use fsbench_results::{Cache, Cpu, Environment, Fact};
use fsbench_target::Target;
use std::fs::read_to_string;
use std::path::Path;

/// The host now, and what `target` says of itself. `version` is fsbench's.
#[must_use]
pub fn environment(target: &dyn Target, version: &str) -> Environment {
    let name = rustix::system::uname();
    let text = |c: &std::ffi::CStr| c.to_string_lossy().into_owned();
    Environment {
        fsbench: version.into(),
        executable: std::env::args().next().unwrap_or_default(),
        host: text(name.nodename()),
        kernel: format!("{} {}", text(name.sysname()), text(name.release())),
        cpu: cpu(),
        memory_bytes: field(&read_to_string("/proc/meminfo").unwrap_or_default(), "MemTotal:") * 1024,
        load_average: load_average(&read_to_string("/proc/loadavg").unwrap_or_default()),
        target: target_facts(target),
    }
}

fn target_facts(target: &dyn Target) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.into(), value };
    let mut facts = vec![fact("scheme", target.scheme().into()), fact("uri", target.uri())];
    facts.extend(target.facts().into_iter().map(|(name, value)| Fact { name, value }));
    facts
}

fn load_average(text: &str) -> Vec<f64> {
    text.split_whitespace().take(3).filter_map(|n| n.parse().ok()).collect()
}

fn cpu() -> Cpu {
    let info = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    let max_khz = read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    Cpu {
        model: value("model name").unwrap_or_default(),
        count: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        mhz: max_khz.map(|khz| khz as f64 / 1e3).or(value("cpu MHz").and_then(|v| v.parse().ok())).unwrap_or(0.0),
        scaling: read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
            .ok()
            .map(|governor| governor.trim() != "performance"),
        caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
    }
}

fn read_number(path: &str) -> Option<u64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

fn caches(root: &Path) -> Vec<Cache> {
    (0..8).map_while(|index| cache(&root.join(format!("index{index}")))).collect()
}

fn cache(directory: &Path) -> Option<Cache> {
    let read = |name: &str| read_to_string(directory.join(name)).map(|text| text.trim().to_string()).ok();
    let size = read("size")?;
    let kib: u64 = size.strip_suffix('K').and_then(|n| n.parse().ok()).or_else(|| size.parse().ok())?;
    Some(Cache {
        kind: read("type")?,
        level: read("level")?.parse().ok()?,
        size_bytes: kib * 1024,
        num_sharing: read("shared_cpu_map").map_or(1, |map| bits(&map)),
    })
}

/// Bits set in a CPU mask like `ff,00000003`.
fn bits(mask: &str) -> u32 {
    mask.chars().filter_map(|c| c.to_digit(16)).map(u32::count_ones).sum::<u32>().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_described() {
        let environment = environment(&fsbench_target::NullTarget::new(1), "1.2.3");
        assert!(environment.kernel.starts_with("Linux "), "{environment:?}");
        assert!(environment.memory_bytes > 0 && environment.cpu.count > 0);
        assert_eq!(environment.target[0].value, "null");
        assert_eq!(bits("ff,00000003"), 10);
        assert_eq!(load_average("13.96 10.89 5.28 1/2 3"), [13.96, 10.89, 5.28]);
    }
}
