//! Programs of the name space: exists, list, rename, delete. One call (or one page) is one measurement.

use super::{Scene, Step, Steps};
use crate::ledger;
use fsbench_model::{DeleteFile, RenameFile};
use fsbench_results::Kind;
use fsbench_target::{Cursor, Error, ErrorKind};

/// Records an operation that is a single call.
fn call(scene: &Scene<'_>, kind: Kind, start: u64) {
    let end = scene.recorder.done(kind, start, 0);
    scene.recorder.record(Kind::Operation, end - start, end, 0);
}

pub(super) struct Exists {
    path: String,
}

impl Exists {
    pub(super) fn new(path: String) -> Self {
        Self { path }
    }
}

impl Steps for Exists {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let start = scene.recorder.now();
        let found = scene.session.exists(&self.path)?;
        call(scene, Kind::Exists, start);
        scene.recorder.count(if found { "found" } else { "missing" }, 1);
        Ok(Step::Done)
    }
}

pub(super) struct List;

impl Steps for List {
    /// Times each page and the whole listing. Ledgers are listed by the store like any file, and not counted.
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let start = scene.recorder.now();
        let (mut entries, mut pages) = (0, 0);
        let mut from: Option<Cursor> = None;
        loop {
            let page_start = scene.recorder.now();
            let page = scene.session.list("", from)?;
            scene.recorder.done(Kind::Page, page_start, 0);
            pages += 1;
            entries += page.entries.iter().filter(|e| !ledger::is_own(&e.path)).count() as u64;
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        let end = scene.recorder.now();
        scene.recorder.record(Kind::Operation, end - start, end, 0);
        scene.recorder.count("entries", entries);
        scene.recorder.count("pages", pages);
        Ok(Step::Done)
    }
}

pub(super) struct Rename {
    here: String,
    there: String,
    /// Which way the next rename goes; found out before the first one.
    forward: Option<bool>,
}

impl Rename {
    pub(super) fn new(plan: &RenameFile, worker: u32) -> Self {
        let here = plan.files.of_worker(worker);
        let there = format!("{here}{}", plan.suffix);
        Self { here, there, forward: None }
    }

    fn direction(&self, scene: &mut Scene<'_>) -> Result<bool, Error> {
        let error = |kind, path: &str, detail: String| Error::new(kind, "rename", "rename", path, detail);
        match (scene.session.exists(&self.here)?, scene.session.exists(&self.there)?) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            (true, true) => {
                let detail = format!("{} is there too, and would be overwritten", self.there);
                Err(error(ErrorKind::AlreadyExists, &self.here, detail).with_hint("remove one of them first"))
            }
            (false, false) => {
                let detail = format!("neither it nor {} is there", self.there);
                Err(error(ErrorKind::NotFound, &self.here, detail)
                    .with_hint("fsbench remote --operation=create_write makes such files"))
            }
        }
    }
}

impl Steps for Rename {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        let forward = match self.forward.take() {
            Some(forward) => forward,
            None => self.direction(scene)?,
        };
        let (from, to) = if forward { (&self.here, &self.there) } else { (&self.there, &self.here) };
        let start = scene.recorder.now();
        scene.session.rename(from, to)?;
        call(scene, Kind::Rename, start);
        self.forward = Some(!forward);
        Ok(Step::Done)
    }
}

pub(super) struct Delete {
    /// Names that fsbench made and that may be there.
    left: Vec<String>,
    /// The file itself, for errors.
    name: String,
    is_owned: bool,
    deleted: bool,
}

impl Delete {
    pub(super) fn new(plan: &DeleteFile, worker: u32, owned: &dyn Fn(&str) -> bool) -> Self {
        let name = plan.files.of_worker(worker);
        let renamed = format!("{name}{}", plan.suffix);
        let left: Vec<String> = [renamed, name.clone()].into_iter().filter(|name| owned(name)).collect();
        Self { is_owned: !left.is_empty(), left, name, deleted: false }
    }

    /// Why there was nothing to delete from the start.
    fn nothing(&self, scene: &mut Scene<'_>) -> Error {
        let foreign = !self.is_owned && scene.session.exists(&self.name).unwrap_or(false);
        let (kind, detail) = match foreign {
            true => (ErrorKind::Denied, "fsbench did not make it"),
            false => (ErrorKind::NotFound, "there is no such file that fsbench made"),
        };
        Error::new(kind, "delete", "delete", &self.name, detail)
    }
}

impl Steps for Delete {
    fn step(&mut self, scene: &mut Scene<'_>) -> Result<Step, Error> {
        while let Some(path) = self.left.pop() {
            if !scene.session.exists(&path)? {
                continue;
            }
            let start = scene.recorder.now();
            scene.session.delete(&path)?;
            call(scene, Kind::Delete, start);
            scene.recorder.count("deleted", 1);
            self.deleted = true;
            return Ok(Step::Done);
        }
        if self.deleted { Ok(Step::Nothing) } else { Err(self.nothing(scene)) }
    }
}
