//! The one error of this suite, and the places it speaks of. Nothing has been touched when it appears.

use std::fmt;

/// fio's exit code for anything wrong in a job file or on the command line.
pub const EXIT_BAD_INPUT: u8 = 1;

/// Where something was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The job file, or empty for the command line.
    pub file: String,
    /// Counted from 1; on the command line which argument it is.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
}

impl Place {
    /// The argument of the command line with this index, as in `args[index]` without the program's name.
    #[must_use]
    pub(super) fn argument(index: usize) -> Self {
        Self { file: String::new(), line: u32::try_from(index + 1).unwrap_or(u32::MAX), column: 1 }
    }

    /// So many characters further to the right.
    #[must_use]
    pub(super) fn right(&self, characters: usize) -> Self {
        let column = self.column.saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
        Self { column, ..self.clone() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.as_str() {
            "" => write!(f, "command line:{}:{}", self.line, self.column),
            file => write!(f, "{file}:{}:{}", self.line, self.column),
        }
    }
}

/// What was wrong, where it stands, and what is accepted. Its `Display` is one line, ready to be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fio: {}{what}", .place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct FioError {
    /// Where it stands; `None` when it is something missing.
    pub place: Option<Place>,
    /// What was wrong with it, and what to do.
    pub what: String,
}

impl FioError {
    pub(super) fn at(place: &Place, what: impl Into<String>) -> Self {
        Self { place: Some(place.clone()), what: what.into() }
    }

    pub(super) fn of_all(what: impl Into<String>) -> Self {
        Self { place: None, what: what.into() }
    }
}
