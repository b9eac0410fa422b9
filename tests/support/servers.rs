//! The servers of `cargo xtask servers`, as the environment names them, and places of a test's own on them.

use super::call::{Call, fsbench, remote};
use super::room::Room;
use super::skip;
use fsbench_target::{NoProbe, Target};
use std::rc::Rc;

/// A variable that `cargo xtask servers env` prints. Without it the test is skipped, and says so.
pub fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok();
    if value.is_none() {
        skip(&format!("{name} is not set (cargo xtask servers start; eval \"$(cargo xtask servers env)\")"));
    }
    value
}

/// A place on a store: its own room for confs and Records, its own directory or prefix, removed when the test ends.
pub struct Place {
    pub room: Room,
    pub uri: String,
    /// Flags that `remote` and `clean` both understand: `--conf`, `--set`.
    pub flags: Vec<String>,
    /// Environment that every call needs.
    pub env: Vec<(String, String)>,
}

impl Place {
    /// A place below `root` that no other test and no other run has.
    pub fn below(root: &str, test: &str) -> Self {
        let uri = format!("{}/whole-binary/{test}-{}", root.trim_end_matches('/'), std::process::id());
        Self { room: Room::new(), uri, flags: Vec::new(), env: Vec::new() }
    }

    /// `fsbench remote --operation=… --base_dir=… --record=…` with this place's flags.
    pub fn remote(&self, operation: &str, more: &[&str]) -> Call {
        let base = [format!("--operation={operation}"), format!("--base_dir={}", self.uri), self.room.record_flag()];
        self.with_env(remote(&base).args(&self.flags).args(more))
    }

    /// `fsbench clean URI`.
    pub fn clean(&self) -> Call {
        self.with_env(fsbench(&["clean", &self.uri]).args(&self.flags))
    }

    fn with_env(&self, call: Call) -> Call {
        self.env.iter().fold(call, |call, (name, value)| call.env(name, value))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.clean().run();
        }
    }
}

/// All names below a target's base, ledgers apart, sorted.
pub fn names_on(target: &dyn Target) -> Vec<String> {
    let mut session = target.session(Rc::new(NoProbe)).expect("a session");
    let (mut names, mut from) = (Vec::new(), None);
    loop {
        let page = match session.list("", from) {
            Err(error) if error.kind == fsbench_target::ErrorKind::NotFound => return names,
            page => page.expect("a page"),
        };
        names.extend(page.entries.into_iter().map(|entry| entry.path).filter(|path| !path.contains(".fsbench")));
        from = page.next;
        if from.is_none() {
            names.sort();
            return names;
        }
    }
}

/// Removes a name past fsbench's command line.
pub fn remove(target: &dyn Target, name: &str) {
    target.session(Rc::new(NoProbe)).expect("a session").delete(name).expect("it can be removed");
}

/// Removes the ledgers below a target's base: what they listed is foreign from now on.
pub fn forget_ledgers(target: &dyn Target) {
    let mut session = target.session(Rc::new(NoProbe)).expect("a session");
    for entry in session.list(".fsbench", None).expect("ledgers").entries {
        session.delete(&entry.path).expect("a ledger can be removed");
    }
}
