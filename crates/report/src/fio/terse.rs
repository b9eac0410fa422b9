//! fio's terse output: a line for each block, fields between semicolons, versions 2 to 5.

use super::Shown;
use super::buckets::Buckets;
use super::header::version;
use super::number::{milliseconds, per_second, share};
use super::shape::{Block, GroupWay, Way, blocks, disks, groups, utilization};
use super::stat::Stat;
use fsbench_results::{DiskRecord, Moments, Record};

/// fio's fields for percentiles, used or not.
const PERCENTILES: usize = 20;

/// `--terse-version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerseVersion {
    /// Without a version of fio, disks and samples; with trims.
    V2 = 2,
    /// Without trims.
    #[default]
    V3 = 3,
    /// With trims.
    V4 = 4,
    /// With trims, and samples of bandwidth and IOPS.
    V5 = 5,
}

impl TryFrom<u32> for TerseVersion {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        match number {
            2 => Ok(Self::V2),
            3 => Ok(Self::V3),
            4 => Ok(Self::V4),
            5 => Ok(Self::V5),
            _ => Err(format!("terse version {number}: there are 2, 3, 4 and 5")),
        }
    }
}

/// The lines. fio's fields have no room for anything else, so that `options` change nothing yet.
#[must_use]
pub fn terse(record: &Record, terse_version: TerseVersion, _options: &Shown) -> String {
    let blocks = blocks(record);
    let groups = groups(&blocks);
    let disks = disks(record, &blocks);
    let version = version(&record.environment.fsbench);
    blocks.iter().map(|block| line(block, &groups[&block.plan().group].ways, &disks, terse_version, &version)).collect()
}

/// Fields that are joined in the end; what a user wrote cannot end one.
struct Fields(Vec<String>);

impl Fields {
    fn text(&mut self, text: &str) {
        self.0.push(text.replace([';', '\n'], " "));
    }

    fn integers(&mut self, values: impl IntoIterator<Item = u64>) {
        self.0.extend(values.into_iter().map(|value| value.to_string()));
    }

    fn floats(&mut self, values: impl IntoIterator<Item = f64>) {
        self.0.extend(values.into_iter().map(|value| format!("{value:.6}")));
    }

    fn percents(&mut self, decimals: usize, values: impl IntoIterator<Item = f64>) {
        self.0.extend(values.into_iter().map(|value| format!("{value:.decimals$}%")));
    }

    /// Latencies in microseconds.
    fn latency(&mut self, moments: &Moments) {
        let stat = Stat::from(moments);
        self.integers([stat.min / 1000, stat.max / 1000]);
        self.floats([stat.mean / 1000.0, stat.deviation() / 1000.0]);
    }
}

fn line(
    block: &Block<'_>,
    group: &[GroupWay; 3],
    disks: &[DiskRecord],
    terse_version: TerseVersion,
    version: &str,
) -> String {
    let plan = block.plan();
    let mut fields = Fields(vec![(terse_version as u32).to_string()]);
    if terse_version > TerseVersion::V2 {
        fields.text(version);
    }
    fields.text(&plan.name);
    fields.0.push(plan.group.to_string());
    fields.0.push(block.error().map_or(0, |(number, _)| number).to_string());
    let shown = match (block.is_mixed(), terse_version) {
        (true, _) => 1,
        (false, TerseVersion::V3) => 2,
        (false, _) => 3,
    };
    for (way, of_group) in block.ways.iter().zip(group).take(shown) {
        direction(block, way, of_group, terse_version, &mut fields);
    }
    if let Some(mixed) = &block.mixed {
        direction(block, mixed, &group[0], terse_version, &mut fields);
    }
    processor(block, &mut fields);
    spread(block, &mut fields);
    if terse_version > TerseVersion::V2 {
        disks.iter().for_each(|disk| of_disk(disk, &mut fields));
    }
    if plan.output.errors {
        fields.integers([block.totals.errors]);
        fields.0.push(block.totals.first_error.to_string());
    }
    let mut line = fields.0.join(";");
    if let Some(text) = &plan.description {
        let end = if terse_version == TerseVersion::V2 { "\n;" } else { ";" };
        line.push_str(&format!("{end}{}", text.replace([';', '\n'], " ")));
    }
    line.push('\n');
    line
}

fn direction(block: &Block<'_>, way: &Way, group: &GroupWay, terse_version: TerseVersion, fields: &mut Fields) {
    let record = &way.record;
    let iops = per_second(record.requests, record.runtime_ns);
    fields.integers([record.bytes >> 10, way.rate() / 1024, iops, milliseconds(record.runtime_ns)]);
    fields.latency(&record.slat.moments);
    fields.latency(&record.clat.moments);
    fields.0.extend(percentiles(block, way));
    fields.latency(&record.lat.moments);
    let bandwidth = &way.bandwidth;
    fields.integers([bandwidth.min, bandwidth.max]);
    fields.percents(6, [group_share(bandwidth, group)]);
    fields.floats([bandwidth.mean, bandwidth.deviation()]);
    if terse_version == TerseVersion::V5 {
        fields.integers([bandwidth.count, way.iops.min, way.iops.max]);
        fields.floats([way.iops.mean, way.iops.deviation()]);
        fields.integers([way.iops.count]);
    }
}

/// `99.000000%=78`, in whole microseconds; of total latency where its percentiles were asked for.
fn percentiles(block: &Block<'_>, way: &Way) -> Vec<String> {
    let output = &block.plan().output;
    let (percents, kind) = match (output.lat_percentiles, output.clat_percentiles) {
        (true, _) => (block.percents(), &way.record.lat),
        (false, true) => (block.percents(), &way.record.clat),
        (false, false) => (Vec::new(), &way.record.clat),
    };
    let values = Buckets::of(kind).map(|buckets| buckets.percentiles(&percents)).unwrap_or_default();
    let value = |at: usize| values.get(at).map_or(0, |ns| ns / 1000);
    let used = percents.iter().enumerate().map(|(at, percent)| format!("{percent:.6}%={}", value(at)));
    used.chain(std::iter::repeat("0%=0".to_string())).take(PERCENTILES).collect()
}

/// Like [`super::normal::group_share`], with the group's rate in whole KiB/s.
fn group_share(bandwidth: &Stat, group: &GroupWay) -> f64 {
    match (bandwidth.count, group.rate / 1024) {
        (0, _) => 0.0,
        (_, 0) => 100.0,
        (_, rate) => (bandwidth.mean * 100.0 / rate as f64).min(100.0),
    }
}

fn processor(block: &Block<'_>, fields: &mut Fields) {
    let totals = &block.totals;
    fields.percents(6, block.cpu());
    fields.integers([totals.context_switches, totals.major_faults, totals.minor_faults]);
    let all = totals.depths.iter().sum();
    fields.percents(1, totals.depths.map(|count| share(count, all, 0.1)));
}

/// Shares of microseconds, with what is below one in the first, and of milliseconds.
fn spread(block: &Block<'_>, fields: &mut Fields) {
    let total = block.requests();
    let [_, mut us, ms] = block.spread.shares(total);
    us[0] += block.spread.below_microsecond(total);
    fields.percents(2, us);
    fields.percents(2, ms);
}

fn of_disk(disk: &DiskRecord, fields: &mut Fields) {
    fields.text(&disk.name);
    fields.integers([disk.reads, disk.writes, disk.read_merges, disk.write_merges]);
    fields.integers([disk.read_ticks, disk.write_ticks, disk.in_queue]);
    fields.percents(2, [utilization(disk)]);
}
