//! The option table: the flags and conf keys of `fs_benchmark_tool`, ours, and gflags' own.

use super::options::{Kind, Opt, Origin};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// More threads than this are a typing mistake: each is an operating-system thread.
const THREADS_MAX: u64 = 65_536;

/// S3's smallest part but for the last, and its largest.
pub(super) const PART_MIN: u64 = 5 * MIB;
const PART_MAX: u64 = 5 * GIB;

/// The file systems that `--fs_type` names.
pub(super) const FS_TYPES: [&str; 6] = ["hdfs", "s3", "local", "file", "null", "mem"];

const fn doris(name: &'static str, kind: Kind, value: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, kind, value, default, help).from(Origin::Doris)
}

const fn ours(name: &'static str, kind: Kind, value: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, kind, value, default, help)
}

/// Flags and conf keys of `fs_benchmark_tool`.
pub(super) const DORIS: &[Opt] = &[
    doris(
        "conf",
        Kind::Text,
        "FILE",
        "",
        "File of key=value lines: how to reach the store, and any option that may stand there.",
    )
    .differs("It may be omitted when base_dir or file_path is a URI and the store needs no keys."),
    doris(
        "fs_type",
        Kind::Choice(&FS_TYPES),
        "TYPE",
        "hdfs",
        "The file system. When it is not given, the scheme of base_dir or file_path decides.",
    )
    .differs(
        "local (or file), null and mem are new; upper case is accepted; an unknown type is an \
         error, where the original crashes.",
    )
    .in_conf(),
    doris(
        "operation",
        Kind::Text,
        "OPERATION",
        "create_write",
        "create_write, open_read, single_read, prefetch_read, exists, rename, list or delete.",
    )
    .differs(
        "Every operation exists on every file system; upper case is accepted; delete removes \
         only files that fsbench made.",
    )
    .in_conf(),
    doris(
        "threads",
        Kind::Count(1, THREADS_MAX),
        "N",
        "1",
        "Workers that run at the same time, each on its own file test_<thread>.",
    )
    .differs("0 and text after the number are errors; the original runs one thread for 0, and two for 2x.")
    .in_conf(),
    doris(
        "iterations",
        Kind::Count(0, u64::MAX),
        "N",
        "1",
        "Operations of each thread in one repetition. 0 repeats them until --benchmark_min_time \
         is over.",
    )
    .differs(
        "0 measures wall-clock time for each thread, where Google Benchmark estimates a count; a \
         negative number is an error, where the original loops for ever.",
    )
    .in_conf(),
    doris(
        "repetitions",
        Kind::Count(1, 10_000),
        "N",
        "",
        "How often the whole measurement is repeated. Not given: 3, or 1 for rename and delete.",
    )
    .differs("It is honoured; the original declares it and always repeats 3 times (rename: once).")
    .in_conf(),
    doris(
        "file_size",
        Kind::Size(0, u64::MAX),
        "BYTES",
        "0",
        "create_write: size of each file (0: 10 MiB). Reads: read at most so much of each file \
         (0: all of it).",
    )
    .differs(
        "Units are accepted (10MiB), and text after them is an error; the original reads 10MB as \
         10 bytes. Also a conf key, as Doris' documentation says.",
    )
    .in_conf(),
    doris("base_dir", Kind::Text, "URI", "", "Directory or prefix in which the files test_<thread> are made and read.")
        .differs("Also a flag. It must be given: without it the original writes to the root.")
        .in_conf(),
    doris(
        "file_path",
        Kind::Text,
        "URI",
        "",
        "The one file that all threads read in single_read and prefetch_read. Not given: each \
         reads test_<thread> below base_dir.",
    )
    .differs("Also a flag; not needed when base_dir is given.")
    .in_conf(),
    doris("buffer_size", Kind::Size(1, GIB), "BYTES", "1000000", "Bytes of one read or write call.")
        .differs("Also a flag. 0 is an error, where the original reads nothing and writes for ever.")
        .in_conf(),
];

/// Ours.
pub(super) const FSBENCH: &[Opt] = &[
    ours(
        "content",
        Kind::Choice(&["random", "zero", "pattern"]),
        "KIND",
        "random",
        "What is written: seeded and incompressible, zero bytes as the original writes them, or \
         the seed over and over.",
    )
    .in_conf(),
    ours(
        "seed",
        Kind::Count(0, u64::MAX),
        "N",
        "42",
        "Seed of the content. The same seed makes the same bytes on every machine.",
    )
    .in_conf(),
    ours(
        "verify",
        Kind::Switch,
        "BOOL",
        "false",
        "Compare what is read with what create_write makes from --content and --seed.",
    )
    .in_conf(),
    ours(
        "sync",
        Kind::Switch,
        "BOOL",
        "",
        "create_write: make the data durable before closing. Not given: on for hdfs (hsync, as \
         the original does), off elsewhere.",
    )
    .in_conf(),
    ours("cold", Kind::Switch, "BOOL", "false", "local: evict the files from the page cache before each read phase.")
        .in_conf(),
    ours("overwrite", Kind::Switch, "BOOL", "false", "Let create_write replace files that fsbench did not make."),
    ours("cleanup", Kind::Switch, "BOOL", "false", "Remove at the end what this run created.").in_conf(),
    ours("prefetch_size", Kind::Size(1, GIB), "BYTES", "4MiB", "prefetch_read: bytes of one ranged read.").in_conf(),
    ours(
        "prefetch_concurrency",
        Kind::Count(1, 1024),
        "N",
        "4",
        "prefetch_read: ranged reads in flight for each thread.",
    )
    .in_conf(),
    ours(
        "part_size",
        Kind::Size(PART_MIN, PART_MAX),
        "BYTES",
        "5MiB",
        "s3: bytes of one part of an upload; larger for files of more than 10,000 parts. Smaller \
         files are one PUT.",
    )
    .in_conf(),
    ours("upload_concurrency", Kind::Count(1, 1024), "N", "4", "s3: parts of one file uploaded at the same time.")
        .in_conf(),
    ours(
        "retries",
        Kind::Count(0, 100),
        "N",
        "0",
        "How often a failed request is tried again. s3: counted in the result. hdfs: by the client library, unseen.",
    )
    .in_conf(),
    ours("replication", Kind::Count(1, 512), "N", "", "hdfs: copies of each block (dfs.replication).").in_conf(),
    ours(
        "block_size",
        Kind::Size(512, 1 << 40),
        "BYTES",
        "",
        "hdfs: size of a block, a multiple of 512 (dfs.blocksize).",
    )
    .in_conf(),
    ours(
        "hadoop_conf_dir",
        Kind::Text,
        "DIR",
        "",
        "hdfs: folder of core-site.xml and hdfs-site.xml. Not given: HADOOP_CONF_DIR, else the \
         folder of the conf file.",
    )
    .in_conf(),
    ours("null_size", Kind::Size(0, 1 << 50), "BYTES", "10MiB", "null: how large every file seems to be.").in_conf(),
    ours(
        "set",
        Kind::Setting,
        "KEY=VALUE",
        "",
        "Set a key of the store as the conf file would. May be repeated, and beats the conf file.",
    ),
    ours(
        "record",
        Kind::Text,
        "FILE",
        "",
        "Write the Record here: everything measured, as JSON, after each repetition.",
    ),
    ours("quiet", Kind::Switch, "BOOL", "false", "No progress line, no echo of the conf file and no notes."),
    ours("dry_run", Kind::Switch, "BOOL", "false", "Print the plan and stop."),
];

const fn gflags(name: &'static str, kind: Kind, value: &'static str, help: &'static str) -> Opt {
    Opt::new(name, kind, value, "", help).from(Origin::Gflags)
}

const EXIT_0: &str = "The exit code is 0, where gflags ends with 1; all help flags show the same text.";

/// The flags that gflags adds to every program.
pub(super) const GFLAGS: &[Opt] = &[
    gflags(
        "flagfile",
        Kind::Text,
        "FILE",
        "Read more flags from a file: one on each line, # for comments, nested if wanted.",
    )
    .differs("An unknown flag in the file is an error, where gflags skips it; lines that name programs are errors."),
    gflags(
        "fromenv",
        Kind::Text,
        "FLAGS",
        "Comma-separated flags that are taken from FLAGS_<name> in the environment, which must be there.",
    ),
    gflags("tryfromenv", Kind::Text, "FLAGS", "The same, but a missing variable is no error."),
    gflags("undefok", Kind::Text, "FLAGS", "Comma-separated flags that may be unknown."),
    gflags("help", Kind::Switch, "BOOL", "Show this help.").differs(EXIT_0),
    gflags("helpfull", Kind::Switch, "BOOL", "Show this help.").differs(EXIT_0),
    gflags("helpshort", Kind::Switch, "BOOL", "Show this help.").differs(EXIT_0),
    gflags("helpon", Kind::Text, "FILE", "Show this help.").differs(EXIT_0),
    gflags("helpmatch", Kind::Text, "TEXT", "Show this help.").differs(EXIT_0),
    gflags("helppackage", Kind::Switch, "BOOL", "Show this help.").differs(EXIT_0),
    gflags("helpxml", Kind::Switch, "BOOL", "Show this help.").differs(EXIT_0),
    gflags("version", Kind::Switch, "BOOL", "Show the version."),
];
