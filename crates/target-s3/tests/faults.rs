//! The target on servers that misbehave: they stall, reset, truncate, refuse, and close connections that rest.

mod support;

use fsbench_target::{ErrorKind, Event, OpenMode, Result, Session, Stage, Target};
use fsbench_target_s3::S3Target;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Tally, kind, options, put, read_at, sample, target};

/// What the server does with a request: the answer, and whether the connection stays.
enum Act {
    Answer(String),
    AnswerAndClose(String),
    AnswerAndStall(String),
    Stall,
    Reset,
}

/// A server that does the same to the requests of all connections: `script` gets each request's head and its number.
fn server(script: impl Fn(&str, usize) -> Act + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (script, served) = (Arc::new(script), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (script, served) = (script.clone(), served.clone());
            std::thread::spawn(move || serve(stream, &*script, &served));
        }
    });
    address
}

fn serve(mut stream: TcpStream, script: &dyn Fn(&str, usize) -> Act, served: &AtomicUsize) {
    while let Some(head) = request(&mut stream) {
        match script(&head, served.fetch_add(1, Ordering::SeqCst)) {
            Act::Answer(text) => stream.write_all(text.as_bytes()).expect("answered"),
            Act::AnswerAndClose(text) => return stream.write_all(text.as_bytes()).expect("answered"),
            Act::AnswerAndStall(text) => {
                stream.write_all(text.as_bytes()).expect("answered");
                std::thread::sleep(Duration::from_secs(60));
            }
            Act::Stall => std::thread::sleep(Duration::from_secs(60)),
            Act::Reset => {
                // Closing with unread bytes resets: leave the rest of the request where it is.
                return;
            }
        }
    }
}

/// The head of the next request; its body is read and dropped.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8(head).ok()?.to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(head)
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"e\"\r\n\r\n{body}", body.len())
}

fn head_of(size: usize) -> Act {
    Act::Answer(format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nETag: \"e\"\r\n\r\n"))
}

fn slow_down() -> String {
    answer("503 Slow Down", "<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>")
}

fn at(address: SocketAddr, settings: &[(&str, &str)]) -> S3Target {
    let endpoint = format!("http://{address}");
    let base = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_REGION", "r"),
        ("AWS_ACCESS_KEY", "AK"),
        ("AWS_SECRET_KEY", "hunter2"),
        ("AWS_REQUEST_TIMEOUT_MS", "300"),
        ("AWS_CONNECTION_TIMEOUT_MS", "300"),
    ];
    target("b", "p", &[&base[..], settings].concat())
}

/// Opens an object of 1000 bytes and reads it, with a GET that meets `act`.
fn read_with(
    act: impl Fn(usize) -> Act + Send + Sync + 'static,
    settings: &[(&str, &str)],
) -> (Result<Vec<u8>>, Rc<Tally>) {
    let address = server(move |head, number| if head.starts_with("head") { head_of(1000) } else { act(number) });
    let tally = Rc::new(Tally::default());
    let mut session = at(address, settings).session(tally.clone()).expect("a session");
    let file = session.open("a", options(OpenMode::Read, 0, false)).expect("opens");
    (read_at(&mut *session, file, 0, 1000), tally)
}

fn partial(sent: usize) -> String {
    format!("HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\n\r\n{}", "x".repeat(sent))
}

#[test]
fn each_fault_has_its_kind() {
    for (name, act, expected) in [
        ("a server that never answers", (|_| Act::Stall) as fn(usize) -> Act, ErrorKind::Timeout),
        ("a body that stalls", |_| Act::AnswerAndStall(partial(500)), ErrorKind::Timeout),
        ("a body that is cut", |_| Act::AnswerAndClose(partial(500)), ErrorKind::ShortRead),
        ("a reset", |_| Act::Reset, ErrorKind::Connection),
        ("slow down", |_| Act::Answer(slow_down()), ErrorKind::Throttled),
        ("an internal error", |_| Act::Answer(answer("500 Internal Server Error", "")), ErrorKind::Unavailable),
        ("too few bytes, announced", |_| Act::Answer(answer("206 Partial Content", "abc")), ErrorKind::ShortRead),
        ("too many bytes", |_| Act::Answer(answer("206 Partial Content", &"x".repeat(2000))), ErrorKind::Corrupt),
        ("no HTTP", |_| Act::AnswerAndClose("220 smtp.example ESMTP\r\n\r\n".into()), ErrorKind::Corrupt),
        ("gone meanwhile", |_| Act::Answer(answer("404 Not Found", "")), ErrorKind::NotFound),
    ] {
        let start = Instant::now();
        let (result, tally) = read_with(act, &[]);
        let error = result.expect_err(name);
        assert_eq!(error.kind, expected, "{name}: {error}");
        assert!(error.path == "s3://b/p/a" && !error.to_string().contains("hunter2"), "{error}");
        assert!(start.elapsed() < Duration::from_millis(900), "{name} took {:?}", start.elapsed());
        assert_eq!(tally.count(Stage::Connect), 1, "{name}: nothing is tried again");
    }
}

#[test]
fn a_timeout_is_neither_early_nor_late() {
    let start = Instant::now();
    let (result, _) = read_with(|_| Act::Stall, &[("AWS_REQUEST_TIMEOUT_MS", "400")]);
    assert_eq!(kind(result), ErrorKind::Timeout);
    let took = start.elapsed().as_millis();
    assert!((390..900).contains(&took), "{took} ms");
}

#[test]
fn retries_are_asked_for_and_counted() {
    let flaky = |number| if number < 3 { Act::Answer(slow_down()) } else { Act::Answer(partial(1000)) };
    let (result, tally) = read_with(flaky, &[("retries", "2")]);
    assert_eq!(result.map(|bytes| bytes.len()), Ok(1000));
    assert_eq!(tally.events(Event::Retry(ErrorKind::Throttled)), 2);
    let (result, tally) = read_with(|_| Act::Answer(slow_down()), &[("retries", "1")]);
    assert_eq!((kind(result), tally.events(Event::Retry(ErrorKind::Throttled))), (ErrorKind::Throttled, 1));
    let (result, tally) = read_with(|_| Act::Answer(answer("403 Forbidden", "")), &[("retries", "5")]);
    assert_eq!((kind(result), tally.events(Event::Retry(ErrorKind::Denied))), (ErrorKind::Denied, 0));
}

#[test]
fn a_connection_closed_while_it_rested_is_replaced() {
    let address = server(|_, _| Act::AnswerAndClose("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n".into()));
    let tally = Rc::new(Tally::default());
    let mut session = at(address, &[]).session(tally.clone()).expect("a session");
    for _ in 0..3 {
        assert_eq!(session.stat("a").map(|stat| stat.size), Ok(7));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!((tally.count(Stage::Connect), tally.events(Event::Reconnect)), (3, 2));
}

#[test]
fn nobody_listens() {
    let mut session = at(([127, 0, 0, 1], 1).into(), &[]).session(Rc::new(Tally::default())).expect("a session");
    let error = session.stat("a").expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(error.to_string().contains("http://127.0.0.1:1"), "{error}");
}

#[test]
fn a_late_error_of_complete_is_an_error() {
    let address = server(|head, _| {
        let text = match head.split(' ').nth(1).unwrap_or_default() {
            path if path.ends_with("?uploads=") => {
                "<InitiateMultipartUploadResult><UploadId>u/+ 1</UploadId></InitiateMultipartUploadResult>"
            }
            path if path.contains("partnumber") => "",
            _ if head.starts_with("delete") => return Act::Answer("HTTP/1.1 204 No Content\r\n\r\n".into()),
            _ => "<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>sorry</Message></Error>",
        };
        Act::Answer(answer("200 OK", text))
    });
    let target = at(address, &[("part_size", "5MiB")]);
    let tally = Rc::new(Tally::default());
    let mut session = target.session(tally.clone()).expect("a session");
    let error = put(&mut *session, "a", OpenMode::CreateOrReplace, &sample(6 << 20), 1 << 20, true).expect_err("late");
    assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("InternalError: sorry (said after 200 OK)"), "{error}");
}

#[test]
fn a_failed_part_fails_the_file() {
    let address = server(|head, _| match head.split(' ').nth(1).unwrap_or_default() {
        path if path.ends_with("?uploads=") => Act::Answer(answer(
            "200 OK",
            "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
        )),
        path if path.contains("partnumber=2") => Act::Answer(slow_down()),
        _ if head.starts_with("delete") => Act::Answer("HTTP/1.1 204 No Content\r\n\r\n".into()),
        _ => Act::Answer(answer("200 OK", "")),
    });
    let target = at(address, &[("part_size", "5MiB"), ("upload_concurrency", "1")]);
    let tally = Rc::new(Tally::default());
    let mut session = target.session(tally.clone()).expect("a session");
    let file = session.open("a", options(OpenMode::CreateOrReplace, 30 << 20, true)).expect("opens");
    let result = support::write(&mut *session, file, &sample(30 << 20), 1 << 20).and_then(|()| session.close(file));
    assert_eq!(kind(result), ErrorKind::Throttled);
    session.abandon(file).expect("abandons");
    assert_eq!((tally.count(Stage::Complete), tally.events(Event::Abort)), (0, 1));
}

#[test]
fn an_interrupt_ends_a_wait() {
    let address = server(|_, _| Act::Stall);
    let target = at(address, &[("AWS_REQUEST_TIMEOUT_MS", "60000")]);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut session: Box<dyn Session> = target.session(Rc::new(Tally::default())).expect("a session");
            kind(session.stat("a"))
        });
        std::thread::sleep(Duration::from_millis(100));
        target.interrupt();
        assert_eq!(waiting.join().expect("it ends"), ErrorKind::Interrupted);
    });
    assert!(start.elapsed() < Duration::from_secs(2));
}
