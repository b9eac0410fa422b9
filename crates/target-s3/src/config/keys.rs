//! The keys of a connection: every spelling in use, and values read strictly.

use fsbench_target::{Error, ErrorKind, Result};
use std::collections::HashMap;
use std::time::Duration;

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Endpoint,
    Region,
    Access,
    Secret,
    Token,
    CredentialsType,
    MaxConnections,
    RequestTimeout,
    ConnectTimeout,
    PathStyle,
    CaBundle,
    PartSize,
    UploadConcurrency,
    Retries,
    Payload,
    CopyPartThreshold,
    Provider,
    /// Known, and refused.
    Role,
    /// Known, and without a meaning here.
    Ignored,
}

/// Every spelling, in lower case: Doris' of all versions, AWS', and our own.
const SPELLINGS: [(&str, Key); 43] = [
    ("aws_endpoint", Key::Endpoint),
    ("aws_endpoint_url", Key::Endpoint),
    ("aws_endpoint_url_s3", Key::Endpoint),
    ("s3.endpoint", Key::Endpoint),
    ("aws_region", Key::Region),
    ("aws_default_region", Key::Region),
    ("s3.region", Key::Region),
    ("aws_access_key", Key::Access),
    ("aws_access_key_id", Key::Access),
    ("s3.access_key", Key::Access),
    ("aws_secret_key", Key::Secret),
    ("aws_secret_access_key", Key::Secret),
    ("s3.secret_key", Key::Secret),
    ("aws_token", Key::Token),
    ("aws_session_token", Key::Token),
    ("s3.session_token", Key::Token),
    ("aws_credentials_provider_type", Key::CredentialsType),
    ("aws_max_conn_size", Key::MaxConnections),
    ("aws_max_connections", Key::MaxConnections),
    ("s3.connection.maximum", Key::MaxConnections),
    ("aws_request_timeout_ms", Key::RequestTimeout),
    ("s3.connection.request.timeout", Key::RequestTimeout),
    ("aws_connection_timeout_ms", Key::ConnectTimeout),
    ("s3.connection.timeout", Key::ConnectTimeout),
    ("use_path_style", Key::PathStyle),
    ("s3.path-style-access", Key::PathStyle),
    ("aws_ca_bundle", Key::CaBundle),
    ("s3.ca_bundle", Key::CaBundle),
    ("part_size", Key::PartSize),
    ("s3.part_size", Key::PartSize),
    ("upload_concurrency", Key::UploadConcurrency),
    ("s3.upload_concurrency", Key::UploadConcurrency),
    ("retries", Key::Retries),
    ("s3.retries", Key::Retries),
    ("payload", Key::Payload),
    ("s3.payload", Key::Payload),
    ("copy_part_threshold", Key::CopyPartThreshold),
    ("provider", Key::Provider),
    ("aws_role_arn", Key::Role),
    ("aws_external_id", Key::Role),
    ("s3.role_arn", Key::Role),
    ("s3.external_id", Key::Role),
    ("aws_need_override_endpoint", Key::Ignored),
];

/// A value, and the spelling it came under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) text: String,
}

pub(super) fn invalid(detail: String, hint: &str) -> Error {
    Error::new(ErrorKind::Invalid, "s3", "configure", "s3", detail).with_hint(hint)
}

/// Sorts settings by what they mean, later ones first, and notes those that mean nothing.
pub(super) fn sorted(settings: &[(String, String)], notes: &mut Vec<String>) -> Result<HashMap<Key, Value>> {
    let mut found = HashMap::new();
    for (name, text) in settings {
        let lower = name.trim().to_ascii_lowercase();
        if lower.starts_with("azure_") || lower.starts_with("azure.") {
            return Err(no_azure(name));
        }
        match SPELLINGS.iter().find(|(spelling, _)| *spelling == lower) {
            Some((_, key)) => {
                let value = Value { name: name.trim().to_string(), text: text.trim().to_string() };
                found.insert(*key, value);
            }
            None => notes.push(format!("{} is not used with s3", name.trim())),
        }
    }
    if let Some(role) = found.get(&Key::Role) {
        let hint = "assume it outside, and give the keys and the token: aws sts assume-role";
        return Err(invalid(format!("{} is not supported: fsbench cannot assume roles", role.name), hint));
    }
    match found.get(&Key::Provider) {
        Some(provider) if provider.text.eq_ignore_ascii_case("azure") => Err(no_azure(&provider.name)),
        _ => Ok(found),
    }
}

fn no_azure(name: &str) -> Error {
    invalid(format!("{name}: Azure's own protocol is not supported"), "give an S3-compatible endpoint")
}

impl Value {
    fn bad(&self, wanted: &str) -> Error {
        invalid(
            format!("{}={} is not {wanted}", self.name, self.text),
            "correct it in the conf file or on the command line",
        )
    }

    /// A whole number. Signs, blanks and anything behind it are errors.
    pub(super) fn number(&self, least: u64, most: u64) -> Result<u64> {
        let wanted = format!("a number from {least} to {most}");
        let digits = !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit());
        let number = self.text.parse().ok().filter(|number| digits && (least..=most).contains(number));
        number.ok_or_else(|| self.bad(&wanted))
    }

    pub(super) fn milliseconds(&self) -> Result<Duration> {
        self.number(1, 86_400_000).map(Duration::from_millis)
    }

    /// Bytes: a number, with `KiB`, `MiB` or `GiB` behind it or nothing.
    pub(super) fn size(&self, least: u64, most: u64) -> Result<u64> {
        let digits = self.text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let factor: Option<u64> = match self.text[digits.len()..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => Some(1),
            "kib" => Some(1 << 10),
            "mib" => Some(1 << 20),
            "gib" => Some(1 << 30),
            _ => None,
        };
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let size = factor.filter(|_| plain).and_then(|factor| digits.parse::<u64>().ok()?.checked_mul(factor));
        let wanted = format!("a size from {least} to {most} bytes (8MiB, 8388608)");
        size.filter(|size| (least..=most).contains(size)).ok_or_else(|| self.bad(&wanted))
    }

    pub(super) fn flag(&self) -> Result<bool> {
        match self.text.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.bad("true or false")),
        }
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T> {
        let found = words.iter().find(|(word, _)| self.text.eq_ignore_ascii_case(word));
        let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.bad(&format!("one of: {}", list.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value { name: "part_size".into(), text: text.into() }
    }

    #[test]
    fn numbers_are_strict() {
        assert_eq!(value("17").number(1, 17), Ok(17));
        for text in ["", "0", "18", "+5", "-1", "5 ", "5x", "0x5", "5.0", "99999999999999999999"] {
            let error = value(text).number(1, 17).expect_err(text);
            assert!(error.detail.contains(&format!("part_size={text} is not a number from 1 to 17")), "{error}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, size) in [("5", 5), ("8MiB", 8 << 20), ("1 GiB", 1 << 30), ("2kib", 2048)] {
            assert_eq!(value(text).size(1, u64::MAX), Ok(size));
        }
        for text in ["", "MiB", "8M", "8 MB", "-8MiB", "1.5GiB", "99999999999999GiB", "1 2"] {
            assert!(value(text).size(1, u64::MAX).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_found_in_any_case_and_the_later_wins() {
        let settings = [("aws_Endpoint", "a"), ("S3.ENDPOINT", "b"), ("colour", "red")];
        let settings = settings.map(|(name, text)| (name.to_string(), text.to_string()));
        let mut notes = Vec::new();
        let found = sorted(&settings, &mut notes).expect("known keys");
        assert_eq!(found[&Key::Endpoint].text, "b");
        assert_eq!(notes, ["colour is not used with s3"]);
    }

    #[test]
    fn spellings_are_unique() {
        let unique: std::collections::HashSet<_> = SPELLINGS.iter().map(|(name, _)| name).collect();
        assert_eq!(unique.len(), SPELLINGS.len());
    }
}
