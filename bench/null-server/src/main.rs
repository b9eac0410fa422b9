//! A server that speaks just enough of S3 to answer a benchmark's client, and does nothing: what remains is the client's
//! own ceiling. One blocking thread for each connection; no signature is checked, nothing is stored.
//!
//! A key with `size-<bytes>` in its path names an object of that size; others do not exist. Bodies are taken and thrown
//! away; listings are empty. It serves one machine's benchmarks, and not the network: it listens on 127.0.0.1 only.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// As large a piece of a body as is written at once.
const PIECE: usize = 256 << 10;
const LIST: &str = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";

/// What matters of a request's head.
#[derive(Default)]
struct Request {
    method: String,
    target: String,
    body_bytes: u64,
    range: Option<(u64, u64)>,
    expects_continue: bool,
}

impl Request {
    /// The next request; `None` at the connection's end.
    fn read(from: &mut impl BufRead, line: &mut String) -> io::Result<Option<Self>> {
        let mut request = Self::default();
        line.clear();
        if from.read_line(line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split(' ');
        request.method.push_str(words.next().unwrap_or(""));
        request.target.push_str(words.next().unwrap_or(""));
        loop {
            line.clear();
            if from.read_line(line)? <= 2 {
                return Ok(Some(request));
            }
            let (name, value) = line.trim_end().split_once(':').unwrap_or(("", ""));
            let value = value.trim_start();
            if name.eq_ignore_ascii_case("content-length") {
                request.body_bytes = value.parse().unwrap_or(0);
            } else if name.eq_ignore_ascii_case("range") {
                request.range = parse_range(value);
            } else if name.eq_ignore_ascii_case("expect") {
                request.expects_continue = true;
            }
        }
    }

    /// The size of the object that the key names. fsbench's own files never exist: it must believe that a base is new.
    fn size(&self) -> Option<u64> {
        let path = self.target.split('?').next().unwrap_or("");
        if path.contains("/.fsbench/") {
            return None;
        }
        path.split('/').find_map(|part| part.strip_prefix("size-")?.parse().ok())
    }
}

fn parse_range(value: &str) -> Option<(u64, u64)> {
    let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The head of an answer, into `head`; how many bytes of an object follow it.
fn answer(request: &Request, head: &mut String) -> u64 {
    head.clear();
    let reading = matches!(request.method.as_str(), "GET" | "HEAD");
    // Writing into a String cannot fail.
    let _ = match (request.size(), request.range) {
        _ if request.method == "DELETE" => write!(head, "HTTP/1.1 204 No Content\r\n\r\n"),
        _ if !reading => write!(head, "HTTP/1.1 200 OK\r\nETag: \"null\"\r\nContent-Length: 0\r\n\r\n"),
        _ if request.target.contains("list-type=2") => {
            write!(head, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{LIST}", LIST.len())
        }
        (None, _) => write!(head, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        (Some(size), Some((first, last))) if first <= last && first < size => {
            let last = last.min(size - 1);
            let length = last - first + 1;
            let _ = head.write_str("HTTP/1.1 206 Partial Content\r\n");
            object(head, length, &format!("Content-Range: bytes {first}-{last}/{size}\r\n"));
            return length;
        }
        (Some(size), _) => {
            let _ = head.write_str("HTTP/1.1 200 OK\r\n");
            object(head, size, "");
            return if request.method == "HEAD" { 0 } else { size };
        }
    };
    0
}

/// The headers of an object, as S3 has them.
fn object(head: &mut String, length: u64, more: &str) {
    let _ = write!(
        head,
        "Accept-Ranges: bytes\r\nContent-Type: application/octet-stream\r\nContent-Length: {length}\r\n{more}\
         ETag: \"00000000000000000000000000000000\"\r\nLast-Modified: Fri, 20 Nov 2026 12:00:00 GMT\r\n\r\n"
    );
}

fn serve(stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::with_capacity(PIECE, stream);
    let (mut line, mut head, mut out) = (String::new(), String::new(), Vec::new());
    let piece = vec![0u8; PIECE];
    while let Some(request) = Request::read(&mut reader, &mut line)? {
        if request.expects_continue {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        swallow(&mut reader, request.body_bytes)?;
        let mut left = usize::try_from(answer(&request, &mut head)).unwrap_or(usize::MAX);
        // The head goes out with the first of the body, so that a small answer is one packet.
        out.clear();
        out.extend_from_slice(head.as_bytes());
        let first = left.min(PIECE);
        out.extend_from_slice(&piece[..first]);
        writer.write_all(&out)?;
        left -= first;
        while left > 0 {
            let next = left.min(PIECE);
            writer.write_all(&piece[..next])?;
            left -= next;
        }
    }
    Ok(())
}

fn swallow(reader: &mut impl BufRead, bytes: u64) -> io::Result<()> {
    let mut body = reader.take(bytes);
    loop {
        let held = body.fill_buf()?.len();
        if held == 0 {
            return Ok(());
        }
        body.consume(held);
    }
}

fn main() -> io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || {
            // A client that goes away ends its connection, and nothing else.
            let _ = serve(stream);
        });
    }
    Ok(())
}
