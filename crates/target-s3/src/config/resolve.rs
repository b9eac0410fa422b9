//! Who says what: settings before the environment before the profile, checked and completed.

use super::keys::{self, Key, Value, invalid};
use super::profile::{self, Profile};
use super::{Endpoint, PART_BYTES_MAX, PART_BYTES_MIN, S3Config, uri};
use crate::sign::Credentials;
use fsbench_target::Result;
use std::collections::HashMap;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_millis(3_000);
const REQUEST_TIMEOUT: Duration = Duration::from_millis(30_000);
const PART_BYTES: u64 = 8 << 20;
const UPLOAD_CONCURRENCY: usize = 4;

/// How the user said that keys are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    Usual,
    Environment,
    Anonymous,
}

/// What is known while resolving.
struct Sources<'a> {
    settings: HashMap<Key, Value>,
    env: &'a dyn Fn(&str) -> Option<String>,
    profile: Option<Profile>,
    notes: Vec<String>,
}

impl S3Config {
    /// Resolves a base URI, settings (of which a later one wins), and the environment into a configuration, with notes for
    /// the user on what was assumed and on settings that mean nothing here. Profile files are read only where settings
    /// and environment leave something open.
    ///
    /// # Errors
    /// [`fsbench_target::ErrorKind::Invalid`], naming the key, and what to do. Never with a secret in it.
    pub fn resolve(
        uri: &str,
        settings: &[(String, String)],
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<String>)> {
        let (bucket, prefix) = uri::base(uri)?;
        let mut notes = Vec::new();
        let settings = keys::sorted(settings, &mut notes)?;
        let mut from = Sources { settings, env, profile: None, notes };
        let credentials = from.credentials()?;
        let (endpoint, region) = from.place()?;
        let path_style = from.path_style(&bucket, &endpoint)?;
        let ca_bundle = from.ca_bundle();
        let defaulted = |value: Option<u64>, default: usize| {
            value.map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX))
        };
        let config = Self {
            max_connections: from
                .number(Key::MaxConnections, 0, 1_000_000)?
                .filter(|most| *most > 0)
                .map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            connect_timeout: from.milliseconds(Key::ConnectTimeout, CONNECT_TIMEOUT)?,
            request_timeout: from.milliseconds(Key::RequestTimeout, REQUEST_TIMEOUT)?,
            part_size: from.size(Key::PartSize, PART_BYTES_MIN)?.unwrap_or(PART_BYTES),
            copy_part_threshold: from.size(Key::CopyPartThreshold, PART_BYTES_MIN)?.unwrap_or(PART_BYTES_MAX),
            upload_concurrency: defaulted(from.number(Key::UploadConcurrency, 1, 1_000)?, UPLOAD_CONCURRENCY),
            retries: from.number(Key::Retries, 0, 100)?.map_or(0, |number| u32::try_from(number).unwrap_or(100)),
            signed_payload: match from.settings.get(&Key::Payload) {
                Some(value) => value.word(&[("unsigned", false), ("sha256", true)])?,
                None => false,
            },
            ca_bundle: ca_bundle.map(|value| value.text.into()),
            bucket,
            prefix,
            endpoint,
            region,
            path_style,
            credentials,
        };
        Ok((config, from.notes))
    }
}

impl Sources<'_> {
    fn number(&self, key: Key, least: u64, most: u64) -> Result<Option<u64>> {
        self.settings.get(&key).map(|value| value.number(least, most)).transpose()
    }

    fn size(&self, key: Key, least: u64) -> Result<Option<u64>> {
        self.settings.get(&key).map(|value| value.size(least, PART_BYTES_MAX)).transpose()
    }

    fn milliseconds(&self, key: Key, default: Duration) -> Result<Duration> {
        self.settings.get(&key).map_or(Ok(default), Value::milliseconds)
    }

    fn env(&self, name: &str) -> Option<Value> {
        let text = (self.env)(name)?.trim().to_string();
        (!text.is_empty()).then(|| Value { name: name.into(), text })
    }

    fn profile(&mut self, name: &str) -> Result<Option<Value>> {
        let profile = match self.profile.take() {
            Some(profile) => profile,
            None => profile::load(self.env)?,
        };
        let value = profile.get(name).filter(|text| !text.is_empty()).cloned();
        self.profile = Some(profile);
        Ok(value.map(|text| Value { name: format!("{name} of the AWS profile"), text }))
    }

    fn setting(&self, key: Key) -> Option<Value> {
        self.settings.get(&key).filter(|value| !value.text.is_empty()).cloned()
    }

    /// A text from the first that has it: settings, environment, profile.
    fn text(&mut self, key: Key, variables: &[&str], in_profile: &str) -> Result<Option<Value>> {
        if let Some(value) = self.setting(key) {
            return Ok(Some(value));
        }
        match variables.iter().find_map(|name| self.env(name)) {
            Some(value) => Ok(Some(value)),
            None => self.profile(in_profile),
        }
    }

    /// Profile files that nothing else needed are not read for it.
    fn ca_bundle(&self) -> Option<Value> {
        let asked = self.setting(Key::CaBundle).or_else(|| self.env("AWS_CA_BUNDLE"));
        asked.or_else(|| {
            let text = self.profile.as_ref()?.get("ca_bundle")?.clone();
            Some(Value { name: "ca_bundle of the AWS profile".into(), text })
        })
    }

    fn finding(&self) -> Result<Finding> {
        let Some(value) = self.setting(Key::CredentialsType) else {
            return Ok(Finding::Usual);
        };
        let words = [
            ("DEFAULT", Some(Finding::Usual)),
            ("ENV", Some(Finding::Environment)),
            ("ANONYMOUS", Some(Finding::Anonymous)),
            ("SYSTEM_PROPERTIES", None),
            ("WEB_IDENTITY", None),
            ("CONTAINER", None),
            ("INSTANCE_PROFILE", None),
        ];
        value.word(&words)?.ok_or_else(|| {
            invalid(
                format!("{}={} is not supported", value.name, value.text),
                "give AWS_ACCESS_KEY and AWS_SECRET_KEY, or use DEFAULT, ENV or ANONYMOUS",
            )
        })
    }

    /// The keys of the first that has one: they are never mixed.
    fn credentials(&mut self) -> Result<Option<Credentials>> {
        let finding = self.finding()?;
        if finding == Finding::Anonymous {
            return Ok(None);
        }
        if finding == Finding::Usual {
            let (key, secret) = (self.setting(Key::Access), self.setting(Key::Secret));
            let names = ("AWS_ACCESS_KEY", "AWS_SECRET_KEY");
            if let Some(found) = pair(key, secret, self.setting(Key::Token), names)? {
                return Ok(Some(found));
            }
        }
        let (key, secret) = (self.env("AWS_ACCESS_KEY_ID"), self.env("AWS_SECRET_ACCESS_KEY"));
        let names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
        if let Some(found) = pair(key, secret, self.env("AWS_SESSION_TOKEN"), names)? {
            return Ok(Some(found));
        }
        if finding == Finding::Environment {
            let hint = "set them, or remove AWS_CREDENTIALS_PROVIDER_TYPE";
            return Err(invalid("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not in the environment".into(), hint));
        }
        self.profile_credentials()
    }

    fn profile_credentials(&mut self) -> Result<Option<Credentials>> {
        let (key, secret) = (self.profile("aws_access_key_id")?, self.profile("aws_secret_access_key")?);
        let names = ("aws_access_key_id of the AWS profile", "aws_secret_access_key of the AWS profile");
        let token = self.profile("aws_session_token")?;
        if let Some(found) = pair(key, secret, token, names)? {
            return Ok(Some(found));
        }
        for name in ["role_arn", "credential_process", "sso_session", "sso_start_url", "web_identity_token_file"] {
            if let Some(value) = self.profile(name)? {
                let hint = "put its keys into the environment: aws configure export-credentials --format env";
                return Err(invalid(format!("{} is not supported", value.name), hint));
            }
        }
        self.notes
            .push("no AWS_ACCESS_KEY in the settings, the environment or a profile: requests are anonymous".into());
        Ok(None)
    }

    /// Endpoint and region, each found or derived from the other.
    fn place(&mut self) -> Result<(Endpoint, String)> {
        let variables = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
        let endpoint = match self.text(Key::Endpoint, &variables, "s3.endpoint_url")? {
            Some(value) => Some(value),
            None => self.profile("endpoint_url")?,
        };
        let region = self.text(Key::Region, &["AWS_REGION", "AWS_DEFAULT_REGION"], "region")?;
        match (endpoint, region) {
            (None, None) => Err(invalid(
                "neither AWS_ENDPOINT nor AWS_REGION is given".into(),
                "set AWS_ENDPOINT (s3.endpoint) to the service's address; for Amazon S3, AWS_REGION is enough",
            )),
            (None, Some(region)) => {
                let text = format!("https://s3.{}.amazonaws.com", region.text);
                let (endpoint, _) = uri::endpoint(&region.name, &text)?;
                self.notes.push(format!("no AWS_ENDPOINT is given: using {text}"));
                Ok((endpoint, region.text))
            }
            (Some(endpoint), region) => Ok((self.endpoint(&endpoint)?, self.region_or_usual(region)?)),
        }
    }

    fn endpoint(&mut self, value: &Value) -> Result<Endpoint> {
        let (endpoint, assumed) = uri::endpoint(&value.name, &value.text)?;
        if assumed {
            self.notes.push(format!("{}={} has no scheme: using {}", value.name, value.text, endpoint.url()));
        }
        Ok(endpoint)
    }

    fn region_or_usual(&mut self, region: Option<Value>) -> Result<String> {
        let Some(region) = region else {
            self.notes.push("no AWS_REGION is given: signing for us-east-1".into());
            return Ok("us-east-1".into());
        };
        if region.text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) {
            return Ok(region.text);
        }
        Err(invalid(format!("{}={} is not a region's name", region.name, region.text), "it is like us-east-1"))
    }

    fn path_style(&mut self, bucket: &str, endpoint: &Endpoint) -> Result<bool> {
        let asked = match self.setting(Key::PathStyle) {
            Some(value) => value.flag()?,
            None => match &self.profile {
                // Not worth reading the files for.
                Some(profile) => profile.get("s3.addressing_style").is_some_and(|style| style == "path"),
                None => false,
            },
        };
        let reason = uri::path_style_reason(bucket, endpoint).filter(|_| !asked);
        if let Some(reason) = reason {
            self.notes.push(format!("{reason}: using path style (use_path_style=true)"));
        }
        Ok(asked || reason.is_some())
    }
}

/// Keys that belong together: both, or none.
fn pair(
    key: Option<Value>,
    secret: Option<Value>,
    token: Option<Value>,
    names: (&str, &str),
) -> Result<Option<Credentials>> {
    let missing =
        |has: &Value, lacks: &str| invalid(format!("{} is given, {lacks} is not", has.name), "give both, or none");
    match (key, secret) {
        (Some(key), Some(secret)) => {
            if key.text.bytes().any(|b| !(33..127).contains(&b)) {
                return Err(invalid(format!("{} holds characters that no access key has", key.name), "correct it"));
            }
            let token = token.map(|token| token.text);
            Ok(Some(Credentials { access_key: key.text, secret_key: secret.text, token }))
        }
        (Some(key), None) => Err(missing(&key, names.1)),
        (None, Some(secret)) => Err(missing(&secret, names.0)),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests;
