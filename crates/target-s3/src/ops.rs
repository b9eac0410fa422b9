//! S3's operations, as far as a benchmark of storage needs them
//! (<https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html>).

use crate::client::{Call, Client};
use crate::conn::Answer;
use crate::encode;
use crate::failure::{Failure, Outcome};
use crate::object::{Names, Object, with_query};
use crate::payload::Payload;
use crate::xml::{self, CopiedAnswer, CreatedAnswer, ListAnswer, UploadsAnswer};
use fsbench_target::{ErrorKind, Stage};
use http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH, RANGE};
use http::{HeaderValue, Method, StatusCode};
use std::ops::Range;
use std::time::Duration;
use tokio::time::sleep;

const COPY_SOURCE: HeaderName = HeaderName::from_static("x-amz-copy-source");
const COPY_RANGE: HeaderName = HeaderName::from_static("x-amz-copy-source-range");
const COPY_IF_MATCH: HeaderName = HeaderName::from_static("x-amz-copy-source-if-match");
/// Between attempts to abort an upload: 50 ms to 1.6 s, 3 s in all.
const ABORT_PAUSE: Duration = Duration::from_millis(50);
const ABORT_PAUSE_MAX: Duration = Duration::from_millis(1_600);
const ANY: HeaderValue = HeaderValue::from_static("*");

/// What a HEAD tells.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) size: u64,
    pub(crate) etag: Option<HeaderValue>,
}

/// A part that the store has.
pub(crate) type Part = (u32, String);

fn text(value: String) -> Outcome<HeaderValue> {
    HeaderValue::from_maybe_shared(value).map_err(|error| Failure::new(ErrorKind::Invalid, error.to_string()))
}

fn corrupt(call: &str, problem: &str) -> Failure {
    Failure::new(ErrorKind::Corrupt, format!("the answer to {call} is not S3's: {problem}"))
}

/// The error in a success's body, which calls that take long may have.
fn late_error(answer: &Answer) -> Outcome<()> {
    match xml::error(&answer.body) {
        Some(_) => {
            Err(Failure::of_answer(StatusCode::INTERNAL_SERVER_ERROR, &answer.headers, &answer.body).said_as_success())
        }
        None => Ok(()),
    }
}

fn etag_of(answer: &Answer, call: &str) -> Outcome<String> {
    let etag = answer.headers.etag.as_ref().and_then(|etag| etag.to_str().ok());
    etag.map(str::to_string).ok_or_else(|| corrupt(call, "it has no ETag"))
}

impl Client {
    pub(crate) async fn head(&self, object: &Object) -> Outcome<Head> {
        let answer = self.send(Call::new(Method::HEAD, &object.target), None).await?;
        let size = answer.headers.length.ok_or_else(|| corrupt("HEAD", "it has no Content-Length"))?;
        Ok(Head { size, etag: answer.headers.etag })
    }

    /// Fills `into` from `offset`, which is below the object's size. Fewer bytes than `into` has are an error.
    pub(crate) async fn get(&self, object: &Object, head: &Head, offset: u64, into: &mut [u8]) -> Outcome<usize> {
        let wanted = into.len();
        let range = text(format!("bytes={offset}-{}", offset + wanted as u64 - 1))?;
        let mut call = Call::new(Method::GET, &object.target).header(RANGE, range);
        if let Some(etag) = &head.etag {
            call = call.header(IF_MATCH, etag.clone());
        }
        let answer = match self.send(call, Some(into)).await {
            Err(failure) if failure.kind == ErrorKind::AlreadyExists => {
                return Err(Failure::new(ErrorKind::Corrupt, "the object was replaced since it was opened"));
            }
            answer => answer?,
        };
        if answer.status != StatusCode::PARTIAL_CONTENT && !(offset == 0 && wanted as u64 == head.size) {
            return Err(corrupt("GET", "it is not the range that was asked for"));
        }
        match answer.filled == wanted {
            true => Ok(wanted),
            false => {
                let detail = format!("{} bytes came instead of {wanted}", answer.filled);
                Err(Failure::new(ErrorKind::ShortRead, detail))
            }
        }
    }

    /// Writes a whole object. `exclusive`: only if there is none.
    pub(crate) async fn put(&self, object: &Object, payload: Payload, exclusive: bool) -> Outcome<()> {
        let call = Call::new(Method::PUT, &object.target).with(payload);
        let call = if exclusive { call.header(IF_NONE_MATCH, ANY).once() } else { call };
        self.send(call, None).await.map(drop)
    }

    pub(crate) async fn create_upload(&self, object: &Object) -> Outcome<String> {
        let target = with_query(object.target.path(), "uploads=")?;
        let answer = self.send(Call::new(Method::POST, &target).once(), None).await?;
        let created: CreatedAnswer = xml::read("InitiateMultipartUploadResult", &answer.body)
            .map_err(|problem| corrupt("CreateMultipartUpload", &problem))?;
        Ok(created.upload_id)
    }

    pub(crate) async fn upload_part(&self, object: &Object, id: &str, number: u32, payload: Payload) -> Outcome<Part> {
        let query = format!("partNumber={number}&uploadId={}", encode::query(id));
        let target = with_query(object.target.path(), &query)?;
        let (start, bytes) = (self.probe.now(), payload.len());
        let answer = self.send(Call::new(Method::PUT, &target).with(payload), None).await?;
        self.probe.stage(Stage::Part, start, bytes);
        Ok((number, etag_of(&answer, "UploadPart")?))
    }

    /// Copies a range of `from` into a part. `etag` is that of the object the range was computed for.
    pub(crate) async fn copy_part(
        &self,
        (names, from, head): (&Names, &Object, &Head),
        (to, id, number): (&Object, &str, u32),
        range: Range<u64>,
    ) -> Outcome<Part> {
        let query = format!("partNumber={number}&uploadId={}", encode::query(id));
        let target = with_query(to.target.path(), &query)?;
        let mut call = Call::new(Method::PUT, &target)
            .header(COPY_SOURCE, text(names.copy_source(from))?)
            .header(COPY_RANGE, text(format!("bytes={}-{}", range.start, range.end - 1))?);
        if let Some(etag) = &head.etag {
            call = call.header(COPY_IF_MATCH, etag.clone());
        }
        let start = self.probe.now();
        let answer = self.send(call, None).await?;
        late_error(&answer)?;
        self.probe.stage(Stage::Part, start, range.end - range.start);
        let copied: CopiedAnswer =
            xml::read("CopyPartResult", &answer.body).map_err(|problem| corrupt("UploadPartCopy", &problem))?;
        Ok((number, copied.etag))
    }

    /// Makes an object of the parts, which are in order.
    pub(crate) async fn complete_upload(
        &self,
        object: &Object,
        id: &str,
        parts: &[Part],
        exclusive: bool,
    ) -> Outcome<()> {
        let target = with_query(object.target.path(), &format!("uploadId={}", encode::query(id)))?;
        let call = Call::new(Method::POST, &target).with(xml::complete(parts).into()).once();
        let call = if exclusive { call.header(IF_NONE_MATCH, ANY) } else { call };
        let start = self.probe.now();
        let answer = self.send(call, None).await?;
        late_error(&answer)?;
        self.probe.stage(Stage::Complete, start, 0);
        Ok(())
    }

    /// Forgets an upload and its parts. False: it was not there.
    async fn abort_once(&self, object: &Object, id: &str) -> Outcome<bool> {
        let target = with_query(object.target.path(), &format!("uploadId={}", encode::query(id)))?;
        match self.send(Call::new(Method::DELETE, &target), None).await {
            Err(failure) if failure.code == "NoSuchUpload" => Ok(false),
            answer => answer.map(|_| true),
        }
    }

    /// Forgets an upload and its parts. A part that was on its way when the upload was aborted may survive it
    /// (<https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html>), and may make the server stumble:
    /// with `parts_on_their_way` it is aborted until it is gone.
    pub(crate) async fn abort_upload(&self, object: &Object, id: &str, parts_on_their_way: bool) -> Outcome<()> {
        let mut pause = ABORT_PAUSE;
        loop {
            let aborted = self.abort_once(object, id).await;
            let last = pause > ABORT_PAUSE_MAX;
            match aborted {
                Ok(false) => return Ok(()),
                Ok(true) if last || !parts_on_their_way => return Ok(()),
                Err(failure) if last || !failure.passes() => return Err(failure),
                Ok(true) | Err(_) => sleep(pause).await,
            }
            pause *= 2;
        }
    }

    pub(crate) async fn delete(&self, object: &Object) -> Outcome<()> {
        self.send(Call::new(Method::DELETE, &object.target), None).await.map(drop)
    }

    /// Copies a whole object on the server.
    pub(crate) async fn copy(&self, names: &Names, from: &Object, to: &Object) -> Outcome<()> {
        let call = Call::new(Method::PUT, &to.target).header(COPY_SOURCE, text(names.copy_source(from))?);
        let answer = self.send(call, None).await?;
        late_error(&answer)
    }

    /// One page of the keys that begin with `prefix`. `most` 0: as many as the server gives.
    pub(crate) async fn list(
        &self,
        names: &Names,
        prefix: &str,
        token: Option<&str>,
        most: u32,
    ) -> Outcome<ListAnswer> {
        let token = token.map(|token| format!("continuation-token={}&", encode::query(token))).unwrap_or_default();
        let most = if most > 0 { format!("max-keys={most}&") } else { String::new() };
        let query = format!("{token}encoding-type=url&list-type=2&{most}prefix={}", encode::query(prefix));
        let target = names.bucket_query(&query)?;
        let answer = self.send(Call::new(Method::GET, &target), None).await?;
        let mut list: ListAnswer =
            xml::read("ListBucketResult", &answer.body).map_err(|problem| corrupt("ListObjectsV2", &problem))?;
        if list.encoding_type.as_deref() == Some("url") {
            for listed in &mut list.contents {
                decode(&mut listed.key)?;
            }
        }
        Ok(list)
    }

    /// One page of the unfinished uploads to keys that begin with `prefix`.
    pub(crate) async fn uploads(
        &self,
        names: &Names,
        prefix: &str,
        after: Option<&(String, String)>,
    ) -> Outcome<UploadsAnswer> {
        let (key, id) = match after {
            Some((key, id)) => {
                (format!("key-marker={}&", encode::query(key)), format!("upload-id-marker={}&", encode::query(id)))
            }
            None => Default::default(),
        };
        let query = format!("encoding-type=url&{key}prefix={}&{id}uploads=", encode::query(prefix));
        let answer = self.send(Call::new(Method::GET, &names.bucket_query(&query)?), None).await?;
        let mut found: UploadsAnswer = xml::read("ListMultipartUploadsResult", &answer.body)
            .map_err(|problem| corrupt("ListMultipartUploads", &problem))?;
        if found.encoding_type.as_deref() == Some("url") {
            for upload in &mut found.uploads {
                decode(&mut upload.key)?;
            }
            if let Some(marker) = &mut found.next_key_marker {
                decode(marker)?;
            }
        }
        Ok(found)
    }
}

fn decode(key: &mut String) -> Outcome<()> {
    *key = encode::decode(key).ok_or_else(|| corrupt("a listing", &format!("{key} is not percent-encoded UTF-8")))?;
    Ok(())
}
