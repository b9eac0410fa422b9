//! Where results go and how they look: everything that is no part of the plan.

use super::error::FioError;
use super::options::SECOND;
use super::typed::Typed;
use fsbench_model::Span;

/// A format of fio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Normal,
    /// A line for each job.
    Terse,
    /// JSON.
    Json,
    /// JSON with histograms.
    JsonPlus,
}

/// When the progress line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eta {
    /// Always.
    Always,
    /// Never.
    Never,
    /// On a terminal.
    Auto,
}

/// Where results go and how they look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// Formats in the order in which they are written, each once.
    pub formats: Vec<Format>,
    /// 2 to 5.
    pub terse_version: u8,
    /// A file instead of standard output.
    pub file: Option<String>,
    /// Where the Record goes.
    pub record: Option<String>,
    /// The progress line.
    pub eta: Eta,
    /// Time between two progress lines.
    pub eta_interval: Span,
    /// A new progress line after so much time.
    pub eta_newline: Option<Span>,
    /// Results so far after each such time.
    pub status_interval: Option<Span>,
    /// Print the plan and stop.
    pub dry_run: bool,
}

impl Outputs {
    pub(super) fn of(typed: &Typed) -> Result<Self, FioError> {
        let some = |name: &str| typed.value(name).filter(|text| !text.is_empty()).map(String::from);
        let eta_interval = span(typed, "eta-interval").unwrap_or(Span(SECOND));
        if let Some(switch) = typed.switch("eta-interval").filter(|_| eta_interval.0 < SECOND / 4) {
            return Err(FioError::at(&switch.place, "--eta-interval is too short; accepted: 250 (ms) or more"));
        }
        Ok(Self {
            formats: formats(typed)?,
            terse_version: typed.number("terse-version").and_then(|number| u8::try_from(number).ok()).unwrap_or(3),
            file: some("output"),
            record: some("record"),
            eta: eta(typed),
            eta_interval,
            eta_newline: span(typed, "eta-newline").filter(|span| span.0 > 0),
            status_interval: span(typed, "status-interval").filter(|span| span.0 > 0),
            dry_run: typed.has("dry-run"),
        })
    }
}

fn eta(typed: &Typed) -> Eta {
    match typed.value("eta") {
        Some("always") => Eta::Always,
        Some("never") => Eta::Never,
        _ => Eta::Auto,
    }
}

/// A switch that is a time.
fn span(typed: &Typed, name: &str) -> Option<Span> {
    typed.number(name).map(Span)
}

fn formats(typed: &Typed) -> Result<Vec<Format>, FioError> {
    let mut formats = Vec::new();
    let mut add = |format| {
        if !formats.contains(&format) {
            formats.push(format);
        }
    };
    if typed.has("minimal") {
        add(Format::Terse);
    }
    if let Some(switch) = typed.switch("output-format") {
        for word in switch.value.as_deref().unwrap_or_default().split(',').map(str::trim) {
            let what = || format!("--output-format: '{word}' is no format; accepted: normal, terse, json, json+");
            add(format(word).ok_or_else(|| FioError::at(&switch.place, what()))?);
        }
    }
    if !typed.has("minimal") && !typed.has("output-format") {
        add(Format::Normal);
    }
    if typed.has("append-terse") {
        add(Format::Terse);
    }
    Ok(formats)
}

fn format(word: &str) -> Option<Format> {
    Some(match word {
        "normal" => Format::Normal,
        "terse" | "minimal" => Format::Terse,
        "json" => Format::Json,
        "json+" => Format::JsonPlus,
        _ => return None,
    })
}
