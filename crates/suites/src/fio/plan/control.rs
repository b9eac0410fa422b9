//! When, how much, how fast.

use super::super::error::FioError;
use super::super::lists::mask;
use super::super::value::{Part, Value};
use super::super::values::Values;
use super::super::world::World;
use super::build::Clone;
use super::files::{bytes_of, total};
use super::sizes::scaled;
use fsbench_model::job::{Amount, Exit, ExitScope, Flow, JobFile, LatencyTarget, Rate, Start, Think, ThinkAfter};
use fsbench_model::{Bytes, Span};

/// When the job starts; which jobs it waits for is found out later.
pub(super) fn start(values: &Values) -> Start {
    let (delay, delay_max) = values.range("startdelay").unwrap_or((0, 0));
    Start { after: Vec::new(), delay: Span(delay), delay_max: Span(delay_max) }
}

/// Who ends with the job.
pub(super) fn exit(values: &Values) -> Exit {
    let scope = match values.word("exit_what").as_str() {
        "all" => ExitScope::All,
        "stonewall" => ExitScope::Stonewall,
        _ => ExitScope::Group,
    };
    Exit { at_end: values.is_on("exitall"), on_error: values.is_on("exitall_on_error"), scope }
}

/// How much, how long.
pub(super) fn amount(clone: &Clone<'_>, files: &[JobFile]) -> Result<Amount, FioError> {
    let values = clone.values;
    let size = total(files);
    let given = match values.part("io_size") {
        Some(Part::Bytes(bytes)) => Some(Part::Bytes(scaled(bytes, clone.switches.scale, 1))),
        part => part,
    };
    let io_size = bytes_of(given, size);
    if let (Some(Part::Percent(percent)), None) = (given, io_size)
        && percent != 100
    {
        return Err(
            values.refuse("io_size", "a percentage of a size that is not known yet; give bytes, or size in bytes")
        );
    }
    let runtime = values.span("runtime");
    let time_based = values.is_on("time_based");
    if time_based && runtime.0 == 0 {
        return Err(values.refuse("time_based", "it needs a runtime; add runtime=…"));
    }
    Ok(Amount {
        size,
        io_size: io_size.filter(|size| size.0 > 0).or_else(|| limit_of_size(clone)),
        requests: values.number("number_ios").filter(|count| *count > 0),
        loops: values.number("loops").unwrap_or(1),
        time_based,
        runtime: (runtime.0 > 0).then_some(runtime),
        ramp: values.span("ramp_time"),
    })
}

/// With `filesize`, `size` is only the default of `io_size`.
fn limit_of_size(clone: &Clone<'_>) -> Option<Bytes> {
    match (clone.values.range("filesize"), clone.values.part("size")) {
        (Some(_), Some(Part::Bytes(bytes))) if bytes > 0 => Some(Bytes(scaled(bytes, clone.switches.scale, 1))),
        _ => None,
    }
}

/// How fast.
pub(super) fn rate(values: &Values) -> Result<Rate, FioError> {
    let rate = Rate {
        bytes: values.each("rate", 0),
        iops: values.each("rate_iops", 0),
        bytes_min: values.each("rate_min", 0),
        iops_min: values.each("rate_iops_min", 0),
        cycle: values.span("rate_cycle"),
        poisson: values.word("rate_process") == "poisson",
        ignore_think: values.is_on("rate_ignore_thinktime"),
        think: think(values)?,
        max_latency: values.each("max_latency", 0).map(Span),
        target: target(values)?,
    };
    contradictions(values, &rate)?;
    Ok(rate)
}

/// What fio refuses, too (`fixup_options` in its init.c).
fn contradictions(values: &Values, rate: &Rate) -> Result<(), FioError> {
    for at in 0..3 {
        if rate.bytes[at] > 0 && rate.iops[at] > 0 {
            return Err(values.refuse("rate_iops", "rate and rate_iops are mutually exclusive; take one away"));
        }
        if rate.bytes_min[at] > 0 && rate.iops_min[at] > 0 {
            return Err(values.refuse("rate_iops_min", "rate_min and rate_iops_min are mutually exclusive"));
        }
        if rate.bytes[at] > 0 && rate.bytes[at] < rate.bytes_min[at] {
            return Err(values.refuse("rate_min", "the minimum rate exceeds rate"));
        }
        if rate.iops[at] > 0 && rate.iops[at] < rate.iops_min[at] {
            return Err(values.refuse("rate_iops_min", "the minimum rate exceeds rate_iops"));
        }
    }
    let has_rate = rate.bytes.iter().chain(&rate.iops).any(|rate| *rate > 0);
    if rate.poisson && !has_rate {
        return Err(values.refuse("rate_process", "poisson needs a rate; add rate_iops=… or rate=…"));
    }
    Ok(())
}

fn think(values: &Values) -> Result<Think, FioError> {
    let think = Think {
        time: values.span("thinktime"),
        spin: values.span("thinktime_spin"),
        blocks: values.count("thinktime_blocks"),
        after: if values.word("thinktime_blocks_type") == "issue" { ThinkAfter::Issue } else { ThinkAfter::Complete },
        io_time: values.span("thinktime_iotime"),
    };
    if think.spin > think.time {
        return Err(values.refuse("thinktime_spin", "longer than thinktime, of which it is a part"));
    }
    if think.time.0 == 0 && think.io_time.0 > 0 {
        return Err(values.refuse("thinktime_iotime", "it needs a thinktime"));
    }
    Ok(think)
}

fn target(values: &Values) -> Result<Option<LatencyTarget>, FioError> {
    let latency = values.span("latency_target");
    if latency.0 == 0 {
        return Ok(None);
    }
    let window = values.span("latency_window");
    if window.0 == 0 {
        return Err(values.refuse("latency_target", "it needs a latency_window, as in latency_window=1s"));
    }
    let percent = values.floats("latency_percentile").first().copied().unwrap_or(100.0);
    Ok(Some(LatencyTarget { latency, percent, window, run_on: values.is_on("latency_run") }))
}

/// Processors of one clone.
///
/// # Errors
/// One that this host does not have.
pub(super) fn processors(values: &Values, clone: u32, world: &World<'_>) -> Result<Vec<u32>, FioError> {
    let all = match values.entry("cpus_allowed").map(|entry| &entry.value) {
        Some(Value::Processors(list)) => list.clone(),
        _ => values.number("cpumask").map(mask).unwrap_or_default(),
    };
    let last = world.machine.processors.saturating_sub(1);
    if let Some(missing) = all.iter().find(|processor| **processor > last) {
        let name = if values.has("cpus_allowed") { "cpus_allowed" } else { "cpumask" };
        return Err(values.refuse(name, format!("there is no processor {missing}; accepted: 0-{last}")));
    }
    if values.text("cpus_allowed_policy").as_deref() != Some("split") || all.is_empty() {
        return Ok(all);
    }
    Ok(vec![all[clone as usize % all.len()]])
}

/// Share of activity.
pub(super) fn flow(values: &Values) -> Option<Flow> {
    let share = values.count("flow");
    let sleep = Span(values.number("flow_sleep").unwrap_or(0).saturating_mul(1_000));
    (share > 0).then(|| Flow { id: values.count("flow_id"), share, sleep })
}
