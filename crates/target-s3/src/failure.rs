//! What went wrong with a request, before it is known on which name: transport errors and S3's own answers, as kinds.

use crate::head::Headers;
use crate::xml;
use fsbench_target::{Error, ErrorKind};
use http::StatusCode;

/// A failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// S3's code, `NoSuchKey`; empty for transport errors and for answers without a body.
    pub(crate) code: String,
    pub(crate) detail: String,
    pub(crate) hint: Option<String>,
    /// Whether the server answered, so that what it did is known.
    pub(crate) answered: bool,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, code: String::new(), detail: detail.into(), hint: None, answered: false }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error of the socket.
    pub(crate) fn of_io(error: &std::io::Error) -> Self {
        let kind = match ErrorKind::of_io(error) {
            ErrorKind::Other | ErrorKind::NotFound => ErrorKind::Connection,
            kind => kind,
        };
        Self::new(kind, format!("the connection failed: {error}"))
    }

    /// An answer that is no success. `body` is S3's `<Error>` document, or nothing for a HEAD.
    pub(crate) fn of_answer(status: StatusCode, headers: &Headers, body: &[u8]) -> Self {
        let said = xml::error(body).unwrap_or_default();
        let kind = kind_of(status, &said.code);
        let mut detail = match (said.code.is_empty(), said.message.is_empty()) {
            (true, _) => format!("the server answered {status}"),
            (false, true) => format!("{} ({status})", said.code),
            (false, false) => format!("{}: {} ({status})", said.code, said.message),
        };
        let request_id = headers.request_id.as_deref().unwrap_or(&said.request_id);
        if !request_id.is_empty() {
            detail.push_str(", request ");
            detail.push_str(request_id);
        }
        let hint = hint_of(status, &said, headers.region.as_deref().or(said.region.as_deref()));
        Self { kind, code: said.code, detail, hint, answered: true }
    }

    /// The same, with a note that the status had been a success.
    pub(crate) fn said_as_success(mut self) -> Self {
        self.detail = self.detail.replace("(500 Internal Server Error)", "(said after 200 OK)");
        self
    }

    /// The whole error, with what was tried on which name.
    pub(crate) fn at(self, operation: &'static str, uri: impl Into<String>) -> Error {
        let error = Error::new(self.kind, "s3", operation, uri, self.detail);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// Whether the same request may succeed a moment later.
    pub(crate) fn passes(&self) -> bool {
        use ErrorKind::{Connection, ShortRead, Throttled, Timeout, Unavailable};
        matches!(self.kind, Connection | Timeout | Throttled | Unavailable | ShortRead)
    }
}

/// By S3's codes (<https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>), MinIO's and versitygw's own.
fn kind_of(status: StatusCode, code: &str) -> ErrorKind {
    match code {
        "NoSuchKey" | "NoSuchBucket" | "NoSuchUpload" | "NoSuchVersion" => ErrorKind::NotFound,
        "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "ExpiredToken"
        | "InvalidToken"
        | "TokenRefreshRequired"
        | "RequestTimeTooSkewed"
        | "MissingSecurityHeader"
        | "InvalidSecurity"
        | "XAdminUserNotFound" => ErrorKind::Unauthenticated,
        "AccessDenied" | "AccountProblem" | "AllAccessDisabled" | "InvalidObjectState" => ErrorKind::Denied,
        "SlowDown"
        | "SlowDownRead"
        | "SlowDownWrite"
        | "TooManyRequests"
        | "Throttling"
        | "ThrottlingException"
        | "RequestLimitExceeded"
        | "BandwidthLimitExceeded" => ErrorKind::Throttled,
        "RequestTimeout" => ErrorKind::Timeout,
        "IncompleteBody" => ErrorKind::Connection,
        "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException" => {
            ErrorKind::Invalid
        }
        "QuotaExceeded" | "XMinioStorageFull" | "InsufficientStorage" | "QuotaExceededException" => ErrorKind::NoSpace,
        "BadDigest" | "InvalidDigest" | "XAmzContentSHA256Mismatch" => ErrorKind::Corrupt,
        "NotImplemented" => ErrorKind::Unsupported,
        _ => kind_of_status(status),
    }
}

fn kind_of_status(status: StatusCode) -> ErrorKind {
    match status.as_u16() {
        401 => ErrorKind::Unauthenticated,
        403 => ErrorKind::Denied,
        404 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        409 | 412 => ErrorKind::AlreadyExists,
        // Without a code, 503 is what overloaded S3 services and the proxies before them send.
        429 | 503 => ErrorKind::Throttled,
        501 => ErrorKind::Unsupported,
        507 => ErrorKind::NoSpace,
        300..=499 => ErrorKind::Invalid,
        500..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Other,
    }
}

fn hint_of(status: StatusCode, said: &xml::ErrorAnswer, region: Option<&str>) -> Option<String> {
    let text = match said.code.as_str() {
        "NoSuchBucket" => "create the bucket first, or correct the URI; fsbench never creates one".into(),
        "InvalidAccessKeyId" | "XAdminUserNotFound" => "check AWS_ACCESS_KEY: this server does not know it".into(),
        "SignatureDoesNotMatch" => "check AWS_SECRET_KEY, and AWS_REGION".into(),
        "ExpiredToken" | "InvalidToken" => "check AWS_TOKEN: get a new one".into(),
        "RequestTimeTooSkewed" => "the clocks of this machine and of the server differ: set this machine's".into(),
        "AccessDenied" => "the key is known, but may not do this: see the bucket's policy".into(),
        "EntityTooLarge" => "use smaller parts: set part_size".into(),
        "EntityTooSmall" => "the server wants larger parts: set part_size".into(),
        "PermanentRedirect" | "AuthorizationHeaderMalformed" | "TemporaryRedirect" => match region {
            Some(region) => format!("the bucket is in region {region}: set AWS_REGION and AWS_ENDPOINT to it"),
            None => "set AWS_REGION and AWS_ENDPOINT to the bucket's".into(),
        },
        _ if status.is_redirection() || status == StatusCode::BAD_REQUEST => match region {
            Some(region) => format!("the bucket is in region {region}; is AWS_REGION the same?"),
            None => return None,
        },
        _ if status == StatusCode::FORBIDDEN && said.code.is_empty() => {
            "check AWS_ACCESS_KEY, AWS_SECRET_KEY and the bucket's policy".into()
        }
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, code: &str) -> Failure {
        let body = format!("<Error><Code>{code}</Code><Message>m</Message><RequestId>R1</RequestId></Error>");
        Failure::of_answer(StatusCode::from_u16(status).expect("a status"), &Headers::default(), body.as_bytes())
    }

    #[test]
    fn codes_and_statuses_have_kinds() {
        use ErrorKind as K;
        for (status, code, kind) in [
            (404, "NoSuchKey", K::NotFound),
            (404, "NoSuchBucket", K::NotFound),
            (403, "InvalidAccessKeyId", K::Unauthenticated),
            (403, "SignatureDoesNotMatch", K::Unauthenticated),
            (403, "RequestTimeTooSkewed", K::Unauthenticated),
            (403, "AccessDenied", K::Denied),
            (503, "SlowDown", K::Throttled),
            (503, "ServiceUnavailable", K::Throttled),
            (500, "InternalError", K::Unavailable),
            (301, "PermanentRedirect", K::Invalid),
            (400, "AuthorizationHeaderMalformed", K::Invalid),
            (412, "PreconditionFailed", K::AlreadyExists),
            (409, "ConditionalRequestConflict", K::AlreadyExists),
            (501, "NotImplemented", K::Unsupported),
            (418, "Teapot", K::Invalid),
        ] {
            assert_eq!(answer(status, code).kind, kind, "{status} {code}");
        }
    }

    #[test]
    fn the_server_is_quoted() {
        let failure = answer(403, "AccessDenied");
        assert_eq!(failure.detail, "AccessDenied: m (403 Forbidden), request R1");
        let error = failure.at("read", "s3://b/k").to_string();
        assert!(error.starts_with("cannot read s3://b/k: AccessDenied: m"), "{error}");
    }

    #[test]
    fn an_answer_without_a_body_is_told_by_its_status() {
        let failure = Failure::of_answer(StatusCode::FORBIDDEN, &Headers::default(), b"");
        assert_eq!((failure.kind, failure.detail.as_str()), (ErrorKind::Denied, "the server answered 403 Forbidden"));
        let html = Failure::of_answer(StatusCode::BAD_GATEWAY, &Headers::default(), b"<html>no</html>");
        assert_eq!((html.kind, html.code.as_str()), (ErrorKind::Unavailable, ""));
    }

    #[test]
    fn a_redirect_names_the_region() {
        let body = b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
        let failure = Failure::of_answer(StatusCode::BAD_REQUEST, &Headers::default(), body);
        assert!(failure.hint.is_some_and(|hint| hint.contains("eu-west-1")));
    }
}
