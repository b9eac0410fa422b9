//! What planning asks of its surroundings: files to read, variables, the machine. Tests give it made-up ones.

use std::collections::BTreeMap;

/// What is known of a file or device that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its size; `None` when nobody knows before it is opened, as with a device.
    pub bytes: Option<u64>,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// The machine, as `$pagesize`, `$mb_memory` and `$ncpus` name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// MiB of memory.
    pub memory_mib: u64,
    /// Processors online.
    pub processors: u32,
}

/// Everything outside of the text that a plan depends on.
pub struct World<'a> {
    /// Reads a whole text file; `-` is standard input. The error is the reason, without the path.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// Looks whether a local file exists; the path is absolute.
    pub find: &'a dyn Fn(&str) -> Option<Found>,
    /// Environment variables.
    pub environment: &'a BTreeMap<String, String>,
    /// The current directory, absolute: relative names start there.
    pub directory: &'a str,
    /// The machine.
    pub machine: Machine,
    /// Something new in each run, for `randrepeat=0`.
    pub entropy: u64,
}

impl World<'_> {
    /// `path` from the root, without `.` and doubled slashes. A leading `..` goes up from the current directory, which has
    /// no links in its name; a later one is left to the file system, because a link may be before it.
    pub(super) fn absolute(&self, path: &str) -> String {
        let named =
            |text: &'_ str| text.split('/').filter(|part| !matches!(*part, "" | ".")).map(String::from).collect();
        let mut parts: Vec<String> = if path.starts_with('/') { Vec::new() } else { named(self.directory) };
        let mut leads = !path.starts_with('/');
        let typed: Vec<String> = named(path);
        for part in typed {
            leads = leads && part == "..";
            if leads {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        format!("/{}", parts.join("/"))
    }
}
