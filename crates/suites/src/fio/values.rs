//! The options of one job: understood, the last assignment of each, defaults from the table.

use super::error::{FioError, Place};
use super::expand::{expand, unset};
use super::ini::Item;
use super::options::{self, Kind, Opt, Status};
use super::value::{Part, Value, parse};
use super::world::World;
use fsbench_model::Span;
use fsbench_model::job::PerDirection;
use std::collections::BTreeMap;

/// One option as it counts.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Value,
    /// What was typed, with everything replaced.
    pub(super) text: String,
    pub(super) place: Place,
    /// Which assignment it was; later ones have larger numbers.
    pub(super) order: usize,
}

/// The options of one job.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// The job's place, for messages.
    pub(super) place: Place,
    base: u64,
    entries: BTreeMap<&'static str, Entry>,
    /// What should be known, each once.
    pub(super) notes: Vec<String>,
}

impl Values {
    /// Reads the items in order.
    pub(super) fn read<'a>(
        place: &Place,
        items: impl Iterator<Item = &'a Item> + Clone,
        world: &World<'_>,
    ) -> Result<Self, FioError> {
        let base = items.clone().filter(|item| item.name == "kb_base").last().and_then(|item| item.value.as_deref());
        let base = if base == Some("1000") { 1000 } else { 1024 };
        let (entries, notes) = (BTreeMap::new(), Vec::new());
        let mut values = Self { place: place.clone(), base, entries, notes };
        for (order, item) in items.enumerate() {
            values.take(item, order, world)?;
        }
        Ok(values)
    }

    fn take(&mut self, item: &Item, order: usize, world: &World<'_>) -> Result<(), FioError> {
        let opt = known(item)?;
        let text = item.value.as_deref().map(|text| expand(text, world)).transpose();
        let text = text.map_err(|why| FioError::at(&item.value_place, format!("{}: {why}", opt.name)))?;
        let value = parse(opt, text.as_deref(), self.base).map_err(|why| {
            let unset = item.value.as_deref().and_then(|text| unset(text, world));
            let unset = unset.map(|name| format!(" (the variable {name} is not set)")).unwrap_or_default();
            FioError::at(&item.value_place, why + &unset)
        })?;
        let text = text.unwrap_or_default();
        self.judge(opt, item, &text)?;
        let place = item.value_place.clone();
        self.entries.insert(opt.name, Entry { value, text, place, order });
        Ok(())
    }

    fn judge(&mut self, opt: &Opt, item: &Item, text: &str) -> Result<(), FioError> {
        match opt.status {
            Status::Rejected(why) if !opt.asks_nothing(text) => {
                Err(FioError::at(&item.place, format!("{} is not supported: {why}", item.name)))
            }
            Status::Noted(why) if !opt.asks_nothing(text) => {
                self.note(format!("{} has no effect: {why}", opt.name));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds a note, once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Bytes of `k`.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// What was given for an option, if anything.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Whether both were given, and `name` after `other`, or only `name`.
    pub(super) fn is_later(&self, name: &str, other: &str) -> bool {
        let order = |name: &str| self.entries.get(name).map(|entry| entry.order);
        order(name).is_some() && order(name) > order(other)
    }

    /// Where an option stands, or the job.
    pub(super) fn place(&self, name: &str) -> &Place {
        self.entries.get(name).map_or(&self.place, |entry| &entry.place)
    }

    /// An error about an option that was given.
    pub(super) fn refuse(&self, name: &str, what: impl AsRef<str>) -> FioError {
        let text = self.entries.get(name).map(|entry| match entry.text.as_str() {
            "" => name.to_string(),
            text => format!("{name}={text}"),
        });
        FioError::at(self.place(name), format!("{}: {}", text.unwrap_or_else(|| name.into()), what.as_ref()))
    }

    fn value(&self, name: &str) -> Option<Value> {
        if let Some(entry) = self.entries.get(name) {
            return Some(entry.value.clone());
        }
        let opt = options::find(name).expect("options are asked for by names that stand in the table");
        (!opt.default.is_empty()).then(|| parse(opt, Some(opt.default), 1024).expect("defaults are values"))
    }

    /// A text or word, given or by default.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A word that is never empty in the table.
    pub(super) fn word(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A flag or bool; off without a default.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Switch(true))
    }

    /// A count, size or time in nanoseconds.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.value(name) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// A count whose range fits, 0 without default.
    pub(super) fn count(&self, name: &str) -> u32 {
        u32::try_from(self.number(name).unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// A time, 0 without default.
    pub(super) fn span(&self, name: &str) -> Span {
        Span(self.number(name).unwrap_or(0))
    }

    /// A number that may be negative.
    pub(super) fn signed(&self, name: &str) -> i64 {
        match self.value(name) {
            Some(Value::Signed(number)) => number,
            _ => 0,
        }
    }

    /// Numbers for each direction, with `default` where none is given.
    pub(super) fn each(&self, name: &str, default: u64) -> PerDirection<u64> {
        match self.value(name) {
            Some(Value::Each(each)) => each.map(|number| number.unwrap_or(default)),
            _ => [default; 3],
        }
    }

    /// Bytes or a percentage.
    pub(super) fn part(&self, name: &str) -> Option<Part> {
        match self.value(name) {
            Some(Value::Part(part)) => Some(part),
            _ => None,
        }
    }

    /// A range of sizes or times.
    pub(super) fn range(&self, name: &str) -> Option<(u64, u64)> {
        match self.value(name) {
            Some(Value::Range(min, max)) => Some((min, max)),
            _ => None,
        }
    }

    /// Numbers with decimals.
    pub(super) fn floats(&self, name: &str) -> Vec<f64> {
        match self.value(name) {
            Some(Value::Floats(floats)) => floats,
            _ => Vec::new(),
        }
    }
}

fn known(item: &Item) -> Result<&'static Opt, FioError> {
    if let Some(opt) = options::find(&item.name) {
        return Ok(opt);
    }
    let names = options::options().flat_map(|opt| [opt.name, opt.alias]);
    let meant = options::nearest(&item.name, names);
    let meant = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    let shown = match &item.value {
        Some(value) => format!("{}={value}", item.name),
        None => item.name.clone(),
    };
    let list = if meant.is_empty() { "; --cmdhelp=all lists all options" } else { "" };
    Err(FioError::at(&item.place, format!("Bad option <{shown}>{meant}{list}")))
}

/// Whether a text is the name of an option that may stand without a value.
pub(super) fn is_bare(name: &str) -> bool {
    options::find(name).is_some_and(|opt| matches!(opt.kind, Kind::Flag | Kind::LogName))
}
