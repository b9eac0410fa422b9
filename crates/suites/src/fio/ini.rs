//! Job files: lines into sections and options, each with its file, line and column.
//!
//! fio's grammar: `[name]` opens a section, `option=value` or a bare option belongs to it, `include FILE` puts another
//! file's options there, `;` and `#` begin a comment. Blanks around `=` are fine, where fio reads `bs = 4k` as 4 bytes.

use super::error::{FioError, Place};

/// Includes in includes; deeper is a circle.
const DEPTH_MAX: u32 = 16;

/// An option as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The name.
    pub(super) name: String,
    /// What follows `=`; `None` for a bare word.
    pub(super) value: Option<String>,
    /// Where the name stands.
    pub(super) place: Place,
    /// Where the value stands.
    pub(super) value_place: Place,
}

/// A section of a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// What stands in the brackets.
    pub(super) name: String,
    /// Where.
    pub(super) place: Place,
    /// Its options in order.
    pub(super) items: Vec<Item>,
}

/// Reads files for `include`.
pub(super) type Read<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// Reads the text of the job file `path`.
pub(super) fn parse(path: &str, text: &str, read: &Read<'_>) -> Result<Vec<Block>, FioError> {
    let mut reader = Reader { read, blocks: Vec::new() };
    reader.file(path, text, 0)?;
    Ok(reader.blocks)
}

struct Reader<'a> {
    read: &'a Read<'a>,
    blocks: Vec<Block>,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, text: &str, depth: u32) -> Result<(), FioError> {
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let place = Place {
                file: if path == "-" { "stdin".into() } else { path.into() },
                line: u32::try_from(number + 1).unwrap_or(u32::MAX),
                column: 1,
            };
            self.line(path, line, &place, depth)?;
        }
        Ok(())
    }

    fn line(&mut self, path: &str, line: &str, start: &Place, depth: u32) -> Result<(), FioError> {
        let text = line.trim_start();
        let place = start.right(line.chars().count() - text.chars().count());
        let text = text.trim_end();
        if text.is_empty() || text.starts_with([';', '#']) {
            return Ok(());
        }
        if text.starts_with('[') {
            return self.section(text, &place, depth);
        }
        let text = without_comment(text, &place)?;
        match text.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            Some(file) if !file.trim_start().starts_with('=') => self.include(path, file.trim(), &place, depth),
            _ => self.option(text, place),
        }
    }

    fn section(&mut self, text: &str, place: &Place, depth: u32) -> Result<(), FioError> {
        let Some(close) = text.rfind(']') else {
            return Err(FioError::at(place, format!("'{text}' has no ']'; a section is [name]")));
        };
        let (name, rest) = (text[1..close].trim(), text[close + 1..].trim());
        if depth > 0 {
            return Err(FioError::at(place, "an included file may not have sections; move the options out of [ ]"));
        }
        if name.is_empty() {
            return Err(FioError::at(place, "the section has no name; a section is [name]"));
        }
        if !(rest.is_empty() || rest.starts_with([';', '#'])) {
            return Err(FioError::at(
                place,
                format!("'{rest}' stands behind the section; put it on a line of its own"),
            ));
        }
        self.blocks.push(Block { name: name.into(), place: place.clone(), items: Vec::new() });
        Ok(())
    }

    fn include(&mut self, path: &str, file: &str, place: &Place, depth: u32) -> Result<(), FioError> {
        if depth >= DEPTH_MAX {
            return Err(FioError::at(place, format!("include {file}: more than {DEPTH_MAX} files include each other")));
        }
        let beside = path.rsplit_once('/').filter(|_| !file.starts_with('/')).map(|(dir, _)| format!("{dir}/{file}"));
        let (found, text) = match beside.map(|beside| (self.read)(&beside).map(|text| (beside, text))) {
            Some(Ok(found)) => found,
            _ => match (self.read)(file) {
                Ok(text) => (file.to_string(), text),
                Err(why) => return Err(FioError::at(place, format!("include {file}: {why}"))),
            },
        };
        self.file(&found, &text, depth + 1)
    }

    fn option(&mut self, text: &str, place: Place) -> Result<(), FioError> {
        let Some(block) = self.blocks.last_mut() else {
            let what = format!("option <{text}> outside of a [] job section; put [global] or [name] before it");
            return Err(FioError::at(&place, what));
        };
        block.items.push(item(text, place)?);
        Ok(())
    }
}

/// `name=value`, `name = value` or `name`.
pub(super) fn item(text: &str, place: Place) -> Result<Item, FioError> {
    let Some((name, value)) = text.split_once('=') else {
        let end = place.right(text.chars().count());
        return match text.split_once([' ', '\t']) {
            Some((name, rest)) => {
                let what = format!("'{text}' has no '='; write {name}={}", rest.trim());
                Err(FioError::at(&place, what))
            }
            None => Ok(Item { name: text.into(), value: None, place, value_place: end }),
        };
    };
    let blanks = value.chars().count() - value.trim_start().chars().count();
    let value_place = place.right(name.chars().count() + 1 + blanks);
    let name = name.trim_end();
    if name.is_empty() || name.contains([' ', '\t']) {
        let what = format!("'{name}' is no option name; write one option=value on each line");
        return Err(FioError::at(&place, what));
    }
    Ok(Item { name: name.into(), value: Some(value.trim().into()), place, value_place })
}

/// A comment begins with `;` or `#` behind a blank. fio also cuts inside of words, which is refused here.
fn without_comment<'a>(text: &'a str, place: &Place) -> Result<&'a str, FioError> {
    let Some(at) = text.find([';', '#']) else { return Ok(text) };
    let before = &text[..at];
    if before.ends_with([' ', '\t']) {
        return Ok(before.trim_end());
    }
    let what = format!(
        "fio would cut the value at '{}'; put a blank before a comment, or keep ';' and '#' out of values",
        &text[at..]
    );
    Err(FioError::at(&place.right(before.chars().count()), what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn none(_: &str) -> Result<String, String> {
        Err("no such file".into())
    }

    fn shown(blocks: &[Block]) -> Vec<String> {
        let line = |block: &Block| {
            let items = block.items.iter().map(|item| match &item.value {
                Some(value) => format!("{}={value}@{}:{}", item.name, item.value_place.line, item.value_place.column),
                None => item.name.clone(),
            });
            format!("{}: {}", block.name, items.collect::<Vec<_>>().join(", "))
        };
        blocks.iter().map(line).collect()
    }

    #[test]
    fn a_file_becomes_sections_and_options_with_places() {
        let text = "; head\n# more\n\n[global]\r\n  bs = 4k ; c\nrw =randread # d\n\tdirect=1\n[a b/c]\nstonewall\n\
                    iodepth= 8\n[global]\nx=\n[d] ; e\n";
        let blocks = parse("t.fio", text, &none).expect("a job file");
        assert_eq!(
            shown(&blocks),
            [
                "global: bs=4k@5:8, rw=randread@6:5, direct=1@7:9",
                "a b/c: stonewall, iodepth=8@10:10",
                "global: x=@12:3",
                "d: "
            ]
        );
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, message) in [
            (
                "bs=4k\n[a]\n",
                "fio: t.fio:1:1: option <bs=4k> outside of a [] job section; put [global] or [name] before it",
            ),
            ("[a\n", "fio: t.fio:1:1: '[a' has no ']'; a section is [name]"),
            ("[]\n", "fio: t.fio:1:1: the section has no name; a section is [name]"),
            ("[a] b=1\n", "fio: t.fio:1:1: 'b=1' stands behind the section; put it on a line of its own"),
            ("[a]\n  bs 4k\n", "fio: t.fio:2:3: 'bs 4k' has no '='; write bs=4k"),
            ("[a]\nbs=4k rw=read\n[b]\n", ""),
            ("[a]\n=4k\n", "fio: t.fio:2:1: '' is no option name; write one option=value on each line"),
            ("[a]\ninclude b.inc\n", "fio: t.fio:2:1: include b.inc: no such file"),
            (
                "[a]\nfilename=a#b\n",
                "fio: t.fio:2:11: fio would cut the value at '#b'; put a blank before a comment, or keep ';' and '#' \
                 out of values",
            ),
        ] {
            match parse("t.fio", text, &none) {
                Ok(_) => assert_eq!(message, "", "{text}"),
                Err(error) => assert_eq!(error.to_string(), message),
            }
        }
    }

    #[test]
    fn includes_are_text_from_beside_the_file() {
        let read = |path: &str| match path {
            "d/one.inc" => Ok("bs=8k\ninclude two.inc\n".to_string()),
            "d/two.inc" => Ok("rw=write\n".to_string()),
            "d/loop.inc" => Ok("include loop.inc\n".to_string()),
            "/abs.inc" => Ok("[x]\n".to_string()),
            _ => Err("no such file".to_string()),
        };
        let blocks = parse("d/t.fio", "[a]\ninclude one.inc\nsize=1m\n", &read).expect("includes");
        assert_eq!(shown(&blocks), ["a: bs=8k@1:4, rw=write@1:4, size=1m@3:6"]);
        assert_eq!(blocks[0].items[1].place.file, "d/two.inc");
        assert!(parse("d/t.fio", "[a]\ninclude loop.inc\n", &read).is_err());
        assert!(parse("d/t.fio", "[a]\ninclude /abs.inc\n", &read).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_with_its_line(text in "[a\\[\\]=;# \\n\\t\u{feff}é]{0,60}") {
            match parse("p", &text, &none) {
                Ok(blocks) => prop_assert!(blocks.iter().flat_map(|b| &b.items).all(|i| i.name.trim() == i.name)),
                Err(error) => prop_assert!(error.to_string().starts_with("fio: p:"), "{}", error),
            }
        }
    }
}
