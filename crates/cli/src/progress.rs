//! The progress line: on a terminal only, on standard error, drawn by a thread of its own.

use fsbench_model::{Bytes, Span};
use fsbench_runner::{Clock, Live, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const REDRAW: Duration = Duration::from_millis(200);

/// A line that is drawn until this is dropped.
pub(crate) struct Line {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    /// Draws the line when standard error is a terminal and nobody asked for quiet.
    pub(crate) fn show(live: Arc<Live>, clock: Clock, quiet: bool) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let wanted = !quiet && std::io::stderr().is_terminal();
        let seen = done.clone();
        let draw = move || draw(&live, &clock, &seen);
        let thread = wanted.then(|| std::thread::Builder::new().name("progress".into()).spawn(draw).ok()).flatten();
        Self { done, thread }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

fn draw(live: &Live, clock: &Clock, done: &AtomicBool) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    while !done.load(Ordering::Acquire) {
        if let Some(progress) = live.progress() {
            let elapsed = Span(clock.now().saturating_sub(progress.started_ns));
            bar.set_message(text(&progress, elapsed));
        }
        std::thread::park_timeout(REDRAW);
    }
    bar.finish_and_clear();
}

/// `HdfsReadBenchmark 2/3   12/30 operations   850 MiB   210 MiB/s   6 s left`
fn text(progress: &Progress, elapsed: Span) -> String {
    let seconds = elapsed.seconds().max(1e-3);
    let operations = match progress.planned {
        0 => format!("{} operations", progress.operations),
        planned => format!("{}/{planned} operations", progress.operations),
    };
    let rate = match progress.bytes {
        0 => format!("{:.0} operations/s", progress.operations as f64 / seconds),
        bytes => format!("{}   {}/s", Bytes(bytes), Bytes((bytes as f64 / seconds) as u64)),
    };
    let left = match (progress.planned, progress.operations) {
        (0, _) | (_, 0) => String::new(),
        (planned, done) => {
            let seconds_left = seconds * planned.saturating_sub(done) as f64 / done as f64;
            format!("   {seconds_left:.0} s left")
        }
    };
    format!("{} {}/{}   {operations}   {rate}{left}", progress.phase, progress.repetition, progress.repetitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_phase_rate_operations_and_time_left() {
        let mut progress = Progress {
            phase: "HdfsReadBenchmark".into(),
            repetition: 2,
            repetitions: 3,
            operations: 10,
            planned: 30,
            bytes: 100 << 20,
            started_ns: 0,
        };
        let two_seconds = Span(2_000_000_000);
        assert_eq!(
            text(&progress, two_seconds),
            "HdfsReadBenchmark 2/3   10/30 operations   100 MiB   50 MiB/s   4 s left"
        );
        progress.bytes = 0;
        progress.planned = 0;
        assert_eq!(text(&progress, two_seconds), "HdfsReadBenchmark 2/3   10 operations   5 operations/s");
    }
}
