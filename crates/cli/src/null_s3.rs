//! An S3 server that stores nothing: what remains of a run against it is the client's own cost.
//!
//! One blocking thread for each connection, HTTP/1.1 with keep-alive, no signature checks. HEAD and GET answer for an
//! object of a fixed size, PUT swallows its body, a listing is empty. For `fsbench selftest` only.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// The answer to any listing.
const NO_OBJECTS: &str = "<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>0</KeyCount></ListBucketResult>";
const ETAG: &str = "ETag: \"00000000000000000000000000000000\"\r\n";

/// Serves on a free port of 127.0.0.1 until the process ends. Every object is `object_bytes` long.
pub(crate) fn serve(object_bytes: u64) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::Builder::new().name("null-s3".into()).spawn(move || {
        for stream in listener.incoming().flatten() {
            // A connection that breaks is the client's affair, and its end.
            let serve = move || drop(connection(&stream, object_bytes));
            drop(std::thread::Builder::new().name("null-s3-connection".into()).spawn(serve));
        }
    })?;
    Ok(address)
}

#[derive(Default)]
struct Request {
    method: String,
    is_listing: bool,
    /// fsbench's own ledgers, which must not be there before they are written.
    is_ledger: bool,
    body_bytes: u64,
    /// First and last byte of a ranged GET.
    range: Option<(u64, u64)>,
}

fn connection(stream: &TcpStream, object_bytes: u64) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let zeros = vec![0u8; 256 * 1024];
    let mut reader = BufReader::with_capacity(256 * 1024, stream);
    let mut writer = stream;
    while let Some(request) = read_request(&mut reader)? {
        std::io::copy(&mut (&mut reader).take(request.body_bytes), &mut std::io::sink())?;
        respond(&mut writer, &request, object_bytes, &zeros)?;
    }
    Ok(())
}

/// The next request's head; `None` when the client has closed the connection.
fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut request = Request::default();
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    request.method = line.split(' ').next().unwrap_or_default().to_string();
    request.is_listing = line.contains("list-type=2");
    request.is_ledger = line.contains("/.fsbench/");
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { return Ok(Some(request)) };
        if name.eq_ignore_ascii_case("content-length") {
            request.body_bytes = value.trim().parse().unwrap_or(0);
        } else if name.eq_ignore_ascii_case("range") {
            request.range = value
                .trim()
                .strip_prefix("bytes=")
                .and_then(|range| range.split_once('-'))
                .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        }
    }
}

fn respond(writer: &mut impl Write, request: &Request, object_bytes: u64, zeros: &[u8]) -> std::io::Result<()> {
    if request.is_listing {
        let length = NO_OBJECTS.len();
        return write!(writer, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{NO_OBJECTS}");
    }
    let mut head = String::from("HTTP/1.1 ");
    let mut body_bytes = 0;
    match (request.method.as_str(), request.range) {
        ("HEAD", _) if request.is_ledger => head += "404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ("HEAD", _) => head += &format!("200 OK\r\n{ETAG}Content-Length: {object_bytes}\r\n\r\n"),
        ("GET", range) => {
            let (first, last) = range.unwrap_or((0, object_bytes - 1));
            let last = last.min(object_bytes - 1);
            body_bytes = (last + 1).saturating_sub(first);
            head += &format!(
                "206 Partial Content\r\n{ETAG}Content-Range: bytes {first}-{last}/{object_bytes}\r\nContent-Length: {body_bytes}\r\n\r\n"
            );
        }
        _ => head += &format!("200 OK\r\n{ETAG}Content-Length: 0\r\n\r\n"),
    }
    let first = body_bytes.min(zeros.len() as u64) as usize;
    let mut message = head.into_bytes();
    message.extend_from_slice(&zeros[..first]);
    writer.write_all(&message)?;
    let mut left = body_bytes - first as u64;
    while left > 0 {
        let count = left.min(zeros.len() as u64) as usize;
        writer.write_all(&zeros[..count])?;
        left -= count as u64;
    }
    Ok(())
}
