//! `steadystate` in normal output and JSON.

use super::shape::Block;
use super::value::{Members, Value, member};
use fsbench_results::SteadyRecord;
use fsbench_results::model::job::{Steady, SteadyOf};

/// The plan and the end of it, of a block's last job, as in fio.
fn of<'a>(block: &'a Block<'_>) -> Option<(&'a Steady, &'a SteadyRecord)> {
    let (job, record) = block.jobs.last()?;
    Some((job.output.steady.as_ref()?, record.steady.as_ref()?))
}

fn mean(values: &[u64]) -> u64 {
    values.iter().sum::<u64>().checked_div(values.len() as u64).unwrap_or(0)
}

fn name(plan: &Steady) -> &'static str {
    match plan.of {
        SteadyOf::Iops => "iops",
        SteadyOf::Bandwidth => "bw",
        SteadyOf::Latency => "lat",
    }
}

/// `  steadystate  : attained=yes, …`; nothing if none was asked for.
pub(super) fn line(block: &Block<'_>) -> String {
    let Some((plan, record)) = of(block) else { return String::new() };
    let style = block.style();
    format!(
        "  steadystate  : attained={}, bw={}, iops={}, {} {}={:.3}{}\n",
        if record.attained { "yes" } else { "no" },
        style.rate_twice(mean(&record.bytes)),
        style.count(mean(&record.iops)),
        name(plan),
        if plan.slope { "slope" } else { "mean dev" },
        super::number::finite(record.criterion),
        if plan.percent { "%" } else { "" }
    )
}

/// fio's object; `None` if none was asked for.
pub(super) fn object(block: &Block<'_>) -> Option<Members> {
    let (plan, record) = of(block)?;
    let slope = if plan.slope { "_slope" } else { "" };
    let sign = if plan.percent { "%" } else { "" };
    let data: Members = vec![
        member("bw_mean", mean(&record.bytes)),
        member("iops_mean", mean(&record.iops)),
        member("iops", record.iops.iter().copied().collect::<Value>()),
        member("bw", record.bytes.iter().copied().collect::<Value>()),
    ];
    Some(vec![
        member("ss", format!("{}{slope}:{:.6}{sign}", name(plan), plan.limit)),
        member("duration", record.duration_s),
        member("attained", u32::from(record.attained)),
        member("criterion", format!("{:.6}{sign}", super::number::finite(record.criterion))),
        member("max_deviation", record.deviation_max),
        member("slope", record.slope),
        member("data", data),
    ])
}
