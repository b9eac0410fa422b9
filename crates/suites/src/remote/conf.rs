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

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::MASK;
    use proptest::prelude::*;

    #[test]
    fn blanks_line_ends_and_comments_are_forgiven() {
        let text =
            "\u{feff}# a comment\r\n\r\n  fs.defaultFS = hdfs://nn:8020 \r\n   # another\n\tempty=\nq=a=b # c\n \n";
        let conf = Conf::parse("hdfs.conf", text).expect("a conf");
        let pairs: Vec<_> =
            conf.settings.iter().map(|s| (s.key.as_str(), s.value.as_str(), s.origin.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("fs.defaultFS", "hdfs://nn:8020", "hdfs.conf:3"),
                ("empty", "", "hdfs.conf:5"),
                ("q", "a=b # c", "hdfs.conf:6"),
            ]
        );
        assert!(conf.notes.is_empty());
    }

    #[test]
    fn the_last_of_equal_keys_wins_and_is_noted() {
        let conf = Conf::parse("a.conf", "k=1\nk=2\nk=3\n").expect("a conf");
        assert_eq!(conf.settings.find("k"), Some("3"));
        assert_eq!(
            conf.notes,
            [
                "a.conf:2: k stands also in line 1; this line counts",
                "a.conf:3: k stands also in line 2; this line counts"
            ]
        );
    }

    #[test]
    fn a_wrong_line_is_named_and_not_shown() {
        for (text, message) in [
            ("a=1\nhush\n", "s3.conf:2: the line has no '='; write key=value, or # before a comment"),
            ("=hush", "s3.conf:1: nothing stands before '='; write key=value, or # before a comment"),
        ] {
            assert_eq!(Conf::parse("s3.conf", text).expect_err(text).to_string(), message);
        }
    }

    #[test]
    fn the_echo_is_sorted_and_masked() {
        let conf =
            Conf::parse("d/s3.conf", "use_path_style=true\nAWS_SECRET_KEY=hush\nAWS_REGION=eu\n").expect("a conf");
        assert_eq!(
            conf.echo(),
            format!(
                "read config from file \"d/s3.conf\":\nAWS_REGION = eu\nAWS_SECRET_KEY = {MASK}\nuse_path_style = true\n"
            )
        );
        assert!(!format!("{conf:?}").contains("hush"));
    }

    #[test]
    fn a_conf_knows_its_folder() {
        for (path, folder) in [("hdfs.conf", "."), ("/hdfs.conf", "/"), ("a/b/hdfs.conf", "a/b")] {
            assert_eq!(Conf::parse(path, "").expect("empty").folder(), folder);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_with_its_line(text in "[a=# \\r\\n\\t\u{feff}é]{0,60}") {
            match Conf::parse("p", &text) {
                Ok(conf) => {
                    prop_assert!(conf.settings.iter().all(|s| !s.key.is_empty() && s.key.trim() == s.key));
                    prop_assert!(conf.echo().lines().count() > conf.settings.iter().count());
                }
                Err(error) => prop_assert!(error.to_string().starts_with("p:")),
            }
        }

        #[test]
        fn what_is_written_is_read(pairs in proptest::collection::btree_map("[a-z][a-z._]{0,9}", "[!-~]{0,12}", 0..9)) {
            let text: String = pairs.iter().map(|(k, v)| format!(" {k} =\t{v}\r\n")).collect();
            let conf = Conf::parse("p", &text).expect("lines of key=value");
            let read: std::collections::BTreeMap<_, _> =
                conf.settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect();
            prop_assert_eq!(read, pairs);
        }
    }
}
