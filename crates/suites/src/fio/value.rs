//! One value, read as its option's kind says.

use super::lists::{decimals, each, processors, range, size_split};
use super::numbers::{Unit, number, signed};
use super::options::{Kind, Opt};
use fsbench_model::Bytes;
use fsbench_model::job::Weighted;

/// Bytes, or a share of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Bytes(u64),
    Percent(u32),
}

/// A value, understood. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Switch(bool),
    Number(u64),
    Signed(i64),
    Each([Option<u64>; 3]),
    Part(Part),
    Range(u64, u64),
    Ranges([Option<(u64, u64)>; 3]),
    Splits([Option<Vec<Weighted<Bytes>>>; 3]),
    Floats(Vec<f64>),
    Processors(Vec<u32>),
}

/// Reads `text` as a value of `opt`; `None` is the bare word. The base of `k` is 1024 or 1000.
pub(super) fn parse(opt: &Opt, text: Option<&str>, base: u64) -> Result<Value, String> {
    let Some(text) = text else {
        return match opt.kind {
            Kind::Flag => Ok(Value::Switch(true)),
            Kind::LogName => Ok(Value::Text(String::new())),
            Kind::Bool => Err(format!("{} needs a value; write {}=1 or {}=0", opt.name, opt.name, opt.name)),
            _ => Err(format!("{} needs a value; write {}=…", opt.name, opt.name)),
        };
    };
    let read = if text.is_empty() && opt.kind != Kind::LogName {
        Err("nothing is given".to_string())
    } else {
        read(opt, text.trim(), base)
    };
    read.map_err(|why| format!("{}={text}: {why}", opt.name))
}

fn read(opt: &Opt, text: &str, base: u64) -> Result<Value, String> {
    let (bytes, count) = (Unit::Bytes(base), Unit::Count(base));
    match opt.kind {
        Kind::Text | Kind::LogName | Kind::Pattern => Ok(Value::Text(text.into())),
        Kind::Flag | Kind::Bool => switch(text).map(Value::Switch),
        Kind::Word(words) => word(text, words),
        Kind::Words(words) => {
            let first = text.split([':', ',']).next().unwrap_or_default();
            word(first, words).map(|_| Value::Text(text.into()))
        }
        Kind::Number(min, max) => number(text, count).and_then(|n| within(n, min, max)).map(Value::Number),
        Kind::Signed(min, max) => {
            let value = signed(text, Unit::None)?;
            let fits = (min..=max).contains(&value);
            fits.then_some(Value::Signed(value)).ok_or_else(|| format!("out of range; accepted: {min} to {max}"))
        }
        Kind::Numbers(min, max) => each(text, |part| within(number(part, count)?, min, max)).map(Value::Each),
        Kind::Size(min, max) => number(text, bytes).and_then(|n| within(n, min, max)).map(Value::Number),
        Kind::Sizes(min, max) => each(text, |part| within(number(part, bytes)?, min, max)).map(Value::Each),
        Kind::Part => part(text, bytes).map(Value::Part),
        Kind::Range => range(text, bytes).map(|(min, max)| Value::Range(min, max)),
        Kind::Ranges => each(text, |part| nonzero(range(part, bytes)?)).map(Value::Ranges),
        Kind::Split => each(text, |part| size_split(part, base)).map(Value::Splits),
        Kind::Millis => number(text, Unit::None)
            .map_err(|why| format!("{why}; this is in milliseconds, without unit"))
            .and_then(|n| n.checked_mul(1_000_000).ok_or_else(|| "it is too large".to_string()))
            .map(Value::Number),
        Kind::Time(bare) => number(text, Unit::Time(bare)).map(Value::Number),
        Kind::Times(bare) => each(text, |part| number(part, Unit::Time(bare))).map(Value::Each),
        Kind::TimeRange(bare) => range(text, Unit::Time(bare)).map(|(min, max)| Value::Range(min, max)),
        Kind::Floats(min, max) => decimals(text, min, max).map(Value::Floats),
        Kind::Processors => processors(text).map(Value::Processors),
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("accepted: 0 or 1".into()),
    }
}

fn word(text: &str, words: &[&str]) -> Result<Value, String> {
    if words.contains(&text) {
        return Ok(Value::Text(text.into()));
    }
    let meant = super::options::nearest(text, words.iter().copied());
    let meant = meant.map(|word| format!("did you mean {word}? ")).unwrap_or_default();
    Err(format!("{meant}accepted: {}", words.join(", ")))
}

fn within(value: u64, min: u64, max: u64) -> Result<u64, String> {
    match (value < min, value > max) {
        (true, _) => Err(format!("{value} is out of range; accepted: at least {min}")),
        (_, true) => Err(format!("{value} is out of range; accepted: at most {max}")),
        _ => Ok(value),
    }
}

fn nonzero((min, max): (u64, u64)) -> Result<(u64, u64), String> {
    if min == 0 { Err("a block has at least 1 byte".into()) } else { Ok((min, max)) }
}

fn part(text: &str, unit: Unit) -> Result<Part, String> {
    if let Some(percent) = text.strip_suffix('%') {
        let value = within(number(percent, Unit::None)?, 0, 100)?;
        return Ok(Part::Percent(u32::try_from(value).unwrap_or(100)));
    }
    if text.strip_suffix(['z', 'Z']).is_some_and(|zones| !zones.is_empty()) {
        return Err("zones are units of zoned block devices, which are not supported; write bytes".into());
    }
    number(text, unit).map(Part::Bytes)
}
