//! The files of a job: names, sizes, offsets, and how they come to be.

use super::super::error::FioError;
use super::super::value::Part;
use super::super::values::Values;
use super::build::{Clone, Switches};
use super::pattern::changes;
use super::place::{Named, Site, given};
use super::sizes::{Sizes, offset};
use fsbench_model::Bytes;
use fsbench_model::job::{Advice, Allocate, JobFile, Layout, Pattern, Serve, ServeOrder};

/// The files of one clone.
pub(super) fn files(clone: &Clone<'_>, pattern: &Pattern, seed: u64) -> Result<Vec<JobFile>, FioError> {
    let paths = paths(clone)?;
    let block = pattern.blocks.iter().map(|sizes| sizes.min()).min().unwrap_or(1).max(1);
    let found = |path: &str| match clone.site {
        Site::Local => (clone.world.find)(&format!("/{path}")),
        Site::Nowhere | Site::Store(_) => None,
    };
    let sizes = Sizes::of(clone, paths.len(), block, seed)?;
    let one = |(at, path): (usize, String)| {
        let found = found(&path);
        if found.is_some_and(|found| found.is_directory) {
            let option = if clone.values.has("filename") { "filename" } else { "directory" };
            return Err(clone.values.refuse(option, format!("/{path} is a directory; name a file")));
        }
        let exists = match clone.site {
            Site::Store(_) => !changes(pattern.mode),
            _ => found.is_some_and(|found| found.bytes != Some(0)) || clone.before.contains(&path),
        };
        let (size, size_percent) = sizes.of_file(at);
        if size.is_none() && !exists && sizes.is_needed() {
            return Err(clone.values.refuse("size", needed(clone, &path)));
        }
        let bytes = found.and_then(|found| found.bytes);
        let (offset, offset_percent) = offset(clone, bytes, block)?;
        Ok(JobFile { path, offset, size, size_percent, offset_percent })
    };
    paths.into_iter().enumerate().map(one).collect()
}

fn needed(clone: &Clone<'_>, path: &str) -> String {
    format!("you need to specify size= (job {}: /{path} has no size yet)", clone.section.name)
}

/// The paths of one clone, as [`JobFile::path`] has them.
fn paths(clone: &Clone<'_>) -> Result<Vec<String>, FioError> {
    let values = clone.values;
    let wanted = values.number("nrfiles").unwrap_or(1) as usize;
    let directories = given(values, "directory")?;
    let names = given(values, "filename")?;
    if !names.is_empty() {
        let kept = if values.has("nrfiles") { wanted.min(names.len()) } else { names.len() };
        // Named files are in the first directory, as in fio.
        return Ok(names[..kept].iter().map(|name| join(clone, directories.first(), name)).collect());
    }
    if wanted == 1 && directories.is_empty() && is_device(clone) {
        let name = Named { store: None, path: clone.section.name.clone() };
        return Ok(vec![join(clone, None, &name)]);
    }
    let directory = directories.get(clone.index as usize % directories.len().max(1));
    let generated = |number| Named { store: None, path: generated(clone, number) };
    Ok((0..wanted).map(|number| join(clone, directory, &generated(number))).collect())
}

/// A section named like a device works on it, as in fio.
fn is_device(clone: &Clone<'_>) -> bool {
    let found = (clone.world.find)(&clone.world.absolute(&clone.section.name));
    *clone.site == Site::Local && found.is_some_and(|found| found.bytes.is_none() && !found.is_directory)
}

fn generated(clone: &Clone<'_>, number: usize) -> String {
    let format = clone.values.word("filename_format");
    let format = if format.is_empty() { "$jobname.$jobnum.$filenum".to_string() } else { format };
    format
        .replace("$jobname", &clone.section.name)
        .replace("$jobnum", &clone.index.to_string())
        .replace("$filenum", &number.to_string())
        .replace("$clientuid", "")
}

fn join(clone: &Clone<'_>, directory: Option<&Named>, name: &Named) -> String {
    let whole = match directory {
        Some(directory) if directory.path.is_empty() => name.path.clone(),
        Some(directory) => format!("{}/{}", directory.path, name.path),
        None => name.path.clone(),
    };
    match clone.site {
        Site::Local => clone.world.absolute(&whole).trim_start_matches('/').to_string(),
        Site::Nowhere | Site::Store(_) => {
            let parts: Vec<_> = whole.split('/').filter(|part| !part.is_empty()).collect();
            parts.join("/")
        }
    }
}

/// Which file is next.
pub(super) fn serve(values: &Values) -> Result<Serve, FioError> {
    let text = values.word("file_service_type");
    let mut parts = text.split(':');
    let word = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let refuse = |why: String| values.refuse("file_service_type", why);
    let is_weighted = matches!(word, "zipf" | "pareto" | "normal" | "gauss");
    let shape = |default: f64| match rest.first().filter(|_| is_weighted) {
        Some(text) => super::super::numbers::decimal(text).map_err(refuse),
        None => Ok(default),
    };
    let order = match word {
        "sequential" => ServeOrder::Sequential,
        "random" => ServeOrder::Random,
        "zipf" => ServeOrder::Zipf(shape(1.1)?),
        "pareto" => ServeOrder::Pareto(shape(0.2)?),
        "normal" | "gauss" => ServeOrder::Normal(shape(0.0)?),
        _ => ServeOrder::RoundRobin,
    };
    let every = rest.get(usize::from(is_weighted)).map_or(Ok(1), |text| {
        let number = super::super::numbers::number(text, super::super::numbers::Unit::Count(1024)).map_err(refuse)?;
        u32::try_from(number)
            .ok()
            .filter(|every| *every > 0)
            .ok_or_else(|| refuse("accepted behind ':': 1 or more".into()))
    })?;
    Ok(Serve { order, every })
}

/// How files come to be and go.
pub(super) fn layout(values: &Values, switches: &Switches) -> Layout {
    let flag = |name: &str| values.is_on(name);
    Layout {
        create: flag("allow_file_create") && !switches.readonly,
        mkdir: switches.mkdir,
        fsync: flag("create_fsync"),
        on_open: flag("create_on_open"),
        only: flag("create_only"),
        allocate: match values.word("fallocate").as_str() {
            "none" | "0" => Allocate::None,
            "posix" | "1" => Allocate::Posix,
            "keep" => Allocate::Keep,
            "truncate" => Allocate::Truncate,
            _ => Allocate::Native,
        },
        overwrite: flag("overwrite"),
        fill_device: flag("fill_device"),
        append: flag("file_append"),
        pre_read: flag("pre_read"),
        invalidate: flag("invalidate"),
        advice: match values.word("fadvise_hint").as_str() {
            "0" => Advice::None,
            "sequential" => Advice::Sequential,
            "random" => Advice::Random,
            "noreuse" => Advice::Noreuse,
            _ => Advice::Pattern,
        },
        unlink: flag("unlink"),
        unlink_each_loop: flag("unlink_each_loop"),
        allow_mounted: flag("allow_mounted_write") || switches.allow_destroy,
    }
}

/// Bytes of all files together, when all are known.
pub(super) fn total(files: &[JobFile]) -> Option<Bytes> {
    let sum = files.iter().try_fold(0u64, |sum, file| sum.checked_add(file.size?.0));
    sum.map(Bytes)
}

/// Bytes to transfer that were given, in bytes.
pub(super) fn bytes_of(part: Option<Part>, whole: Option<Bytes>) -> Option<Bytes> {
    match part? {
        Part::Bytes(bytes) => Some(Bytes(bytes)),
        Part::Percent(100) => whole,
        Part::Percent(percent) => {
            let bytes = u128::from(whole?.0) * u128::from(percent) / 100;
            Some(Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)))
        }
    }
}
