//! The command line, read as fio's `getopt_long_only` reads it: `--opt=value`, `--opt value` where a value is needed,
//! one dash or two, job files anywhere.

use super::error::{FioError, Place};
use super::ini::Item;
use super::options::{self, Kind, Opt, Status};
use super::typed::{Section, Switch, Typed};
use super::value;
use super::values::is_bare;

/// Reads the arguments behind the program's name.
pub(super) fn parse(args: &[String]) -> Result<Typed, FioError> {
    let mut reader = Reader { args, at: 0, typed: Typed::default(), in_job: false };
    let mut only_files = false;
    while let Some(arg) = args.get(reader.at) {
        let place = Place::argument(reader.at);
        reader.at += 1;
        match arg.as_str() {
            "--" if !only_files => only_files = true,
            text if only_files || text == "-" || !text.starts_with('-') => {
                reader.typed.files.push((arg.clone(), place));
            }
            text => reader.option(text, &place)?,
        }
    }
    Ok(reader.typed)
}

struct Reader<'a> {
    args: &'a [String],
    at: usize,
    typed: Typed,
    in_job: bool,
}

impl Reader<'_> {
    fn option(&mut self, arg: &str, place: &Place) -> Result<(), FioError> {
        let text = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')).unwrap_or(arg);
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_string())));
        let name = match name {
            "h" => "help",
            "v" => "version",
            name => name,
        };
        let value_place =
            if value.is_some() { place.right(arg.len() - text.len() + name.len() + 1) } else { place.clone() };
        if let Some(switch) = options::find_switch(name) {
            return self.switch(switch, value, place);
        }
        let value = match value {
            None if options::find(name).is_some() && !is_bare(name) => Some(self.next(name, place)?),
            value => value,
        };
        if options::find(name).is_none() {
            return Err(unknown(name, value.as_deref(), place));
        }
        self.job_option(Item { name: name.into(), value, place: place.clone(), value_place });
        Ok(())
    }

    /// The next argument as a value.
    fn next(&mut self, name: &str, place: &Place) -> Result<String, FioError> {
        let missing = || FioError::at(place, format!("option '--{name}' requires an argument; write --{name}=…"));
        let value = self.args.get(self.at).filter(|next| !next.starts_with("--")).ok_or_else(missing)?;
        self.at += 1;
        Ok(value.clone())
    }

    fn switch(&mut self, opt: &'static Opt, value: Option<String>, place: &Place) -> Result<(), FioError> {
        if let Status::Rejected(why) = opt.status {
            return Err(FioError::at(place, format!("--{} is not supported: {why}", opt.name)));
        }
        let value = match (opt.kind, value) {
            (Kind::Flag, Some(_)) => return Err(FioError::at(place, format!("--{} takes no value", opt.name))),
            (Kind::Flag | Kind::LogName, value) => value,
            (_, None) => Some(self.next(opt.name, place)?),
            (_, value) => value,
        };
        if let Some(text) = &value {
            value::parse(opt, Some(text), 1024).map_err(|why| FioError::at(place, format!("--{why}")))?;
        }
        self.typed.switches.entry(opt.name).or_default().push(Switch { value, place: place.clone() });
        Ok(())
    }

    fn job_option(&mut self, item: Item) {
        if item.name != "name" {
            match self.typed.jobs.last_mut().filter(|_| self.in_job) {
                Some(job) => job.own.push(item),
                None => self.typed.defaults.push(item),
            }
            return;
        }
        let name = item.value.clone().unwrap_or_default();
        self.in_job = name != "global";
        if self.in_job {
            let (globals, place) = (self.typed.defaults.clone(), item.place.clone());
            self.typed.jobs.push(Section { name, place, globals, own: vec![item], starts_file: false });
        }
    }
}

fn unknown(name: &str, value: Option<&str>, place: &Place) -> FioError {
    let names = options::options().flat_map(|opt| [opt.name, opt.alias]);
    let meant = options::nearest(name, names.chain(options::switches().map(|opt| opt.name)));
    let meant = meant.map_or("--help lists the switches, --cmdhelp=all the job options".to_string(), |meant| {
        format!("did you mean --{meant}?")
    });
    let value = value.map(|value| format!("={value}")).unwrap_or_default();
    FioError::at(place, format!("unrecognized option '--{name}{value}'; {meant}"))
}

/// `--override=opt=value` as an option of every job.
pub(super) fn overrides(typed: &Typed) -> Result<Vec<Item>, FioError> {
    let item = |switch: &Switch| {
        let text = switch.value.as_deref().unwrap_or_default();
        let place = switch.place.clone();
        let item = super::ini::item(text, place.right("--override=".len()))?;
        match item.name.as_str() {
            "name" => Err(FioError::at(&place, "--override=name: a job's name cannot be changed")),
            _ => Ok(item),
        }
    };
    typed.all("override").iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Typed, FioError> {
        parse(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    fn shown(items: &[Item]) -> String {
        let one = |item: &Item| format!("{}={}", item.name, item.value.as_deref().unwrap_or("<bare>"));
        items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_before_the_first_name_are_defaults() {
        let typed = read("--bs=8k --name=a --rw=read --time_based -iodepth 4 --name=global --size=1m --name=b x.fio -")
            .expect("a command line");
        assert_eq!(shown(&typed.defaults), "bs=8k size=1m");
        let jobs: Vec<_> =
            typed.jobs.iter().map(|job| (job.name.as_str(), shown(&job.globals), shown(&job.own))).collect();
        assert_eq!(
            jobs,
            [
                ("a", "bs=8k".to_string(), "name=a rw=read time_based=<bare> iodepth=4".to_string()),
                ("b", "bs=8k size=1m".to_string(), "name=b".to_string())
            ]
        );
        assert_eq!(typed.files.iter().map(|(file, _)| file.as_str()).collect::<Vec<_>>(), ["x.fio", "-"]);
    }

    #[test]
    fn mistakes_name_the_argument() {
        for (line, part) in [
            ("--name=a --direct", "command line:2:1: option '--direct' requires an argument"),
            ("--rww=read", "did you mean --rw?"),
            ("--paese-only", "did you mean --parse-only?"),
            ("--zzzzzz", "--help lists"),
            ("--minimal=1", "takes no value"),
            ("--client=host", "--client is not supported: fsbench has no daemon"),
            ("--server", "--server is not supported"),
            ("--debug=io", "--debug is not supported"),
            ("--trigger-file=x", "--trigger-file is not supported"),
            ("--eta=maybe", "accepted: always, never, auto"),
            ("--terse-version=9", "accepted: at most 5"),
        ] {
            let error = read(line).expect_err(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
