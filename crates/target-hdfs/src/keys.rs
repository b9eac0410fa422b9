//! Hadoop's keys as this client sees them: which work, which have no effect and why. Every key that was set and has
//! none is named to the user, because the library passes over it in silence.

use crate::site::Properties;

/// Keys that work, here or in the library. A trailing `.` stands for all keys that begin so.
const HONOURED: [&str; 35] = [
    "fs.defaultFS",
    "fs.default.name",
    "dfs.nameservices",
    "dfs.ha.namenodes.",
    "dfs.namenode.rpc-address.",
    "dfs.client.failover.proxy.provider.",
    "dfs.client.failover.max.attempts",
    "dfs.client.failover.sleep.base.millis",
    "dfs.client.failover.sleep.max.millis",
    "dfs.client.failover.random.order.",
    "dfs.client.failover.resolve-needed.",
    "dfs.client.failover.resolver.useFQDN.",
    "dfs.client.use.datanode.hostname",
    "dfs.client.socket-timeout",
    "dfs.client.block.write.replace-datanode-on-failure.enable",
    "dfs.client.block.write.replace-datanode-on-failure.policy",
    "dfs.client.block.write.replace-datanode-on-failure.best-effort",
    "dfs.data.transfer.protection",
    "dfs.encrypt.data.transfer",
    "dfs.replication",
    "dfs.blocksize",
    "dfs.block.size",
    "dfs.ls.limit",
    "dfs.block.access.token.enable",
    "dfs.permissions.enabled",
    "hadoop.username",
    "hadoop.rpc.protection",
    "hadoop.security.authentication",
    "hadoop.security.authorization",
    "hadoop.kerberos.",
    "hadoop.security.kerberos.ticket.cache.path",
    "java.security.krb5.conf",
    "ipc.client.fallback-to-simple-auth-allowed",
    "dfs.namenode.kerberos.principal",
    "dfs.namenode.kerberos.principal.pattern",
];

/// Keys that people expect to change a measurement, and why they do not.
const WITHOUT_EFFECT: [(&str, &str); 22] = [
    ("dfs.client.read.shortcircuit", "reads go through the DataNode, over TCP"),
    ("dfs.domain.socket.path", "reads go through the DataNode, over TCP"),
    (
        "dfs.client.block.write.locateFollowingBlock.initial.delay.ms",
        "a close asks 5 ms after the last acknowledgement; if it is too early, the library waits 500 ms, then twice as long",
    ),
    ("dfs.client.block.write.locateFollowingBlock.retries", "a close asks the NameNode five times"),
    ("dfs.client.hedged.read.threadpool.size", "there are no hedged reads"),
    ("dfs.client.hedged.read.threshold.millis", "there are no hedged reads"),
    ("dfs.client.read.prefetch.size", "all block locations are asked for when a file is opened"),
    ("dfs.client-write-packet-size", "the NameNode's default is used"),
    ("dfs.client.write.packet.size", "the NameNode's default is used"),
    ("dfs.bytes-per-checksum", "the NameNode's default is used"),
    ("dfs.checksum.type", "writes use CRC32C"),
    ("dfs.client.cache.readahead", "the DataNode's default is used"),
    ("dfs.client.cache.drop.behind.reads", "the DataNode's default is used"),
    ("dfs.client.cache.drop.behind.writes", "the DataNode's default is used"),
    ("dfs.client.socket.send.buffer.size", "the kernel's default is used"),
    ("dfs.datanode.socket.write.timeout", "dfs.client.socket-timeout is the limit of every call"),
    ("dfs.client.datanode-restart.timeout", "dfs.client.socket-timeout is the limit of every call"),
    ("ipc.client.connect.timeout", "dfs.client.socket-timeout is the limit of every call"),
    ("ipc.client.rpc-timeout.ms", "dfs.client.socket-timeout is the limit of every call"),
    ("ipc.client.connect.max.retries", "a NameNode that refuses is not asked again (retries=N asks again)"),
    ("hadoop.security.key.provider.path", "files in encryption zones cannot be read or written"),
    ("dfs.encryption.key.provider.uri", "files in encryption zones cannot be read or written"),
];

/// Values that ask for nothing, so that nothing is missed.
fn is_off(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "" | "false" | "0" | "none" | "null")
}

fn is_honoured(key: &str) -> bool {
    HONOURED.iter().any(|known| *known == key || (known.ends_with('.') && key.starts_with(known)))
}

fn looks_like_hadoop(key: &str) -> bool {
    ["dfs.", "fs.", "hadoop.", "ipc.", "io.", "java.", "ha."].iter().any(|prefix| key.starts_with(prefix))
}

/// One note for each key without effect: of the settings all of them, of the XML files those that change measurements.
pub(crate) fn notes(settings: &Properties, site: &Properties) -> Vec<String> {
    let mut notes = Vec::new();
    let from_site = site.iter().filter(|(key, _)| !settings.contains_key(*key)).map(|pair| (pair, false));
    for ((key, value), typed) in settings.iter().map(|pair| (pair, true)).chain(from_site) {
        let known = WITHOUT_EFFECT.iter().find(|(name, _)| name == key);
        match known {
            Some((_, why)) if !is_off(value) => notes.push(format!("{key} has no effect: {why}")),
            None if typed && looks_like_hadoop(key) && !is_honoured(key) => {
                notes.push(format!("{key} has no effect: this client does not know it"));
            }
            _ => {}
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn keys_without_effect_are_named_once() {
        let settings = properties(&[
            ("dfs.client.read.shortcircuit", "true"),
            ("dfs.unheard.of", "1"),
            ("fs.defaultFS", "hdfs://h"),
            ("dfs.ha.namenodes.x", "a"),
            ("base_dir", "/x"),
            ("dfs.client.hedged.read.threadpool.size", "0"),
        ]);
        let site =
            properties(&[("dfs.client.read.shortcircuit", "true"), ("dfs.checksum.type", "CRC32"), ("dfs.hosts", "x")]);
        let notes = notes(&settings, &site).join("\n");
        assert_eq!(notes.lines().count(), 3, "{notes}");
        assert!(notes.contains("dfs.client.read.shortcircuit") && notes.contains("dfs.unheard.of"), "{notes}");
        assert!(notes.contains("dfs.checksum.type"), "{notes}");
    }

    #[test]
    fn no_key_is_in_both_tables() {
        for (key, why) in WITHOUT_EFFECT {
            assert!(!is_honoured(key) && !why.is_empty(), "{key}");
        }
    }
}
