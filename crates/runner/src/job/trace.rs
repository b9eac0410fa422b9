//! Traces of requests in fio's text format (`read_iolog`, `write_iolog`): versions 2 and 3 are read, 3 is written.
//!
//! fio skips lines that it does not understand; here they are errors with their number. When events are due and what
//! they do is the driver's. blktrace's binary format is recognised and refused.

use fsbench_model::job::Replay;
use std::collections::HashMap;
use std::io::{self, Write};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Makes a file known.
    Add,
    /// Opens it.
    Open,
    /// Closes it.
    Close,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// `fsync`.
    Sync,
    /// `fdatasync`.
    Datasync,
    /// Discards.
    Trim,
    /// Waits until `at_us`, without any request (version 2 only).
    Wait,
}

impl Action {
    const ALL: [(&'static str, Action); 9] = [
        ("add", Action::Add),
        ("open", Action::Open),
        ("close", Action::Close),
        ("read", Action::Read),
        ("write", Action::Write),
        ("sync", Action::Sync),
        ("datasync", Action::Datasync),
        ("trim", Action::Trim),
        ("wait", Action::Wait),
    ];

    /// fio's word for it.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Whether it is about a file rather than a part of it: such lines have no offset and no length.
    #[must_use]
    pub(crate) fn is_of_files(self) -> bool {
        matches!(self, Action::Add | Action::Open | Action::Close)
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, action)| *action)
    }
}

/// One line of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// When, in microseconds since the trace began; 0 in version 2, but for [`Action::Wait`].
    pub(crate) at_us: u64,
    /// Which of [`Trace::files`].
    pub(crate) file: u32,
    /// What.
    pub(crate) action: Action,
    /// From which byte.
    pub(crate) offset: u64,
    /// How many bytes; fio counts them in 32 bits.
    pub(crate) len: u32,
}

/// A trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Version 3: events have times.
    pub(crate) timed: bool,
    /// Names as they are in the trace.
    pub(crate) files: Vec<String>,
    /// In the order of the trace.
    pub(crate) events: Vec<Event>,
}

/// Why a trace cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TraceError {
    #[error(
        "this is a binary trace of blktrace, which fsbench does not read; convert it with fio: fio --read_iolog=<trace> --write_iolog=<text> --ioengine=null"
    )]
    Blktrace,
    #[error("a trace begins with the line 'fio version 2 iolog' or 'fio version 3 iolog', not with '{0}'")]
    Header(String),
    #[error("line {line} of the trace: {what}")]
    Line { line: usize, what: String },
    #[error("the trace has no request")]
    Empty,
}

const BLKTRACE_MAGIC: u32 = 0x6561_7400;

impl Trace {
    /// Reads a whole trace.
    ///
    /// # Errors
    /// Another format, or the first line that is not as the format has it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, TraceError> {
        if is_blktrace(bytes) {
            return Err(TraceError::Blktrace);
        }
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let timed = match header.trim_end() {
            "fio version 2 iolog" => false,
            "fio version 3 iolog" => true,
            _ => return Err(TraceError::Header(header.chars().take(40).collect())),
        };
        let mut reader = Reader { trace: Trace { timed, ..Trace::default() }, numbers: HashMap::new() };
        for (at, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            reader.line(line).map_err(|what| TraceError::Line { line: at + 2, what })?;
        }
        let trace = reader.trace;
        let requests = trace.events.iter().any(|event| !event.action.is_of_files());
        if requests { Ok(trace) } else { Err(TraceError::Empty) }
    }

    /// What `replay` makes of it: without skipped kinds, with times, offsets and files as asked. A redirected trace has
    /// one file, which is added, opened and closed once.
    #[must_use]
    pub(crate) fn adjusted(mut self, replay: &Replay) -> Self {
        let [read, write, trim, sync] = replay.skip;
        self.events.retain(|event| match event.action {
            Action::Read => !read,
            Action::Write => !write,
            Action::Trim => !trim,
            // As fio: only `fsync` is skipped.
            Action::Sync => !sync,
            Action::Wait => !replay.no_stall,
            _ => true,
        });
        let percent = u128::from(if replay.time_percent == 0 { 100 } else { replay.time_percent });
        for event in &mut self.events {
            event.at_us = match (replay.no_stall, event.action) {
                (true, _) => 0,
                (false, Action::Wait) => event.at_us,
                (false, _) => (u128::from(event.at_us) * 100 / percent) as u64,
            };
            event.offset /= u64::from(replay.scale.max(1));
            event.offset -= event.offset % u64::from(replay.align.max(1));
        }
        match &replay.redirect {
            Some(path) => self.redirected(path),
            None => self,
        }
    }

    fn redirected(mut self, path: &str) -> Self {
        let last_close = self.events.iter().rposition(|event| event.action == Action::Close);
        let (mut added, mut opened, mut at) = (false, false, 0);
        self.events.retain(|event| {
            at += 1;
            match event.action {
                Action::Add => !std::mem::replace(&mut added, true),
                Action::Open => !std::mem::replace(&mut opened, true),
                Action::Close => last_close == Some(at - 1),
                _ => true,
            }
        });
        self.events.iter_mut().for_each(|event| event.file = 0);
        self.files = vec![path.to_owned()];
        self
    }
}

fn is_blktrace(bytes: &[u8]) -> bool {
    let Some(magic) = bytes.first_chunk::<4>() else {
        return false;
    };
    [u32::from_le_bytes(*magic), u32::from_be_bytes(*magic)].iter().any(|magic| magic & !0xFF == BLKTRACE_MAGIC)
}

struct Reader {
    trace: Trace,
    numbers: HashMap<String, u32>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("fio version ") {
            return Err("a second trace begins here: fio appends to a trace that exists; split the file".to_owned());
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (at_us, words) = match (self.trace.timed, words.as_slice()) {
            (true, [time, rest @ ..]) => (number(time, "a time")?, rest),
            (_, words) => (0, words),
        };
        let [name, word, range @ ..] = words else {
            return Err(format!("'{line}' has no file and action"));
        };
        let action = Action::parse(word).ok_or_else(|| {
            format!("'{word}' is no action; it is one of add, open, close, read, write, sync, datasync, trim, wait")
        })?;
        if action == Action::Wait && self.trace.timed {
            return Err("version 3 has times and no 'wait'".to_owned());
        }
        let (offset, len): (u64, u32) = match (range, action.is_of_files()) {
            ([], true) => (0, 0),
            ([offset, len], false) => (number(offset, "an offset")?, number(len, "a length below 4 GiB")?),
            (_, true) => return Err(format!("nothing follows '{word}'")),
            (_, false) => return Err(format!("'{word}' needs an offset and a length, and nothing more")),
        };
        if matches!(action, Action::Read | Action::Write | Action::Trim) && len == 0 {
            return Err(format!("'{word}' of 0 bytes"));
        }
        let file = self.file(name, action)?;
        self.trace.events.push(match action {
            // fio's manual says microseconds since the last one; fio itself waits until so many milliseconds have passed.
            Action::Wait => Event { at_us: offset.saturating_mul(1000), file, action, offset: 0, len: 0 },
            _ => Event { at_us, file, action, offset, len },
        });
        Ok(())
    }

    fn file(&mut self, name: &str, action: Action) -> Result<u32, String> {
        if let Some(file) = self.numbers.get(name) {
            return Ok(*file);
        }
        match action {
            Action::Add => {
                let file = self.trace.files.len() as u32;
                self.trace.files.push(name.to_owned());
                self.numbers.insert(name.to_owned(), file);
                Ok(file)
            }
            // What a wait names is not looked at.
            Action::Wait => Ok(0),
            _ => Err(format!("the file '{name}' was not added before")),
        }
    }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not {what}"))
}

/// Writes a trace as fio's `write_iolog` does.
#[derive(Debug)]
pub(crate) struct TraceWriter<W> {
    out: W,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace; `out` should be buffered.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"fio version 3 iolog\n")?;
        Ok(Self { out })
    }

    /// Adds what happened to the file `name` at `at_us`: adding, opening, closing.
    ///
    /// # Errors
    /// Those of `out`; a name with white space in it, which the format cannot hold.
    pub(crate) fn file(&mut self, at_us: u64, name: &str, action: Action) -> io::Result<()> {
        debug_assert!(action.is_of_files());
        check_name(name)?;
        writeln!(self.out, "{at_us} {name} {}", action.name())
    }

    /// Adds a request to the file `name`, which was added before.
    ///
    /// # Errors
    /// Those of `out`.
    #[inline]
    pub(crate) fn request(&mut self, at_us: u64, name: &str, action: Action, offset: u64, len: u32) -> io::Result<()> {
        debug_assert!(!action.is_of_files());
        writeln!(self.out, "{at_us} {name} {} {offset} {len}", action.name())
    }

    /// Flushes, and gives back what was written to.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn check_name(name: &str) -> io::Result<()> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        let what = format!("a trace cannot hold the file name '{name}': it has white space in it");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(())
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
