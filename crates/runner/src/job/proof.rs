//! Verification of one job: what was written is remembered, read back, and compared.

use super::blocks::Block;
use super::drive::{Driver, Flight, Purpose, shown};
use super::verify::state::{FileState, VerifyState, Written, file_name};
use super::verify::{Checker, Mismatch, Place};
use fsbench_model::job::{Direction, Job, Mode, VerifyPlan};
use fsbench_target::{Error, ErrorKind, Result};
use std::collections::BTreeMap;

/// The state of a job's verification.
pub(crate) struct Proof {
    checker: Checker,
    plan: VerifyPlan,
    paths: Vec<String>,
    /// What was written, in the order of completion, and not yet verified.
    written: Vec<(u32, Written)>,
    /// What the present pass reads back, and how far it is.
    queue: Vec<(u32, Written)>,
    next: usize,
    /// Reads of a job that only reads are checked as they come.
    checks_reads: bool,
    pub(crate) verified: u64,
    pub(crate) failures: u64,
}

impl Proof {
    /// `None` for a job that verifies nothing.
    ///
    /// # Errors
    /// A check that cannot be made with blocks of this size.
    pub(crate) fn new(job: &Job, root: &str) -> Result<Option<Self>> {
        let Some(plan) = &job.verify else { return Ok(None) };
        let of = if job.pattern.mode == Mode::Read { 0 } else { 1 };
        let block_min = job.pattern.blocks[of].min() as u32;
        let checker = Checker::new(&plan.check, block_min)
            .map_err(|error| Error::new(ErrorKind::Invalid, "job", "verify", job.name.clone(), error.to_string()))?;
        Ok(Some(Self {
            checker,
            plan: plan.clone(),
            paths: job.files.iter().map(|file| shown(root, &file.path)).collect(),
            written: Vec::new(),
            queue: Vec::new(),
            next: 0,
            checks_reads: job.pattern.mode == Mode::Read,
            verified: 0,
            failures: 0,
        }))
    }

    pub(crate) fn seal(&self, buffer: &mut [u8], block: &Block, number: u64) {
        self.checker.seal(buffer, &Place { file: block.file, offset: block.offset, number, seed: 0 });
    }

    /// A request has ended well: writes are remembered, reads compared.
    pub(crate) fn finished(&mut self, flight: &Flight, buffer: &[u8], purpose: Purpose) -> Option<Box<Error>> {
        let Flight { offset, len, number, file, .. } = *flight;
        match (flight.of, purpose) {
            (1, _) => {
                self.written.push((file, Written { offset, len, number }));
                None
            }
            (0, Purpose::Verify) => self.check(flight, buffer, Some(number)),
            (0, Purpose::Work) if self.checks_reads => self.check(flight, buffer, None),
            _ => None,
        }
    }

    fn check(&mut self, flight: &Flight, buffer: &[u8], number: Option<u64>) -> Option<Box<Error>> {
        if buffer.len() < flight.len as usize {
            // It is counted as short; what did not come cannot be compared.
            return None;
        }
        let place = Place { file: flight.file, offset: flight.offset, number: flight.number, seed: 0 };
        self.verified += 1;
        let mismatch = self.checker.check(&buffer[..flight.len as usize], &place, number).err()?;
        self.failures += 1;
        if self.plan.dump {
            self.dump(flight, &mismatch, buffer);
        }
        let path = &self.paths[flight.file as usize];
        let mut error = Error::new(ErrorKind::Corrupt, "job", "verify", path.clone(), mismatch.message(path));
        error.errno = nix::errno::Errno::EILSEQ as i32;
        Some(Box::new(error))
    }

    /// Saves a bad block as fio does: `<file>.<offset>.received` in the current directory.
    fn dump(&self, flight: &Flight, mismatch: &Mismatch, buffer: &[u8]) {
        let path = &self.paths[flight.file as usize];
        let name = path.rsplit('/').next().unwrap_or(path);
        let start = (mismatch.offset.saturating_sub(flight.offset) as usize).min(buffer.len());
        let end = (start + mismatch.len as usize).min(buffer.len());
        // What cannot be saved is still counted and told.
        drop(std::fs::write(format!("{name}.{}.received", mismatch.offset), &buffer[start..end]));
    }

    /// Whether so much was written that some of it is to be read back now.
    fn backlog_is_full(&self) -> bool {
        self.plan.backlog > 0 && self.written.len() as u64 >= self.plan.backlog
    }

    /// Lines up what is read back: all, or a batch. Of blocks that were written again, only the last counts.
    fn line_up(&mut self, batch: u64) {
        let count = if batch == 0 { self.written.len() } else { self.written.len().min(batch as usize) };
        let rest = self.written.split_off(count);
        let taken = std::mem::replace(&mut self.written, rest);
        self.queue = newest(taken, &self.written);
        self.next = 0;
    }

    fn next(&mut self) -> Option<(Block, u64)> {
        let (file, Written { offset, len, number }) = *self.queue.get(self.next)?;
        self.next += 1;
        Some((Block { direction: Direction::Read, file, offset, len }, number))
    }

    fn state(&self, job: &Job, next_number: u64) -> VerifyState {
        let mut files: Vec<FileState> =
            self.paths.iter().map(|path| FileState { path: path.clone(), writes: Vec::new() }).collect();
        for (file, written) in &self.written {
            files[*file as usize].writes.push(*written);
        }
        VerifyState { job: job.name.clone(), seed: job.pattern.seed, next_number, files }
    }
}

/// What is not overwritten by a later write, in the order of files and offsets.
fn newest(mut taken: Vec<(u32, Written)>, later: &[(u32, Written)]) -> Vec<(u32, Written)> {
    let mut covered: BTreeMap<(u32, u64), u64> = BTreeMap::new();
    // Takes what of a write is still free; true if all of it was.
    let mut cover = |file: u32, offset: u64, len: u32| {
        let end = offset + u64::from(len);
        let overlapping = covered.range((file, 0)..(file, end)).rev().take_while(|(_, until)| **until > offset);
        let mut taken: Vec<(u64, u64)> = overlapping.map(|((_, from), until)| (*from, *until)).collect();
        taken.reverse();
        let mut at = offset;
        for (from, until) in &taken {
            if *from > at {
                covered.insert((file, at), *from);
            }
            at = at.max(*until);
        }
        if at < end {
            covered.insert((file, at), end);
        }
        taken.is_empty()
    };
    let mut newer: Vec<_> = later.to_vec();
    newer.sort_unstable_by_key(|(_, written)| std::cmp::Reverse(written.number));
    for (file, written) in newer {
        cover(file, written.offset, written.len);
    }
    taken.sort_unstable_by_key(|(_, written)| std::cmp::Reverse(written.number));
    taken.retain(|(file, written)| cover(*file, written.offset, written.len));
    taken.sort_unstable_by_key(|(file, written)| (*file, written.offset));
    taken
}

impl Driver<'_> {
    fn proof(&mut self) -> Option<&mut Proof> {
        self.extras.as_mut()?.proof.as_mut()
    }

    /// Reads back some of what was written when the backlog is full.
    pub(crate) fn verify_backlog(&mut self) {
        if self.purpose == Purpose::Verify || !self.proof().is_some_and(|proof| proof.backlog_is_full()) {
            return;
        }
        self.drain();
        let batch = self.proof().map_or(0, |proof| proof.plan.backlog_batch);
        self.read_back(batch);
    }

    /// Reads back all that was written.
    pub(crate) fn verify_all(&mut self) {
        // A job that only verifies has nothing else to do: its plan need not say so twice.
        let wanted = |proof: &mut Proof| (proof.plan.read_back || proof.plan.only) && !proof.written.is_empty();
        if self.halt.is_none() && self.proof().is_some_and(wanted) {
            self.read_back(0);
        }
    }

    fn read_back(&mut self, batch: u64) {
        if self.files.streams() {
            let error = Error::unsupported("job", "read back what it wrote with", self.job.name.clone());
            return self.fail(Box::new(error.with_hint("verify with a second job that reads")));
        }
        let (before, left) = (self.purpose, self.requests_left);
        self.turn_to(Purpose::Verify);
        self.requests_left = u64::MAX;
        if let Some(proof) = self.proof() {
            proof.line_up(batch);
        }
        self.pass(&mut |driver| {
            let (block, number) = driver.proof()?.next()?;
            driver.expected = number;
            Some(block)
        });
        self.turn_to(before);
        self.requests_left = left;
    }

    /// `verify_only`: what the pattern or a saved state says was written counts as written.
    ///
    /// # Errors
    /// A state that cannot be used.
    pub(crate) fn assume_written(&mut self) -> Result<()> {
        let plan = self.job.verify.clone().unwrap_or_default();
        let mut assumed = Vec::new();
        if plan.load_state {
            assumed = self.loaded()?;
        } else {
            let mut number = 0;
            while let Some(block) = self.blocks.next() {
                if block.direction == Direction::Write {
                    assumed.push((block.file, Written { offset: block.offset, len: block.len, number }));
                    number += 1;
                }
            }
        }
        if let Some(proof) = self.proof() {
            proof.written = assumed;
        }
        Ok(())
    }

    fn loaded(&self) -> Result<Vec<(u32, Written)>> {
        let path = file_name(&self.job.name, self.job.clone);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::of_io("job", "load the verify state", path.clone(), &error))?;
        let state = VerifyState::load(&text).map_err(|error| {
            Error::new(ErrorKind::Invalid, "job", "load the verify state", path.clone(), error.to_string())
        })?;
        let numbered = state.files.into_iter().zip(0u32..);
        Ok(numbered.flat_map(|(file, nth)| file.writes.into_iter().map(move |written| (nth, written))).collect())
    }

    /// A job that was cut short writes down what it wrote.
    pub(crate) fn save_state(&mut self) {
        let next = self.writes;
        let job = self.job;
        let cut_short = self.halt.is_some();
        let Some(proof) = self.proof().filter(|proof| cut_short && proof.plan.save_state && !proof.written.is_empty())
        else {
            return;
        };
        let state = proof.state(job, next);
        let path = file_name(&job.name, job.clone);
        let saved = std::fs::File::create(&path).and_then(|mut file| state.save(&mut file));
        if let Err(error) = saved {
            self.team.report(self.index, &Error::of_io("job", "save the verify state", path, &error));
        }
    }
}

/// Whether a job has to know what it would have written.
pub(crate) fn is_only_verifying(job: &Job) -> bool {
    job.verify.as_ref().is_some_and(|verify| verify.only || verify.load_state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_was_written_twice_the_last_is_read_back() {
        let written = |offset, len, number| (0, Written { offset, len, number });
        let taken = vec![written(0, 4096, 0), written(8192, 4096, 1), written(0, 4096, 2), written(4096, 2048, 3)];
        let newest_of = newest(taken.clone(), &[]);
        assert_eq!(newest_of, [written(0, 4096, 2), written(4096, 2048, 3), written(8192, 4096, 1)]);
        let under = newest(taken, &[written(7000, 4096, 9)]);
        assert_eq!(under, [written(0, 4096, 2), written(4096, 2048, 3)]);
    }
}
