//! The rules for Rust files: how they open, how long they and their functions are, what only some rooms may do.

use super::Finding;
use super::source::{Line, functions, lines, words};
use super::text::trailing_whitespace;

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 70;
/// The only room with `unsafe`.
const UNSAFE_ROOM: &str = "crates/target-posix/";
/// How many lines a statement may have above its `unsafe`, below the comment.
const STATEMENT_LINES: usize = 4;

/// Everything but what is test code as a whole, or somebody else's.
pub(crate) fn is_checked(path: &str) -> bool {
    !path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples" | "fixtures"))
}

/// All rules on one file.
pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut lines = lines(text);
    if is_test_file(path) {
        lines.iter_mut().for_each(|line| line.is_test = true);
    }
    let mut findings = Vec::new();
    findings.extend(opening(path, text));
    // In tests it may be what a report has to print: an inline snapshot.
    findings.extend(trailing_whitespace(path, text).into_iter().filter(|finding| !lines[finding.line - 1].is_test));
    findings.extend(length(path, &lines));
    findings.extend(function_lengths(path, &lines));
    findings.extend(unwraps(path, &lines));
    findings.extend(unsafe_code(path, &lines));
    findings.extend(clocks(path, &lines));
    findings
}

/// `#[cfg(test)] mod tests;` puts the tests into a file of their own.
fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}

fn opening(path: &str, text: &str) -> Option<Finding> {
    let opens = text.starts_with("//!");
    (!opens).then(|| {
        Finding::new(path, 1, "does not open with `//!`: what is it for, what does it leave to others?", "STYLE 10")
    })
}

fn length(path: &str, lines: &[Line]) -> Option<Finding> {
    let code = lines.iter().filter(|line| line.is_code() && !line.is_test).count();
    let what = format!("{code} lines of code, more than {LONGEST_FILE}");
    (code > LONGEST_FILE).then(|| Finding::new(path, 1, what, "STYLE 9"))
}

fn function_lengths(path: &str, lines: &[Line]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in functions(lines) {
        let length = function.last_line - function.first_line + 1;
        if length > LONGEST_FUNCTION && !lines[function.first_line - 1].is_test {
            let what = format!("fn {} has {length} lines, more than {LONGEST_FUNCTION}", function.name);
            findings.push(Finding::new(path, function.first_line, what, "STYLE 8"));
        }
    }
    findings
}

fn unwraps(path: &str, lines: &[Line]) -> Vec<Finding> {
    let has = |line: &Line| !line.is_test && line.code.contains(".unwrap()");
    numbered(lines, has)
        .map(|line| {
            Finding::new(path, line, "`.unwrap()` outside of tests; use `?`, or `expect(\"reason\")`", "STYLE 13")
        })
        .collect()
}

fn unsafe_code(path: &str, lines: &[Line]) -> Vec<Finding> {
    let has = |line: &Line| words(&line.code, "unsafe").next().is_some();
    numbered(lines, has)
        .filter_map(|line| {
            if !path.starts_with(UNSAFE_ROOM) {
                return Some(Finding::new(path, line, format!("`unsafe` outside of {UNSAFE_ROOM}"), "STYLE 13"));
            }
            let what = "`unsafe` without a `SAFETY:` comment right above";
            (!is_explained(lines, line - 1)).then(|| Finding::new(path, line, what, "STYLE 13"))
        })
        .collect()
}

/// A `SAFETY:` (for a function: `# Safety`) on the line, or in the comment above the statement that it is part of.
fn is_explained(lines: &[Line], at: usize) -> bool {
    let explains = |line: &Line| line.comment.contains("SAFETY:") || line.comment.contains("# Safety");
    if explains(&lines[at]) {
        return true;
    }
    let mut statement_lines = 0;
    for line in lines[..at].iter().rev() {
        if explains(line) {
            return true;
        }
        let code = line.code.trim();
        if code.is_empty() {
            if line.comment.is_empty() {
                return false;
            }
            continue;
        }
        statement_lines += 1;
        let is_attribute = code.starts_with("#[");
        let ends_another = code.ends_with([';', '}', '{']);
        if statement_lines > STATEMENT_LINES || (ends_another && !is_attribute) {
            return false;
        }
    }
    false
}

/// The one file outside of the runner and the cli that may ask what day it is.
const SIGNING_DATE: &str = "crates/target-s3/src/clock.rs";

fn clocks(path: &str, lines: &[Line]) -> Vec<Finding> {
    let Some(room) = path.strip_prefix("crates/").and_then(|rest| rest.split('/').next()) else { return Vec::new() };
    let forbidden: &[&str] = match room {
        "runner" => &[],
        // The date of a run is a date, not a measurement.
        "cli" => &["Instant::now", "quanta::"],
        // Signature V4 puts the date into every request; nothing is measured with it.
        "target-s3" if path == SIGNING_DATE => &["Instant::now", "quanta::"],
        _ => &["Instant::now", "SystemTime::now", "quanta::"],
    };
    let mut findings = Vec::new();
    for clock in forbidden {
        let has = |line: &Line| !line.is_test && line.code.contains(clock);
        let what = format!("`{clock}` in {room}: nothing but the runner reads the clock");
        findings.extend(numbered(lines, has).map(|line| Finding::new(path, line, what.clone(), "DESIGN, the house")));
    }
    findings
}

/// The numbers, from 1, of the lines that `has` accepts.
fn numbered(lines: &[Line], has: impl Fn(&Line) -> bool) -> impl Iterator<Item = usize> {
    lines.iter().enumerate().filter(move |(_, line)| has(line)).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(path, text).iter().map(|finding| format!("{}: {}", finding.line, finding.what)).collect()
    }

    fn assert_one(path: &str, text: &str, expected: &str) {
        let found = found(path, text);
        assert!(found.len() == 1 && found[0].contains(expected), "expected one finding with `{expected}`: {found:?}");
    }

    #[test]
    fn a_good_file_has_no_findings() {
        let text = "//! What it is.\nfn f() {}\n#[cfg(test)]\nmod tests { fn t() { a.unwrap(); Instant::now(); } }\n";
        assert_eq!(found("crates/model/src/lib.rs", text), [""; 0]);
    }

    #[test]
    fn the_opening() {
        assert_one("a.rs", "fn f() {}\n", "does not open");
    }

    #[test]
    fn trailing_whitespace_but_not_in_a_snapshot() {
        assert_one("a.rs", "//! A.\nuse b; \n", "2: trailing");
        assert_eq!(found("crates/x/src/tests.rs", "//! A.\nconst A: &str = \"a \nb\";\n"), [""; 0]);
    }

    #[test]
    fn long_files_but_not_long_comments_or_tests() {
        let code = "use a;\n".repeat(601);
        assert_one("a.rs", &format!("//! A.\n{code}"), "601 lines");
        let rest = "// c\n\n".repeat(601);
        let tests = format!("#[cfg(test)]\nmod t {{\n{code}}}\n");
        assert_eq!(found("a.rs", &format!("//! A.\n{rest}{tests}")), [""; 0]);
    }

    #[test]
    fn long_functions() {
        let body = "    a();\n".repeat(69);
        assert_one("a.rs", &format!("//! A.\nfn long() {{\n{body}}}\n"), "2: fn long has 71 lines");
        let body = "    a();\n".repeat(68);
        assert_eq!(found("a.rs", &format!("//! A.\nfn just() {{\n{body}}}\n")), [""; 0]);
    }

    #[test]
    fn unwrap_in_code_only() {
        assert_one("a.rs", "//! A.\nfn f() { a.unwrap(); }\n", "2: `.unwrap()`");
        assert_eq!(found("a.rs", "//! A.\n// .unwrap()\nconst A: &str = \".unwrap()\";\n"), [""; 0]);
        assert_eq!(found("crates/x/src/tests.rs", "//! A.\nfn f() { a.unwrap(); }\n"), [""; 0]);
    }

    #[test]
    fn unsafe_in_its_room_and_explained() {
        let path = "crates/target-posix/src/a.rs";
        assert_one("crates/model/src/a.rs", "//! A.\n// SAFETY: x\nfn f() { unsafe { g() } }\n", "outside of");
        assert_one(path, "//! A.\nfn f() {\n    unsafe { g() }\n}\n", "3: `unsafe` without");
        assert_one(path, "//! A.\n// SAFETY: of another.\nlet b = 1;\nunsafe { g() };\n", "4: `unsafe` without");
        for good in [
            "// SAFETY: it is\n// fine.\nlet a =\n    unsafe { g() };\n",
            "/// # Safety\n///\n/// Do.\n#[inline]\nunsafe fn a() {}\n",
            "#![deny(unsafe_code)]\n",
        ] {
            assert_eq!(found(path, &format!("//! A.\n{good}")), [""; 0], "{good}");
        }
    }

    #[test]
    fn the_clock_belongs_to_the_runner() {
        let text = "//! A.\nfn f() { Instant::now(); SystemTime::now(); }\n";
        assert_eq!(found("crates/target-s3/src/a.rs", text).len(), 2);
        assert_one("crates/cli/src/a.rs", text, "Instant::now");
        assert_eq!(found("crates/runner/src/a.rs", text), [""; 0]);
        assert_one(SIGNING_DATE, text, "Instant::now");
        assert_eq!(found("xtask/src/a.rs", text), [""; 0]);
        assert_one("crates/report/src/a.rs", "//! A.\nuse quanta::Clock;\n", "quanta::");
    }

    #[test]
    fn tests_and_fixtures_are_not_checked() {
        assert!(is_checked("crates/cli/src/main.rs"));
        for path in ["tests/a.rs", "crates/cli/tests/a.rs", "fixtures/a.rs", "crates/x/benches/a.rs"] {
            assert!(!is_checked(path), "{path}");
        }
    }
}
