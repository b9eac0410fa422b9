//! `--showcmd`: job files as a command line.

use super::ini::Item;
use super::typed::Section;
use std::fmt::Write;

/// The command line that means the same as these jobs.
pub(super) fn text(jobs: &[Section]) -> String {
    let mut out = String::from("fsbench fio");
    // Defaults can only grow on a command line: when another file begins anew, each job has all of its own.
    let grow = jobs.windows(2).all(|pair| pair[1].globals.starts_with(&pair[0].globals));
    let mut shown = 0;
    for (at, job) in jobs.iter().enumerate() {
        let (new, own) = job.globals[shown..].split_at(if grow { job.globals.len() - shown } else { 0 });
        if at > 0 && !new.is_empty() {
            out.push_str(" --name=global");
        }
        new.iter().for_each(|item| option(&mut out, item));
        shown += new.len();
        let _ = write!(out, " --name={}", quoted(&job.name));
        if job.starts_file {
            out.push_str(" --stonewall");
        }
        let named = job.own.iter().filter(|item| item.name != "name");
        own.iter().chain(named).for_each(|item| option(&mut out, item));
    }
    out.push('\n');
    out
}

fn option(out: &mut String, item: &Item) {
    let _ = match &item.value {
        Some(value) => write!(out, " --{}={}", item.name, quoted(value)),
        None => write!(out, " --{}", item.name),
    };
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+:,./%@^".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::super::{arguments, ini, typed::sections};
    use super::*;

    #[test]
    fn job_files_become_a_command_line() {
        let file = "[global]\nsize=1m\n[a]\nrw=randread\nbs=4k,8k\n[b c]\nstonewall\n[global]\niodepth=2\n[d]\nexec_prerun=echo 'x'\n";
        let blocks = ini::parse("t", file, &|_: &str| Err(String::new())).expect("a job file");
        let text = text(&sections(blocks, &[], false));
        let want = "fsbench fio --size=1m --name=a --rw=randread --bs=4k,8k --name='b c' --stonewall --name=global --iodepth=2 \
                    --name=d --exec_prerun='echo '\\''x'\\'''\n";
        assert_eq!(text, want);
        assert!(arguments::parse(&["--name=a".to_string()]).is_ok());
    }
}
