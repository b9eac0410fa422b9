//! A whole run: prepare, measure phase by phase, save after every repetition, clean up.

use crate::clean::{CleanReport, Made, remove};
use crate::clock::{Clock, run_id, wall_time};
use crate::environment::environment;
use crate::job::{self, Outlook, Trail, Watch};
use crate::ledger;
use crate::live::{Live, Stop};
use crate::phase::{Crew, Setting};
use crate::prepare::{Prepared, changes_names, keeps_data, name_directories, prepare};
use crate::program::memory_of;
use fsbench_model::job::{Job, Jobs};
use fsbench_model::{Bytes, FileNames, Phase, Plan, Program, Span};
use fsbench_results::{CacheState, Ending, PhaseRecord, Record, Repetition};
use fsbench_target::{Cached, Error, ErrorKind, NoProbe, Session, Target};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Memory mappings of a thread: its stack, its signal stack, and a guard page before each.
const MAPPINGS_OF_WORKER: u64 = 4;
/// Memory mappings that a process has besides, generously.
const MAPPINGS_OF_PROCESS: u64 = 2_000;

/// How a run is watched, stopped and saved.
pub struct Control<'a> {
    /// The order to stop.
    pub stop: Arc<Stop>,
    /// Progress, for whoever wants to look.
    pub live: Arc<Live>,
    /// The clock, for whoever wants to compare with [`crate::Progress::started_ns`].
    pub clock: Clock,
    /// fsbench's version, for the Record.
    pub version: &'a str,
    /// Called with the Record after every repetition and at the end. Not for a run that was refused.
    pub save: &'a mut dyn FnMut(&Record),
    /// Who wants to see what was measured so far while jobs run.
    pub status: Option<Status<'a>>,
}

/// A look at what was measured so far, again and again.
pub struct Status<'a> {
    /// How often; `None` only when [`Live::ask_status`] is called.
    pub every: Option<Span>,
    /// Called with a Record that ends where the run is.
    pub show: &'a mut dyn FnMut(&Record),
}

/// A run that has ended.
pub struct Run {
    /// What was measured. [`Record::failure`] says why, if it could not be measured to the end.
    pub record: Record,
    /// Set when the run was refused while preparing: the input was wrong and nothing was measured.
    pub refusal: Option<Error>,
}

/// Runs `plan` on `target`.
pub fn run(plan: Plan, target: &Arc<dyn Target>, control: &mut Control<'_>) -> Run {
    let environment = environment(target.as_ref(), control.version);
    let mut record = Record::new(run_id(), wall_time(), plan, environment);
    name_directories(&mut record.plan, &record.run_id);
    control.stop.watch(target);
    let mut runner = Runner { target, control, record };
    let refusal = runner.whole().err();
    if let Some(error) = &refusal {
        runner.record.failure = Some(error.to_string());
        runner.record.ending = if error.kind == ErrorKind::Interrupted { Ending::Interrupted } else { Ending::Failed };
    } else {
        runner.save();
    }
    Run { record: runner.record, refusal }
}

struct Runner<'r, 'c> {
    target: &'r Arc<dyn Target>,
    control: &'r mut Control<'c>,
    record: Record,
}

impl Runner<'_, '_> {
    fn save(&mut self) {
        (self.control.save)(&self.record);
    }

    fn whole(&mut self) -> Result<(), Error> {
        self.check_memory()?;
        self.check_mappings()?;
        let mut session = self.target.session(Rc::new(NoProbe))?;
        self.preflight()?;
        let prepared = prepare(&self.record.plan, self.target.as_ref(), session.as_mut(), &self.record.run_id)?;
        self.record.notes.extend(prepared.notes.iter().cloned());
        let measured = self.phases(session.as_mut(), &prepared.owned);
        let is_whole = measured.is_ok() && !self.control.stop.asked();
        let settled = self.settle(session.as_mut(), &prepared, is_whole);
        self.record.failure = measured.and(settled).err();
        self.record.ending = match (self.control.stop.asked(), &self.record.failure) {
            (true, _) => Ending::Interrupted,
            (false, None) => Ending::Finished,
            (false, Some(_)) => Ending::Failed,
        };
        self.record.complete = is_whole;
        Ok(())
    }

    /// What jobs name must be there and be free before the first of them starts.
    fn preflight(&self) -> Result<(), Error> {
        let jobs = self.record.plan.phases.iter().filter_map(|phase| match &phase.program {
            Program::Jobs(jobs) => Some(&jobs.jobs),
            _ => None,
        });
        let jobs: Vec<&Job> = jobs.flatten().collect();
        if jobs.is_empty() { Ok(()) } else { job::preflight(&jobs, self.target.as_ref()) }
    }

    /// Buffers of all workers must fit into the memory that is free.
    fn check_memory(&self) -> Result<(), Error> {
        let available =
            crate::observe::field(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default(), "MemAvailable:")
                * 1024;
        for phase in &self.record.plan.phases {
            let needed = memory_of(&phase.program, self.target.capabilities()).saturating_mul(u64::from(phase.workers));
            if available > 0 && needed > available {
                let detail = format!(
                    "{} workers need {} of buffers, and {} of memory is free",
                    phase.workers,
                    Bytes(needed),
                    Bytes(available)
                );
                return Err(Error::new(ErrorKind::Invalid, "runner", "run", phase.name.clone(), detail)
                    .with_hint("use fewer --threads or a smaller --buffer_size or --prefetch_size"));
            }
        }
        Ok(())
    }

    /// The threads of all workers must fit into the kernel's limit of mappings: beyond it a thread dies while it starts.
    fn check_mappings(&self) -> Result<(), Error> {
        let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        let limit = limit.trim().parse().unwrap_or(u64::MAX);
        let most = limit.saturating_sub(MAPPINGS_OF_PROCESS) / MAPPINGS_OF_WORKER;
        match self.record.plan.phases.iter().find(|phase| u64::from(phase.workers) > most) {
            None => Ok(()),
            Some(phase) => {
                let detail = format!("{} workers are more than the {most} that the kernel lets run", phase.workers);
                Err(Error::new(ErrorKind::Invalid, "runner", "run", phase.name.clone(), detail)
                    .with_hint("use fewer --threads, or raise vm.max_map_count"))
            }
        }
    }

    fn phases(&mut self, session: &mut dyn Session, owned: &BTreeSet<String>) -> Result<(), String> {
        let mut trail = Trail::default();
        for phase in self.record.plan.phases.clone() {
            if self.control.stop.asked() {
                break;
            }
            self.record.phases.push(PhaseRecord { name: phase.name.clone(), repetitions: Vec::new() });
            match &phase.program {
                Program::Jobs(jobs) if self.jobs(&phase, jobs, session, &mut trail)? => break,
                Program::Jobs(_) => {}
                _ => self.phase(&phase, session, owned)?,
            }
            if let Program::SmallFiles(files) = &phase.program
                && files.writes()
            {
                self.check_written()?;
            }
        }
        Ok(())
    }

    /// Small files that could not be written need not be looked for: what went wrong is told once.
    fn check_written(&self) -> Result<(), String> {
        let written = self.record.phases.last().and_then(|phase| phase.repetitions.last());
        let gave_up = written.filter(|repetition| repetition.counted("gave_up") > 0);
        match gave_up.and_then(|repetition| repetition.errors.first()) {
            Some(error) => Err(error.first.clone()),
            None => Ok(()),
        }
    }

    /// A phase of jobs. True: nothing is to follow.
    fn jobs(
        &mut self,
        phase: &Phase,
        jobs: &Jobs,
        session: &mut dyn Session,
        trail: &mut Trail,
    ) -> Result<bool, String> {
        let (stop, live, clock) = (self.control.stop.clone(), self.control.live.clone(), self.control.clock.clone());
        let owned = BTreeSet::new();
        let setting = Setting { target: self.target, owned: &owned, clock: &clock, live: &live, stop: &stop };
        let cold = self.record.plan.cold;
        let every_ns = self.control.status.as_ref().and_then(|status| status.every).map(|span| span.0);
        let (record, control) = (&self.record, &mut *self.control);
        let mut show = |repetition: Repetition| {
            let mut so_far = record.clone();
            if let (Some(current), Some(status)) = (so_far.phases.last_mut(), control.status.as_mut()) {
                current.repetitions.push(repetition);
                (status.show)(&so_far);
            }
        };
        let mut watch = Watch { every_ns, show: &mut show, nth: 0, waiting_since_ns: None };
        let measured = job::phase(phase, jobs, &setting, session, (trail, cold), &mut watch);
        let (repetition, failure) = match measured {
            Ok(Outlook { repetition, ends_run }) => (repetition, Ok(ends_run)),
            Err(error) => (job::not_run(jobs, &error), Err(error.to_string())),
        };
        if let Some(current) = self.record.phases.last_mut() {
            current.repetitions.push(repetition);
        }
        self.save();
        failure
    }

    fn phase(&mut self, phase: &Phase, session: &mut dyn Session, owned: &BTreeSet<String>) -> Result<(), String> {
        let (stop, live, clock) = (self.control.stop.clone(), self.control.live.clone(), self.control.clock.clone());
        let setting = Setting { target: self.target, owned, clock: &clock, live: &live, stop: &stop };
        let mut crew = Crew::gather(phase, &setting)?;
        for index in 0..phase.repetitions {
            if stop.asked() {
                break;
            }
            let cache = self.cache_before(phase, session);
            let mut repetition = crew.repetition(index, &live);
            repetition.cache = cache;
            if let Some(current) = self.record.phases.last_mut() {
                current.repetitions.push(repetition);
            }
            self.save();
        }
        Ok(())
    }

    /// For read phases on a target with a page cache: evicts when asked to, and says what is cached.
    fn cache_before(&self, phase: &Phase, session: &mut dyn Session) -> Option<CacheState> {
        if !self.target.capabilities().page_cache {
            return None;
        }
        let names: Box<dyn Iterator<Item = String>> = match &phase.program {
            Program::Read(plan) => {
                let workers = if matches!(plan.files, FileNames::Shared(_)) { 1 } else { phase.workers };
                Box::new((0..workers).map(|worker| plan.files.of_worker(worker)))
            }
            Program::SmallFiles(plan) if !plan.writes() => Box::new((0..plan.files).map(|number| plan.name(number))),
            _ => return None,
        };
        let evict = self.record.plan.cold;
        let mut state = CacheState { evicted: evict, ..CacheState::default() };
        for name in names {
            match if evict { session.evict(&name) } else { session.cached(&name) } {
                Ok(Some(Cached { bytes, of })) => {
                    state.cached_bytes += bytes;
                    state.of_bytes += of;
                }
                Ok(None) => {}
                // What is wrong with the file, the read itself will tell; that it was evicted cannot be claimed.
                Err(_) => state.evicted = false,
            }
        }
        Some(state)
    }

    /// Removes what the run made when asked to, also after an interruption, and takes names that are gone out of the
    /// ledgers.
    ///
    /// # Errors
    /// A sentence, when what was asked for could not be removed.
    fn settle(&mut self, session: &mut dyn Session, prepared: &Prepared, is_whole: bool) -> Result<(), String> {
        let plan = &self.record.plan;
        let is_exact = is_whole && self.record.error_count() == 0;
        let writes = |phase: &Phase| matches!(phase.program, Program::Write(_) | Program::SmallFiles(_));
        let only_writes = plan.phases.iter().all(|phase| !changes_names(phase) || writes(phase));
        let touched = plan.phases.iter().any(changes_names) && keeps_data(self.target.as_ref());
        if !touched || (!plan.cleanup && is_exact && only_writes) {
            return Ok(());
        }
        self.target.resume();
        let mut made = if plan.cleanup { prepared.made() } else { Made::default() };
        made.run = Some(self.record.run_id.clone());
        let cleaned = ledger::load(session).and_then(|all| remove(self.target.as_ref(), session, all, &made));
        match cleaned {
            Ok(CleanReport { removed, .. }) if plan.cleanup => {
                self.record.notes.push(format!("cleaned up: {removed} files removed"));
            }
            Ok(_) => {}
            Err(error) if plan.cleanup => {
                return Err(format!("cleaning up failed: {error}; fsbench clean removes the rest"));
            }
            Err(error) => self.record.notes.push(format!("the ledgers may list names that are gone: {error}")),
        }
        Ok(())
    }
}
