//! A proxy between fsbench and an HTTP server, which fails as servers and networks do. It reads just enough of HTTP/1.1
//! to tell requests apart: heads, `Content-Length`, chunked answers; one thread for each connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// 503 with S3's `SlowDown`.
    SlowDown,
    /// The connection is reset before the request was read to its end.
    Reset,
    /// Nothing is ever answered.
    Stall,
    /// Half of the answer's body, then the connection is closed.
    Truncate,
}

/// Which requests fail, and how.
#[derive(Clone, Copy)]
pub struct Fault {
    pub failure: Failure,
    /// Every so manieth of the requests that match.
    pub every: u64,
    /// Whether a request line matches.
    pub of: fn(&str) -> bool,
}

struct Shared {
    upstream: String,
    fault: Mutex<Option<Fault>>,
    matched: AtomicU64,
    injected: AtomicU64,
    down: AtomicBool,
}

/// Runs until it is dropped.
pub struct Proxy {
    pub endpoint: String,
    shared: Arc<Shared>,
}

impl Proxy {
    /// A proxy before `upstream`, `http://host:port`, that forwards everything.
    pub fn before(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("it is bound"));
        let upstream = upstream.strip_prefix("http://").expect("a plain HTTP server").trim_end_matches('/').to_string();
        let shared = Arc::new(Shared {
            upstream,
            fault: Mutex::new(None),
            matched: AtomicU64::new(0),
            injected: AtomicU64::new(0),
            down: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        std::thread::spawn(move || accept(&listener, &accepting));
        Self { endpoint, shared }
    }

    /// Lets requests fail from now on.
    pub fn inject(&self, fault: Fault) {
        self.shared.matched.store(0, Ordering::SeqCst);
        *self.shared.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    /// How many requests were made to fail.
    pub fn injected(&self) -> u64 {
        self.shared.injected.load(Ordering::SeqCst)
    }

    /// Refuses connections from now on, and answers on none.
    pub fn go_down(&self) {
        self.shared.down.store(true, Ordering::SeqCst);
        // The listener closes when it has seen the order; a connection wakes it.
        drop(TcpStream::connect(self.endpoint.trim_start_matches("http://")));
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.go_down();
    }
}

impl Shared {
    fn is_down(&self) -> bool {
        self.down.load(Ordering::SeqCst)
    }

    /// How the request with this first line fails, if it does.
    fn failure(&self, line: &str) -> Option<Failure> {
        let fault = (*self.fault.lock().unwrap_or_else(PoisonError::into_inner))?;
        if !(fault.of)(line) || !(self.matched.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(fault.every) {
            return None;
        }
        self.injected.fetch_add(1, Ordering::SeqCst);
        Some(fault.failure)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.is_down() {
            return;
        }
        let (Ok(client), shared) = (client, shared.clone()) else { continue };
        std::thread::spawn(move || drop(serve(client, &shared)));
    }
}

/// A message's head: its lines, and what they say about the body.
struct Head {
    bytes: Vec<u8>,
    line: String,
    length: Option<u64>,
    chunked: bool,
}

fn head(from: &mut impl BufRead) -> io::Result<Head> {
    let mut head = Head { bytes: Vec::new(), line: String::new(), length: None, chunked: false };
    loop {
        let start = head.bytes.len();
        if from.read_until(b'\n', &mut head.bytes)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8_lossy(&head.bytes[start..]).trim_end().to_string();
        if start == 0 {
            head.line = line;
        } else if line.is_empty() {
            return Ok(head);
        } else if let Some((name, value)) = line.to_ascii_lowercase().split_once(':') {
            match name {
                "content-length" => head.length = value.trim().parse().ok(),
                "transfer-encoding" => head.chunked = value.contains("chunked"),
                _ => {}
            }
        }
    }
}

/// One connection, request by request, until one side ends it.
fn serve(client: TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut server = BufReader::new(TcpStream::connect(&shared.upstream)?);
    server.get_ref().set_nodelay(true)?;
    // Little is read ahead: what stays unread when a connection is dropped makes the system reset it.
    let mut client = BufReader::with_capacity(64, client);
    loop {
        let mut line = Vec::new();
        client.read_until(b' ', &mut line)?;
        client.read_until(b' ', &mut line)?;
        if shared.is_down() {
            return Ok(());
        }
        let failure = shared.failure(&String::from_utf8_lossy(&line));
        if failure == Some(Failure::Reset) {
            return Ok(());
        }
        let request = head(&mut line.as_slice().chain(&mut client))?;
        match failure {
            Some(Failure::SlowDown) => slow_down(&mut client, &request)?,
            Some(Failure::Stall) => return stall(shared),
            other => {
                server.get_mut().write_all(&request.bytes)?;
                copy(&mut client, server.get_mut(), request.length.unwrap_or(0))?;
                let truncate = other == Some(Failure::Truncate);
                answer(&mut server, client.get_mut(), request.line.starts_with("HEAD"), truncate)?;
                if truncate {
                    return Ok(());
                }
            }
        }
    }
}

fn copy(from: &mut impl Read, to: &mut impl Write, length: u64) -> io::Result<()> {
    let copied = io::copy(&mut from.take(length), to)?;
    if copied < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

fn answer(server: &mut impl BufRead, client: &mut impl Write, to_head: bool, truncate: bool) -> io::Result<()> {
    let answer = head(server)?;
    client.write_all(&answer.bytes)?;
    if to_head || answer.line.contains(" 204") || answer.line.contains(" 304") {
        return Ok(());
    }
    if answer.chunked {
        return chunks(server, client);
    }
    let length = answer.length.unwrap_or(0);
    copy(server, client, if truncate { length / 2 } else { length })
}

/// Chunks up to the last one, which is empty; trailers are not expected.
fn chunks(server: &mut impl BufRead, client: &mut impl Write) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        server.read_until(b'\n', &mut line)?;
        let size = u64::from_str_radix(String::from_utf8_lossy(&line).trim(), 16).map_err(io::Error::other)?;
        client.write_all(&line)?;
        copy(server, client, size + 2)?;
        if size == 0 {
            return Ok(());
        }
    }
}

fn slow_down(client: &mut BufReader<TcpStream>, request: &Head) -> io::Result<()> {
    copy(client, &mut io::sink(), request.length.unwrap_or(0))?;
    let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>SlowDown</Code>\
                <Message>Please reduce your request rate.</Message><RequestId>proxy</RequestId></Error>";
    let body = if request.line.starts_with("HEAD") { "" } else { body };
    let head =
        format!("HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: {}\r\n\r\n", body.len());
    client.get_mut().write_all((head + body).as_bytes())
}

fn stall(shared: &Shared) -> io::Result<()> {
    while !shared.is_down() {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
