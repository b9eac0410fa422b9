//! The head of an answer: its status, the few headers that matter, and what they say about the body.

use crate::failure::{Failure, Outcome};
use fsbench_target::ErrorKind;
use http::{HeaderValue, StatusCode};
use httparse::{Header, ParserConfig, Response, Status};
use std::mem::MaybeUninit;

/// More headers than any S3 service sends, metadata of the user's own included.
const HEADERS_MAX: usize = 128;

/// The headers that somebody reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers {
    /// `Content-Length`, which for a HEAD is the object's size.
    pub(crate) length: Option<u64>,
    pub(crate) etag: Option<HeaderValue>,
    /// `x-amz-request-id`
    pub(crate) request_id: Option<String>,
    /// `x-amz-bucket-region`
    pub(crate) region: Option<String>,
}

/// What is left of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing.
    Ended,
    /// So many bytes.
    Length(u64),
    /// Chunks: so many bytes of the present one, after which another follows.
    Chunked {
        /// Bytes left in this chunk.
        left: u64,
        /// Whether no chunk was begun yet.
        first: bool,
    },
    /// All that comes until the server closes the connection.
    UntilClosed,
}

/// The head of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: StatusCode,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
    /// Whether the connection can serve again after the body.
    pub(crate) persists: bool,
}

pub(crate) fn no_http(problem: &str) -> Failure {
    Failure::new(ErrorKind::Corrupt, format!("the answer is not HTTP/1.1: {problem}"))
        .with_hint("is this the port of an S3 service, and does it want https?")
}

impl Head {
    /// Reads a head and tells how many bytes it has. `None`: it is not whole yet.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn parse(bytes: &[u8]) -> Outcome<Option<(Self, usize)>> {
        let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADERS_MAX];
        let mut response = Response::new(&mut []);
        let parsed = ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, &mut headers);
        match parsed {
            Ok(Status::Partial) => Ok(None),
            Ok(Status::Complete(len)) => Self::of(&response).map(|head| Some((head, len))),
            Err(error) => Err(no_http(&error.to_string())),
        }
    }

    fn of(response: &Response<'_, '_>) -> Outcome<Self> {
        let status = response.code.and_then(|code| StatusCode::from_u16(code).ok());
        let status = status.ok_or_else(|| no_http("it has no status"))?;
        let mut head = Self {
            status,
            headers: Headers::default(),
            body: Body::UntilClosed,
            persists: response.version == Some(1),
        };
        let mut encoded = None;
        for header in &*response.headers {
            head.take(header, &mut encoded)?;
        }
        let bodiless = status.is_informational() || matches!(status.as_u16(), 204 | 304);
        head.body = match (bodiless, encoded, head.headers.length) {
            (true, _, _) | (_, None, Some(0)) => Body::Ended,
            (_, Some(true), _) => Body::Chunked { left: 0, first: true },
            (_, None, Some(length)) => Body::Length(length),
            (_, Some(false), _) | (_, None, None) => Body::UntilClosed,
        };
        // Two lengths for one body: whoever stands between may have believed the other.
        head.persists &= encoded.is_none() || head.headers.length.is_none();
        Ok(head)
    }

    /// Notes one header. `encoded` is whether the last transfer coding is `chunked`, if there is any.
    fn take(&mut self, header: &Header<'_>, encoded: &mut Option<bool>) -> Outcome<()> {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        let text = || Some(String::from_utf8_lossy(header.value).into_owned());
        match header.name.len() {
            4 if is("etag") => self.headers.etag = HeaderValue::from_bytes(header.value).ok(),
            10 if is("connection") => {
                for word in header.value.split(|byte| *byte == b',') {
                    match word.trim_ascii() {
                        close if close.eq_ignore_ascii_case(b"close") => self.persists = false,
                        keep if keep.eq_ignore_ascii_case(b"keep-alive") => self.persists = true,
                        _ => {}
                    }
                }
            }
            14 if is("content-length") => {
                let length = number(header.value).ok_or_else(|| no_http("its Content-Length is no number"))?;
                if self.headers.length.is_some_and(|other| other != length) {
                    return Err(no_http("it has two lengths"));
                }
                self.headers.length = Some(length);
            }
            16 if is("x-amz-request-id") => self.headers.request_id = text(),
            17 if is("transfer-encoding") => {
                let last = header.value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
                *encoded = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
            }
            19 if is("x-amz-bucket-region") => self.headers.region = text(),
            _ => {}
        }
        Ok(())
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits.trim_ascii()).ok()?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(text: &str) -> Head {
        let text = format!("HTTP/1.1 {text}\r\n\r\n");
        let (head, len) = Head::parse(text.as_bytes()).expect("a head").expect("whole");
        assert_eq!(len, text.len());
        head
    }

    #[test]
    fn the_body_is_what_the_headers_say() {
        for (text, body, persists) in [
            ("200 OK\r\nContent-Length: 12", Body::Length(12), true),
            ("200 OK\r\ncontent-length: 0\r\nConnection: Close", Body::Ended, false),
            ("200 OK\r\nContent-Length: 5\r\nContent-Length: 5", Body::Length(5), true),
            ("200 OK\r\nTransfer-Encoding: chunked", Body::Chunked { left: 0, first: true }, true),
            (
                "200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 3",
                Body::Chunked { left: 0, first: true },
                false,
            ),
            ("200 OK\r\nTransfer-Encoding: gzip", Body::UntilClosed, true),
            ("200 OK", Body::UntilClosed, true),
            ("204 No Content\r\nContent-Length: 3", Body::Ended, true),
            ("304 Not Modified\r\nETag: \"a\"", Body::Ended, true),
            ("100 Continue", Body::Ended, true),
        ] {
            let head = head(text);
            assert_eq!((head.body, head.persists), (body, persists), "{text}");
        }
    }

    #[test]
    fn headers_that_matter_are_kept() {
        let headers =
            head("301 Moved\r\nX-Amz-Bucket-Region: eu\r\netag: \"e\"\r\nx-amz-request-id: R\r\nServer: s").headers;
        assert_eq!((headers.region.as_deref(), headers.request_id.as_deref()), (Some("eu"), Some("R")));
        assert_eq!(headers.etag, Some(HeaderValue::from_static("\"e\"")));
    }

    #[test]
    fn old_servers_close() {
        let old = |text: &str| Head::parse(text.as_bytes()).expect("a head").expect("whole").0.persists;
        assert!(!old("HTTP/1.0 200 OK\r\n\r\n"));
        assert!(old("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n"));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        for text in [
            "220 smtp.example ESMTP\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ] {
            assert!(Head::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Head::parse(&bytes);
            let _ = Head::parse(&[b"HTTP/1.1 200 OK\r\n", bytes.as_slice(), b"\r\n\r\n"].concat());
        }
    }
}
