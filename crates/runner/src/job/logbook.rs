//! The logs over time of one job: what its requests say, into fio's files.

use super::drive::Flight;
use super::logs::histogram::HistogramLog;
use super::logs::{LogKind, Sample, SeriesLog, file_name, request_bandwidth};
use fsbench_model::job::{Direction, Job};
use fsbench_target::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;

/// A file, and what goes there.
struct Series {
    log: SeriesLog,
    file: File,
}

/// What has gathered for bandwidth and IOPS in the present window.
#[derive(Clone, Copy, Default)]
struct Window {
    since: u64,
    bytes: u64,
    requests: u64,
}

/// All logs of a job.
pub(crate) struct Logbook {
    bandwidth: Option<Series>,
    iops: Option<Series>,
    /// slat, clat and lat.
    latency: Option<[Series; 3]>,
    histogram: Option<(HistogramLog, File)>,
    average_ns: u64,
    windows: [Window; 3],
    is_asynchronous: bool,
}

impl Logbook {
    /// Opens the files; `number` counts jobs from 1. `None` when the job logs nothing.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn open(job: &Job, number: u32, start_unix_ms: u64) -> Result<Option<Self>> {
        let logs = &job.logs;
        let open = |prefix: &str, kind| create(prefix, kind, number, logs.per_job);
        let series = |prefix: &str, kind| {
            Ok::<_, Error>(Series { log: SeriesLog::new(logs, start_unix_ms), file: open(prefix, kind)? })
        };
        let bandwidth = logs.bandwidth.as_ref().map(|log| series(&log.prefix, LogKind::Bandwidth)).transpose()?;
        let iops = logs.iops.as_ref().map(|log| series(&log.prefix, LogKind::Iops)).transpose()?;
        let latency = match &logs.latency {
            None => None,
            Some(log) => Some([
                series(&log.prefix, LogKind::Slat)?,
                series(&log.prefix, LogKind::Clat)?,
                series(&log.prefix, LogKind::Lat)?,
            ]),
        };
        let histogram = match &logs.histogram {
            None => None,
            Some(log) => Some((HistogramLog::new(logs, start_unix_ms), open(&log.prefix, LogKind::Histogram)?)),
        };
        let is_needed = bandwidth.is_some() || iops.is_some() || latency.is_some() || histogram.is_some();
        Ok(is_needed.then(|| Self {
            bandwidth,
            iops,
            latency,
            histogram,
            average_ns: logs.average.0,
            windows: [Window::default(); 3],
            is_asynchronous: !job.engine.name.is_synchronous(),
        }))
    }

    /// Time counts from `now`.
    pub(crate) fn begin(&mut self, now: u64) {
        self.windows = [Window { since: now, ..Window::default() }; 3];
    }

    /// A request has ended.
    ///
    /// # Errors
    /// A log that cannot be written any more.
    pub(crate) fn add(&mut self, flight: &Flight, direction: Direction, end: u64, begun: u64) -> Result<()> {
        let at_ms = end.saturating_sub(begun) / 1_000_000;
        let sample = |value| Sample { direction, value, block: flight.len, offset: flight.offset };
        let (slat, clat) = (flight.issued - flight.made, end.saturating_sub(flight.issued));
        if let Some([submission, completion, total]) = &mut self.latency {
            if self.is_asynchronous {
                submission.add(at_ms, sample(slat))?;
            }
            completion.add(at_ms, sample(clat))?;
            total.add(at_ms, sample(end.saturating_sub(flight.made)))?;
        }
        if let Some((log, file)) = &mut self.histogram
            && log.add(at_ms, direction, flight.len, clat)
        {
            log.drain_to(file).map_err(|error| failed(&error))?;
        }
        self.rates(at_ms, sample(0), clat, end)
    }

    fn rates(&mut self, at_ms: u64, sample: Sample, clat: u64, end: u64) -> Result<()> {
        let (mut rate, mut iops) = (request_bandwidth(u64::from(sample.block), clat), 1);
        if self.average_ns > 0 {
            let window = &mut self.windows[sample.direction as usize];
            window.bytes += u64::from(sample.block);
            window.requests += 1;
            let ns = u128::from(end.saturating_sub(window.since));
            if ns < u128::from(self.average_ns) {
                return Ok(());
            }
            rate = (u128::from(window.bytes) * 1_000_000_000 / ns / 1024) as u64;
            iops = (u128::from(window.requests) * 1_000_000_000 / ns) as u64;
            *window = Window { since: end, ..Window::default() };
        }
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.add(at_ms, Sample { value: rate, ..sample })?;
        }
        match &mut self.iops {
            Some(log) => log.add(at_ms, Sample { value: iops, ..sample }),
            None => Ok(()),
        }
    }

    /// The job has ended `at_ms` after it began: the rest is written.
    ///
    /// # Errors
    /// A log that cannot be written.
    pub(crate) fn finish(mut self, at_ms: u64) -> Result<()> {
        let latency = self.latency.iter_mut().flatten();
        for series in latency.chain(&mut self.bandwidth).chain(&mut self.iops) {
            series.log.finish(at_ms);
            series.drain()?;
        }
        if let Some((log, file)) = &mut self.histogram {
            log.finish(at_ms);
            log.drain_to(file).map_err(|error| failed(&error))?;
        }
        Ok(())
    }
}

impl Series {
    fn add(&mut self, at_ms: u64, sample: Sample) -> Result<()> {
        if self.log.add(at_ms, sample) { self.drain() } else { Ok(()) }
    }

    fn drain(&mut self) -> Result<()> {
        self.log.drain_to(&mut self.file).and_then(|()| self.file.flush()).map_err(|error| failed(&error))
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::of_io("job", "write", "a log", error)
}

/// Empties the files that jobs share, before the first of them appends.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn empty_shared(job: &Job, emptied: &mut BTreeSet<String>) -> Result<()> {
    let logs = &job.logs;
    let kinds = [
        (&logs.bandwidth, &[LogKind::Bandwidth][..]),
        (&logs.iops, &[LogKind::Iops]),
        (&logs.latency, &[LogKind::Slat, LogKind::Clat, LogKind::Lat]),
        (&logs.histogram, &[LogKind::Histogram]),
    ];
    for (log, kinds) in kinds {
        for (log, kind) in log.iter().flat_map(|log| kinds.iter().map(move |kind| (log, kind))) {
            let path = file_name(&log.prefix, *kind, 1, logs.per_job);
            if !logs.per_job && emptied.insert(path.clone()) {
                File::create(&path).map_err(|error| Error::of_io("job", "write the log", path, &error))?;
            }
        }
    }
    Ok(())
}

/// Jobs that share a file append to it.
fn create(prefix: &str, kind: LogKind, number: u32, per_job: bool) -> Result<File> {
    let path = file_name(prefix, kind, number, per_job);
    let mut options = OpenOptions::new();
    match per_job {
        true => options.write(true).create(true).truncate(true),
        false => options.append(true).create(true),
    };
    options.open(&path).map_err(|error| Error::of_io("job", "write the log", path, &error))
}
