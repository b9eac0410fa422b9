//! What goes wrong on a real HDFS, and how it is told.

use crate::here::{clean, cluster, options, put, session, write_at};
use fsbench_target::{ErrorKind, NoProbe, OpenMode, Target};
use fsbench_target_hdfs::{HdfsConfig, HdfsTarget};
use std::rc::Rc;
use std::time::{Duration, Instant};

#[test]
fn another_user_is_denied_by_name() {
    let Some(cluster) = cluster("") else { return };
    let target = cluster.target("denied", &[]);
    let path = format!("/{}", target.uri().rsplit('/').next().expect("a name"));
    let other = cluster.at(&path, &[("hadoop.username", "nobody1")]);
    let error = put(&mut *session(&other), "a", b"x").expect_err("nobody1 may not write here");
    assert_eq!(error.kind, ErrorKind::Denied);
    let text = error.to_string();
    assert!(text.contains("nobody1") && text.contains("/a") && !text.contains('\n'), "{text}");
    clean(&target, &[]);
}

#[test]
fn a_namenode_that_is_down_is_told_in_seconds() {
    let settings = [("hadoop.username".to_owned(), "root".to_owned())];
    let (config, _) = HdfsConfig::resolve("hdfs://127.0.0.1:1/a", &settings, &|_| None, None).expect("resolves");
    let target = HdfsTarget::new(config).expect("nothing is connected yet");
    let before = Instant::now();
    let error = target.session(Rc::new(NoProbe)).and_then(|mut session| session.stat("x")).expect_err("nobody listens");
    assert!(before.elapsed() < Duration::from_secs(5));
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
}

#[test]
fn a_namenode_that_is_silent_is_given_up_at_the_timeout() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    let uri = format!("hdfs://{}/a", silent.local_addr().expect("an address"));
    let settings = [("dfs.client.socket-timeout".to_owned(), "300".to_owned())];
    let (config, _) = HdfsConfig::resolve(&uri, &settings, &|_| None, None).expect("resolves");
    let target = HdfsTarget::new(config).expect("nothing is connected yet");
    let mut session = session(&target);
    assert_eq!(session.stat("x").expect_err("nobody answers").kind, ErrorKind::Timeout);
}

#[test]
fn an_interrupt_ends_a_call_that_hangs() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    let uri = format!("hdfs://{}/a", silent.local_addr().expect("an address"));
    let (config, _) = HdfsConfig::resolve(&uri, &[], &|_| None, None).expect("resolves");
    let target = HdfsTarget::new(config).expect("nothing is connected yet");
    let before = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            target.interrupt();
        });
        let error = session(&target).stat("x").expect_err("nobody answers");
        assert_eq!(error.kind, ErrorKind::Interrupted);
    });
    assert!(before.elapsed() < Duration::from_secs(5));
}

#[test]
fn names_of_the_wrong_kind() {
    let Some(cluster) = cluster("") else { return };
    let target = cluster.target("kinds", &[]);
    let mut session = session(&target);
    session.mkdir("directory").expect("mkdir works");
    put(&mut *session, "file", b"x").unwrap_or_else(|e| panic!("{e}"));
    let mut kind = |path: &str, mode| session.open(path, options(mode)).expect_err(path).kind;
    assert_eq!(kind("gone", OpenMode::Read), ErrorKind::NotFound);
    assert_eq!(kind("gone", OpenMode::Append), ErrorKind::NotFound);
    assert_eq!(kind("directory", OpenMode::Read), ErrorKind::WrongType);
    assert_eq!(kind("directory", OpenMode::CreateOrReplace), ErrorKind::WrongType);
    assert_eq!(kind("file/below", OpenMode::CreateNew), ErrorKind::WrongType);
    assert_eq!(session.mkdir("file").expect_err("a file stands there").kind, ErrorKind::WrongType);
    assert_eq!(session.list("file", None).expect_err("it is a file").kind, ErrorKind::WrongType);
    assert_eq!(session.list("gone", None).expect_err("it is not there").kind, ErrorKind::NotFound);
    assert_eq!(session.delete("gone").expect_err("it is not there").kind, ErrorKind::NotFound);
    clean(&target, &["directory"]);
}

#[test]
fn misuse_is_refused_before_it_is_sent() {
    let Some(cluster) = cluster("") else { return };
    let target = cluster.target("misuse", &[]);
    let mut session = session(&target);
    let file = session.open("a", options(OpenMode::CreateNew)).expect("opens");
    write_at(&mut *session, file, 0, b"12345").expect("writes");
    let gap = fsbench_target::Io {
        tag: 0,
        file,
        kind: fsbench_target::IoKind::Write,
        offset: 9,
        len: 1,
        buffer: fsbench_target::Buffer::new(1),
    };
    assert_eq!(session.submit(gap).expect_err("a gap").kind, ErrorKind::Invalid);
    session.close(file).expect("closes");
    assert_eq!(session.size(file).expect_err("closed").kind, ErrorKind::Invalid);
    assert_eq!(session.stat("a").expect("it is there").size, 5);
    clean(&target, &[]);
}
