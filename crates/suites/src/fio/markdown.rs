//! `docs/compat/fio-options.md`, from the option table.

use super::options::{Opt, Status, groups, switches};
use std::fmt::Write;

/// The text of `docs/compat/fio-options.md`.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "# The options of `fsbench fio`\n\n\
         Made from the option table in `crates/suites/src/fio`; do not edit. Update it with\n\
         `FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites`. What differs from fio beyond its options is in\n\
         [fio.md](fio.md).\n\n\
         *same*: means what it means in fio 3.42. *differs*: means something else, or less, for the stated reason.\n\
         *no effect*: accepted with a note, because it cannot matter here. *rejected*: refused by name, unless the\n\
         value asks for nothing. *new*: fio has no such option.\n",
    );
    for (group, rows) in groups() {
        section(&mut text, group.title(), rows.iter());
    }
    section(&mut text, "Switches of the command line", switches());
    text
}

fn section<'a>(text: &mut String, title: &str, rows: impl Iterator<Item = &'a Opt>) {
    let _ = write!(text, "\n## {title}\n\n| option | default | accepted | meaning | status |\n|---|---|---|---|---|\n");
    rows.for_each(|opt| row(text, opt));
}

fn row(text: &mut String, opt: &Opt) {
    let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
    let alias = if opt.alias.is_empty() { String::new() } else { format!(", `{}`", opt.alias) };
    let default = if opt.default.is_empty() { String::new() } else { format!("`{}`", opt.default) };
    let status = match opt.status {
        Status::Same => "same".to_string(),
        Status::New => "new".to_string(),
        Status::Differs(why) => format!("differs: {why}"),
        Status::Noted(why) => format!("no effect: {why}"),
        Status::Rejected(why) => format!("rejected: {why}"),
    };
    let (help, status) = (cell(opt.help), cell(&status));
    let _ = writeln!(text, "| `{}`{alias} | {default} | {} | {help} | {status} |", opt.name, cell(&accepted(opt)));
}

fn accepted(opt: &Opt) -> String {
    let words = opt.kind.words().join(", ");
    let range = opt.kind.range().map(|(min, max)| match max.as_str() {
        "none" => format!(", from {min}"),
        _ => format!(", {min} to {max}"),
    });
    match words.as_str() {
        "" | "0, 1" => format!("{}{}", opt.kind.name(), range.unwrap_or_default()),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_made_from_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compat/fio-options.md");
        if std::env::var_os("FSBENCH_UPDATE_DOCS").is_some() {
            std::fs::write(path, markdown()).expect("docs/compat can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == markdown(), "{path} is old: run FSBENCH_UPDATE_DOCS=1 cargo test -p fsbench-suites");
    }

    #[test]
    fn cells_do_not_break_the_table() {
        for line in markdown().lines().filter(|line| line.starts_with('|')) {
            assert_eq!(line.replace("\\|", "").matches('|').count(), 6, "{line}");
        }
    }
}
