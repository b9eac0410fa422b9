//! The library's errors, and the Java exceptions inside them, as kinds and sentences.

use crate::client::Fault;
use fsbench_target::ErrorKind;
use hdfs_native::HdfsError;

/// What is known about a call besides its error.
#[derive(Clone, Debug)]
pub(crate) struct Circumstances {
    /// `host:port` of the NameNodes.
    pub(crate) namenodes: Vec<String>,
    /// As whom the calls are made.
    pub(crate) user: String,
    /// Whether Kerberos is on.
    pub(crate) kerberos: bool,
}

/// With whom a call talked when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    NameNode,
    DataNode,
}

const TICKET_HINT: &str = "get a ticket with kinit, or set hadoop.kerberos.principal and hadoop.kerberos.keytab";

impl Circumstances {
    /// The fault that `error` means.
    pub(crate) fn fault(&self, peer: Peer, error: HdfsError) -> Fault {
        match error {
            HdfsError::IOError(error) => self.of_io(peer, &error),
            HdfsError::RPCError(class, message) | HdfsError::FatalRPCError(class, message) => {
                self.of_exception(&class, &message)
            }
            HdfsError::AlreadyExists(message) => of_existing(&message),
            HdfsError::FileNotFound(_) => Fault::new(ErrorKind::NotFound, "no such file or directory"),
            HdfsError::IsADirectoryError(_) => Fault::new(ErrorKind::WrongType, "it is a directory"),
            HdfsError::DataTransferError(message) => of_transfer(&message),
            HdfsError::ChecksumError => Fault::new(ErrorKind::Corrupt, "the checksum of the data does not match"),
            HdfsError::BlocksNotFound(message) => Fault::new(ErrorKind::Unavailable, first_line(&message)),
            HdfsError::OperationFailed(message) => of_operation(&message),
            HdfsError::InvalidRPCResponse(error) => {
                Fault::new(ErrorKind::Corrupt, format!("the NameNode's answer makes no sense: {error}"))
            }
            HdfsError::SASLError(message) => self.unauthenticated(&message),
            HdfsError::GSSAPIError(_, _, message) => self.unauthenticated(&message),
            HdfsError::NoSASLMechanism => self.unauthenticated("the server offers no mechanism that this client has"),
            HdfsError::InvalidPath(message) | HdfsError::InvalidArgument(message) => {
                Fault::new(ErrorKind::Invalid, first_line(&message))
            }
            HdfsError::UnsupportedFeature(message) => Fault::new(ErrorKind::Unsupported, first_line(&message)),
            error @ (HdfsError::UnsupportedErasureCodingPolicy(_) | HdfsError::TrashNotEnabled) => {
                Fault::new(ErrorKind::Unsupported, error.to_string())
            }
            error @ (HdfsError::UrlParseError(_) | HdfsError::XmlParseError(_)) => {
                Fault::new(ErrorKind::Invalid, error.to_string())
            }
            error @ (HdfsError::ErasureCodingError(_) | HdfsError::InternalError(_)) => {
                Fault::new(ErrorKind::Other, first_line(&error.to_string()))
            }
        }
    }

    fn unauthenticated(&self, message: &str) -> Fault {
        let fault = Fault::new(ErrorKind::Unauthenticated, first_line(message));
        match (self.kerberos, first_line(message).contains("onfiguration file")) {
            (true, true) => fault.with_hint("set KRB5_CONFIG to the realm's krb5.conf"),
            (true, false) => fault.with_hint(TICKET_HINT),
            (false, _) => fault.with_hint("set hadoop.security.authentication=kerberos if this cluster uses Kerberos"),
        }
    }

    fn of_io(&self, peer: Peer, error: &std::io::Error) -> Fault {
        let text = error.to_string();
        let kind = match ErrorKind::of_io(error) {
            ErrorKind::Other if text.contains("lookup address") => ErrorKind::Connection,
            kind => kind,
        };
        let at = self.namenodes.join(", ");
        match (kind, peer) {
            (ErrorKind::Connection, Peer::NameNode) if error.kind() == std::io::ErrorKind::ConnectionAborted => {
                let fault = Fault::new(kind, format!("the NameNode at {at} closed the connection"));
                match self.kerberos {
                    true => fault,
                    false => fault.with_hint(
                        "it may have gone down; if this cluster uses Kerberos, set hadoop.security.authentication=kerberos",
                    ),
                }
            }
            (ErrorKind::Connection, Peer::NameNode) => Fault::new(kind, format!("no NameNode answers at {at}: {text}"))
                .with_hint("is it up, and is this the port of its RPC service, usually 8020?"),
            (ErrorKind::Connection, Peer::DataNode) => Fault::new(kind, format!("no answer from a DataNode: {text}"))
                .with_hint(
                    "are the DataNodes up and reachable from here? dfs.client.use.datanode.hostname=true may help",
                ),
            (kind, _) => Fault::new(kind, text),
        }
    }

    fn of_exception(&self, class: &str, message: &str) -> Fault {
        let name = class.rsplit(['.', '$']).next().unwrap_or(class);
        let line = first_line(message);
        let detail = if line.is_empty() { name.to_owned() } else { line.to_owned() };
        let fault = Fault::new(kind_of_exception(name, line), detail);
        match fault.kind {
            ErrorKind::Unauthenticated => self.unauthenticated(line),
            ErrorKind::Denied if !line.contains("user=") && !line.contains(&self.user) => {
                Fault { detail: format!("{} (user {})", fault.detail, self.user), ..fault }
            }
            ErrorKind::Unavailable if line.contains("afe mode") => {
                fault.with_hint("wait until the NameNode has left safe mode: hdfs dfsadmin -safemode get")
            }
            ErrorKind::Unavailable if name == "StandbyException" => fault.with_hint(match self.namenodes.len() {
                1 => "this NameNode is a standby: use the nameservice, with dfs.ha.namenodes.* of all of them",
                _ => "none of the NameNodes is active now; retries=N lets a call wait for a failover",
            }),
            ErrorKind::NoSpace if line.contains("could only be written") => {
                fault.with_hint("no DataNode takes the block: are their disks full?")
            }
            _ => fault,
        }
    }
}

/// Java's stack traces follow the message, one frame a line.
fn first_line(message: &str) -> &str {
    let line = message.trim().lines().next().unwrap_or("");
    line.split("\\n").next().unwrap_or(line).trim_end()
}

fn kind_of_exception(name: &str, line: &str) -> ErrorKind {
    match name {
        "FileNotFoundException" if line.contains("is not a file") => ErrorKind::WrongType,
        "FileNotFoundException" => ErrorKind::NotFound,
        "FileAlreadyExistsException" => of_existing(line).kind,
        "ParentNotDirectoryException" | "PathIsNotDirectoryException" | "NotDirectoryException" => ErrorKind::WrongType,
        "AccessControlException" if line.contains("authentication is not enabled") => ErrorKind::Unauthenticated,
        "AccessControlException" if line.contains("cannot authenticate") => ErrorKind::Unauthenticated,
        "AccessControlException" | "AuthorizationException" | "SecurityException" => ErrorKind::Denied,
        "SaslException" | "GSSException" | "InvalidToken" | "InvalidEncryptionKeyException" => {
            ErrorKind::Unauthenticated
        }
        _ if line.contains("too busy") => ErrorKind::Throttled,
        "SafeModeException"
        | "StandbyException"
        | "RetriableException"
        | "RecoveryInProgressException"
        | "NotReplicatedYetException"
        | "ObserverRetryOnActiveException"
        | "ServerNotRunningYetException" => ErrorKind::Unavailable,
        "QuotaExceededException"
        | "NSQuotaExceededException"
        | "DSQuotaExceededException"
        | "QuotaByStorageTypeExceededException" => ErrorKind::NoSpace,
        "LeaseExpiredException"
        | "InvalidPathException"
        | "HadoopIllegalArgumentException"
        | "IllegalArgumentException"
        | "PathComponentTooLongException" => ErrorKind::Invalid,
        "UnsupportedOperationException"
        | "UnresolvedLinkException"
        | "UnresolvedPathException"
        | "RpcNoSuchMethodException"
        | "RpcNoSuchProtocolException" => ErrorKind::Unsupported,
        _ => of_words(line),
    }
}

/// Plain `IOException`s, by their words.
fn of_words(line: &str) -> ErrorKind {
    let has = |words: &str| line.contains(words);
    match () {
        () if has("could only be written") && has("0 datanode(s) running") => ErrorKind::Unavailable,
        () if has("could only be written") && has("node(s) are excluded") && !has("no node(s) are excluded") => {
            ErrorKind::Unavailable
        }
        () if has("could only be written") => ErrorKind::NoSpace,
        () if has("No space left") => ErrorKind::NoSpace,
        () if has("block size is less than") || has("replication factor") || has("Requested replication") => {
            ErrorKind::Invalid
        }
        () => ErrorKind::Other,
    }
}

fn of_existing(message: &str) -> Fault {
    let line = first_line(message);
    let kind = match () {
        () if line.contains("lease") => ErrorKind::Other,
        () if line.contains("as a directory") || line.contains("is not a directory") => ErrorKind::WrongType,
        () => ErrorKind::AlreadyExists,
    };
    let detail = if line.is_empty() { "the name is taken" } else { line };
    Fault::new(kind, detail)
}

/// The library's message holds a dump of all it knows of each DataNode; the addresses are what people need.
fn of_transfer(message: &str) -> Fault {
    if message.contains("Not enough data") {
        return Fault::new(ErrorKind::ShortRead, "the DataNode sent less than the file holds");
    }
    let fields = |name: &str| -> Vec<String> {
        let pieces = message.split(name).skip(1);
        pieces.map(|rest| rest.split([',', ' ']).next().unwrap_or("").trim_matches('"').to_owned()).collect()
    };
    let nodes: Vec<String> =
        fields("ip_addr: ").iter().zip(fields("xfer_port: ")).map(|(ip, port)| format!("{ip}:{port}")).collect();
    let words = first_line(message).split([':', '[']).next().unwrap_or("").trim();
    let detail = if nodes.is_empty() { words.to_owned() } else { format!("{words}: {}", nodes.join(", ")) };
    Fault::new(ErrorKind::Unavailable, detail)
        .with_hint("are these DataNodes up and reachable, with space left? see their logs")
}

fn of_operation(message: &str) -> Fault {
    let line = first_line(message);
    match () {
        () if line.contains("complete file in time") => Fault::new(
            ErrorKind::Timeout,
            "the NameNode heard of the last block from no DataNode in 15 s, so the file is not complete",
        ),
        () if line.contains("libgssapi") => {
            Fault::new(ErrorKind::Unauthenticated, "libgssapi_krb5.so.2 cannot be loaded")
                .with_hint("install the package libgssapi-krb5-2 (Debian) or krb5-libs (RHEL)")
        }
        () if line.contains("not supported") => Fault::new(ErrorKind::Unsupported, line),
        () => Fault::new(ErrorKind::Other, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn here() -> Circumstances {
        Circumstances { namenodes: vec!["h1:8020".into(), "h2:8020".into()], user: "bob".into(), kerberos: false }
    }

    fn exception(class: &str, message: &str) -> Fault {
        here().fault(Peer::NameNode, HdfsError::RPCError(class.into(), message.into()))
    }

    #[test]
    fn exceptions_have_kinds() {
        for (class, message, kind) in [
            ("java.io.FileNotFoundException", "File does not exist: /a", ErrorKind::NotFound),
            ("java.io.FileNotFoundException", "Path is not a file: /a", ErrorKind::WrongType),
            (
                "org.apache.hadoop.fs.FileAlreadyExistsException",
                "/a for client 1 already exists",
                ErrorKind::AlreadyExists,
            ),
            (
                "org.apache.hadoop.fs.FileAlreadyExistsException",
                "/a already exists as a directory",
                ErrorKind::WrongType,
            ),
            ("org.apache.hadoop.fs.ParentNotDirectoryException", "/a (is not a directory)", ErrorKind::WrongType),
            ("org.apache.hadoop.security.AccessControlException", "Permission denied: user=bob", ErrorKind::Denied),
            (
                "org.apache.hadoop.security.AccessControlException",
                "SIMPLE authentication is not enabled.  Available:[TOKEN, KERBEROS]",
                ErrorKind::Unauthenticated,
            ),
            (
                "org.apache.hadoop.hdfs.server.namenode.SafeModeException",
                "Name node is in safe mode.",
                ErrorKind::Unavailable,
            ),
            ("org.apache.hadoop.ipc.StandbyException", "Operation category READ", ErrorKind::Unavailable),
            ("org.apache.hadoop.ipc.RetriableException", "Server is too busy.", ErrorKind::Throttled),
            ("org.apache.hadoop.ipc.RetriableException", "", ErrorKind::Unavailable),
            ("org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", "The DiskSpace quota", ErrorKind::NoSpace),
            ("org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException", "No lease", ErrorKind::Invalid),
            (
                "org.apache.hadoop.security.token.SecretManager$InvalidToken",
                "token expired",
                ErrorKind::Unauthenticated,
            ),
            (
                "java.io.IOException",
                "File /a could only be written to 0 of the 1 minReplication nodes. There are 0 datanode(s) running and 0 node(s) are excluded",
                ErrorKind::Unavailable,
            ),
            (
                "java.io.IOException",
                "File /a could only be written to 0 of the 1 minReplication nodes. There are 1 datanode(s) running and no node(s) are excluded",
                ErrorKind::NoSpace,
            ),
            ("java.lang.Unheard", "what", ErrorKind::Other),
        ] {
            assert_eq!(exception(class, message).kind, kind, "{class}: {message}");
        }
    }

    #[test]
    fn messages_are_one_line_and_name_the_user() {
        let fault =
            exception("x.AccessControlException", "Permission denied: user=bob, access=WRITE\n\tat a.b(C.java:1)\n");
        assert_eq!(fault.detail, "Permission denied: user=bob, access=WRITE");
        assert!(exception("x.AccessControlException", "no").detail.contains("user bob"));
        assert_eq!(exception("x.Weird", "").detail, "Weird");
    }

    #[test]
    fn standbys_have_a_hint_that_fits() {
        let hint = |here: Circumstances| {
            let error = HdfsError::RPCError("org.apache.hadoop.ipc.StandbyException".into(), "no".into());
            here.fault(Peer::NameNode, error).hint.expect("a hint")
        };
        assert!(hint(here()).contains("retries="));
        assert!(hint(Circumstances { namenodes: vec!["h:1".into()], ..here() }).contains("use the nameservice"));
    }

    #[test]
    fn refused_connections_name_the_address() {
        let refused = || HdfsError::IOError(std::io::ErrorKind::ConnectionRefused.into());
        let fault = here().fault(Peer::NameNode, refused());
        assert_eq!(fault.kind, ErrorKind::Connection);
        assert!(fault.detail.contains("h1:8020, h2:8020"), "{fault:?}");
        assert!(here().fault(Peer::DataNode, refused()).detail.contains("DataNode"));
    }

    #[test]
    fn dumps_of_datanodes_become_addresses() {
        let dump = "All DataNodes failed: [DatanodeInfoProto { id: DatanodeIdProto { ip_addr: \"10.0.0.1\", host_name: \"a\", \
                    datanode_uuid: \"u\", xfer_port: 9866, info_port: 1 } }]";
        let fault = here().fault(Peer::DataNode, HdfsError::DataTransferError(dump.into()));
        assert_eq!(
            (fault.kind, fault.detail.as_str()),
            (ErrorKind::Unavailable, "All DataNodes failed: 10.0.0.1:9866")
        );
        let short = HdfsError::DataTransferError("Not enough data returned from DataNode".into());
        assert_eq!(here().fault(Peer::DataNode, short).kind, ErrorKind::ShortRead);
    }

    #[test]
    fn missing_tickets_say_what_to_do() {
        let kerberos = Circumstances { kerberos: true, ..here() };
        let fault = kerberos.fault(Peer::NameNode, HdfsError::SASLError("No Kerberos credentials available".into()));
        assert_eq!(fault.kind, ErrorKind::Unauthenticated);
        assert!(fault.hint.expect("a hint").contains("kinit"));
    }

    proptest! {
        #[test]
        fn no_message_panics(class in ".*", message in "(ip_addr: |xfer_port: |\\PC|\n)*") {
            let _ = exception(&class, &message);
            let _ = here().fault(Peer::DataNode, HdfsError::DataTransferError(message.clone()));
            let _ = here().fault(Peer::DataNode, HdfsError::AlreadyExists(message.clone()));
            let _ = here().fault(Peer::DataNode, HdfsError::OperationFailed(message));
        }
    }
}
