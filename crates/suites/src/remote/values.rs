//! Text into values: every option that was given, checked against its row of the table, with the place it came from.
//!
//! Precedence, the strongest first: the command line (the last of equal flags), `BENCHMARK_*` variables, `--set`, the
//! conf file, the table's default.

use super::error::UsageError;
use super::options::{Kind, Opt, known, options};
use super::typed::{Given, Typed};
use fsbench_model::{Bytes, Settings, Span, parse_bytes, parse_count};
use std::collections::BTreeMap;

/// Longest `--benchmark_min_time`: a year.
const SECONDS_MAX: f64 = 31_536_000.0;

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(u64),
    Switch(bool),
    Word(&'static str),
    Time(Span),
}

/// All options that have a value: given or by default.
pub(super) struct Values(BTreeMap<&'static str, (Value, Option<String>)>);

impl Values {
    /// Checks everything that was given, and takes the options that stand in `settings` out of there.
    pub(super) fn resolve(typed: &Typed, settings: &mut Settings) -> Result<Self, UsageError> {
        let mut values = BTreeMap::new();
        for opt in options() {
            let in_conf = if opt.conf { settings.remove(opt.name) } else { None };
            let in_conf = in_conf.map(|s| Given { text: s.value, origin: s.origin });
            if let Some(given) = &in_conf {
                insert(&mut values, opt, given)?;
            }
            if let Some(given) = typed.values.get(opt.name) {
                insert(&mut values, opt, given)?;
            }
            if !values.contains_key(opt.name) && !opt.default.is_empty() {
                values.insert(opt.name, (value(opt, opt.default, opt.name)?, None));
            }
        }
        Ok(Values(values))
    }

    /// Where the option was given; `None` when it has its default or no value.
    pub(super) fn origin(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.1.as_deref()
    }

    /// Where a message about the option should point: its origin, or the flag that would set it.
    pub(super) fn place(&self, name: &str) -> String {
        self.origin(name).map_or_else(|| format!("--{name}"), |origin| place(known(name), origin))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            (Value::Text(text), _) => Some(text),
            _ => None,
        }
    }

    pub(super) fn word(&self, name: &str) -> Option<&'static str> {
        match self.0.get(name)? {
            (Value::Word(word), _) => Some(word),
            _ => None,
        }
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            (Value::Number(number), _) => Some(*number),
            _ => None,
        }
    }

    /// A number that the table gives a default.
    pub(super) fn number_or_default(&self, name: &str) -> u64 {
        self.number(name).expect("the table has a default for it")
    }

    /// A number of bytes that the table gives a default.
    pub(super) fn bytes(&self, name: &str) -> Bytes {
        Bytes(self.number_or_default(name))
    }

    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            (Value::Switch(on), _) => Some(*on),
            _ => None,
        }
    }

    /// Whether a switch is on; one without value is off.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.switch(name).unwrap_or(false)
    }

    pub(super) fn time(&self, name: &str) -> Option<Span> {
        match self.0.get(name)? {
            (Value::Time(span), _) => Some(*span),
            _ => None,
        }
    }
}

type Checked = BTreeMap<&'static str, (Value, Option<String>)>;

/// Checks a value; an empty text counts as not given, and so takes back a weaker one.
fn insert(values: &mut Checked, opt: &'static Opt, given: &Given) -> Result<(), UsageError> {
    if opt.kind == Kind::Text && given.text.trim().is_empty() {
        values.remove(opt.name);
        return Ok(());
    }
    let checked = value(opt, &given.text, &place(opt, &given.origin))?;
    values.insert(opt.name, (checked, Some(given.origin.clone())));
    Ok(())
}

/// Origins that name the option themselves stand alone; a line of a file needs the option's name.
fn place(opt: &Opt, origin: &str) -> String {
    let last_word = origin.rsplit(['-', '/', ' ']).next().unwrap_or_default();
    if last_word.to_ascii_lowercase().ends_with(opt.name) {
        origin.to_string()
    } else {
        format!("{origin}: {}", opt.name)
    }
}

/// Checks a text against its option. `place` is where it stands.
pub(crate) fn value(opt: &Opt, text: &str, place: &str) -> Result<Value, UsageError> {
    match opt.kind {
        Kind::Text | Kind::Setting => Ok(Value::Text(text.trim().to_string())),
        Kind::Size(min, max) => {
            let size = parse_bytes(text).map_err(|e| split_unit_error(place, &e.0))?;
            in_range(opt, size.0, (min, max), place)
        }
        Kind::Count(min, max) => {
            let count = parse_count(text).map_err(|e| {
                let negative = if text.trim().starts_with('-') { " (it is negative)" } else { "" };
                UsageError::new(place, format!("{}{negative}", e.0), format!("give a number: {}", opt.range()))
            })?;
            in_range(opt, count, (min, max), place)
        }
        Kind::Switch => switch(text, place).map(Value::Switch),
        Kind::Choice(words) => choice(words, text, place).map(Value::Word),
        Kind::Seconds => seconds(text, place).map(Value::Time),
    }
}

/// The model's sentence already ends with what to write; cut it at its semicolon.
fn split_unit_error(place: &str, sentence: &str) -> UsageError {
    let (what, remedy) = sentence.split_once("; ").unwrap_or((sentence, "write bytes, or a unit, as in 10MiB"));
    UsageError::new(place, what, remedy)
}

fn in_range(opt: &Opt, number: u64, (min, max): (u64, u64), place: &str) -> Result<Value, UsageError> {
    if (min..=max).contains(&number) {
        return Ok(Value::Number(number));
    }
    let size = if number < min { "too small" } else { "too large" };
    Err(UsageError::new(place, format!("{number} is {size}"), format!("give {}", opt.range())))
}

/// gflags' words for true and false, and Google Benchmark's `on` and `off`.
pub(super) fn switch(text: &str, place: &str) -> Result<bool, UsageError> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "1" | "on" => Ok(true),
        "false" | "f" | "no" | "n" | "0" | "off" => Ok(false),
        _ => Err(UsageError::new(place, format!("'{text}' is neither true nor false"), "give true or false")),
    }
}

fn choice(words: &'static [&'static str], text: &str, place: &str) -> Result<&'static str, UsageError> {
    let lower = text.trim().to_ascii_lowercase();
    words.iter().copied().find(|word| *word == lower).ok_or_else(|| {
        UsageError::new(place, format!("there is no '{text}'"), format!("there are {}", words.join(", ")))
    })
}

/// `0.5`, `0.5s`, `1e-3`: exact enough for a span in nanoseconds.
fn seconds(text: &str, place: &str) -> Result<Span, UsageError> {
    let text = text.trim();
    if let Some(count) = text.strip_suffix('x').filter(|count| parse_count(count).is_ok()) {
        let what = format!("'{text}' is a count of iterations, not a time");
        return Err(UsageError::new(place, what, format!("use --iterations={count}")));
    }
    let digits = text.strip_suffix('s').unwrap_or(text);
    let number = digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let seconds = if number { digits.parse::<f64>().ok() } else { None };
    match seconds.filter(|s| *s >= 1e-9 && *s <= SECONDS_MAX) {
        Some(seconds) => Ok(Span((seconds * 1e9).round() as u64)),
        None => {
            let what = format!("'{text}' is not a time above 0 and up to a year");
            Err(UsageError::new(place, what, "give seconds: 0.5 or 0.5s"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_of_the_table_is_a_value() {
        let values = Values::resolve(&Typed::default(), &mut Settings::default()).expect("defaults");
        for opt in options().filter(|opt| !opt.default.is_empty()) {
            assert!(values.0.contains_key(opt.name), "{}", opt.name);
        }
        assert_eq!(values.bytes("buffer_size"), Bytes(1_000_000));
        assert_eq!(values.time("benchmark_min_time"), Some(Span(500_000_000)));
    }

    #[test]
    fn times_are_seconds_with_or_without_unit() {
        for (text, ns) in [("0.5", 500_000_000), ("0.5s", 500_000_000), ("1e-3", 1_000_000), (" 10 ", 10_000_000_000)] {
            assert_eq!(seconds(text, "t"), Ok(Span(ns)), "{text}");
        }
        for text in ["", "s", "0", "-1", "nan", "inf", "1m", "1e99", "0x10"] {
            assert!(seconds(text, "t").is_err(), "{text}");
        }
        let error = seconds("10x", "--benchmark_min_time").expect_err("a count");
        assert_eq!(
            error.to_string(),
            "--benchmark_min_time: '10x' is a count of iterations, not a time; use --iterations=10"
        );
    }

    #[test]
    fn a_place_names_the_option_once() {
        let threads = known("threads");
        assert_eq!(place(threads, "--threads"), "--threads");
        assert_eq!(place(threads, "FLAGS_threads"), "FLAGS_threads");
        assert_eq!(place(threads, "a/b.conf:3"), "a/b.conf:3: threads");
        assert_eq!(place(known("benchmark_out"), "BENCHMARK_OUT"), "BENCHMARK_OUT");
    }
}
