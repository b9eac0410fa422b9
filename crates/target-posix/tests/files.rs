//! What a local file system does that the conformance suite does not ask for: pages, links, permissions, the page cache,
//! full disks, requests in flight.

use fsbench_target::{
    Buffer, Cached, Completion, Entry, ErrorKind, FileId, Io, IoKind, NoProbe, OpenMode, OpenOptions, Result, Session,
    Target,
};
use fsbench_target_posix::{PosixTarget, Prefetch};
use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

fn options(mode: OpenMode) -> OpenOptions {
    OpenOptions { mode, size_hint: None }
}

fn disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

fn session(base: &Path) -> Box<dyn Session> {
    session_with(base, Prefetch::IoUring)
}

fn session_with(base: &Path, prefetch: Prefetch) -> Box<dyn Session> {
    let target = PosixTarget::open(base).expect("opens").with_prefetch(prefetch);
    target.session(Rc::new(NoProbe)).expect("a session")
}

fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.expect_err("this call must fail").kind
}

/// Says why a test did not run; fails instead where all must run.
fn skip(why: &str) {
    assert!(std::env::var_os("FSBENCH_TEST_REQUIRE").is_none_or(|value| value != "1"), "required, but: {why}");
    eprintln!("skipped: {why}");
}

fn submit(session: &mut dyn Session, file: FileId, kind: IoKind, offset: u64, len: usize) -> Result<()> {
    session.submit(Io { tag: offset, file, kind, offset, len, buffer: Buffer::new(len) })
}

fn one(session: &mut dyn Session, file: FileId, kind: IoKind, offset: u64, len: usize) -> Result<usize> {
    submit(session, file, kind, offset, len)?;
    let mut done = Vec::new();
    session.reap(1, &mut done)?;
    done.pop().expect("one completion").result
}

fn pages(session: &mut dyn Session, path: &str) -> Vec<Vec<Entry>> {
    let mut pages = Vec::new();
    let mut from = None;
    loop {
        let page = session.list(path, from).unwrap_or_else(|e| panic!("{e}"));
        pages.push(page.entries);
        from = page.next;
        if from.is_none() {
            return pages;
        }
    }
}

#[test]
fn many_files_and_directories_are_listed_once_each_in_bounded_pages() {
    let root = disk();
    let mut expected = BTreeSet::new();
    for index in 0..5000u64 {
        let directory = if index < 4000 { "big".to_string() } else { format!("tree/{}/{}", index % 10, index % 100) };
        std::fs::create_dir_all(root.path().join(&directory)).unwrap();
        let path = format!("{directory}/file_{index:05}");
        std::fs::write(root.path().join(&path), vec![0; (index % 7) as usize]).unwrap();
        expected.insert((path, index % 7));
    }
    let mut session = session(root.path());
    let all = pages(&mut *session, "");
    let found: Vec<_> = all.iter().flatten().map(|entry| (entry.path.clone(), entry.size)).collect();
    assert_eq!(found.len(), 5000, "each file once");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(all.iter().all(|page| page.len() <= 32 * 1024 / 32), "a page is one getdents64");
    let big = pages(&mut *session, "big");
    assert!((4..=8).contains(&big.len()), "{} pages", big.len());
}

#[test]
fn a_small_directory_is_one_page_and_a_cursor_serves_once() {
    let root = disk();
    std::fs::create_dir(root.path().join("sub")).unwrap();
    for name in ["a", "sub/b"] {
        std::fs::write(root.path().join(name), b"x").unwrap();
    }
    let mut session = session(root.path());
    assert_eq!(pages(&mut *session, "sub").len(), 1);
    let first = session.list("", None).unwrap();
    assert_eq!(first.entries.len(), 1);
    let second = session.list("", first.next.clone()).unwrap();
    assert_eq!((second.entries.len(), second.next), (1, None));
    assert_eq!(kind(session.list("", first.next)), ErrorKind::Invalid);
    assert_eq!(kind(session.list("none", None)), ErrorKind::NotFound);
    assert_eq!(kind(session.list("a", None)), ErrorKind::WrongType);
}

#[test]
fn links_are_neither_listed_nor_followed() {
    let root = disk();
    let outside = disk();
    std::fs::write(outside.path().join("precious"), b"data").unwrap();
    symlink(outside.path(), root.path().join("directory")).unwrap();
    symlink(outside.path().join("precious"), root.path().join("file")).unwrap();
    let mut session = session(root.path());
    assert_eq!(pages(&mut *session, "").concat(), []);
    for mode in [OpenMode::Read, OpenMode::CreateOrReplace, OpenMode::Append, OpenMode::ReadWrite] {
        let error = session.open("file", options(mode)).unwrap_err();
        assert!(error.kind == ErrorKind::WrongType && error.detail.contains("symbolic link"), "{error}");
    }
    assert_eq!(kind(session.open("file", options(OpenMode::CreateNew))), ErrorKind::AlreadyExists);
    assert_eq!(kind(session.truncate("file", 0)), ErrorKind::WrongType);
    assert_eq!(kind(session.evict("file")), ErrorKind::WrongType);
    assert_eq!(kind(session.stat("file")), ErrorKind::WrongType);
    assert_eq!(kind(session.mkdir("directory")), ErrorKind::WrongType);
    assert_eq!(kind(session.list("directory", None)), ErrorKind::WrongType);
    session.delete("file").unwrap();
    session.delete("directory").unwrap();
    assert_eq!(std::fs::read(outside.path().join("precious")).unwrap(), b"data");
}

#[test]
fn a_base_that_is_a_link_to_a_directory_is_the_users_choice() {
    let root = disk();
    std::fs::create_dir(root.path().join("real")).unwrap();
    std::fs::write(root.path().join("real/a"), b"x").unwrap();
    symlink(root.path().join("real"), root.path().join("link")).unwrap();
    let mut session = session(&root.path().join("link"));
    session.mkdir("").unwrap();
    assert!(session.stat("").unwrap().directory);
    assert_eq!(pages(&mut *session, "").concat().len(), 1);
}

#[test]
fn files_where_directories_are_needed_are_named() {
    let root = disk();
    std::fs::write(root.path().join("file"), b"x").unwrap();
    let error = PosixTarget::open(&root.path().join("file")).unwrap_err();
    assert_eq!((error.kind, error.path), (ErrorKind::WrongType, format!("file://{}/file", root.path().display())));
    let mut session = session(root.path());
    for path in ["file", "file/sub", "file/sub/deep"] {
        let error = session.mkdir(path).unwrap_err();
        assert!(error.kind == ErrorKind::WrongType && error.path.ends_with("/file"), "{path}: {error}");
    }
    assert!(!session.exists("file/sub").unwrap());
    assert_eq!(kind(session.open("", options(OpenMode::Read))), ErrorKind::WrongType);
    assert_eq!(kind(session.rename("file", "")), ErrorKind::Invalid);
}

#[test]
fn abandoning_leaves_files_of_others_alone() {
    let root = disk();
    let mut session = session(root.path());
    let file = session.open("a", options(OpenMode::CreateNew)).unwrap();
    std::fs::rename(root.path().join("a"), root.path().join("b")).unwrap();
    std::fs::write(root.path().join("a"), b"another's").unwrap();
    session.abandon(file).unwrap();
    assert_eq!(std::fs::read(root.path().join("a")).unwrap(), b"another's");
    let file = session.open("a", options(OpenMode::Read)).unwrap();
    session.abandon(file).unwrap();
    assert!(root.path().join("a").exists(), "a file open for reading is only closed");
}

#[test]
fn misuse_is_refused() {
    let root = disk();
    std::fs::write(root.path().join("a"), b"x").unwrap();
    let mut session = session(root.path());
    let file = session.open("a", options(OpenMode::Read)).unwrap();
    let io = Io { tag: 0, file, kind: IoKind::Read, offset: 0, len: 2, buffer: Buffer::new(1) };
    assert_eq!(kind(session.submit(io)), ErrorKind::Invalid);
    assert_eq!(kind(one(&mut *session, file, IoKind::Write, 0, 1)), ErrorKind::Invalid);
    submit(&mut *session, file, IoKind::Read, 0, 1).unwrap();
    assert_eq!(kind(session.close(file)), ErrorKind::Invalid);
    let mut done = Vec::new();
    session.reap(1, &mut done).unwrap();
    session.close(file).unwrap();
    for result in [submit(&mut *session, file, IoKind::Read, 0, 1), session.close(file), session.size(file).map(|_| ())]
    {
        assert_eq!(kind(result), ErrorKind::Invalid);
    }
}

/// 64 KiB blocks that each hold their own number.
fn numbered(path: &Path, blocks: usize) {
    let data: Vec<u8> = (0..blocks).flat_map(|block| [block as u8; 65_536]).collect();
    std::fs::write(path, data).expect("writes");
}

fn reap_all(session: &mut dyn Session, count: usize) -> Vec<Completion> {
    let mut done = Vec::new();
    while done.len() < count {
        let before = done.len();
        session.reap(1, &mut done).expect("reap works");
        assert!(done.len() > before, "{} of {count} came", done.len());
    }
    done
}

#[test]
fn more_reads_than_the_ring_holds_come_back_right() {
    let root = disk();
    numbered(&root.path().join("a"), 100);
    for prefetch in [Prefetch::IoUring, Prefetch::Fadvise] {
        let mut session = session_with(root.path(), prefetch);
        session.evict("a").unwrap();
        let file = session.open("a", options(OpenMode::Read)).unwrap();
        // The last blocks reach over the end, or lie behind it.
        for index in 0..1000u64 {
            submit(&mut *session, file, IoKind::Read, index * 6560, 65_536).unwrap();
        }
        for completion in reap_all(&mut *session, 1000) {
            let left = (100 * 65_536u64).saturating_sub(completion.tag).min(65_536) as usize;
            assert_eq!(completion.result, Ok(left), "{prefetch:?} at {}", completion.tag);
            let bytes = &completion.buffer.as_ref()[..left];
            let right = bytes.iter().enumerate().all(|(i, byte)| *byte == ((completion.tag + i as u64) >> 16) as u8);
            assert!(right, "{prefetch:?} at {}", completion.tag);
        }
        session.close(file).unwrap();
    }
}

#[test]
fn reap_without_waiting_gets_there() {
    let root = disk();
    numbered(&root.path().join("a"), 8);
    for prefetch in [Prefetch::IoUring, Prefetch::Fadvise] {
        let mut session = session_with(root.path(), prefetch);
        session.evict("a").unwrap();
        let file = session.open("a", options(OpenMode::ReadWrite)).unwrap();
        for index in 0..8 {
            submit(&mut *session, file, IoKind::Read, index * 65_536, 65_536).unwrap();
        }
        submit(&mut *session, file, IoKind::Write, 0, 0).unwrap();
        submit(&mut *session, file, IoKind::Sync, 0, 0).unwrap();
        let mut done = Vec::new();
        while done.len() < 10 {
            session.reap(0, &mut done).unwrap();
        }
        session.reap(5, &mut done).unwrap();
        assert_eq!(done.len(), 10, "none is left");
        session.close(file).unwrap();
    }
}

#[test]
fn files_with_reads_in_flight_can_be_given_up() {
    let root = disk();
    for name in ["a", "b"] {
        numbered(&root.path().join(name), 64);
    }
    let mut session = session(root.path());
    session.evict("a").unwrap();
    session.evict("b").unwrap();
    let (a, b) =
        (session.open("a", options(OpenMode::Read)).unwrap(), session.open("b", options(OpenMode::Read)).unwrap());
    for index in 0..64 {
        submit(&mut *session, a, IoKind::Read, index * 65_536, 65_536).unwrap();
        submit(&mut *session, b, IoKind::Read, index * 65_536, 65_536).unwrap();
    }
    let mut done = Vec::new();
    session.reap(0, &mut done).unwrap();
    let of_b = |done: &[Completion]| done.iter().filter(|completion| completion.result == Ok(65_536)).count();
    let early = of_b(&done);
    session.abandon(a).unwrap();
    let mut rest = Vec::new();
    session.reap(64, &mut rest).unwrap();
    assert!(early + rest.len() >= 64, "all of b's came: {early} + {}", rest.len());
    session.close(b).unwrap();
}

#[test]
fn a_session_dropped_with_reads_in_flight_waits_for_them() {
    let root = disk();
    numbered(&root.path().join("a"), 128);
    for _ in 0..20 {
        let mut session = session(root.path());
        session.evict("a").unwrap();
        let file = session.open("a", options(OpenMode::Read)).unwrap();
        for index in 0..128 {
            submit(&mut *session, file, IoKind::Read, index * 65_536, 65_536).unwrap();
        }
        session.reap(0, &mut Vec::new()).unwrap();
    }
}

#[test]
fn an_interrupt_ends_queued_requests() {
    let root = disk();
    numbered(&root.path().join("a"), 4);
    let target = PosixTarget::open(root.path()).unwrap();
    let mut session = target.session(Rc::new(NoProbe)).unwrap();
    let file = session.open("a", options(OpenMode::Read)).unwrap();
    for index in 0..4 {
        submit(&mut *session, file, IoKind::Read, index * 65_536, 65_536).unwrap();
    }
    target.interrupt();
    for completion in reap_all(&mut *session, 4) {
        assert_eq!(kind(completion.result), ErrorKind::Interrupted);
    }
    assert_eq!(kind(session.close(file)), ErrorKind::Interrupted);
    session.abandon(file).unwrap();
}

#[test]
fn facts_say_which_prefetch_is_used() {
    let root = disk();
    let fact = |target: &PosixTarget| target.facts().into_iter().find(|(name, _)| name == "prefetch").unwrap().1;
    let target = PosixTarget::open(root.path()).unwrap();
    assert!(["io_uring", "fadvise"].contains(&fact(&target).as_str()));
    eprintln!("{:#?}", target.facts());
    assert_eq!(fact(&target.with_prefetch(Prefetch::Fadvise)), "fadvise");
}

#[test]
fn evicted_files_are_not_cached() {
    let root = disk();
    let kind = PosixTarget::open(root.path()).unwrap().facts().into_iter().find(|(name, _)| name == "file system");
    if !kind.as_ref().is_some_and(|(_, kind)| ["ext4", "ext3", "xfs"].contains(&kind.as_str())) {
        return skip(&format!("eviction is certain on ext4 and xfs only, here is {kind:?}"));
    }
    numbered(&root.path().join("a"), 16);
    let mut session = session(root.path());
    let of = 16 * 65_536;
    assert_eq!(session.cached("a").unwrap(), Some(Cached { bytes: of, of }));
    assert_eq!(session.evict("a").unwrap(), Some(Cached { bytes: 0, of }));
    assert_eq!(session.cached("a").unwrap(), Some(Cached { bytes: 0, of }));
    let file = session.open("a", options(OpenMode::Read)).unwrap();
    one(&mut *session, file, IoKind::Read, 0, 65_536).unwrap();
    let now = session.cached("a").unwrap().unwrap();
    assert!(now.bytes >= 65_536, "{now:?}");
    session.close(file).unwrap();
}

#[test]
fn what_is_not_permitted_is_denied() {
    let root = disk();
    let closed = root.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::write(closed.join("a"), b"x").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let path = root.path().to_path_buf();
    let mine = std::fs::metadata(&path).unwrap().uid();
    std::thread::spawn(move || {
        if mine == 0 {
            let nobody = rustix::process::Uid::from_raw(65_534);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            // Of this thread only; it ends with the test.
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        }
        if std::fs::metadata(&path).is_err() {
            return skip("the temporary directory lies where nobody else may look");
        }
        let mut session = session(&path);
        assert_eq!(kind(session.exists("closed/a")), ErrorKind::Denied, "no clear no");
        assert_eq!(kind(session.stat("closed/a")), ErrorKind::Denied);
        assert_eq!(kind(session.list("", None).and_then(|page| session.list("", page.next))), ErrorKind::Denied);
        let error = session.open("closed/b", options(OpenMode::CreateNew)).unwrap_err();
        assert!(error.kind == ErrorKind::Denied && error.to_string().contains("closed/b"), "{error}");
        assert_eq!(kind(PosixTarget::open(&path.join("closed/base"))), ErrorKind::Denied);
    })
    .join()
    .unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A small ext4 in a file; unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> std::result::Result<Self, String> {
        let root = disk();
        let (image, point) = (root.path().join("image"), root.path().join("mnt"));
        std::fs::create_dir(&point).expect("makes a directory");
        let sparse = std::fs::File::create(&image).and_then(|file| file.set_len(8 << 20));
        sparse.expect("makes a sparse file");
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-O", "^has_journal"]).arg(&image))?;
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&point))?;
        Ok(Self(root))
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("mnt")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run(Command::new("umount").arg(self.path())).expect("unmounts");
    }
}

fn run(command: &mut Command) -> std::result::Result<(), String> {
    let done = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr).trim())),
    }
}

#[test]
fn a_full_disk_is_no_space_and_abandoning_frees_it() {
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(why) => return skip(&why),
    };
    let mut session = session(&disk.path());
    let file = session.open("big", options(OpenMode::CreateNew)).unwrap();
    let failed = (0..16u64).find_map(|index| one(&mut *session, file, IoKind::Write, index << 20, 1 << 20).err());
    let error = failed.expect("16 MiB do not fit on 8");
    assert!(error.kind == ErrorKind::NoSpace && error.path.ends_with("/mnt/big"), "{error}");
    session.abandon(file).unwrap();
    assert!(!session.exists("big").unwrap());
    let file = session.open("small", options(OpenMode::CreateNew)).unwrap();
    assert_eq!(one(&mut *session, file, IoKind::Write, 0, 4 << 20), Ok(4 << 20));
    assert_eq!(one(&mut *session, file, IoKind::Sync, 0, 0), Ok(0));
    session.close(file).unwrap();
}
