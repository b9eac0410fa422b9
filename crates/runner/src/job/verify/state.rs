//! What a job had written when it ended or was interrupted: the `verify_state` that a later run verifies by.
//!
//! JSON with a version. A write is in it once it was completed; what was in flight may or may not be on the storage, so
//! the caller leaves it out, and the older write of the same place, too.

use serde::{Deserialize, Serialize};
use std::io::Write;

/// The only version there is.
pub(crate) const VERSION: u32 = 1;

/// One completed write: offset, bytes, and which write of the job it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "(u64, u32, u64)", from = "(u64, u32, u64)")]
pub(crate) struct Written {
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) len: u32,
    /// Its number.
    pub(crate) number: u64,
}

impl From<Written> for (u64, u32, u64) {
    fn from(written: Written) -> Self {
        (written.offset, written.len, written.number)
    }
}

impl From<(u64, u32, u64)> for Written {
    fn from((offset, len, number): (u64, u32, u64)) -> Self {
        Self { offset, len, number }
    }
}

/// The writes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    /// The file as the job names it.
    pub(crate) path: String,
    /// Its writes, in the order they are to be verified.
    pub(crate) writes: Vec<Written>,
}

/// The writes of one job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerifyState {
    /// The job's name.
    pub(crate) job: String,
    /// Its seed, which is in every header.
    pub(crate) seed: u64,
    /// How many writes it had started: where numbers go on.
    pub(crate) next_number: u64,
    /// Its files.
    pub(crate) files: Vec<FileState>,
}

#[derive(Serialize, Deserialize)]
struct Versioned<S> {
    fsbench_verify_state: u32,
    #[serde(flatten)]
    state: S,
}

/// Why a state cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StateError {
    #[error("this is no verify state of fsbench: {0}; states that fio saved cannot be read")]
    Format(#[from] serde_json::Error),
    #[error("the verify state has version {0}, this fsbench reads version {VERSION}")]
    Version(u32),
}

/// fio's name of the file: `local-<job>-<number>-verify.state`.
#[must_use]
pub(crate) fn file_name(job: &str, number: u32) -> String {
    format!("local-{}-{number}-verify.state", job.replace('/', "_"))
}

impl VerifyState {
    /// Writes it down.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn save(&self, out: &mut dyn Write) -> std::io::Result<()> {
        serde_json::to_writer(&mut *out, &Versioned { fsbench_verify_state: VERSION, state: self })?;
        out.write_all(b"\n")
    }

    /// Reads what [`Self::save`] wrote.
    ///
    /// # Errors
    /// Another format, or another version of this one.
    pub(crate) fn load(text: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Head {
            fsbench_verify_state: u32,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.fsbench_verify_state != VERSION {
            return Err(StateError::Version(head.fsbench_verify_state));
        }
        Ok(serde_json::from_str::<Versioned<Self>>(text)?.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> VerifyState {
        let writes = vec![Written { offset: 8192, len: 4096, number: 0 }, (0, 4096, 3).into()];
        let files = vec![FileState { path: "dir/a.0.0".into(), writes }, FileState::default()];
        VerifyState { job: "j".into(), seed: u64::MAX, next_number: 5, files }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let mut text = Vec::new();
        state().save(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let golden = concat!(
            r#"{"fsbench_verify_state":1,"job":"j","seed":18446744073709551615,"next_number":5,"files":["#,
            r#"{"path":"dir/a.0.0","writes":[[8192,4096,0],[0,4096,3]]},{"path":"","writes":[]}]}"#,
            "\n"
        );
        assert_eq!(text, golden);
        assert_eq!(VerifyState::load(&text).unwrap(), state());
    }

    #[test]
    fn other_formats_and_versions_are_refused() {
        let newer = VerifyState::load(r#"{"fsbench_verify_state":2,"anything":[]}"#).unwrap_err();
        assert_eq!(newer.to_string(), "the verify state has version 2, this fsbench reads version 1");
        for text in ["", "\u{4}\0\0", "{}", r#"{"fsbench_verify_state":1}"#] {
            assert!(VerifyState::load(text).unwrap_err().to_string().starts_with("this is no verify state"), "{text}");
        }
        assert_eq!(file_name("a/b", 2), "local-a_b-2-verify.state");
    }
}
