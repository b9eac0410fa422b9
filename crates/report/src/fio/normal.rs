//! fio's normal output, line by line as fio 3.33 prints it.
//!
//! What fio does not have stands in lines of its own after what it has, with labels of five blanks and a word that no
//! parser of fio's output looks for: see [`super::extra`].

use super::buckets::{LIMITS, MILLISECONDS};
use super::clock::end;
use super::latency;
use super::number::share;
use super::shape::{Block, Group, GroupWay, Way, blocks, disks, groups, utilization};
use super::stat::Stat;
use super::{Shown, extra, steady};
use fsbench_results::model::job::Unified;
use fsbench_results::{DiskRecord, Record};

/// Header and results, as one text.
#[must_use]
pub fn normal(record: &Record, options: &Shown) -> String {
    super::header(&record.plan, &record.environment.fsbench) + &results(record, options)
}

/// The results alone, beginning with an empty line, for who printed the header when the run began.
#[must_use]
pub fn results(record: &Record, options: &Shown) -> String {
    let blocks = blocks(record);
    let groups = groups(&blocks);
    let when = end(record).text;
    let mut out = String::from("\n");
    for block in &blocks {
        let group = &groups[&block.plan().group];
        out.push_str(&of_block(block, group, &when, options));
    }
    for (number, group) in &groups {
        out.push_str(&of_group(*number, group));
    }
    let disks = disks(record, &blocks);
    if !disks.is_empty() {
        out.push_str("\nDisk stats (read/write):\n");
        disks.iter().for_each(|disk| out.push_str(&of_disk(disk)));
    }
    if options.extras {
        out.push_str(&extra::closing(record));
    }
    out
}

fn of_block(block: &Block<'_>, group: &Group, when: &str, options: &Shown) -> String {
    let job = block.plan();
    let is_idle = block.ways.iter().all(|way| way.record.bytes == 0 && way.record.requests == 0);
    if is_idle && block.error().is_none() && block.sync.requests == 0 {
        return String::new();
    }
    let error = match block.error() {
        None => " 0".into(),
        Some((number, text)) => format!("{number:2} ({text})"),
    };
    let (name, members, pid) = (&job.name, block.jobs.len(), block.jobs[0].1.thread_id);
    let mut out = format!("{name}: (groupid={}, jobs={members}): err={error}: pid={pid}: {when}\n", job.group);
    if let Some(text) = &job.description {
        out.push_str(&format!("  Description  : [{text}]\n"));
    }
    for (way, of_group) in block.ways.iter().zip(&group.ways) {
        out.push_str(&of_way(block, way, of_group));
    }
    if let Some(mixed) = &block.mixed {
        out.push_str(&of_way(block, mixed, &group.ways[0]));
    }
    out.push_str(&spread(block));
    out.push_str(&syncs(block));
    out.push_str(&footer(block));
    if options.extras {
        out.push_str(&extra::lines(block));
    }
    out
}

fn of_way(block: &Block<'_>, way: &Way, group: &GroupWay) -> String {
    let record = &way.record;
    if record.runtime_ns == 0 || (record.bytes == 0 && record.requests == 0) {
        return String::new();
    }
    let style = block.style();
    let iops = super::number::per_second(record.requests, record.runtime_ns);
    let mut out = format!("  {}: IOPS={}, BW={}", way.name, style.count(iops), style.rate_twice(way.rate()));
    let zones = if way.name == "write" { "; 0 zone resets" } else { "" };
    out.push_str(&format!("({}/{}msec){zones}\n", style.bytes(record.bytes), way.runtime()));
    let kinds = [("slat", &record.slat), ("clat", &record.clat), (" lat", &record.lat)];
    for (name, kind) in kinds {
        out.push_str(&latency::line(name, &kind.moments));
    }
    let output = &block.plan().output;
    let is_shown = [output.slat_percentiles, output.clat_percentiles, output.lat_percentiles];
    for ((name, kind), _) in kinds.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown) {
        out.push_str(&latency::percentiles(name.trim(), kind, &block.percents()));
    }
    out.push_str(&bandwidth(block, &way.bandwidth, group));
    out.push_str(&iops_line(&way.iops));
    out
}

fn bandwidth(block: &Block<'_>, stat: &Stat, group: &GroupWay) -> String {
    if stat.count == 0 {
        return String::new();
    }
    let style = block.style();
    let base = if style.binary { 1024 } else { 1000 };
    let bits = if style.bits { 8 } else { 1 };
    let (mut min, mut max) = (stat.min * bits, stat.max * bits);
    let (mut mean, mut deviation) = (stat.mean * bits as f64, stat.deviation() * bits as f64);
    let mut unit = match (style.bits, style.binary) {
        (true, true) => "Kibit",
        (true, false) => "kbit",
        (false, true) => "KiB",
        (false, false) => "kB",
    };
    if mean > (base * base) as f64 {
        (min, max) = (min / base, max / base);
        (mean, deviation) = (mean / base as f64, deviation / base as f64);
        unit = if style.bits { "Mibit" } else { "MiB" };
    }
    let per = group_share(stat.mean, group);
    format!(
        "   bw ({unit:>5}/s): min={min:>5}, max={max:>5}, per={per:.2}%, avg={mean:5.2}, stdev={deviation:5.2}, samples={}\n",
        stat.count
    )
}

fn iops_line(stat: &Stat) -> String {
    match stat.count {
        0 => String::new(),
        count => format!(
            "   iops        : min={:>5}, max={:>5}, avg={:5.2}, stdev={:5.2}, samples={count}\n",
            stat.min,
            stat.max,
            stat.mean,
            stat.deviation()
        ),
    }
}

/// A mean in KiB/s as percent of the group's rate; 100 where the group is too slow to say.
pub(super) fn group_share(mean: f64, group: &GroupWay) -> f64 {
    match group.rate {
        0..=1024 => 100.0,
        rate => (mean.trunc() * 100.0 / (rate as f64 / 1024.0)).min(100.0),
    }
}

fn spread(block: &Block<'_>) -> String {
    let [ns, us, ms] = block.spread.shares(block.requests());
    let labels = LIMITS.map(|limit| limit.to_string());
    let labels = labels.each_ref().map(String::as_str);
    let mut out = spread_lines("nsec", &labels, &ns);
    out.push_str(&spread_lines("usec", &labels, &us));
    out.push_str(&spread_lines("msec", &MILLISECONDS, &ms));
    out
}

fn spread_lines(unit: &str, labels: &[&str], shares: &[f64]) -> String {
    let shown = labels.iter().zip(shares).filter(|(_, share)| **share > 0.0);
    let shown: Vec<String> = shown.map(|(label, share)| format!("{label}={share:.2}%")).collect();
    shown.chunks(5).map(|line| format!("  lat ({unit})   : {}\n", line.join(", "))).collect()
}

fn syncs(block: &Block<'_>) -> String {
    let record = &block.sync.lat;
    if record.moments.count == 0 {
        return String::new();
    }
    let mut out = String::from("  fsync/fdatasync/sync_file_range:\n");
    out.push_str(&latency::line("sync", &record.moments));
    out.push_str(&latency::percentiles("sync", record, &block.percents()));
    out
}

/// From the processor to the depth.
fn footer(block: &Block<'_>) -> String {
    let totals = &block.totals;
    let [user, system] = block.cpu();
    let mut out = format!(
        "  cpu          : usr={user:.2}%, sys={system:.2}%, ctx={}, majf={}, minf={}\n",
        totals.context_switches, totals.major_faults, totals.minor_faults
    );
    out.push_str(&depths("  IO depths    : ", ["1", "2", "4", "8", "16", "32", ">=64"], &totals.depths));
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    out.push_str(&depths("     submit    : ", batches, &totals.submits));
    out.push_str(&depths("     complete  : ", batches, &totals.completes));
    let [read, write, trim] = block.ways.each_ref().map(|way| way.record.requests);
    let [short_read, short_write, short_trim] = block.ways.each_ref().map(|way| way.record.short);
    out.push_str(&format!(
        "     issued rwts: total={read},{write},{trim},{} short={short_read},{short_write},{short_trim},0 dropped=0,0,0,0\n",
        block.sync.requests
    ));
    if block.plan().output.errors {
        let first = totals.first_error;
        let words = block.jobs.iter().find(|(_, job)| job.first_error == first && first != 0);
        let words = words.map_or("Success", |(_, job)| job.error_text.as_str());
        out.push_str(&format!("     errors    : total={}, first_error={first}/<{words}>\n", totals.errors));
    }
    out.push_str(&depth(block));
    out.push_str(&steady::line(block));
    out
}

fn depths(label: &str, names: [&str; 7], counts: &[u64; 7]) -> String {
    let total = counts.iter().sum();
    let parts: Vec<String> =
        names.iter().zip(counts).map(|(name, count)| format!("{name}={:.1}%", share(*count, total, 0.1))).collect();
    format!("{label}{}\n", parts.join(", "))
}

fn depth(block: &Block<'_>) -> String {
    let (target, window, percent) = latency::target(block);
    let depth = block.jobs.last().map_or(0, |(_, record)| record.depth);
    match depth {
        0 => String::new(),
        _ => format!("     latency   : target={target}, window={window}, percentile={percent:.2}%, depth={depth}\n"),
    }
}

fn of_group(number: u32, group: &Group) -> String {
    let names = match group.unified {
        Unified::Mixed => ["  MIXED"; 3],
        _ => ["   READ", "  WRITE", "   TRIM"],
    };
    let mut out = format!("\nRun status group {number} (all jobs):\n");
    let mut mixed = GroupWay::default();
    for (name, way) in names.into_iter().zip(&group.ways) {
        out.push_str(&group_line(name, way, group));
        mixed.stack(way);
    }
    if group.unified == Unified::Both {
        out.push_str(&group_line("  MIXED", &mixed, group));
    }
    out
}

fn group_line(name: &str, way: &GroupWay, group: &Group) -> String {
    if way.runs.1 == 0 {
        return String::new();
    }
    let style = group.style;
    let between = |binary| format!("{}-{}", style.rate(way.rates.0, binary), style.rate(way.rates.1, binary));
    format!(
        "{name}: bw={}, {} ({}), io={}, run={}-{}msec\n",
        style.rate_twice(way.rate),
        between(style.binary),
        between(!style.binary),
        style.bytes_twice(way.bytes),
        way.runs.0,
        way.runs.1
    )
}

fn of_disk(disk: &DiskRecord) -> String {
    format!(
        "  {}: ios={}/{}, merge={}/{}, ticks={}/{}, in_queue={}, util={:.2}%\n",
        disk.name,
        disk.reads,
        disk.writes,
        disk.read_merges,
        disk.write_merges,
        disk.read_ticks,
        disk.write_ticks,
        disk.in_queue,
        utilization(disk)
    )
}
