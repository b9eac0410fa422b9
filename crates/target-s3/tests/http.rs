//! The target on servers that use what HTTP/1.1 allows, and on some that use more: every framing of a body, answers that
//! come early, late or not at all, while one request is under way and while several are.

mod support;

use fsbench_target::{Buffer, ErrorKind, Event, FileId, Io, IoKind, OpenMode, Session, Stage, Target};
use fsbench_target_s3::S3Target;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Tally, kind, options, put, read_at, sample, target};

/// A server that hands each request's head, and its connection, to `act`. False: the connection ends.
fn server(act: impl Fn(&mut TcpStream, &str) -> bool + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let act = Arc::new(act);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let act = act.clone();
            std::thread::spawn(move || while head(&mut stream).is_some_and(|head| act(&mut stream, &head)) {});
        }
    });
    address
}

fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    String::from_utf8(head).ok().map(|head| head.to_ascii_lowercase())
}

/// Writes; whether that went well.
fn say(stream: &mut TcpStream, text: &str) -> bool {
    stream.write_all(text.as_bytes()).is_ok()
}

fn at(address: SocketAddr, settings: &[(&str, &str)]) -> S3Target {
    let endpoint = format!("http://{address}");
    let base = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_REGION", "r"),
        ("AWS_ACCESS_KEY", "AK"),
        ("AWS_SECRET_KEY", "SK"),
        ("AWS_REQUEST_TIMEOUT_MS", "300"),
    ];
    target("b", "p", &[&base[..], settings].concat())
}

const OPENED: &str = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"e\"\r\n\r\n";

/// What a GET of 1000 bytes brings, twice, from a server that answers so; and how many connections that took.
fn read_twice(says: String, keeps: bool) -> (Vec<Result<Vec<u8>, ErrorKind>>, u64) {
    let address = server(move |stream, head| match head.starts_with("head") {
        true => say(stream, OPENED),
        false => say(stream, &says) && keeps,
    });
    let tally = Rc::new(Tally::default());
    let mut session = at(address, &[]).session(tally.clone()).expect("a session");
    let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
    let reads = (0..2).map(|_| read_at(&mut *session, file, 0, 1000).map_err(|error| error.kind)).collect();
    (reads, tally.count(Stage::Connect))
}

#[test]
fn bodies_come_in_every_framing() {
    let text: String = ('a'..='z').cycle().take(1000).collect();
    let (one, two) = text.split_at(700);
    let chunked = format!("2BC;x=y\r\n{one}\r\n12c\r\n{two}\r\n0\r\nTrailer: t\r\n\r\n");
    for (name, head, body, keeps, connections) in [
        ("a length", "HTTP/1.1 206 P\r\nContent-Length: 1000", &text, true, 1),
        ("chunks", "HTTP/1.1 206 P\r\nTransfer-Encoding: chunked", &chunked, true, 1),
        ("continue before", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 P\r\nContent-Length: 1000", &text, true, 1),
        ("until the end", "HTTP/1.1 206 P", &text, false, 2),
        ("close", "HTTP/1.1 206 P\r\nConnection: close\r\nContent-Length: 1000", &text, true, 2),
        ("old", "HTTP/1.0 206 P\r\nContent-Length: 1000", &text, false, 2),
        ("more than the answer", "HTTP/1.1 206 P\r\nContent-Length: 1000", &format!("{text}more"), true, 2),
    ] {
        let (reads, connected) = read_twice(format!("{head}\r\n\r\n{body}"), keeps);
        assert_eq!(connected, connections, "{name}: {reads:?}");
        for read in reads {
            assert!(read.as_deref() == Ok(text.as_bytes()), "{name}: {read:?}");
        }
    }
}

#[test]
fn bodies_that_lie_are_noticed() {
    let text = "x".repeat(1000);
    for (name, says, keeps, expected) in [
        (
            "a cut chunk",
            format!("HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{}", &text[..10]),
            false,
            ErrorKind::ShortRead,
        ),
        (
            "no last chunk",
            format!("HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{text}\r\n"),
            false,
            ErrorKind::ShortRead,
        ),
        (
            "a long chunk",
            format!("HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3e7\r\n{text}\r\n0\r\n\r\n"),
            true,
            ErrorKind::Corrupt,
        ),
        (
            "too many chunks",
            format!("HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{text}\r\n1\r\nx\r\n0\r\n\r\n"),
            true,
            ErrorKind::Corrupt,
        ),
        ("no size", "HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".into(), true, ErrorKind::Corrupt),
        (
            "two lengths",
            format!("HTTP/1.1 206 P\r\nContent-Length: 1000\r\nContent-Length: 10\r\n\r\n{text}"),
            true,
            ErrorKind::Corrupt,
        ),
        ("a head without end", format!("HTTP/1.1 206 P\r\nX: {}", "x".repeat(100_000)), true, ErrorKind::Corrupt),
        ("half a head", "HTTP/1.1 206 P\r\nX: x".into(), false, ErrorKind::Connection),
        ("another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n".into(), true, ErrorKind::Corrupt),
    ] {
        let (reads, connected) = read_twice(says, keeps);
        assert_eq!(reads, vec![Err(expected); 2], "{name}");
        assert!(connected >= 2, "{name}: such a connection does not serve again");
    }
}

const REFUSED: &str = "HTTP/1.1 503 Slow Down\r\nContent-Length: 36\r\n\r\n<Error><Code>SlowDown</Code></Error>";

/// A server that refuses every body without reading it, after creating uploads; `closes`: and the connection with it.
fn refusing(closes: bool) -> SocketAddr {
    const CREATED: &str = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
    server(move |stream, head| {
        if head.starts_with("post") {
            return say(stream, &format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{CREATED}", CREATED.len()));
        }
        if head.starts_with("put") {
            say(stream, "HTTP/1.1 100 Continue\r\n\r\n");
            say(stream, REFUSED);
            // The client must see it although nobody takes its bytes.
            std::thread::sleep(if closes { Duration::from_millis(20) } else { Duration::from_secs(60) });
            return false;
        }
        say(stream, "HTTP/1.1 204 No Content\r\n\r\n")
    })
}

#[test]
fn an_answer_before_the_end_of_a_body_is_heard() {
    for (closes, size) in [(false, 24 << 20), (true, 24 << 20)] {
        for part_size in ["64MiB", "5MiB"] {
            let target = at(refusing(closes), &[("part_size", part_size), ("AWS_REQUEST_TIMEOUT_MS", "5000")]);
            let tally = Rc::new(Tally::default());
            let mut session = target.session(tally.clone()).expect("a session");
            let start = Instant::now();
            let error = put(&mut *session, "a", OpenMode::CreateOrReplace, &sample(size), size, true);
            assert_eq!(kind(error), ErrorKind::Throttled, "closes: {closes}, parts of {part_size}");
            assert!(start.elapsed() < Duration::from_secs(4), "it did not wait for the timeout");
            session.delete("a").expect("on another connection");
            assert!(tally.events(Event::Reconnect) >= 1);
        }
    }
}

fn read_io(file: FileId, tag: u64) -> Io {
    Io { tag, file, kind: IoKind::Read, offset: 0, len: 1000, buffer: Buffer::new(1000) }
}

/// A server that opens objects and then says and takes nothing.
fn silent() -> SocketAddr {
    server(|stream, head| match head.starts_with("head") {
        true => say(stream, OPENED),
        false => {
            std::thread::sleep(Duration::from_secs(60));
            false
        }
    })
}

#[test]
fn silence_ends_each_of_several_requests() {
    let target = at(silent(), &[]);
    let mut session = target.session(Rc::new(Tally::default())).expect("a session");
    let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
    let start = Instant::now();
    (0..3).for_each(|tag| session.submit(read_io(file, tag)).expect("taken"));
    let mut done = Vec::new();
    session.reap(3, &mut done).expect("reaps");
    assert!(done.into_iter().all(|completion| kind(completion.result) == ErrorKind::Timeout));
    let took = start.elapsed().as_millis();
    // Not before its time; how long after it depends on the machine.
    assert!((290..20_000).contains(&took), "{took} ms");
}

#[test]
fn silence_ends_a_request_that_is_being_sent() {
    for size in [100, 24 << 20] {
        let target = at(silent(), &[("part_size", "64MiB")]);
        let mut session = target.session(Rc::new(Tally::default())).expect("a session");
        let start = Instant::now();
        let error = put(&mut *session, "a", OpenMode::CreateOrReplace, &sample(size), size, true);
        assert_eq!(kind(error), ErrorKind::Timeout);
        assert!((290..20_000).contains(&start.elapsed().as_millis()), "{size}: {:?}", start.elapsed());
    }
}

/// How long after the word to stop `call` ended.
fn stopped(call: impl FnOnce(&mut dyn Session) -> ErrorKind + Send) -> Duration {
    let target = at(silent(), &[("part_size", "64MiB"), ("AWS_REQUEST_TIMEOUT_MS", "60000")]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut session = target.session(Rc::new(Tally::default())).expect("a session");
            call(&mut *session)
        });
        std::thread::sleep(Duration::from_millis(300));
        let told = Instant::now();
        target.interrupt();
        assert_eq!(waiting.join().expect("it ends"), ErrorKind::Interrupted);
        told.elapsed()
    })
}

#[test]
fn the_word_to_stop_is_heard_soon() {
    let waits = [
        stopped(|session| kind(session.delete("a"))),
        stopped(|session| kind(put(session, "a", OpenMode::CreateOrReplace, &sample(24 << 20), 24 << 20, true))),
        stopped(|session| {
            let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
            (0..2).for_each(|tag| session.submit(read_io(file, tag)).expect("taken"));
            let mut done = Vec::new();
            session.reap(2, &mut done).expect("reaps");
            kind(done.remove(0).result)
        }),
    ];
    // 50 ms on a machine at rest; the timeout that would end them otherwise is a minute.
    assert!(waits.iter().all(|wait| *wait < Duration::from_secs(20)), "{waits:?}");
}
