//! gflags: the spellings that `fs_benchmark_tool` accepts, and Google Benchmark's flags and variables beside them.
//!
//! As in gflags: one dash or two, `--x=v` or `--x v`, `--noflag`, flags anywhere, the last of equal flags wins,
//! `--flagfile`, `--fromenv`, `--tryfromenv`, `--undefok`. Unlike gflags: whatever is not understood is an error.

use super::error::UsageError;
use super::options::{Kind, Opt, Origin, Status, find, nearest, options};
use super::typed::{Ask, Given, Typed};
use super::values;
use std::iter::Peekable;
use std::slice::Iter;

/// What the parser may ask for besides the arguments. The suite itself does no I/O.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The text of a file (`--flagfile`), or why there is none.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// A variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

/// Reads the arguments (without the program's name), the flag files they name, and the `BENCHMARK_*` variables.
///
/// Values are not looked at; that is [`super::plan`]'s work.
///
/// # Errors
/// An unknown flag, a flag without its value, a positional argument, a flag that is refused by name, a flag file that
/// cannot be read.
pub fn parse(args: &[String], sources: &Sources<'_>) -> Result<Typed, UsageError> {
    let mut parser = Parser { sources, typed: Typed::default(), unknown: Vec::new(), undefok: Vec::new() };
    let read = parser.arguments(args).and_then(|()| parser.refuse_unknown());
    if parser.typed.ask.is_none() {
        read?;
        parser.environment();
    }
    Ok(parser.typed)
}

struct Parser<'a> {
    sources: &'a Sources<'a>,
    typed: Typed,
    /// Name and place of each flag that no table has; judged last, since `--undefok` may come later.
    unknown: Vec<(String, String)>,
    undefok: Vec<String>,
}

/// One flag as it stands in an argument or a line.
struct Flag<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

impl<'a> Flag<'a> {
    /// Splits `-x`, `--x`, `--x=v`; `None` for anything else.
    fn split(arg: &'a str) -> Option<Self> {
        let body = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'))?;
        let (name, value) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
        (!name.is_empty()).then_some(Flag { name, value })
    }

    /// The option, and whether the name was its negation, `--noverify`.
    fn option(&self) -> Option<(&'static Opt, bool)> {
        if let Some(opt) = find(self.name) {
            return Some((opt, false));
        }
        let opt = self.name.strip_prefix("no").and_then(find)?;
        (opt.kind == Kind::Switch && self.value.is_none()).then_some((opt, true))
    }
}

impl Parser<'_> {
    fn arguments(&mut self, args: &[String]) -> Result<(), UsageError> {
        let mut rest = args.iter().peekable();
        let mut google_only = false;
        while let Some(arg) = rest.next() {
            if arg == "--" && !google_only {
                google_only = true;
                continue;
            }
            let flag = Flag::split(arg).ok_or_else(|| positional(arg))?;
            let Some((opt, negated)) = flag.option() else {
                self.unknown.push((flag.name.to_string(), format!("--{}", flag.name)));
                continue;
            };
            let place = format!("--{}", opt.name);
            if google_only && opt.origin != Origin::GoogleBenchmark {
                let remedy = "after a bare -- only --benchmark_… flags can stand; put this one before it";
                return Err(UsageError::new(place, "it is not a flag of Google Benchmark", remedy));
            }
            let text = value_of(opt, &flag, negated, &mut rest)?;
            self.apply(opt, Given { text, origin: place }, &mut Vec::new())?;
        }
        Ok(())
    }

    /// Takes one flag in. `files` are the flag files that are being read, the innermost last.
    fn apply(&mut self, opt: &'static Opt, given: Given, files: &mut Vec<String>) -> Result<(), UsageError> {
        if opt.status == Status::Rejected {
            return Err(UsageError::new(given.origin, "not supported", opt.reason));
        }
        if opt.origin == Origin::Gflags {
            return self.special(opt, &given, files);
        }
        if opt.kind == Kind::Setting {
            return self.setting(&given);
        }
        self.typed.values.insert(opt.name, given);
        Ok(())
    }

    /// gflags' own flags.
    fn special(&mut self, opt: &'static Opt, given: &Given, files: &mut Vec<String>) -> Result<(), UsageError> {
        match opt.name {
            "flagfile" => commas(&given.text).try_for_each(|file| self.flagfile(file, &given.origin, files)),
            "fromenv" => commas(&given.text).try_for_each(|name| self.take_variable(name, given, true)),
            "tryfromenv" => commas(&given.text).try_for_each(|name| self.take_variable(name, given, false)),
            "undefok" => {
                self.undefok.extend(commas(&given.text).map(|name| name.replace('-', "_")));
                Ok(())
            }
            name => {
                let wanted = opt.kind == Kind::Text || values::switch(&given.text, &given.origin)?;
                let ask = if name == "version" { Ask::Version } else { Ask::Help };
                self.typed.ask = if wanted { self.typed.ask.or(Some(ask)) } else { self.typed.ask };
                Ok(())
            }
        }
    }

    fn setting(&mut self, given: &Given) -> Result<(), UsageError> {
        let (key, value) = given.text.split_once('=').unwrap_or_default();
        if key.trim().is_empty() {
            return Err(UsageError::new(&given.origin, "a setting is KEY=VALUE", "write --set dfs.replication=2"));
        }
        self.typed.settings.set(key.trim(), value.trim(), "--set");
        Ok(())
    }

    fn flagfile(&mut self, file: &str, place: &str, files: &mut Vec<String>) -> Result<(), UsageError> {
        if files.iter().any(|open| open == file) {
            return Err(UsageError::new(place, format!("flag file {file} includes itself"), "take that line out"));
        }
        let text = (self.sources.read)(file).map_err(|why| {
            UsageError::new(place, format!("cannot read flag file {file}: {why}"), "name a readable text file")
        })?;
        files.push(file.to_string());
        for (number, line) in text.lines().enumerate() {
            self.line(line.trim(), format!("{file}:{}", number + 1), files)?;
        }
        files.pop();
        Ok(())
    }

    fn line(&mut self, line: &str, place: String, files: &mut Vec<String>) -> Result<(), UsageError> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let flag = Flag::split(line)
            .ok_or_else(|| UsageError::new(&place, "the line is not a flag", "write --name=value on each line"))?;
        let Some((opt, negated)) = flag.option() else {
            self.unknown.push((flag.name.to_string(), place));
            return Ok(());
        };
        let text = match flag.value {
            Some(value) => value.to_string(),
            None if opt.kind == Kind::Switch => (!negated).to_string(),
            None => {
                let what = format!("flag '{}' has no value", opt.name);
                return Err(UsageError::new(place, what, format!("write --{}={} on one line", opt.name, opt.value)));
            }
        };
        self.apply(opt, Given { text, origin: place }, files)
    }

    fn take_variable(&mut self, name: &str, given: &Given, needed: bool) -> Result<(), UsageError> {
        let variable = format!("FLAGS_{name}");
        let Some(opt) = find(name) else {
            self.unknown.push((name.to_string(), given.origin.clone()));
            return Ok(());
        };
        match (self.sources.env)(&variable) {
            Some(_) if matches!(opt.name, "fromenv" | "tryfromenv") => {
                let remedy = "take it out of the list";
                Err(UsageError::new(&given.origin, format!("'{name}' cannot come from the environment"), remedy))
            }
            Some(text) => self.apply(opt, Given { text, origin: variable }, &mut Vec::new()),
            None if needed => {
                let remedy = "set it, or use --tryfromenv";
                Err(UsageError::new(&given.origin, format!("{variable} is not set in the environment"), remedy))
            }
            None => Ok(()),
        }
    }

    /// Google Benchmark's variables; a flag beats them, an empty one counts as not set.
    fn environment(&mut self) {
        for opt in options().filter(|opt| opt.name.starts_with("benchmark_")) {
            let Some(variable) = opt.environment() else { continue };
            let Some(text) = (self.sources.env)(&variable).filter(|text| !text.is_empty()) else { continue };
            if opt.status == Status::Rejected {
                self.typed.notes.push(format!("{variable} is ignored: {}", opt.reason));
            } else if !self.typed.has(opt) {
                self.typed.values.insert(opt.name, Given { text, origin: variable });
            }
        }
    }

    fn refuse_unknown(&self) -> Result<(), UsageError> {
        let excused = |name: &str| {
            let name = name.replace('-', "_");
            self.undefok.iter().any(|ok| *ok == name || name.strip_prefix("no") == Some(ok))
        };
        let Some((name, place)) = self.unknown.iter().find(|(name, _)| !excused(name)) else { return Ok(()) };
        let remedy = match nearest(name, options().map(|opt| opt.name)) {
            Some(meant) => format!("did you mean --{meant}?"),
            None => "see --help for all flags".to_string(),
        };
        Err(UsageError::new(place, format!("unknown command line flag '{name}'"), remedy))
    }
}

/// The value of a flag: behind `=`, or the next argument unless that is a flag itself.
fn value_of(
    opt: &Opt,
    flag: &Flag<'_>,
    negated: bool,
    rest: &mut Peekable<Iter<'_, String>>,
) -> Result<String, UsageError> {
    if let Some(value) = flag.value {
        return Ok(value.to_string());
    }
    if opt.kind == Kind::Switch {
        return Ok((!negated).to_string());
    }
    let is_flag = |next: &str| next == "--" || Flag::split(next).is_some_and(|flag| flag.option().is_some());
    rest.next_if(|next| !is_flag(next)).cloned().ok_or_else(|| {
        let what = format!("flag '--{}' is missing its argument", opt.name);
        UsageError::new(format!("--{}", opt.name), what, format!("write --{}={}", opt.name, opt.value))
    })
}

/// Refuses a positional argument. Its value is not shown: it may be a secret.
fn positional(arg: &str) -> UsageError {
    let name = arg.split_once('=').map_or(arg, |(name, _)| name);
    let remedy = match find(name) {
        Some(opt) => format!("write --{}={}", opt.name, opt.value),
        None if name != arg => format!("write --set {name}=… for a key of the store, or put it into the conf file"),
        None if values::switch(arg, "").is_ok() => format!("a switch takes its value with '=', as in --verify={arg}"),
        None => "every argument is a flag, --name=value; see --help".to_string(),
    };
    UsageError::new("command line", format!("'{name}' is not a flag"), remedy)
}

fn commas(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;
