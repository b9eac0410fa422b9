//! What a user typed, what Hadoop's files say and what the environment holds, as one meaning: [`HdfsConfig`].
//!
//! Settings beat XML, XML beats defaults. Nothing here talks to HDFS; files are read, so that a mistake is found
//! before a run begins.

use crate::address::{self, Address};
use crate::site::{self, Properties};
use crate::{keys, units};
use fsbench_target::{Error, ErrorKind, Result};
use std::fmt;
use std::path::Path;
use std::time::Duration;

const TIMEOUT_MS: u64 = 60_000;
const PAGE_ENTRIES: u32 = 1000;
/// HDFS's checksum chunk: a block must hold whole ones.
const CHECKSUM_CHUNK: u64 = 512;

type Env<'e> = &'e dyn Fn(&str) -> Option<String>;

/// Everything that a connection to one HDFS needs.
#[derive(Clone)]
pub struct HdfsConfig {
    pub(crate) address: Address,
    pub(crate) identity: Identity,
    pub(crate) replication: Option<u32>,
    pub(crate) block_size: Option<u64>,
    pub(crate) timeout: Option<Duration>,
    /// How many times a call goes on to another NameNode, or back to the first.
    pub(crate) attempts: u32,
    /// Whether a close syncs first.
    pub(crate) sync: bool,
    /// Entries that the NameNode puts on one page of a listing.
    pub(crate) page_entries: u32,
    /// What the library reads itself.
    pub(crate) properties: Properties,
}

/// As whom to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The NameNode believes any name.
    Simple { user: String },
    /// From a ticket cache, or from a keytab.
    Kerberos { principal: Option<String>, keytab: Option<String>, cache: Option<String> },
}

impl Identity {
    /// The user's name for reports: never a secret.
    pub(crate) fn user(&self) -> &str {
        match self {
            Identity::Simple { user } => user,
            Identity::Kerberos { principal: Some(principal), .. } => principal,
            Identity::Kerberos { principal: None, .. } => "the ticket cache's principal",
        }
    }

    /// How the NameNode is convinced.
    pub(crate) fn authentication(&self) -> &'static str {
        match self {
            Identity::Simple { .. } => "simple",
            Identity::Kerberos { keytab: Some(_), .. } => "kerberos, keytab",
            Identity::Kerberos { .. } => "kerberos, ticket cache",
        }
    }
}

impl HdfsConfig {
    /// Resolves `uri` with `settings` (a conf file's keys), `env`, and Hadoop's XML files: from `conf_dir` if it has
    /// any, else from `HADOOP_CONF_DIR`, else from `HADOOP_HOME/etc/hadoop`. Also returns notes for the user: which
    /// files were read, what was assumed, and every Hadoop key that was set and has no effect.
    ///
    /// # Errors
    /// A key that cannot be understood, by its name; a file that cannot be read; an address that leads nowhere.
    pub fn resolve(
        uri: &str,
        settings: &[(String, String)],
        env: &dyn Fn(&str) -> Option<String>,
        conf_dir: Option<&Path>,
    ) -> Result<(HdfsConfig, Vec<String>)> {
        let site = match site::directory(conf_dir, env) {
            Some(directory) => site::read(&directory)?,
            None => site::Site::default(),
        };
        let trimmed = |(key, value): &(String, String)| (key.trim().to_owned(), value.trim().to_owned());
        let settings: Properties = settings.iter().map(trimmed).collect();
        let mut properties = site.properties.clone();
        properties.extend(settings.clone());
        let properties = site::substitute(&properties, env);

        let mut notes = site.notes;
        let address = address::resolve(uri, &properties, &mut notes)?;
        let identity = identity(&properties, env, &mut notes)?;
        notes.extend(keys::notes(&settings, &site.properties));
        let config = HdfsConfig {
            replication: read(&properties, "dfs.replication", units::count)?,
            block_size: block_size(&properties)?,
            timeout: timeout(&properties)?,
            attempts: attempts(&properties, &address)?,
            sync: read(&properties, "sync", units::switch)?.unwrap_or(false),
            page_entries: read(&properties, "dfs.ls.limit", units::count)?.unwrap_or(PAGE_ENTRIES),
            properties: Properties::new(),
            address,
            identity,
        };
        let properties = config.for_the_library(properties);
        Ok((HdfsConfig { properties, ..config }, notes))
    }

    /// The base as a URI.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("hdfs://{}{}", self.address.authority, self.address.path)
    }

    /// The properties in the only form that the library understands: it does not trim, knows no units, compares
    /// `simple` in lower case, and takes any protection that is set, `authentication` or empty, for a wish.
    fn for_the_library(&self, mut properties: Properties) -> Properties {
        let Address { authority, namenodes, .. } = &self.address;
        if self.address.nameservice {
            let ids: Vec<String> = (0..namenodes.len()).map(|index| format!("nn{index}")).collect();
            for (id, namenode) in ids.iter().zip(namenodes) {
                properties.insert(format!("dfs.namenode.rpc-address.{authority}.{id}"), namenode.clone());
            }
            properties.insert(format!("dfs.ha.namenodes.{authority}"), ids.join(","));
        }
        let mechanism = match self.identity {
            Identity::Simple { .. } => "simple",
            Identity::Kerberos { .. } => "kerberos",
        };
        properties.insert("hadoop.security.authentication".into(), mechanism.into());
        properties.insert("dfs.client.failover.max.attempts".into(), self.attempts.to_string());
        let millis = self.timeout.map_or(0, |timeout| timeout.as_millis());
        properties.insert("dfs.client.socket-timeout".into(), millis.to_string());
        if properties.get("dfs.data.transfer.protection").is_some_and(|value| value.trim().is_empty()) {
            properties.remove("dfs.data.transfer.protection");
        }
        properties
    }

    /// How bytes are protected on the wire, as far as the client's side says.
    pub(crate) fn protection(&self) -> String {
        let of = |key: &str| self.properties.get(key).map_or("as the server asks", String::as_str).to_owned();
        format!("rpc: {}, data: {}", of("hadoop.rpc.protection"), of("dfs.data.transfer.protection"))
    }
}

impl fmt::Debug for HdfsConfig {
    /// Without the values of the properties: nobody knows what a site's files hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HdfsConfig")
            .field("address", &self.address)
            .field("user", &self.identity.user())
            .field("authentication", &self.identity.authentication())
            .field("replication", &self.replication)
            .field("block_size", &self.block_size)
            .field("timeout", &self.timeout)
            .field("attempts", &self.attempts)
            .field("sync", &self.sync)
            .field("properties", &self.properties.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

fn invalid(key: &str, detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, "hdfs", "use the setting", key, detail)
}

/// The value of `key`, if it is set to something.
fn read<T>(
    properties: &Properties,
    key: &str,
    convert: fn(&str) -> std::result::Result<T, String>,
) -> Result<Option<T>> {
    let value = properties.get(key).filter(|value| !value.trim().is_empty());
    value.map(|value| convert(value).map_err(|detail| invalid(key, detail))).transpose()
}

fn block_size(properties: &Properties) -> Result<Option<u64>> {
    for key in ["dfs.blocksize", "dfs.block.size"] {
        match read(properties, key, units::size_bytes)? {
            Some(size) if size == 0 || size % CHECKSUM_CHUNK != 0 => {
                return Err(invalid(key, format!("{size} is not a multiple of {CHECKSUM_CHUNK} above 0")));
            }
            Some(size) => return Ok(Some(size)),
            None => {}
        }
    }
    Ok(None)
}

/// The limit of one call; 0 means none, as in Hadoop.
fn timeout(properties: &Properties) -> Result<Option<Duration>> {
    let millis = read(properties, "dfs.client.socket-timeout", units::millis)?.unwrap_or(TIMEOUT_MS);
    Ok((millis > 0).then(|| Duration::from_millis(millis)))
}

/// How often a call may go on to the next NameNode. Off, that is once to each of the others and no waiting: the
/// library counts every step as one, and sleeps when it has been round. `retries` adds to it; Hadoop's own key, where
/// somebody set it, is taken as it is.
fn attempts(properties: &Properties, address: &Address) -> Result<u32> {
    if let Some(retries) = read(properties, "retries", units::number)? {
        return Ok(retries.saturating_add(others(address)));
    }
    Ok(read(properties, "dfs.client.failover.max.attempts", units::number)?.unwrap_or(others(address)))
}

fn others(address: &Address) -> u32 {
    u32::try_from(address.namenodes.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

fn identity(properties: &Properties, env: Env<'_>, notes: &mut Vec<String>) -> Result<Identity> {
    let of = |key: &str| properties.get(key).filter(|value| !value.is_empty()).cloned();
    let principal = of("hadoop.kerberos.principal");
    let keytab = of("hadoop.kerberos.keytab");
    let mechanism = of("hadoop.security.authentication").map(|mechanism| mechanism.to_ascii_lowercase());
    match mechanism.as_deref() {
        None if principal.is_some() && keytab.is_some() => {
            notes.push(
                "a Kerberos principal and keytab are set: hadoop.security.authentication=kerberos is assumed".into(),
            );
            kerberos(properties, principal, keytab, env, notes)
        }
        None | Some("simple") => {
            if principal.is_some() || keytab.is_some() {
                notes.push("hadoop.kerberos.* has no effect: hadoop.security.authentication is simple".into());
            }
            simple(of("hadoop.username"), env)
        }
        Some("kerberos") => kerberos(properties, principal, keytab, env, notes),
        Some(other) => {
            Err(invalid("hadoop.security.authentication", format!("\"{other}\" is neither simple nor kerberos")))
        }
    }
}

fn simple(user: Option<String>, env: Env<'_>) -> Result<Identity> {
    let from_env = || env("HADOOP_USER_NAME").filter(|user| !user.trim().is_empty());
    let user = match user.or_else(from_env) {
        Some(user) => user,
        None => whoami::username().map_err(|error| {
            invalid("hadoop.username", format!("the operating system names no user: {error}"))
                .with_hint("set hadoop.username or HADOOP_USER_NAME")
        })?,
    };
    Ok(Identity::Simple { user })
}

fn kerberos(
    properties: &Properties,
    principal: Option<String>,
    keytab: Option<String>,
    env: Env<'_>,
    notes: &mut Vec<String>,
) -> Result<Identity> {
    if let Some(keytab) = &keytab {
        if principal.is_none() {
            return Err(invalid("hadoop.kerberos.keytab", "hadoop.kerberos.principal is missing")
                .with_hint("a keytab holds keys of several principals: name the one to use, user@REALM"));
        }
        std::fs::File::open(keytab).map_err(|error| Error::of_io("hdfs", "read the keytab", keytab, &error))?;
    }
    if properties.get("hadoop.username").is_some_and(|user| !user.is_empty()) {
        notes.push("hadoop.username has no effect: with Kerberos the principal is the user".into());
    }
    let krb5 = properties.get("java.security.krb5.conf").filter(|file| !file.is_empty());
    if let Some(file) = krb5.filter(|file| env("KRB5_CONFIG").as_ref() != Some(*file)) {
        notes.push(format!(
            "java.security.krb5.conf={file} takes effect only through the environment; run this first: export KRB5_CONFIG={file}"
        ));
    }
    let cache = properties.get("hadoop.security.kerberos.ticket.cache.path").filter(|path| !path.is_empty()).cloned();
    if cache.is_some() && principal.is_none() {
        notes.push(
            "hadoop.security.kerberos.ticket.cache.path has no effect without hadoop.kerberos.principal; KRB5CCNAME has"
                .into(),
        );
    }
    let cache = cache.filter(|_| principal.is_some());
    Ok(Identity::Kerberos { principal, keytab, cache })
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
