//! The floor: as little client as a signed S3 request can be made with, to tell what of a client's CPU is the kernel's
//! and the machine's. One thread and one connection for each task, requests written by hand into one buffer, answers
//! scanned for nothing but status and length. Nobody should use such a client; nobody can be cheaper by much.
//!
//! Variant `blocking`: plain sockets. Variant `tokio`: the same on a single-threaded runtime for each thread.

use bench_common::{Job, Operation, measure_threads};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const HEAD_MAX: usize = 16 << 10;

fn hmac(key: &[u8], data: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length will do");
    mac.update(data);
    mac.finalize().into_bytes().into()
}

fn hex(bytes: &[u8], out: &mut String) {
    bytes.iter().for_each(|byte| write!(out, "{byte:02x}").expect("a String takes everything"));
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// Signs for one day, which is as long as a benchmark lasts.
#[derive(Clone)]
struct Signer {
    host: String,
    access_key: String,
    day: String,
    time: String,
    key: [u8; 32],
}

impl Signer {
    fn new() -> Self {
        let region = variable("AWS_REGION");
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
        let (day, time) = date(seconds);
        let first = hmac(format!("AWS4{}", variable("AWS_SECRET_ACCESS_KEY")).as_bytes(), day.as_bytes());
        let scope = [region.as_str(), "s3", "aws4_request"];
        let key = scope.iter().fold(first, |key, part| hmac(&key, part.as_bytes()));
        let host = variable("AWS_ENDPOINT_URL").trim_start_matches("http://").to_owned();
        Self { host, access_key: variable("AWS_ACCESS_KEY_ID"), day, time, key }
    }

    /// A whole request head, into `out`.
    fn head(&self, method: &str, path: &str, more: &str, out: &mut String) {
        let (host, time, day) = (&self.host, &self.time, &self.day);
        let scope = format!("{day}/{}/s3/aws4_request", variable("AWS_REGION"));
        let signed = "host;x-amz-content-sha256;x-amz-date";
        let canonical = format!(
            "{method}\n{path}\n\nhost:{host}\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:{time}\n\n{signed}\nUNSIGNED-PAYLOAD"
        );
        let mut text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n");
        hex(&Sha256::digest(canonical), &mut text);
        let mut signature = String::new();
        hex(&hmac(&self.key, text.as_bytes()), &mut signature);
        out.clear();
        write!(
            out,
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD\r\nx-amz-date: {time}\r\n{more}\
             authorization: AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={signed}, Signature={signature}\r\n\r\n",
            self.access_key
        )
        .expect("a String takes everything");
    }
}

/// The day and the time as Signature V4 writes them (Howard Hinnant's `civil_from_days`).
fn date(seconds: u64) -> (String, String) {
    let shifted = seconds / 86_400 + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let day = format!("{}{month:02}{day:02}", era * 400 + year_of_era + u64::from(month <= 2));
    let second = seconds % 86_400;
    let time = format!("{day}T{:02}{:02}{:02}Z", second / 3600, second / 60 % 60, second % 60);
    (day, time)
}

/// Where the body begins and how long it is, if the head is whole.
fn scan(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).expect("heads are text");
    assert!(head.starts_with("HTTP/1.1 20"), "{head}");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().expect("a length"))
    });
    Some((end, length.unwrap_or(0)))
}

/// What a task needs for its requests.
struct Task {
    job: Job,
    signer: Signer,
    path: String,
    head: String,
    body: Vec<u8>,
    answer: Vec<u8>,
}

impl Task {
    fn new(job: &Job, task: u64) -> Self {
        let signer = Signer::new();
        let size = usize::try_from(job.bytes).expect("it fits into memory");
        let path = format!("/{}/{}", job.bucket, job.key(task));
        let body = if job.operation == Operation::Put { vec![0x5a; size] } else { Vec::new() };
        Self { job: job.clone(), signer, path, head: String::new(), body, answer: vec![0; HEAD_MAX.max(size)] }
    }

    /// Methods and more headers of one operation.
    fn requests(&self, nth: u64) -> Vec<(&'static str, String)> {
        let (first, last) = self.job.range(nth);
        let range = format!("range: bytes={first}-{last}\r\n");
        match self.job.operation {
            Operation::Put => vec![("PUT", format!("content-length: {}\r\n", self.job.bytes))],
            Operation::Get | Operation::GetBytes => vec![("GET", String::new())],
            Operation::Range => vec![("GET", range)],
            Operation::Open => vec![("HEAD", String::new()), ("GET", range)],
        }
    }

    fn blocking(mut self) -> u64 {
        let mut socket = TcpStream::connect(&self.signer.host).expect("the server listens");
        socket.set_nodelay(true).expect("it is a socket");
        for nth in 0..self.job.each {
            for (method, more) in self.requests(nth) {
                self.signer.head(method, &self.path, &more, &mut self.head);
                send(&mut socket, self.head.as_bytes(), &self.body);
                let mut have = 0;
                let (start, length) = loop {
                    have += socket.read(&mut self.answer[have..]).expect("the server answers");
                    if let Some(found) = scan(&self.answer[..have]) {
                        break found;
                    }
                };
                let mut left = if method == "HEAD" { 0 } else { length - (have - start) };
                while left > 0 {
                    let most = left.min(self.answer.len());
                    left -= socket.read(&mut self.answer[..most]).expect("the server goes on");
                }
            }
        }
        self.job.each * self.job.bytes
    }

    fn on_tokio(mut self) -> u64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut socket = runtime.block_on(tokio::net::TcpStream::connect(&self.signer.host)).expect("the server listens");
        socket.set_nodelay(true).expect("it is a socket");
        for nth in 0..self.job.each {
            for (method, more) in self.requests(nth) {
                self.signer.head(method, &self.path, &more, &mut self.head);
                // One call for each request, as a worker makes it.
                runtime.block_on(exchange(&mut socket, &self.head, &self.body, &mut self.answer, method == "HEAD"));
            }
        }
        self.job.each * self.job.bytes
    }
}

async fn exchange(socket: &mut tokio::net::TcpStream, head: &str, body: &[u8], answer: &mut [u8], no_body: bool) {
    let mut sent = 0;
    while sent < head.len() + body.len() {
        let pieces = pieces(head.as_bytes(), body, sent);
        sent += socket.write_vectored(&pieces).await.expect("the server takes it");
    }
    let mut have = 0;
    let (start, length) = loop {
        have += socket.read(&mut answer[have..]).await.expect("the server answers");
        if let Some(found) = scan(&answer[..have]) {
            break found;
        }
    };
    let mut left = if no_body { 0 } else { length - (have - start) };
    while left > 0 {
        let most = left.min(answer.len());
        left -= socket.read(&mut answer[..most]).await.expect("the server goes on");
    }
}

fn pieces<'a>(head: &'a [u8], body: &'a [u8], sent: usize) -> [std::io::IoSlice<'a>; 2] {
    let of_head = sent.min(head.len());
    [std::io::IoSlice::new(&head[of_head..]), std::io::IoSlice::new(&body[sent - of_head..])]
}

fn send(socket: &mut TcpStream, head: &[u8], body: &[u8]) {
    let mut sent = 0;
    while sent < head.len() + body.len() {
        sent += socket.write_vectored(&pieces(head, body, sent)).expect("the server takes it");
    }
}

fn main() {
    let job = Job::from_args();
    measure_threads(&job, |task| {
        let work = Task::new(&job, task);
        if job.variant == "tokio" { work.on_tokio() } else { work.blocking() }
    });
}
