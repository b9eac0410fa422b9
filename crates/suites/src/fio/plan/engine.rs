//! The engine: which, how deep, with which flags.

use super::super::error::FioError;
use super::super::options::nearest;
use super::super::typed::Section;
use super::super::values::Values;
use super::super::world::World;
use super::place::Site;
use fsbench_model::job::{Engine, EngineName, Ring, WriteSync};

/// The engines that fsbench has for local files, with what they do.
pub(in super::super) const ENGINES: [(EngineName, &str); 13] = [
    (EngineName::Sync, "lseek and read/write"),
    (EngineName::Psync, "pread/pwrite, the default"),
    (EngineName::Vsync, "readv/writev, adjacent requests gathered"),
    (EngineName::Pvsync, "preadv/pwritev"),
    (EngineName::Pvsync2, "preadv2/pwritev2"),
    (EngineName::Mmap, "mmap and memcpy"),
    (EngineName::Libaio, "Linux native asynchronous I/O"),
    (EngineName::IoUring, "io_uring"),
    (EngineName::Null, "nothing is transferred"),
    (EngineName::Filecreate, "each request creates a file"),
    (EngineName::Filestat, "each request looks at a file"),
    (EngineName::Filedelete, "each request deletes a file"),
    (EngineName::Store, "hdfs:// and s3://: ranged reads in flight, writes in order"),
];

const LOCAL: &str = "use libaio, io_uring or psync";

/// Engines of fio that fsbench does not have, and what to use instead.
const MISSING: [(&str, &str); 46] = [
    ("posixaio", "use libaio or io_uring"),
    ("solarisaio", LOCAL),
    ("windowsaio", LOCAL),
    ("splice", LOCAL),
    ("netsplice", "networks are not measured"),
    ("net", "networks are not measured"),
    ("cpuio", "processors are not measured"),
    ("sg", LOCAL),
    ("io_uring_cmd", "use io_uring"),
    ("rbd", "map the image and use libaio on /dev/rbdN"),
    ("rados", "use the S3 gateway and filename=s3://bucket/key"),
    ("http", "use filename=s3://bucket/key, with --conf for keys and endpoint"),
    ("libhdfs", "use filename=hdfs://host:port/path, without ioengine"),
    ("nfs", "mount it and use libaio, io_uring or psync"),
    ("gfapi", "mount it and use libaio, io_uring or psync"),
    ("gfapi_async", "mount it and use libaio, io_uring or psync"),
    ("libiscsi", "attach it and use libaio on the device"),
    ("nbd", "attach it and use libaio on /dev/nbdN"),
    ("rdma", "networks are not measured"),
    ("libpmem", "use mmap"),
    ("dev-dax", "use mmap"),
    ("libcufile", LOCAL),
    ("exec", "use exec_prerun"),
    ("xnvme", "use io_uring"),
    ("libblkio", "use io_uring"),
    ("dircreate", "use filecreate"),
    ("dirstat", "use filestat"),
    ("dirdelete", "use filedelete"),
    ("falloc", "use fallocate with any engine"),
    ("ftruncate", "use fallocate=truncate with any engine"),
    ("e4defrag", "use e4defrag itself"),
    ("external", "engines are not loaded from files"),
    ("cpp_null", "use null"),
    ("dfs", "mount it with dfuse and use libaio, io_uring or psync"),
    ("ime_psync", LOCAL),
    ("ime_psyncv", LOCAL),
    ("ime_aio", LOCAL),
    ("libhipfile", LOCAL),
    ("libzbc", "zoned block devices are not supported"),
    ("librpma_apm_client", "networks are not measured"),
    ("librpma_apm_server", "networks are not measured"),
    ("librpma_gpspm_client", "networks are not measured"),
    ("librpma_gpspm_server", "networks are not measured"),
    ("mtd", "use psync on /dev/mtdblockN"),
    ("page_fault", "use mmap"),
    ("pmemblk", "use mmap"),
];

/// The engine of a job.
pub(super) fn engine(values: &Values, site: &Site, world: &World<'_>) -> Result<Engine, FioError> {
    let depth = values.count("iodepth");
    let at_most_depth = |value: u32| if value == 0 { depth } else { value.min(depth) };
    let reap_min = values.count("iodepth_batch_complete_min").min(depth);
    let direct = direct(values);
    let page = u32::try_from(world.machine.page_bytes).unwrap_or(4096).max(4096);
    let align = values.count("iomem_align");
    if align > 0 && !align.is_power_of_two() {
        return Err(values.refuse("iomem_align", "accepted: a power of two"));
    }
    Ok(Engine {
        name: name(values, site)?,
        depth,
        // Not given means as many as there are: fio's 1 costs a system call for each request, and changes nothing else.
        submit_max: if values.has("iodepth_batch") { at_most_depth(values.count("iodepth_batch")) } else { 0 },
        reap_min,
        reap_max: match values.has("iodepth_batch_complete_max") || values.has("iodepth_batch_complete_min") {
            true => values.count("iodepth_batch_complete_max").max(reap_min),
            false => 0,
        },
        low: at_most_depth(values.count("iodepth_low")),
        direct,
        write_sync: match values.word("sync").as_str() {
            "sync" | "1" => WriteSync::Sync,
            "dsync" => WriteSync::Dsync,
            _ => WriteSync::None,
        },
        offload: values.word("io_submit_mode") == "offload",
        serialize_overlap: values.is_on("serialize_overlap"),
        ring: ring(values),
        nowait: values.is_on("nowait"),
        hipri: values.is_on("hipri"),
        uncached: values.number("uncached") == Some(1),
        buffer_align: if direct {
            align.max(4096)
        } else if align > 0 {
            align
        } else {
            page
        },
    })
}

fn ring(values: &Values) -> Ring {
    Ring {
        fixed_buffers: values.is_on("fixedbufs"),
        registered_files: values.is_on("registerfiles"),
        submission_thread: values.is_on("sqthread_poll") || values.has("sqthread_poll_cpu"),
        submission_processor: values.has("sqthread_poll_cpu").then(|| values.count("sqthread_poll_cpu")),
        force_async: values.count("force_async"),
    }
}

/// `direct`, and `buffered`, its opposite: the last one counts.
pub(super) fn direct(values: &Values) -> bool {
    if values.is_later("buffered", "direct") { !values.is_on("buffered") } else { values.is_on("direct") }
}

/// Why an engine of fio's is not there.
fn missing(word: &str) -> Option<String> {
    let first = word.split(':').next().unwrap_or_default();
    let found = MISSING.iter().find(|(name, _)| *name == first);
    found.map(|(_, instead)| format!("fsbench does not have this engine; {instead}"))
}

/// Refuses an engine that is not there before its options are called unknown.
pub(super) fn is_there(section: &Section) -> Result<(), FioError> {
    let Some(item) = section.items().filter(|item| item.name == "ioengine").last() else { return Ok(()) };
    let word = item.value.as_deref().unwrap_or_default();
    match missing(word) {
        Some(why) => Err(FioError::at(&item.value_place, format!("ioengine={word}: {why}"))),
        None => Ok(()),
    }
}

/// The engine's name, or why it cannot be.
pub(super) fn name(values: &Values, site: &Site) -> Result<EngineName, FioError> {
    let word = values.word("ioengine");
    if matches!(site, Site::Store(_)) && matches!((values.has("ioengine"), word.as_str()), (false, _) | (_, "store")) {
        return Ok(EngineName::Store);
    }
    let word = if word == "linuxaio" { "libaio" } else { word.as_str() };
    if let Some((name, _)) = ENGINES.iter().find(|(name, _)| name.name() == word) {
        return Ok(*name);
    }
    if let Some(why) = missing(word) {
        return Err(values.refuse("ioengine", why));
    }
    let known = || ENGINES.iter().map(|(name, _)| name.name());
    let meant = nearest(word, known()).map(|name| format!("did you mean {name}? ")).unwrap_or_default();
    let all = known().collect::<Vec<_>>().join(", ");
    Err(values.refuse("ioengine", format!("engine {word} is not known; {meant}accepted: {all}")))
}
