//! The rules for any text: no trailing whitespace, and in Markdown no link to a file that is not there.

use super::Finding;

/// Lines that end with a space or a tab.
pub(crate) fn trailing_whitespace(path: &str, text: &str) -> Vec<Finding> {
    let ends = |line: &str| line.ends_with([' ', '\t', '\r']);
    // Not `lines()`: it would hide a carriage return.
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| ends(line))
        .map(|(at, _)| Finding::new(path, at + 1, "trailing whitespace", "tidy"))
        .collect()
}

/// Links to files for which `resolves` says no. Links to other sites and to headings are not followed.
pub(crate) fn links(path: &str, text: &str, resolves: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_fence = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        for target in targets(&without_code(line)) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !is_elsewhere(file) && !resolves(&file.replace("%20", " ")) {
                findings.push(Finding::new(path, at + 1, format!("link to {file}, which is not there"), "tidy"));
            }
        }
    }
    findings
}

fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The text outside of `code` spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// What `[text](target "title")` and `[label]: target` point to.
fn targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference =
        line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    inline
        .chain(reference)
        .filter_map(|target| target.split_whitespace().next())
        .map(|target| target.trim_matches(['<', '>']).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_space_is_found_with_its_line() {
        let lines: Vec<usize> =
            trailing_whitespace("a", "ok\nbad \nok\nbad\t\nbad\r\n").iter().map(|f| f.line).collect();
        assert_eq!(lines, [2, 4, 5]);
    }

    #[test]
    fn only_links_to_missing_files_are_found() {
        let text = "[a](here.md#part) [b](gone.md \"t\") ![c](img/gone.png) [d](https://x.org/gone) [e](#x)\n\
                    `[f](gone)`\n```\n[g](gone)\n```\n[h]: gone2.md\n";
        let found: Vec<String> =
            links("a.md", text, |file| file == "here.md").iter().map(|f| format!("{} {}", f.line, f.what)).collect();
        let expected = ["1 link to gone.md,", "1 link to img/gone.png,", "6 link to gone2.md,"];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, start)| found.starts_with(start)), "{found:?}");
    }
}
