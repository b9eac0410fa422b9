//! What was typed: switches, and sections with their options, from the command line and from job files. Nothing is
//! decided yet.

use super::error::{FioError, Place};
use super::ini::{Block, Item};
use super::options::find_switch;
use super::value::{self, Value};
use std::collections::BTreeMap;

/// One job as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) place: Place,
    /// Options of the global sections above it, and those before the first `--name`.
    pub(super) globals: Vec<Item>,
    /// Its own, then the overrides.
    pub(super) own: Vec<Item>,
    /// Whether it is the first of a job file behind the first: it waits for everything before.
    pub(super) starts_file: bool,
}

impl Section {
    /// The job's name in reports: as in fio an option `name` of the section itself, else the section's. Files have the
    /// section's name.
    pub(super) fn title(&self) -> &str {
        let given =
            self.own.iter().filter(|item| item.name == "name").filter_map(|item| item.value.as_deref()).next_back();
        given.filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }

    /// All options in the order in which they count.
    pub(super) fn items(&self) -> impl Iterator<Item = &Item> + Clone {
        self.globals.iter().chain(&self.own)
    }
}

/// A switch of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Switch {
    pub(super) value: Option<String>,
    pub(super) place: Place,
}

/// The command line, and nothing read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// Switches in order; several of one name are kept.
    pub(super) switches: BTreeMap<&'static str, Vec<Switch>>,
    /// Options before the first `--name`, and behind `--name=global`.
    pub(super) defaults: Vec<Item>,
    /// Jobs of the command line.
    pub(super) jobs: Vec<Section>,
    /// Job files.
    pub(super) files: Vec<(String, Place)>,
}

impl Typed {
    /// Whether a switch was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.switches.contains_key(name)
    }

    /// The last of a switch.
    pub(super) fn switch(&self, name: &str) -> Option<&Switch> {
        self.switches.get(name).and_then(|all| all.last())
    }

    /// The last value of a switch.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.switch(name).and_then(|switch| switch.value.as_deref())
    }

    /// The last value of a switch that is a number or a time.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match value::parse(find_switch(name)?, Some(self.value(name)?), 1024) {
            Ok(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// All of a switch.
    pub(super) fn all(&self, name: &str) -> &[Switch] {
        self.switches.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The jobs of one file: each `[global]` counts for the sections below it.
pub(super) fn sections(blocks: Vec<Block>, defaults: &[Item], starts_file: bool) -> Vec<Section> {
    let mut globals = defaults.to_vec();
    let mut out: Vec<Section> = Vec::new();
    for block in blocks {
        if block.name == "global" {
            globals.extend(block.items);
            continue;
        }
        out.push(Section {
            name: block.name,
            place: block.place,
            globals: globals.clone(),
            own: block.items,
            starts_file: starts_file && out.is_empty(),
        });
    }
    out
}

/// Keeps the sections that `--section` names.
pub(super) fn select(sections: &mut Vec<Section>, typed: &Typed) -> Result<(), FioError> {
    let wanted = typed.all("section");
    if wanted.is_empty() {
        return Ok(());
    }
    for switch in wanted {
        let name = switch.value.as_deref().unwrap_or_default();
        if !sections.iter().any(|section| section.name == name) {
            let names: Vec<_> = sections.iter().map(|section| section.name.as_str()).collect();
            let what = format!("there is no section '{name}'; there are: {}", names.join(", "));
            return Err(FioError::at(&switch.place, what));
        }
    }
    let mut barrier = false;
    sections.retain_mut(|section| {
        barrier |= section.starts_file;
        let keep = wanted.iter().any(|switch| switch.value.as_deref() == Some(section.name.as_str()));
        if keep {
            section.starts_file = std::mem::take(&mut barrier);
        }
        keep
    });
    Ok(())
}
