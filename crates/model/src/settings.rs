//! Settings of a target: ordered `key = value` pairs that came from a conf file, the command line or the environment.
//!
//! A setting knows whether it is a secret. What serializes or prints settings sees [`MASK`] in a secret's place; only
//! [`Settings::find`] gives the value itself, to the target that needs it.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// What stands in place of a secret wherever settings are shown.
pub const MASK: &str = "******";

/// Parts of a key that make its value a secret, in lower case.
const SECRET_PARTS: [&str; 11] = [
    "secret",
    "password",
    "passwd",
    "token",
    "access_key",
    "accesskey",
    "private_key",
    "account_key",
    "encryption_key",
    "sas",
    "credential",
];

/// One setting.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Setting {
    /// The key as it was spelled.
    pub key: String,
    /// The value; shown as [`MASK`] when the key names a secret.
    pub value: String,
    /// Where it came from: `hdfs.conf:3`, `--region`, `AWS_REGION`.
    pub origin: String,
}

/// Whether a key names a secret (an access key's id counts: it identifies an account).
fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace(['.', '-'], "_");
    !key.ends_with("provider") && !key.ends_with("provider_type") && SECRET_PARTS.iter().any(|part| key.contains(part))
}

impl Setting {
    /// The value as it may be shown.
    #[must_use]
    pub fn shown(&self) -> &str {
        if is_secret(&self.key) && !self.value.is_empty() { MASK } else { &self.value }
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} ({})", self.key, self.shown(), self.origin)
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Setting", 3)?;
        out.serialize_field("key", &self.key)?;
        out.serialize_field("value", self.shown())?;
        out.serialize_field("origin", &self.origin)?;
        out.end()
    }
}

/// Settings in the order in which they were given; of equal keys the last wins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(Vec<Setting>);

impl Settings {
    /// Adds a setting, or replaces the one of the same key (compared exactly).
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>, origin: impl Into<String>) {
        let setting = Setting { key: key.into(), value: value.into(), origin: origin.into() };
        match self.0.iter_mut().find(|old| old.key == setting.key) {
            Some(old) => *old = setting,
            None => self.0.push(setting),
        }
    }

    /// The value of `key`, compared exactly.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|s| s.key == key).map(|s| s.value.as_str())
    }

    /// Takes a setting out.
    pub fn remove(&mut self, key: &str) -> Option<Setting> {
        let at = self.0.iter().position(|s| s.key == key)?;
        Some(self.0.remove(at))
    }

    /// All settings in order.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_in_every_output() {
        let mut settings = Settings::default();
        for key in ["AWS_SECRET_KEY", "s3.secret_key", "AWS_TOKEN", "s3.session_token", "AWS_ACCESS_KEY", "password"] {
            settings.set(key, "hush", "t.conf:1");
        }
        let shown = format!("{settings:?}");
        assert!(!shown.contains("hush"), "{shown}");
        assert_eq!(shown.matches(MASK).count(), 6);
        assert_eq!(settings.find("AWS_TOKEN"), Some("hush"));
    }

    #[test]
    fn what_is_no_secret_is_shown() {
        let mut settings = Settings::default();
        settings.set("AWS_ENDPOINT", "http://127.0.0.1:9000", "s3.conf:1");
        settings.set("AWS_CREDENTIALS_PROVIDER_TYPE", "ANONYMOUS", "s3.conf:2");
        let shown = format!("{settings:?}");
        assert!(shown.contains("127.0.0.1:9000") && shown.contains("ANONYMOUS"));
    }

    #[test]
    fn the_last_of_equal_keys_wins_in_the_first_ones_place() {
        let mut settings = Settings::default();
        settings.set("a", "1", "f:1");
        settings.set("b", "2", "f:2");
        settings.set("a", "3", "f:3");
        let keys: Vec<_> = settings.iter().map(|s| (s.key.as_str(), s.value.as_str())).collect();
        assert_eq!(keys, [("a", "3"), ("b", "2")]);
    }
}
