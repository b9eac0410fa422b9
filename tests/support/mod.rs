//! What the whole-binary tests share: fsbench called as a user calls it, the servers, and a proxy that injects faults.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary uses its part")]

pub mod call;
pub mod fio;
pub mod mounts;
pub mod proxy;
pub mod room;
pub mod servers;

use std::time::{Duration, Instant};

/// How long anything may take before it counts as hanging.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `ready` says so.
///
/// # Panics
/// When it does not within [`PATIENCE`].
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !ready() {
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a test that cannot run here must fail instead of being skipped.
pub fn required() -> bool {
    std::env::var("FSBENCH_TEST_REQUIRE").is_ok_and(|value| value == "1")
}

/// Says why a test cannot run.
///
/// # Panics
/// When it has to.
pub fn skip(reason: &str) {
    assert!(!required(), "{reason}, and FSBENCH_TEST_REQUIRE=1");
    eprintln!("skipped: {reason}");
}

/// Runs a helper of the tests, in the tester's own environment: whether it went well, and all it said.
pub fn program_output(program: &str, args: &[&str]) -> (bool, String) {
    let output = std::process::Command::new(program).args(args).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}
