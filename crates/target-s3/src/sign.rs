//! AWS Signature Version 4 in request headers
//! (<https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>).
//!
//! The day's key and the second's date are kept, and the canonical request is hashed piece by piece and never built, so
//! that a signature costs about a microsecond.

use crate::clock;
use bytes::Bytes;
use hmac::{Hmac, Mac};
use http::HeaderValue;
use sha2::{Digest, Sha256};

type HmacSha256 = Hmac<Sha256>;

/// What a request without a payload hash says instead.
pub(crate) const UNSIGNED: &str = "UNSIGNED-PAYLOAD";
/// The hash of nothing.
pub(crate) const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Who signs. Never printed: `Debug` shows the access key only.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) access_key: String,
    pub(crate) secret_key: String,
    pub(crate) token: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({}, ***)", self.access_key)
    }
}

/// What is signed of a request.
pub(crate) struct Signable<'a> {
    pub(crate) method: &'a str,
    /// Encoded once, as it is sent.
    pub(crate) path: &'a str,
    /// Encoded, sorted by name, each name with a `=`, as it is sent.
    pub(crate) query: &'a str,
    /// The headers to sign, names in lower case, sorted.
    pub(crate) headers: &'a [(&'a str, &'a [u8])],
    pub(crate) payload_hash: &'a str,
}

/// Signs the requests of one session.
pub(crate) struct Signer {
    credentials: Credentials,
    region: String,
    second: u64,
    date: HeaderValue,
    stamp: [u8; 16],
    /// `20130524/us-east-1/s3/aws4_request`
    scope: String,
    /// `AWS4-HMAC-SHA256 Credential=…/…, SignedHeaders=`
    prefix: String,
    key: HmacSha256,
}

fn hmac(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

fn chain(key: &[u8], data: &[u8]) -> [u8; 32] {
    let mut mac = hmac(key);
    mac.update(data);
    mac.finalize().into_bytes().into()
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

impl Signer {
    pub(crate) fn new(credentials: Credentials, region: &str) -> Self {
        let mut signer = Self {
            credentials,
            region: region.to_string(),
            second: 0,
            date: HeaderValue::from_static("-"),
            stamp: clock::stamp(0),
            scope: String::new(),
            prefix: String::new(),
            key: hmac(&[]),
        };
        signer.start_day();
        signer.start_second(0);
        signer
    }

    /// The `x-amz-date` of a time, which later signatures use.
    pub(crate) fn date(&mut self, unix_seconds: u64) -> HeaderValue {
        if unix_seconds != self.second {
            self.start_second(unix_seconds);
        }
        self.date.clone()
    }

    fn start_second(&mut self, unix_seconds: u64) {
        let day_before = self.stamp;
        self.second = unix_seconds;
        self.stamp = clock::stamp(unix_seconds);
        self.date = HeaderValue::from_bytes(&self.stamp).expect("digits are a header value");
        if self.stamp[..8] != day_before[..8] {
            self.start_day();
        }
    }

    fn start_day(&mut self) {
        let day = String::from_utf8_lossy(&self.stamp[..8]).into_owned();
        let secret = format!("AWS4{}", self.credentials.secret_key);
        let key = chain(secret.as_bytes(), day.as_bytes());
        let key = chain(&chain(&key, self.region.as_bytes()), b"s3");
        self.key = hmac(&chain(&key, b"aws4_request"));
        self.scope = format!("{day}/{}/s3/aws4_request", self.region);
        self.prefix =
            format!("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders=", self.credentials.access_key, self.scope);
    }

    /// The `authorization` header, by the date of the last [`Signer::date`].
    pub(crate) fn authorization(&self, request: &Signable<'_>) -> HeaderValue {
        let mut mac = self.key.clone();
        mac.update(b"AWS4-HMAC-SHA256\n");
        mac.update(&self.stamp);
        mac.update(b"\n");
        mac.update(self.scope.as_bytes());
        mac.update(b"\n");
        mac.update(&hex(&canonical_hash(request)));
        let signature = hex(&mac.finalize().into_bytes().into());
        let mut text = Vec::with_capacity(self.prefix.len() + 192);
        text.extend_from_slice(self.prefix.as_bytes());
        for (index, (name, _)) in request.headers.iter().enumerate() {
            if index > 0 {
                text.push(b';');
            }
            text.extend_from_slice(name.as_bytes());
        }
        text.extend_from_slice(b", Signature=");
        text.extend_from_slice(&signature);
        HeaderValue::from_maybe_shared(Bytes::from(text)).unwrap_or_else(|_| HeaderValue::from_static("unprintable"))
    }
}

fn canonical_hash(request: &Signable<'_>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for piece in [request.method, "\n", request.path, "\n", request.query, "\n"] {
        hash.update(piece);
    }
    for (name, value) in request.headers {
        hash.update(name);
        hash.update(b":");
        hash.update(value);
        hash.update(b"\n");
    }
    hash.update(b"\n");
    for (index, (name, _)) in request.headers.iter().enumerate() {
        if index > 0 {
            hash.update(b";");
        }
        hash.update(name);
    }
    hash.update(b"\n");
    hash.update(request.payload_hash);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of AWS's "Signature Calculations for the Authorization Header".
    fn check(request: &Signable<'_>, signature: &str) {
        let credentials = Credentials {
            access_key: "AKIAIOSFODNN7EXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: None,
        };
        let mut signer = Signer::new(credentials, "us-east-1");
        assert_eq!(signer.date(1_369_353_600), "20130524T000000Z");
        let names: Vec<_> = request.headers.iter().map(|(name, _)| *name).collect();
        let expected = format!(
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
             SignedHeaders={}, Signature={signature}",
            names.join(";")
        );
        assert_eq!(signer.authorization(request), expected.as_str());
    }

    const HOST: (&str, &[u8]) = ("host", b"examplebucket.s3.amazonaws.com");
    const DATE: (&str, &[u8]) = ("x-amz-date", b"20130524T000000Z");
    const EMPTY: (&str, &[u8]) = ("x-amz-content-sha256", EMPTY_SHA256.as_bytes());

    fn get<'a>(path: &'a str, query: &'a str, headers: &'a [(&'a str, &'a [u8])]) -> Signable<'a> {
        Signable { method: "GET", path, query, headers, payload_hash: EMPTY_SHA256 }
    }

    #[test]
    fn signs_a_ranged_get_as_aws_does() {
        let headers = [HOST, ("range", b"bytes=0-9".as_slice()), EMPTY, DATE];
        check(&get("/test.txt", "", &headers), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    #[test]
    fn signs_queries_as_aws_does() {
        let headers = [HOST, EMPTY, DATE];
        check(&get("/", "lifecycle=", &headers), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        let list = get("/", "max-keys=2&prefix=J", &headers);
        check(&list, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    #[test]
    fn signs_a_put_with_its_payload_as_aws_does() {
        let hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
        let headers = [
            ("date", b"Fri, 24 May 2013 00:00:00 GMT".as_slice()),
            HOST,
            ("x-amz-content-sha256", hash.as_bytes()),
            DATE,
            ("x-amz-storage-class", b"REDUCED_REDUNDANCY"),
        ];
        let put =
            Signable { method: "PUT", path: "/test%24file.text", query: "", headers: &headers, payload_hash: hash };
        check(&put, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    }

    #[test]
    fn a_new_day_makes_a_new_key() {
        let credentials = Credentials { access_key: "a".into(), secret_key: "b".into(), token: None };
        let mut signer = Signer::new(credentials.clone(), "r");
        let headers = [DATE];
        signer.date(86_400 * 20_000);
        let first = signer.authorization(&get("/", "", &headers));
        signer.date(86_400 * 20_001);
        let later = signer.authorization(&get("/", "", &headers));
        assert_ne!(first, later);
        let mut fresh = Signer::new(credentials, "r");
        fresh.date(86_400 * 20_001);
        assert_eq!(fresh.authorization(&get("/", "", &headers)), later);
    }
}
