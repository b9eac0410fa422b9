//! The Record: one run, whole, as one versioned JSON document.

use crate::{Environment, Repetition};
use fsbench_model::Plan;
use serde::{Deserialize, Serialize};

/// Name of the schema.
pub const SCHEMA: &str = "fsbench.record";

/// Version of the schema. Readers refuse a higher one.
pub const SCHEMA_VERSION: u32 = 1;

/// Why a stored Record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is no JSON, or not of this shape.
    #[error("not a Record: {0}")]
    Shape(#[from] serde_json::Error),
    /// It is something else, or newer than this program.
    #[error("{}", refusal(found, *version))]
    Schema {
        /// The document's schema.
        found: String,
        /// The document's version.
        version: u32,
    },
}

fn refusal(found: &str, version: u32) -> String {
    match found {
        SCHEMA => format!(
            "a Record ({SCHEMA}) of version {version}; this fsbench reads up to version {SCHEMA_VERSION}: use a newer fsbench"
        ),
        _ => format!("not a Record: a document of schema '{found}' version {version}, where '{SCHEMA}' was expected"),
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It has not: the process ended before the run did, or the run goes on.
    #[default]
    Running,
    /// All phases ran to their end, with or without errors.
    Finished,
    /// A signal ended it.
    Interrupted,
    /// It could not go on.
    Failed,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The schema's version.
    pub schema_version: u32,
    /// Unique name of the run.
    pub run_id: String,
    /// Wall-clock time of the start, RFC 3339, local.
    pub started: String,
    /// Whether every phase was measured to its end.
    pub complete: bool,
    /// How it ended.
    pub ending: Ending,
    /// Why it failed, in one sentence, if it did.
    pub failure: Option<String>,
    /// What the user should know: assumptions, ignored keys, leftovers.
    pub notes: Vec<String>,
    /// What was asked for.
    pub plan: Plan,
    /// Where it ran.
    pub environment: Environment,
    /// What was measured, phase by phase.
    pub phases: Vec<PhaseRecord>,
}

/// One phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Name of the phase in the plan.
    pub name: String,
    /// Its repetitions so far.
    pub repetitions: Vec<Repetition>,
}

impl Record {
    /// The Record of a run that begins.
    #[must_use]
    pub fn new(run_id: String, started: String, plan: Plan, environment: Environment) -> Self {
        let notes = plan.notes.clone();
        Self {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            run_id,
            started,
            complete: false,
            ending: Ending::Running,
            failure: None,
            notes,
            plan,
            environment,
            phases: Vec::new(),
        }
    }

    /// The document, indented.
    ///
    /// # Errors
    /// Never for a Record that this crate made.
    pub fn to_json(&self) -> Result<String, RecordError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// When it is no Record, or of a newer schema.
    pub fn from_json(text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
            schema_version: u32,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.schema != SCHEMA || head.schema_version > SCHEMA_VERSION {
            return Err(RecordError::Schema { found: head.schema, version: head.schema_version });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// All errors of all repetitions.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.phases.iter().flat_map(|p| &p.repetitions).map(Repetition::error_count).sum()
    }
}
