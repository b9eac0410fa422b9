//! `cargo xtask tidy`: what the house style says and a program can check. Each finding is one line,
//! `path:line: what (rule)`, and any finding makes the exit code 1.
//!
//! `source` reads Rust just well enough (comments, strings, test code, braces); `rust`, `edges`, `manifest` and
//! `text` hold the rules. They are pure functions from text to findings; only this file touches the disk.

mod edges;
mod manifest;
mod rust;
mod source;
mod text;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::say;
use crate::servers::repo_root;

/// One thing to put right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    what: String,
    rule: &'static str,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>, rule: &'static str) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), rule }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.path, self.line, self.what, self.rule)
    }
}

pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("`tidy` takes no arguments");
    }
    let root = repo_root()?;
    let files = tracked_files(&root)?;
    let mut findings = Vec::new();
    for file in &files {
        findings.extend(check_file(&root, file)?);
    }
    for finding in &findings {
        say(&finding.to_string())?;
    }
    if findings.is_empty() {
        say(&format!("tidy: {} files, nothing found", files.len()))?;
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("tidy: {} findings in {} files", findings.len(), files.len());
    Ok(ExitCode::FAILURE)
}

/// What git knows of and is still there, relative to the root.
fn tracked_files(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().context("cannot run git")?;
    if !listed.status.success() {
        bail!("`git ls-files` failed in {}: {}", root.display(), String::from_utf8_lossy(&listed.stderr).trim());
    }
    let text = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    Ok(text.split('\0').filter(|file| !file.is_empty() && root.join(file).is_file()).map(str::to_owned).collect())
}

fn check_file(root: &Path, file: &str) -> Result<Vec<Finding>> {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_text =
        matches!(extension, "rs" | "toml" | "md" | "sh" | "yml" | "yaml" | "cnf") || file.ends_with("Makefile");
    if !is_text || is_captured(file) {
        return Ok(Vec::new());
    }
    let content = fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))?;
    if extension == "rs" {
        return Ok(if rust::is_checked(file) { rust::check(file, &content) } else { Vec::new() });
    }
    let mut findings = text::trailing_whitespace(file, &content);
    match extension {
        "md" => findings.extend(text::links(file, &content, |target| link_resolves(root, file, target))),
        "toml" if file == "Cargo.toml" => findings.extend(manifest::comments(file, &content)),
        "toml" => findings.extend(edges::check(file, &content)),
        _ => {}
    }
    Ok(findings)
}

/// What other programs wrote is kept as they wrote it.
fn is_captured(file: &str) -> bool {
    file.split('/').any(|part| matches!(part, "fixtures" | "snapshots"))
}

fn link_resolves(root: &Path, file: &str, target: &str) -> bool {
    let path: PathBuf = match target.strip_prefix('/') {
        Some(from_root) => root.join(from_root),
        None => root.join(file).parent().unwrap_or(root).join(target),
    };
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_that_an_editor_can_jump_to() {
        let finding = Finding::new("a/b.rs", 7, "unwrap", "STYLE 13");
        assert_eq!(finding.to_string(), "a/b.rs:7: unwrap (STYLE 13)");
    }

    #[test]
    fn captured_output_is_left_alone() {
        assert!(is_captured("fixtures/fio/out.json"));
        assert!(!is_captured("crates/fixtures.rs"));
    }
}
