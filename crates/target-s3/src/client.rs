//! A session's requests: signed, sent on a pooled connection, answered or failed. Retried only if that was asked for.

use crate::clock;
use crate::config::{Endpoint, S3Config};
use crate::conn::{Answer, Conn, Question};
use crate::driver::Mode;
use crate::failure::{Failure, Outcome};
use crate::limit::Limit;
use crate::payload::Payload;
use crate::sign::{Signable, Signer, UNSIGNED};
use crate::wire::Wire;
use fsbench_target::{ErrorKind, Event, Probe, Stage};
use http::header::{AUTHORIZATION, HOST, HeaderName, USER_AGENT};
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, StatusCode};
use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConnection;
use tokio_rustls::rustls::pki_types::ServerName;

const BACKOFF: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

static CONTENT_SHA256: HeaderName = HeaderName::from_static("x-amz-content-sha256");
static DATE: HeaderName = HeaderName::from_static("x-amz-date");
static TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
const AGENT: HeaderValue = HeaderValue::from_static(concat!("fsbench-s3/", env!("CARGO_PKG_VERSION")));

/// A usual head has 400 to 600 bytes.
const HEAD_BYTES: usize = 1 << 10;

fn push_header(out: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    for piece in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
        out.extend_from_slice(piece);
    }
}

/// What the sessions of a target share.
pub(crate) struct Shared {
    pub(crate) config: S3Config,
    pub(crate) tls: Option<TlsConnector>,
    pub(crate) limit: Option<Arc<Limit>>,
    /// The name to connect to: the endpoint, or the bucket's own host there.
    host: String,
    host_header: HeaderValue,
    token: Option<HeaderValue>,
}

impl Shared {
    pub(crate) fn new(config: S3Config, tls: Option<TlsConnector>) -> Result<Self, Failure> {
        let bucket = (!config.path_style).then_some(config.bucket.as_str());
        let header = |name: &str, text: &str| {
            HeaderValue::from_str(text)
                .map_err(|_| Failure::new(ErrorKind::Invalid, format!("{name} holds a character that HTTP forbids")))
        };
        let host_header = header("the endpoint", &config.endpoint.authority(bucket))?;
        let token = config.credentials.as_ref().and_then(|credentials| credentials.token.as_deref());
        let token = token.map(|token| header("the session token", token)).transpose()?;
        let host = bucket.map_or_else(|| config.endpoint.host.clone(), |b| format!("{b}.{}", config.endpoint.host));
        let limit = config.max_connections.map(Limit::new);
        Ok(Self { config, tls, limit, host, host_header, token })
    }
}

/// A request to be made; made again for each attempt.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) target: &'a PathAndQuery,
    pub(crate) headers: [Option<(HeaderName, HeaderValue)>; 3],
    pub(crate) payload: Payload,
    /// Whether doing it twice is the same as doing it once.
    pub(crate) repeatable: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn new(method: Method, target: &'a PathAndQuery) -> Self {
        Self { method, target, headers: [const { None }; 3], payload: Payload::Empty, repeatable: true }
    }

    pub(crate) fn with(mut self, payload: Payload) -> Self {
        self.payload = payload;
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        let place = self.headers.iter_mut().find(|place| place.is_none());
        debug_assert!(place.is_some(), "no call has more than three headers of its own");
        if let Some(place) = place {
            *place = Some((name, value));
        }
        self
    }

    pub(crate) fn once(mut self) -> Self {
        self.repeatable = false;
        self
    }
}

/// A session's client.
pub(crate) struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) probe: Rc<dyn Probe>,
    mode: Rc<Mode>,
    signer: Option<RefCell<Signer>>,
    pool: RefCell<Vec<Conn>>,
    losses: Rc<Cell<u64>>,
}

impl Client {
    pub(crate) fn new(shared: Arc<Shared>, mode: Rc<Mode>, probe: Rc<dyn Probe>) -> Self {
        let credentials = shared.config.credentials.clone();
        let signer = credentials.map(|credentials| RefCell::new(Signer::new(credentials, &shared.config.region)));
        Self { shared, probe, mode, signer, pool: RefCell::default(), losses: Rc::default() }
    }

    /// Sends a call, and reads its answer: a success's body into `into`, if that is given.
    ///
    /// # Errors
    /// What the transport or the server said, after the last attempt.
    pub(crate) async fn send(&self, call: Call<'_>, mut into: Option<&mut [u8]>) -> Outcome<Answer> {
        let mut left = if call.repeatable { self.shared.config.retries } else { 0 };
        let mut pause = BACKOFF;
        loop {
            let failure = match self.attempt(&call, into.as_deref_mut()).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if left == 0 || !failure.passes() {
                return Err(failure);
            }
            left -= 1;
            self.probe.event(Event::Retry(failure.kind));
            sleep(pause).await;
            pause = (pause * 2).min(BACKOFF_MAX);
        }
    }

    async fn attempt(&self, call: &Call<'_>, into: Option<&mut [u8]>) -> Outcome<Answer> {
        let mut conn = self.connection().await?;
        self.write_head(call, &mut conn.outbox);
        let start = self.probe.now();
        let question = Question { payload: &call.payload, head_only: call.method == Method::HEAD, into };
        let answer = conn.exchange(question, &*self.probe).await?;
        // A failed request has no latency: it is an error. That a name is not there is an answer.
        if answer.status.is_success() || answer.status == StatusCode::NOT_FOUND {
            let moved = call.payload.len() + (answer.filled + answer.body.len()) as u64;
            self.probe.stage(Stage::Request, start, moved);
        }
        self.rest(conn);
        if answer.status.is_success() {
            return Ok(answer);
        }
        Err(Failure::of_answer(answer.status, &answer.headers, &answer.body))
    }

    /// The request's head, as it is sent.
    fn write_head(&self, call: &Call<'_>, out: &mut Vec<u8>) {
        out.clear();
        out.reserve(HEAD_BYTES);
        for piece in [call.method.as_str(), " ", call.target.as_str(), " HTTP/1.1\r\n"] {
            out.extend_from_slice(piece.as_bytes());
        }
        push_header(out, &HOST, &self.shared.host_header);
        push_header(out, &USER_AGENT, &AGENT);
        for (name, value) in call.headers.iter().flatten() {
            push_header(out, name, value);
        }
        if let Some(signer) = &self.signer {
            self.sign(&mut signer.borrow_mut(), call, out);
        }
        // A method that may have a body says that it has none.
        if call.payload.len() > 0 || !matches!(call.method, Method::GET | Method::HEAD) {
            out.extend_from_slice(format!("content-length: {}\r\n", call.payload.len()).as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn sign(&self, signer: &mut Signer, call: &Call<'_>, out: &mut Vec<u8>) {
        let hashed = self.shared.config.signed_payload.then(|| call.payload.sha256());
        let hash = match &hashed {
            Some(hash) => HeaderValue::from_str(hash).unwrap_or_else(|_| HeaderValue::from_static(UNSIGNED)),
            None => HeaderValue::from_static(UNSIGNED),
        };
        let date = signer.date(clock::unix_seconds());
        let mut signed: [(&str, &[u8]); 8] = [("", b""); 8];
        let own = [(HOST.as_str(), self.shared.host_header.as_bytes())]
            .into_iter()
            .chain([(CONTENT_SHA256.as_str(), hash.as_bytes()), (DATE.as_str(), date.as_bytes())])
            .chain(self.shared.token.iter().map(|token| (TOKEN.as_str(), token.as_bytes())));
        let called = call.headers.iter().flatten().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let mut count = 0;
        for header in own.chain(called.filter(|(name, _)| name.starts_with("x-amz-"))) {
            signed[count] = header;
            count += 1;
        }
        signed[..count].sort_unstable_by_key(|(name, _)| *name);
        let authorization = signer.authorization(&Signable {
            method: call.method.as_str(),
            path: call.target.path(),
            query: call.target.query().unwrap_or(""),
            headers: &signed[..count],
            payload_hash: hashed.as_deref().unwrap_or(UNSIGNED),
        });
        push_header(out, &AUTHORIZATION, &authorization);
        push_header(out, &CONTENT_SHA256, &hash);
        push_header(out, &DATE, &date);
        if let Some(token) = &self.shared.token {
            push_header(out, &TOKEN, token);
        }
    }

    /// A connection from the pool that still lives, or a new one.
    async fn connection(&self) -> Outcome<Conn> {
        while let Some(mut conn) = self.pooled() {
            if conn.lives(self.probe.now()) {
                return Ok(conn);
            }
        }
        self.connect().await
    }

    fn pooled(&self) -> Option<Conn> {
        loop {
            let conn = self.pool.borrow_mut().pop()?;
            if conn.place.as_ref().is_none_or(|place| place.resume()) {
                return Some(conn);
            }
        }
    }

    /// Puts a connection back, if it can serve again.
    fn rest(&self, mut conn: Conn) {
        if conn.rests(self.probe.now()) && conn.place.as_ref().is_none_or(|place| place.rest()) {
            self.pool.borrow_mut().push(conn);
        }
    }

    async fn connect(&self) -> Outcome<Conn> {
        let place = match &self.shared.limit {
            Some(limit) => Some(limit.place().await),
            None => None,
        };
        let limit = self.shared.config.connect_timeout;
        let opened = timeout(limit, self.open_socket()).await;
        let (socket, tls) = opened.unwrap_or_else(|_| Err(self.connect_timed_out(limit)))?;
        if let Some(place) = &place {
            place.occupy(Some(socket.try_clone().map_err(|error| self.cannot_connect(&error))?));
        }
        let wire = Wire::new(socket, tls, self.shared.config.request_timeout, self.mode.clone());
        let mut conn = Conn::new(wire.map_err(|error| self.cannot_connect(&error))?, self.losses.clone());
        conn.place = place;
        if self.losses.get() > 0 {
            self.losses.set(self.losses.get() - 1);
            self.probe.event(Event::Reconnect);
        }
        Ok(conn)
    }

    async fn open_socket(&self) -> Outcome<(std::net::TcpStream, Option<ClientConnection>)> {
        let Endpoint { port, tls, .. } = self.shared.config.endpoint;
        let start = self.probe.now();
        let stream = dial(&self.shared.host, port).await.map_err(|error| self.cannot_connect(&error))?;
        self.probe.stage(Stage::Connect, start, 0);
        let Some(connector) = self.shared.tls.as_ref().filter(|_| tls) else {
            return Ok((stream.into_std().map_err(|error| self.cannot_connect(&error))?, None));
        };
        let name = ServerName::try_from(self.shared.host.clone())
            .map_err(|_| Failure::new(ErrorKind::Invalid, format!("{} is no name for TLS", self.shared.host)))?;
        let start = self.probe.now();
        let stream = connector.connect(name, stream).await.map_err(|error| self.cannot_trust(&error))?;
        self.probe.stage(Stage::Tls, start, 0);
        let (stream, tls) = stream.into_inner();
        Ok((stream.into_std().map_err(|error| self.cannot_connect(&error))?, Some(tls)))
    }

    fn cannot_connect(&self, error: &io::Error) -> Failure {
        let kind = match ErrorKind::of_io(error) {
            ErrorKind::Other | ErrorKind::NotFound => ErrorKind::Connection,
            kind => kind,
        };
        Failure::new(kind, format!("no connection to {}: {error}", self.shared.config.endpoint.url()))
            .with_hint("check AWS_ENDPOINT, and that the service runs there")
    }

    fn connect_timed_out(&self, limit: Duration) -> Failure {
        let url = self.shared.config.endpoint.url();
        Failure::new(ErrorKind::Timeout, format!("no connection to {url} within {} ms", limit.as_millis()))
            .with_hint("check AWS_ENDPOINT; AWS_CONNECTION_TIMEOUT_MS sets how long to wait")
    }

    fn cannot_trust(&self, error: &io::Error) -> Failure {
        let detail = format!("no TLS with {}: {error}", self.shared.config.endpoint.url());
        let failure = Failure::new(ErrorKind::Connection, detail);
        match error.to_string().contains("certificate") {
            true => failure.with_hint("if the server's authority is your own, set s3.ca_bundle (AWS_CA_BUNDLE)"),
            false => failure.with_hint("does the endpoint speak https on this port?"),
        }
    }
}

async fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotConnected, "the name has no address");
    for address in lookup_host((host, port)).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
