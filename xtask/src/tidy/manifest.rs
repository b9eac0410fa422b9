//! The root manifest: a dependency earns its line with a comment.

use super::Finding;

/// Every line of `[workspace.dependencies]` stands under a comment; a blank line ends what a comment covers.
pub(crate) fn comments(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut inside, mut covered) = (false, false);
    for (at, line) in text.lines().map(str::trim).enumerate() {
        if line.starts_with('[') {
            (inside, covered) = (line == "[workspace.dependencies]", false);
        } else if line.is_empty() {
            covered = false;
        } else if line.starts_with('#') {
            covered = true;
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside && !covered && !line.contains('#')) {
            let what = format!("dependency `{}` is under no comment: what is it for?", name.trim());
            findings.push(Finding::new(path, at + 1, what, "STYLE 17"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let text = "[workspace]\na = 1\n[workspace.dependencies]\n# Errors.\nb = \"1\"\nc = \"1\"\n\nd = \"1\"\ne = \"1\" # Why.\n";
        let findings = comments("Cargo.toml", text);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].line, findings[0].what.contains("`d`")), (8, true));
    }
}
