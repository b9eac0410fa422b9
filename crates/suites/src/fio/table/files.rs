//! Options of files: which, how large, how they come to be and go.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("filename", "", Kind::Text, "", "Files, separated by colons; a colon of a name is written \\:.").differs(
        "It may be a URI of a store (hdfs://, s3://); - (standard input and output) is \
         refused.",
    ),
    opt("lockfile", "", Kind::Word(&["none", "exclusive", "readwrite"]), "none", "Lock the file for each request.")
        .rejected("Files are not locked; fsbench's workers are threads of one process."),
    opt("filetype", "", Kind::Word(&["none", "file", "block", "char"]), "none", "What kind the files are.")
        .rejected("The kind of an existing file is taken from the file itself."),
    opt(
        "directory",
        "",
        Kind::Text,
        "",
        "Directory of the files; several, separated by colons, are spread over the clones.",
    )
    .differs("It may be a URI of a store; missing directories are made only with --mkdir."),
    opt(
        "filename_format",
        "",
        Kind::Text,
        "$jobname.$jobnum.$filenum",
        "Names of generated files: $jobname, $jobnum and $filenum are replaced.",
    ),
    opt("unique_filename", "", Kind::Bool, "1", "Put the client's address before the names.")
        .noted("It concerns fio's client mode, which fsbench does not have."),
    opt("opendir", "", Kind::Text, "", "Use all files below this directory.")
        .rejected("The files must be known before the run; name them with filename."),
    opt("size", "", Kind::Part, "", "Bytes of the job's files together; or a percentage of existing files."),
    opt("io_size", "io_limit", Kind::Part, "", "Bytes to transfer, when not one pass of size."),
    opt("fill_device", "fill_fs", Kind::Bool, "0", "Write until the file system is full."),
    opt("filesize", "", Kind::Range, "", "Bytes of each file, or a range from which each file's size is drawn."),
    opt("file_append", "", Kind::Bool, "0", "Work behind the end of the files."),
    opt("offset", "fileoffset", Kind::Part, "0", "Where in the file to begin: bytes, or a percentage of the file."),
    opt("offset_increment", "", Kind::Part, "0", "Added to the offset for each clone."),
    opt("offset_align", "", Kind::Size(0, u64::MAX), "0", "Alignment of an offset that was given as a percentage.")
        .differs("With a percentage the file must exist when the run is planned."),
    opt("nrfiles", "nr_files", Kind::Number(1, 1048576), "1", "Files of the job."),
    opt(
        "file_service_type",
        "",
        Kind::Words(&["random", "zipf", "pareto", "normal", "gauss", "roundrobin", "sequential"]),
        "roundrobin",
        "Which file is next, and after how many requests.",
    ),
    opt("openfiles", "", Kind::Number(0, U32), "", "Files open at the same time."),
    opt(
        "fallocate",
        "",
        Kind::Word(&["none", "native", "posix", "keep", "truncate", "0", "1"]),
        "native",
        "How space is reserved when a file is laid out.",
    ),
    opt(
        "fadvise_hint",
        "",
        Kind::Word(&["0", "1", "random", "sequential", "noreuse"]),
        "1",
        "What the kernel is told about the order of requests.",
    ),
    opt("overwrite", "", Kind::Bool, "0", "Lay files out before writing."),
    opt("invalidate", "", Kind::Bool, "1", "Drop the files from the page cache before the job."),
    opt(
        "write_hint",
        "",
        Kind::Word(&["none", "short", "medium", "long", "extreme"]),
        "",
        "How long written data will live.",
    )
    .rejected("Life-time hints are not given."),
    opt("create_serialize", "", Kind::Bool, "1", "Lay files out one job after the other."),
    opt("create_fsync", "", Kind::Bool, "1", "Sync files after laying them out."),
    opt("create_on_open", "", Kind::Bool, "0", "Create files when they are first opened."),
    opt("create_only", "", Kind::Bool, "0", "Lay the files out and end."),
    opt("allow_file_create", "", Kind::Bool, "1", "Files may be created."),
    opt("allow_mounted_write", "", Kind::Bool, "0", "Writing to a mounted device is allowed.")
        .differs("Also --allow-destroy; devices that hold a file system are protected, too."),
    opt("pre_read", "", Kind::Bool, "0", "Read the files once before the job."),
    opt("unlink", "", Kind::Bool, "0", "Delete the files when the job ends.")
        .differs("Only files that this run created are deleted."),
    opt("unlink_each_loop", "", Kind::Bool, "0", "Delete the files after each pass.")
        .rejected("Files stay for all passes; use unlink, which deletes them at the end."),
];
