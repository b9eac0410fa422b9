//! The conf file: `key=value` lines, as `fs_benchmark_tool` reads them, but forgiving about blanks and line ends.
//!
//! The first `=` splits; a line whose first visible character is `#` is a comment; the last of equal keys wins. There
//! are no comments behind a value, no quotes and no continuation lines, as in the original.

use super::error::UsageError;
use fsbench_model::Settings;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A conf file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conf {
    /// Its path, as it was given.
    pub path: String,
    /// Its pairs; the origin of each is `path:line`.
    pub settings: Settings,
    /// What its author should know: keys that stand twice.
    pub notes: Vec<String>,
}

impl Conf {
    /// Reads the text of the file at `path`. A byte-order mark, CRLF, blanks around key and value, and blank lines
    /// are forgiven.
    ///
    /// # Errors
    /// A line without `=`, or with nothing before it.
    pub fn parse(path: &str, text: &str) -> Result<Self, UsageError> {
        let mut conf = Conf { path: path.to_string(), settings: Settings::default(), notes: Vec::new() };
        let mut lines = BTreeMap::new();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = split(line, path, number)?;
            if let Some(before) = lines.insert(key, number) {
                conf.notes.push(format!("{path}:{number}: {key} stands also in line {before}; this line counts"));
            }
            conf.settings.set(key, value, format!("{path}:{number}"));
        }
        Ok(conf)
    }

    /// What the original prints after reading, secrets masked: the path, then all pairs by key. Ends with a newline.
    #[must_use]
    pub fn echo(&self) -> String {
        let mut pairs: Vec<_> = self.settings.iter().map(|s| (s.key.as_str(), s.shown())).collect();
        pairs.sort_unstable();
        let mut text = format!("read config from file \"{}\":\n", self.path);
        for (key, value) in pairs {
            let _ = writeln!(text, "{key} = {value}");
        }
        text
    }

    /// The folder that the file is in, `.` when its path has none.
    #[must_use]
    pub fn folder(&self) -> &str {
        match self.path.rsplit_once('/') {
            None => ".",
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
        }
    }
}

fn split<'a>(line: &'a str, path: &str, number: usize) -> Result<(&'a str, &'a str), UsageError> {
    let refuse =
        |what: &str| UsageError::new(format!("{path}:{number}"), what, "write key=value, or # before a comment");
    // The line itself is not shown: it may hold a secret.
    let (key, value) = line.split_once('=').ok_or_else(|| refuse("the line has no '='"))?;
    match key.trim() {
        "" => Err(refuse("nothing stands before '='")),
        key => Ok((key, value.trim())),
    }
}
