//! The target on a real S3 server, named by `FSBENCH_TEST_S3_ENDPOINT`, `_ACCESS_KEY`, `_SECRET_KEY`, `_REGION`, `_BUCKET`
//! (`cargo xtask servers start s3`, `cargo xtask servers env`).

mod support;

use fsbench_target::{ErrorKind, Event, FileId, NoProbe, OpenMode, Session, Stage, Target, conformance};
use fsbench_target_s3::{PART_BYTES_MIN, S3Target};
use std::rc::Rc;
use support::{Server, Tally, get, kind, options, put, reap_one, sample, write};

const PART: usize = PART_BYTES_MIN as usize;

/// Aborts unfinished uploads to names that `owned` accepts, in a session of its own.
fn unfinished(target: &S3Target, owned: &dyn Fn(&str) -> bool) -> fsbench_target::Result<u64> {
    session(target).abort_unfinished(owned)
}

fn session(target: &S3Target) -> Box<dyn Session> {
    target.session(Rc::new(NoProbe)).expect("a session")
}

#[test]
fn conforms() {
    let Some(server) = Server::from_env() else { return };
    conformance::run(&server.target("conforms", &[]));
}

#[test]
fn conforms_with_signed_payloads_and_one_connection() {
    let Some(server) = Server::from_env() else { return };
    conformance::run(&server.target("signed", &[("payload", "sha256"), ("AWS_MAX_CONNECTIONS", "1")]));
}

#[test]
fn multipart_uploads_are_whole() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("multipart", &[("part_size", "5MiB"), ("upload_concurrency", "3")]);
    for (size, hint) in [(PART, true), (PART, false), (PART + 1, true), (3 * PART, false), (3 * PART + 12_345, true)] {
        let tally = Rc::new(Tally::default());
        let mut session = target.session(tally.clone()).expect("a session");
        let data = sample(size);
        put(&mut *session, "big", OpenMode::CreateOrReplace, &data, 1_000_000, hint).expect("written");
        assert!(get(&mut *session, "big") == data, "{size}");
        let parts = if size == PART { 0 } else { size.div_ceil(PART) as u64 };
        assert_eq!(tally.count(Stage::Part), parts, "{size}");
        assert_eq!(tally.bytes(Stage::Part), if parts > 0 { size as u64 } else { 0 });
        assert_eq!(tally.count(Stage::Complete), u64::from(parts > 0));
        assert!(tally.count(Stage::Connect) <= 3, "no more connections than uploads in flight");
        session.delete("big").expect("deleted");
    }
}

#[test]
fn create_new_refuses_a_name_taken_meanwhile() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("exclusive", &[("part_size", "5MiB")]);
    let mut session = session(&target);
    for size in [100, PART + 100] {
        let data = sample(size);
        let file = session.open("new", options(OpenMode::CreateNew, size, true)).expect("opens");
        write(&mut *session, file, &data, 1_000_000).expect("accepted");
        put(&mut *session, "new", OpenMode::CreateOrReplace, b"other", 10, true).expect("somebody else's");
        assert_eq!(kind(session.close(file)), ErrorKind::AlreadyExists, "{size}");
        session.abandon(file).expect("abandons");
        assert_eq!(get(&mut *session, "new"), b"other");
        session.delete("new").expect("deleted");
    }
    assert_eq!(unfinished(&target, &|_| true), Ok(0));
}

#[test]
fn abandoned_uploads_leave_nothing() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("abandon", &[("part_size", "5MiB")]);
    let tally = Rc::new(Tally::default());
    let mut session = target.session(tally.clone()).expect("a session");
    for interrupted in [false, true] {
        let file = session.open("gone", options(OpenMode::CreateNew, 8 * PART, true)).expect("opens");
        write(&mut *session, file, &sample(4 * PART), 1_000_000).expect("accepted");
        if interrupted {
            target.interrupt();
            assert_eq!(kind(session.close(file)), ErrorKind::Interrupted);
        }
        session.abandon(file).expect("abandons");
        target.resume();
        assert!(!session.exists("gone").expect("exists works"));
    }
    assert_eq!(tally.events(Event::Abort), 2);
    assert_eq!(unfinished(&target, &|_| true), Ok(0));
}

#[test]
fn a_killed_runs_uploads_are_found() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("killed", &[("part_size", "5MiB")]);
    let mut session = session(&target);
    let file = session.open("a b+c", options(OpenMode::CreateNew, 8 * PART, true)).expect("opens");
    write(&mut *session, file, &sample(4 * PART), 1_000_000).expect("accepted");
    drop(session);
    assert_eq!(unfinished(&target, &|name| name == "a"), Ok(0), "somebody else's upload stays");
    assert_eq!(unfinished(&target, &|name| name == "a b+c"), Ok(1));
    assert_eq!(unfinished(&target, &|_| true), Ok(0));
}

#[test]
fn large_copies_go_in_parts() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("copy", &[("part_size", "5MiB"), ("copy_part_threshold", "5MiB")]);
    let tally = Rc::new(Tally::default());
    let mut session = target.session(tally.clone()).expect("a session");
    let data = sample(3 * PART + 17);
    put(&mut *session, "from +%", OpenMode::CreateOrReplace, &data, 1 << 20, true).expect("written");
    let before = tally.count(Stage::Part);
    session.rename("from +%", "to").expect("renamed");
    assert_eq!(tally.count(Stage::Part) - before, 4);
    assert!(get(&mut *session, "to") == data);
    assert!(!session.exists("from +%").expect("exists works"));
    assert_eq!(kind(session.rename("to", "to")), ErrorKind::Invalid);
    session.delete("to").expect("deleted");
    assert_eq!(unfinished(&target, &|_| true), Ok(0));
}

#[test]
fn a_replaced_object_is_noticed() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("replaced", &[]);
    let mut session = session(&target);
    put(&mut *session, "a", OpenMode::CreateOrReplace, &sample(1000), 1000, true).expect("written");
    let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
    put(&mut *session, "a", OpenMode::CreateOrReplace, &sample(2000), 1000, true).expect("written");
    let error = support::read_at(&mut *session, file, 0, 10).expect_err("it is another object");
    assert_eq!(error.kind, ErrorKind::Corrupt, "{error}");
    session.delete("a").expect("deleted");
}

#[test]
fn sessions_share_few_connections() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("shared", &[("AWS_MAX_CONN_SIZE", "2")]);
    let mut one = session(&target);
    let mut others: Vec<_> = (0..4).map(|_| session(&target)).collect();
    put(&mut *one, "a", OpenMode::CreateOrReplace, &sample(100), 100, true).expect("written");
    for round in 0..3 {
        for other in &mut others {
            assert!(other.exists("a").unwrap_or_else(|error| panic!("round {round}: {error}")));
        }
    }
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let mut own = session(&target);
                (0..20).for_each(|_| assert!(own.exists("a").expect("exists works")));
            });
        }
    });
    one.delete("a").expect("deleted");
}

#[test]
fn stages_and_connections_are_counted() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("stages", &[]);
    let tally = Rc::new(Tally::default());
    let mut session = target.session(tally.clone()).expect("a session");
    let data = sample(10_000);
    put(&mut *session, "a", OpenMode::CreateOrReplace, &data, 1000, true).expect("written");
    assert_eq!(tally.count(Stage::Request), 1, "a small file is one PUT");
    let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
    for offset in (0..10_000).step_by(1000) {
        assert!(
            support::read_at(&mut *session, file, offset as u64, 1000).expect("reads") == data[offset..offset + 1000]
        );
    }
    assert_eq!(support::read_at(&mut *session, file, 10_000, 1000), Ok(vec![]));
    session.close(file).expect("closes");
    assert_eq!((tally.count(Stage::FirstByte), tally.count(Stage::Request)), (10, 12));
    assert_eq!(tally.bytes(Stage::Request), 20_000);
    assert_eq!(session.list("", None).expect("lists").entries.len(), 1);
    session.delete("a").expect("deleted");
    assert_eq!((tally.count(Stage::Request), tally.count(Stage::Connect)), (14, 1), "one connection for all in turn");
    assert_eq!(tally.events(Event::Reconnect), 0);
}

#[test]
fn listings_have_pages() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("pages", &[]);
    let mut session = session(&target);
    for index in 0..1005 {
        put(&mut *session, &format!("d/{index:04}"), OpenMode::CreateOrReplace, b"x", 10, true).expect("written");
    }
    let first = session.list("d", None).expect("a page");
    assert_eq!(first.entries.len(), 1000);
    let second = session.list("d", first.next).expect("a page");
    assert_eq!((second.entries.len(), second.next), (5, None));
    for entry in first.entries.iter().chain(&second.entries) {
        session.delete(&entry.path).expect("deleted");
    }
}

#[test]
fn mistakes_are_explained() {
    let Some(server) = Server::from_env() else { return };
    let check = |settings: &[(&str, &str)], bucket: Option<&str>, expected: ErrorKind, says: &str| {
        let target = server.target_in(bucket.unwrap_or(&server.bucket), "mistakes", settings);
        let error = session(&target).list("", None).expect_err(says);
        assert_eq!(error.kind, expected, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert!(!error.to_string().contains(&server.secret_key), "{error}");
        let error = session(&target).exists("").expect_err(says);
        assert_eq!(error.kind, expected, "{error}");
    };
    check(&[], Some("no-such-bucket-here"), ErrorKind::NotFound, "NoSuchBucket");
    check(&[("AWS_ACCESS_KEY", "nobody")], None, ErrorKind::Unauthenticated, "AWS_ACCESS_KEY");
    check(&[("AWS_SECRET_KEY", "wrong")], None, ErrorKind::Unauthenticated, "AWS_SECRET_KEY");
    check(&[("AWS_CREDENTIALS_PROVIDER_TYPE", "ANONYMOUS")], None, ErrorKind::Denied, "AccessDenied");
    check(&[("AWS_ENDPOINT", "http://127.0.0.1:1")], None, ErrorKind::Connection, "AWS_ENDPOINT");
    let target = server.target("mistakes", &[("AWS_SECRET_KEY", "wrong")]);
    assert_eq!(kind(session(&target).exists("a")), ErrorKind::Denied, "a HEAD has no code");
    let mut good = session(&server.target("mistakes", &[]));
    let error = good.open("missing", options(OpenMode::Read, 0, false)).expect_err("missing");
    assert!(error.to_string().contains("mistakes/missing: no such object"), "{error}");
}

#[test]
fn writes_follow_each_other() {
    let Some(server) = Server::from_env() else { return };
    let target = server.target("order", &[]);
    let mut session = session(&target);
    let file = session.open("a", options(OpenMode::CreateOrReplace, 10, true)).expect("opens");
    write(&mut *session, file, b"12345", 5).expect("accepted");
    assert_eq!(kind(session.submit(support::write_io(file, 6, b"x"))), ErrorKind::Invalid);
    assert_eq!(kind(session.submit(support::write_io(FileId(99), 0, b"x"))), ErrorKind::Invalid);
    session.submit(support::write_io(file, 5, b"6")).expect("follows");
    assert_eq!(reap_one(&mut *session).result, Ok(1));
    session.close(file).expect("closes");
    assert_eq!(get(&mut *session, "a"), b"123456");
    session.delete("a").expect("deleted");
}

#[test]
fn https_needs_the_servers_authority() {
    let Some(server) = Server::tls_from_env() else { return };
    conformance::run(&server.target("tls", &[]));
    let tally = Rc::new(Tally::default());
    let target = server.target("tls", &[]);
    target.session(tally.clone()).expect("a session").exists("a").expect("exists works");
    assert_eq!((tally.count(Stage::Connect), tally.count(Stage::Tls)), (1, 1));
    let distrusting = server.without_bundle().target("tls", &[]);
    let error = session(&distrusting).exists("a").expect_err("an unknown authority");
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(error.to_string().contains("s3.ca_bundle"), "{error}");
}
