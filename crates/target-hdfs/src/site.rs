//! Hadoop's XML: `core-site.xml` and `hdfs-site.xml`, with `${…}` filled in.
//!
//! Understood: properties with name and value, comments, CDATA, the five entities and character references. Not
//! followed: `xi:include` and entities from a DTD; the second is an error, the first a note.

use fsbench_target::{Error, ErrorKind, Result};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Properties by name.
pub(crate) type Properties = BTreeMap<String, String>;

/// The files that Hadoop clients read, in this order; the later wins.
pub(crate) const FILES: [&str; 2] = ["core-site.xml", "hdfs-site.xml"];

/// What the files of one directory say.
#[derive(Debug, Default)]
pub(crate) struct Site {
    pub(crate) properties: Properties,
    pub(crate) notes: Vec<String>,
}

/// The directory whose files count: `given` if it has any, else `HADOOP_CONF_DIR`, else `HADOOP_HOME/etc/hadoop`.
pub(crate) fn directory(given: Option<&Path>, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let has_files = |directory: &Path| FILES.iter().any(|file| directory.join(file).exists());
    let from_env = || {
        let home = || env("HADOOP_HOME").map(|home| Path::new(&home).join("etc/hadoop"));
        env("HADOOP_CONF_DIR").map(PathBuf::from).or_else(home)
    };
    given.map(Path::to_path_buf).filter(|directory| has_files(directory)).or_else(from_env).filter(|d| has_files(d))
}

/// Reads both files of `directory`.
///
/// # Errors
/// A file that cannot be read or is not well-formed, by name.
pub(crate) fn read(directory: &Path) -> Result<Site> {
    let mut site = Site::default();
    for file in FILES.map(|file| directory.join(file)).into_iter().filter(|file| file.exists()) {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).map_err(|error| Error::of_io("hdfs", "read", &name, &error))?;
        let wrong = |detail: String| {
            Error::new(ErrorKind::Invalid, "hdfs", "read", &name, detail).with_hint("it must be a Hadoop XML file")
        };
        site.notes.push(format!("Hadoop settings were read from {name}"));
        parse(&text, &name, &mut site).map_err(wrong)?;
    }
    Ok(site)
}

#[derive(Default)]
struct Scan {
    path: Vec<String>,
    name: String,
    value: String,
}

impl Scan {
    /// Where text goes now, if it matters.
    fn text(&mut self) -> Option<&mut String> {
        match self.path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["configuration", "property", "name"] => Some(&mut self.name),
            ["configuration", "property", "value"] => Some(&mut self.value),
            _ => None,
        }
    }

    fn add(&mut self, text: &str) {
        if let Some(field) = self.text() {
            field.push_str(text);
        }
    }

    fn end(&mut self, properties: &mut Properties) {
        if self.path == ["configuration", "property"] {
            let (name, value) = (std::mem::take(&mut self.name), std::mem::take(&mut self.value));
            if !name.trim().is_empty() {
                properties.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        self.path.pop();
    }
}

fn parse(text: &str, file: &str, site: &mut Site) -> std::result::Result<(), String> {
    let mut reader = Reader::from_str(text);
    let mut scan = Scan::default();
    let mut rooted = false;
    loop {
        let at = reader.buffer_position();
        let line = 1 + text.as_bytes()[..usize::try_from(at).unwrap_or(0).min(text.len())]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let wrong = |detail: &dyn std::fmt::Display| format!("line {line}: {detail}");
        match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(tag) => {
                let name = String::from_utf8_lossy(tag.local_name().as_ref()).into_owned();
                rooted |= scan.path.is_empty() && name == "configuration";
                scan.path.push(name);
            }
            Event::Empty(tag) if scan.path.is_empty() && tag.local_name().as_ref() == b"configuration" => rooted = true,
            Event::Empty(tag) if tag.local_name().as_ref() == b"include" => {
                site.notes.push(format!("{file}, line {line}: xi:include is not followed"));
            }
            Event::End(_) => scan.end(&mut site.properties),
            Event::Text(piece) => scan.add(&piece.decode().map_err(|error| wrong(&error))?),
            Event::CData(piece) => scan.add(&piece.decode().map_err(|error| wrong(&error))?),
            Event::GeneralRef(reference) => scan.add(&entity(&reference).map_err(|error| wrong(&error))?),
            Event::Eof if !scan.path.is_empty() => {
                return Err(wrong(&format!("<{}> is not closed", scan.path.join("><"))));
            }
            Event::Eof if !rooted => return Err(wrong(&"there is no <configuration>")),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn entity(reference: &BytesRef<'_>) -> std::result::Result<String, String> {
    if let Some(character) = reference.resolve_char_ref().map_err(|error| error.to_string())? {
        return Ok(character.to_string());
    }
    let name = reference.decode().map_err(|error| error.to_string())?;
    let known = match name.as_ref() {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => return Err(format!("the entity &{name}; is not known")),
    };
    Ok(known.to_owned())
}

/// Fills in `${name}` from the other properties and `${env.NAME}` from the environment, as Hadoop does; what is not
/// known stays as it is.
pub(crate) fn substitute(properties: &Properties, env: &dyn Fn(&str) -> Option<String>) -> Properties {
    properties.iter().map(|(name, value)| (name.clone(), filled(value, properties, env))).collect()
}

/// Hadoop's limit, against values that name themselves.
const SUBSTITUTIONS_MAX: usize = 20;

fn filled(value: &str, properties: &Properties, env: &dyn Fn(&str) -> Option<String>) -> String {
    let mut value = value.to_owned();
    let mut from = 0;
    for _ in 0..SUBSTITUTIONS_MAX {
        let Some(start) = value[from..].find("${").map(|at| from + at) else { break };
        let Some(end) = value[start..].find('}').map(|at| start + at) else { break };
        let name = &value[start + 2..end];
        let found = match name.strip_prefix("env.") {
            Some(variable) => env(variable),
            None => properties.get(name).cloned(),
        };
        match found {
            Some(text) => value.replace_range(start..=end, &text),
            None => from = end + 1,
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> std::result::Result<Site, String> {
        let mut site = Site::default();
        parse(text, "x.xml", &mut site).map(|()| site)
    }

    #[test]
    fn properties_comments_and_entities() {
        let site = parsed(
            "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"c.xsl\"?>\n<configuration>\n <!-- no -->\n <property><name> a </name>\
             <value>1 &amp; &#50;</value><final>true</final></property>\n<property><value><![CDATA[<b>]]></value><name>b</name>\
             <description>words</description></property>\n<property><name>empty</name><value></value></property></configuration>",
        )
        .expect("it is well-formed");
        let pairs: Vec<_> = site.properties.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(pairs, [("a", "1 & 2"), ("b", "<b>"), ("empty", "")]);
    }

    #[test]
    fn broken_files_say_where() {
        for (text, expected) in [
            ("<configuration>\n<property></configuration>", "line 2"),
            ("<configuration><property><name>a", "not closed"),
            ("", "no <configuration>"),
            (
                "<configuration>\n\n<property><name>&site;</name></property></configuration>",
                "line 3: the entity &site;",
            ),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_broken_file_is_named() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("hdfs-site.xml"), "<configuration>").expect("writes");
        let error = read(directory.path()).expect_err("it is broken").to_string();
        assert!(error.contains("hdfs-site.xml") && error.contains("not closed"), "{error}");
    }

    #[test]
    fn the_given_directory_comes_first() {
        let (first, second) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let conf = second.path().display().to_string();
        let env = |name: &str| (name == "HADOOP_CONF_DIR").then(|| conf.clone());
        assert_eq!(directory(Some(first.path()), &env), None);
        std::fs::write(second.path().join("core-site.xml"), "<configuration/>").expect("writes");
        assert_eq!(directory(Some(first.path()), &env).as_deref(), Some(second.path()));
        std::fs::write(first.path().join("core-site.xml"), "<configuration/>").expect("writes");
        assert_eq!(directory(Some(first.path()), &env).as_deref(), Some(first.path()));
    }

    #[test]
    fn variables_are_filled_in() {
        let properties: Properties =
            [("host", "nn"), ("fs", "hdfs://${host}:${env.PORT}/"), ("self", "${self}x"), ("odd", "${gone} ${host}")]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .into();
        let env = |name: &str| (name == "PORT").then(|| "8020".to_owned());
        let filled = substitute(&properties, &env);
        assert_eq!(filled["fs"], "hdfs://nn:8020/");
        assert_eq!(filled["odd"], "${gone} nn");
        assert!(filled["self"].len() < 100);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*", value in "[${}a.]*") {
            let _ = parsed(&text);
            let _ = parsed(&format!("<configuration><property><name>a</name><value>{text}</value></property></configuration>"));
            let properties: Properties = [("a".to_owned(), value)].into();
            let _ = substitute(&properties, &|_| None);
        }
    }
}
