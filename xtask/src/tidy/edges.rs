//! The arrows between the rooms: which crate may depend on which. A new edge is a line in this table.

use super::Finding;

const ALL: &[&str] = &[
    "model",
    "results",
    "target",
    "target-posix",
    "target-hdfs",
    "target-s3",
    "runner",
    "suites",
    "programs",
    "report",
    "cluster",
];

/// A room, and the rooms that it may import.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("results", &["model"]),
    ("target", &[]),
    ("target-posix", &["target"]),
    ("target-hdfs", &["target"]),
    ("target-s3", &["target"]),
    ("runner", &["model", "target", "results"]),
    ("suites", &["model"]),
    ("report", &["results"]),
    ("programs", &["model", "target", "runner"]),
    ("cluster", &["model", "results", "target"]),
    ("cli", ALL),
];

const RULE: &str = "DESIGN, the house; the table is in xtask/src/tidy/edges.rs";

/// The edges of one crate. What tests need (dev-dependencies) is free, and so is what is not below `crates/`.
pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let Some(room) = path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml")) else {
        return Vec::new();
    };
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == room) else {
        return vec![Finding::new(path, 1, format!("room `{room}` is not in the table of edges"), RULE)];
    };
    imports(text)
        .into_iter()
        .filter(|(_, import)| !allowed.contains(&import.as_str()))
        .map(|(line, import)| Finding::new(path, line, format!("{room} may not import {import}"), RULE))
        .collect()
}

/// The rooms that a manifest depends on, with the lines that say so.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut counts = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            counts = section.contains("dependencies") && !section.contains("dev-dependencies");
            let name = section.rsplit_once("dependencies.").map(|(_, name)| name);
            found.extend(name.filter(|_| counts).and_then(room_of).map(|room| (at + 1, room)));
        } else if counts {
            found.extend(room_of(line).map(|room| (at + 1, room)));
        }
    }
    found
}

/// `model` from `fsbench-model.workspace = true`; a renamed dependency is found by its `package`.
fn room_of(line: &str) -> Option<String> {
    let key = line.trim_matches('"');
    let package = line.split_once("package = \"").map(|(_, package)| package);
    let name = key.strip_prefix("fsbench-").or_else(|| package?.strip_prefix("fsbench-"))?;
    Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_back_door_is_found_in_every_spelling() {
        for line in [
            "[dependencies]\nfsbench-runner.workspace = true",
            "[dependencies]\nfsbench-runner = { path = \"../runner\" }",
            "[dependencies.fsbench-runner]\npath = \"../runner\"",
            "[target.'cfg(unix)'.dependencies]\nfsbench-runner.workspace = true",
            "[build-dependencies]\nr = { package = \"fsbench-runner\", path = \"../runner\" }",
        ] {
            let findings = check("crates/report/Cargo.toml", line);
            assert_eq!(findings.len(), 1, "{line}");
            assert_eq!(findings[0].what, "report may not import runner");
        }
    }

    #[test]
    fn allowed_edges_and_those_of_tests_are_free() {
        let text =
            "[dependencies]\nfsbench-results.workspace = true\n[dev-dependencies]\nfsbench-target.workspace = true\n";
        assert_eq!(check("crates/report/Cargo.toml", text), []);
        assert_eq!(check("demo/Cargo.toml", "[dependencies]\nfsbench-runner.workspace = true"), []);
    }

    #[test]
    fn a_new_room_has_to_be_entered() {
        assert!(check("crates/attic/Cargo.toml", "")[0].what.contains("attic"));
    }
}
