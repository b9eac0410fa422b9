//! What is logged over time, and what reports show.

use super::super::error::FioError;
use super::super::numbers::decimal;
use super::super::values::Values;
use fsbench_model::Span;
use fsbench_model::job::{JobLog, Logs, Output, PerDirection, Steady, SteadyOf, Unified};

/// fio's `FIO_IO_U_LIST_MAX_LEN`.
const PERCENTILES_MAX: usize = 20;

/// Logs over time. A log without a name has the job's.
pub(super) fn logs(values: &Values, job: &str) -> Logs {
    let log = |name: &str| {
        values.text(name).map(|prefix| JobLog { prefix: if prefix.is_empty() { job.into() } else { prefix } })
    };
    let window = values.word("log_window_value");
    Logs {
        bandwidth: log("write_bw_log"),
        latency: log("write_lat_log"),
        iops: log("write_iops_log"),
        histogram: log("write_hist_log"),
        average: values.span("log_avg_msec"),
        maximum: matches!(window.as_str(), "max" | "1"),
        both: window == "both",
        offset: values.is_on("log_offset"),
        histogram_every: values.span("log_hist_msec"),
        histogram_coarseness: values.count("log_hist_coarseness"),
        unix_epoch: values.is_on("log_alternate_epoch"),
        per_job: values.is_on("per_job_logs"),
        bandwidth_window: values.span("bwavgtime"),
        iops_window: values.span("iopsavgtime"),
    }
}

/// What is measured and shown. `gtod_reduce` turns all latencies and percentiles off, whatever else is said.
pub(super) fn output(values: &Values) -> Result<Output, FioError> {
    let reduced = values.is_on("gtod_reduce");
    let measured = |off: &str| !reduced && !values.is_on(off);
    let percentiles = |on: &str| !reduced && values.is_on(on);
    let list = values.floats("percentile_list");
    if list.len() > PERCENTILES_MAX {
        return Err(
            values.refuse("percentile_list", format!("{} of them; accepted: up to {PERCENTILES_MAX}", list.len()))
        );
    }
    if values.has("write_hist_log") && values.number("log_hist_msec") == Some(0) {
        return Err(values.refuse("write_hist_log", "it needs log_hist_msec"));
    }
    Ok(Output {
        slat: measured("disable_slat"),
        clat: measured("disable_clat"),
        lat: measured("disable_lat"),
        bandwidth: measured("disable_bw_measurement"),
        slat_percentiles: percentiles("slat_percentiles"),
        clat_percentiles: percentiles("clat_percentiles"),
        lat_percentiles: percentiles("lat_percentiles"),
        percentiles: sorted(list),
        figures: values.count("significant_figures"),
        kb_base: u32::try_from(values.base()).unwrap_or(1024),
        bits: values.text("unit_base").as_deref() == Some("1"),
        unified: match values.word("unified_rw_reporting").as_str() {
            "mixed" | "1" => Unified::Mixed,
            "both" | "2" => Unified::Both,
            _ => Unified::None,
        },
        disk_util: values.is_on("disk_util"),
        stats: values.is_on("stats"),
        errors: !matches!(values.word("continue_on_error").as_str(), "none" | "0"),
        steady: steady(values)?,
        iops_wanted: wanted(values),
    })
}

/// What a verdict compares with; a direction that is not mentioned has none.
fn wanted(values: &Values) -> PerDirection<u64> {
    if values.has("iops_wanted") { values.each("iops_wanted", 0) } else { [0; 3] }
}

fn sorted(mut list: Vec<f64>) -> Vec<f64> {
    list.sort_by(f64::total_cmp);
    list.dedup();
    list
}

fn steady(values: &Values) -> Result<Option<Steady>, FioError> {
    let duration = values.span("steadystate_duration");
    let refuse = |why: &str| values.refuse("steadystate", why);
    if duration.0 == 0 {
        let given = values.has("steadystate");
        return if given { Err(refuse("it needs a steadystate_duration")) } else { Ok(None) };
    }
    let text = values.word("steadystate");
    let (word, limit) = text.split_once(':').ok_or_else(|| refuse("a limit is missing, as in iops:2%"))?;
    let (limit, percent) = limit.strip_suffix('%').map_or((limit, false), |limit| (limit, true));
    let interval = values.span("steadystate_check_interval");
    if interval.0 == 0 || interval > duration || interval == Span(0) {
        return Err(values.refuse("steadystate_duration", "steadystate_check_interval must be shorter, and not 0"));
    }
    Ok(Some(Steady {
        of: match word.trim_end_matches("_slope") {
            "bw" => SteadyOf::Bandwidth,
            "lat" => SteadyOf::Latency,
            _ => SteadyOf::Iops,
        },
        slope: word.ends_with("_slope"),
        limit: decimal(limit).map_err(|why| refuse(&why))?,
        percent,
        duration,
        ramp: values.span("steadystate_ramp_time"),
        interval,
    }))
}
