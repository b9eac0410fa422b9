//! What was typed: one place, options in any order as `--x V`, `--x=V`, `--no-x`, and `-D KEY=VALUE`.

use super::table::{find, options};
use crate::remote::{Kind, Opt, UsageError, nearest};
use fsbench_model::Settings;
use std::collections::BTreeMap;
use std::slice::Iter;

/// The arguments, read and not yet understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    pub(super) place: Option<String>,
    pub(super) values: BTreeMap<&'static str, String>,
    pub(super) settings: Settings,
}

impl Typed {
    /// Whether help is wanted instead of a run.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.values.get("help").is_some_and(|text| text == "true")
    }

    /// The conf file to read before [`super::plan`].
    #[must_use]
    pub fn conf_path(&self) -> Option<&str> {
        self.values.get("conf").map(String::as_str).filter(|path| !path.is_empty())
    }
}

/// Reads the arguments, without the verb's name. Values are not looked at; that is [`super::plan`]'s work.
///
/// # Errors
/// An unknown option, an option without its value, a second place. None when help is asked for.
pub fn parse(args: &[String]) -> Result<Typed, UsageError> {
    if args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--help" || arg == "-h") {
        let values = [("help", "true".to_string())].into();
        return Ok(Typed { values, ..Typed::default() });
    }
    let mut typed = Typed::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            rest.by_ref().try_for_each(|arg| take_place(&mut typed, arg))?;
        } else if let Some(text) = arg.strip_prefix("-D") {
            let pair = if text.is_empty() { rest.next().map(String::as_str) } else { Some(text) };
            take_setting(&mut typed, "-D", pair.unwrap_or_default())?;
        } else if let Some(body) = arg.strip_prefix("--") {
            take_option(&mut typed, body, &mut rest)?;
        } else if arg.starts_with('-') && arg.len() > 1 {
            return Err(unknown(arg, arg.trim_start_matches('-')));
        } else {
            take_place(&mut typed, arg)?;
        }
    }
    Ok(typed)
}

fn take_place(typed: &mut Typed, arg: &str) -> Result<(), UsageError> {
    match typed.place.replace(arg.to_string()) {
        None => Ok(()),
        Some(first) => {
            let what = format!("'{arg}' is a second place, after '{first}'");
            Err(UsageError::new("command line", what, "check one place at a time; options begin with --"))
        }
    }
}

fn take_option(typed: &mut Typed, body: &str, rest: &mut Iter<'_, String>) -> Result<(), UsageError> {
    let (name, value) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
    let (opt, on) = option(name, value.is_some()).ok_or_else(|| unknown(&format!("--{name}"), name))?;
    let text = match (value, opt.kind) {
        (Some(value), _) => value.to_string(),
        (None, Kind::Switch) => on.to_string(),
        (None, _) => rest.next().cloned().ok_or_else(|| {
            UsageError::new(format!("--{name}"), "its value is missing", format!("write --{name} {}", opt.value))
        })?,
    };
    if opt.kind == Kind::Setting {
        return take_setting(typed, "--set", &text);
    }
    typed.values.insert(opt.name, text);
    Ok(())
}

/// The option of this name, and whether it is meant (or, as `--no-x` or `--nox`, its opposite).
fn option(name: &str, has_value: bool) -> Option<(&'static Opt, bool)> {
    if let Some(opt) = find(name) {
        return Some((opt, true));
    }
    let rest = name.strip_prefix("no")?;
    let opt = find(rest.strip_prefix('-').unwrap_or(rest))?;
    (opt.kind == Kind::Switch && !has_value).then_some((opt, false))
}

fn take_setting(typed: &mut Typed, place: &str, pair: &str) -> Result<(), UsageError> {
    match pair.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            typed.settings.set(key.trim(), value.trim(), place);
            Ok(())
        }
        _ => Err(UsageError::new(place, "a setting is KEY=VALUE", "write -D dfs.replication=2")),
    }
}

fn unknown(place: &str, name: &str) -> UsageError {
    let remedy = match nearest(name, options().map(|opt| opt.name)) {
        Some(meant) => format!("did you mean --{}?", meant.replace('_', "-")),
        None => "fsbench smallfiles --help lists all options".to_string(),
    };
    UsageError::new(place, "there is no such option", remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(args: &[&str]) -> Result<Typed, String> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        parse(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn options_stand_anywhere_in_every_spelling() {
        let args = ["--count", "7", "/dir", "--size=9", "--no-verify", "--nokeep", "--sync", "-Da=1", "-D", "b=2=3"];
        let typed = typed(&args).expect("arguments");
        assert_eq!(typed.place.as_deref(), Some("/dir"));
        let values: Vec<_> = typed.values.iter().map(|(name, text)| (*name, text.as_str())).collect();
        assert_eq!(values, [("count", "7"), ("keep", "false"), ("size", "9"), ("sync", "true"), ("verify", "false")]);
        assert_eq!((typed.settings.find("a"), typed.settings.find("b")), (Some("1"), Some("2=3")));
        assert!(parse(&["/d".into(), "--help".into()]).expect("help").asks());
    }

    #[test]
    fn mistakes_are_named() {
        for (args, message) in [
            (&["--coun=3"][..], "--coun: there is no such option; did you mean --count?"),
            (&["-x"][..], "-x: there is no such option; fsbench smallfiles --help lists all options"),
            (&["--count"][..], "--count: its value is missing; write --count N"),
            (
                &["a", "b"][..],
                "command line: 'b' is a second place, after 'a'; check one place at a time; options begin with --",
            ),
            (&["-D", "x"][..], "-D: a setting is KEY=VALUE; write -D dfs.replication=2"),
        ] {
            assert_eq!(typed(args), Err(message.to_string()));
        }
    }
}
