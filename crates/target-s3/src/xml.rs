//! S3's XML: the answers that are read, and the one request that is written.

use quick_xml::escape::escape;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;

/// S3's `<Error>`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ErrorAnswer {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) request_id: String,
    pub(crate) region: Option<String>,
}

/// A page of ListObjectsV2.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ListAnswer {
    pub(crate) contents: Vec<Listed>,
    pub(crate) is_truncated: bool,
    pub(crate) next_continuation_token: Option<String>,
    /// `url` when the names in this answer are percent-encoded.
    pub(crate) encoding_type: Option<String>,
}

/// One listed object.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Listed {
    pub(crate) key: String,
    pub(crate) size: u64,
}

/// A page of ListMultipartUploads.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct UploadsAnswer {
    #[serde(rename = "Upload")]
    pub(crate) uploads: Vec<ListedUpload>,
    pub(crate) is_truncated: bool,
    pub(crate) next_key_marker: Option<String>,
    pub(crate) next_upload_id_marker: Option<String>,
    pub(crate) encoding_type: Option<String>,
}

/// One unfinished upload.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct ListedUpload {
    pub(crate) key: String,
    pub(crate) upload_id: String,
}

/// The answer of CreateMultipartUpload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct CreatedAnswer {
    pub(crate) upload_id: String,
}

/// The answer of UploadPartCopy.
#[derive(Debug, Deserialize)]
pub(crate) struct CopiedAnswer {
    #[serde(rename = "ETag")]
    pub(crate) etag: String,
}

fn text(body: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(body).map_err(|_| "it is not UTF-8".to_string())
}

/// The name of the document's outermost element, without its namespace.
fn root(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while rest.starts_with("<?") || rest.starts_with("<!") {
        rest = rest.split_once('>')?.1.trim_start();
    }
    let name = rest.strip_prefix('<')?.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
    Some(name.rsplit_once(':').map_or(name, |(_, local)| local))
}

/// Reads an answer whose document must be a `name`.
pub(crate) fn read<T: DeserializeOwned>(name: &str, body: &[u8]) -> Result<T, String> {
    let text = text(body)?;
    match root(text) {
        Some(found) if found == name => quick_xml::de::from_str(text).map_err(|error| error.to_string()),
        Some(found) => Err(format!("it is a <{found}>")),
        None => Err("it is not XML".into()),
    }
}

/// The error that an answer holds, if it holds one: some calls say 200 first and fail later.
pub(crate) fn error(body: &[u8]) -> Option<ErrorAnswer> {
    read("Error", body).ok()
}

/// The body of CompleteMultipartUpload.
pub(crate) fn complete(parts: &[(u32, String)]) -> String {
    let mut text = String::with_capacity(64 + parts.len() * 96);
    text.push_str("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (number, etag) in parts {
        let _ = write!(text, "<Part><PartNumber>{number}</PartNumber><ETag>{}</ETag></Part>", escape(etag.as_str()));
    }
    text.push_str("</CompleteMultipartUpload>");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>p/</Prefix><KeyCount>2</KeyCount>
<MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
<NextContinuationToken>a&amp;b</NextContinuationToken>
<Contents><Key>p/a%20b</Key><LastModified>2026-01-01T00:00:00Z</LastModified><ETag>&quot;x&quot;</ETag><Size>17</Size>
<StorageClass>STANDARD</StorageClass></Contents><Contents><Key>p/b</Key><Size>0</Size></Contents>
<CommonPrefixes><Prefix>p/c/</Prefix></CommonPrefixes></ListBucketResult>"#;

    #[test]
    fn reads_a_listing_with_what_it_does_not_know() {
        let list: ListAnswer = read("ListBucketResult", LIST.as_bytes()).expect("a listing");
        let keys: Vec<_> = list.contents.iter().map(|c| (c.key.as_str(), c.size)).collect();
        assert_eq!(keys, [("p/a%20b", 17), ("p/b", 0)]);
        assert_eq!((list.is_truncated, list.next_continuation_token.as_deref()), (true, Some("a&b")));
    }

    #[test]
    fn an_empty_listing_is_no_error() {
        let body = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        let list: ListAnswer = read("ListBucketResult", body).expect("a listing");
        assert!(list.contents.is_empty() && !list.is_truncated);
    }

    #[test]
    fn malformed_answers_are_errors() {
        for body in [
            &b""[..],
            b"{}",
            b"<html><body>login</body></html>",
            b"\xff\xfe",
            b"<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
            b"<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
            b"<ListBucketResult><Contents><Key>a",
            b"<Error><Code>InternalError</Code></Error>",
        ] {
            assert!(read::<ListAnswer>("ListBucketResult", body).is_err(), "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn an_error_is_found_behind_a_success() {
        let body = b"<?xml version=\"1.0\"?>\n\n<Error><Code>InternalError</Code><Message>again</Message></Error>";
        assert_eq!(error(body).expect("an error").code, "InternalError");
        assert!(error(b"<CompleteMultipartUploadResult/>").is_none());
    }

    #[test]
    fn etags_are_escaped() {
        let text = complete(&[(1, "\"a\"".into()), (2, "<&".into())]);
        assert!(text.contains("<PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag>"), "{text}");
        assert!(text.contains("<ETag>&lt;&amp;</ETag>"), "{text}");
    }
}
