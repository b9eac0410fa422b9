//! `/proc/self/mountinfo`, as in proc_pid_mountinfo(5): which mount a directory lies on.

use std::path::{Path, PathBuf};

/// One mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) point: PathBuf,
    /// `major:minor`; the major number is 0 when no block device stands behind it by itself.
    pub(crate) device: String,
    pub(crate) kind: String,
    pub(crate) source: String,
    /// Those of the mount and of the file system, each once.
    pub(crate) options: String,
}

/// All mounts, in the order of the file.
pub(crate) fn all(mountinfo: &[u8]) -> impl Iterator<Item = Mount> {
    mountinfo.split(|byte| *byte == b'\n').filter_map(parse)
}

/// The mount that `path` lies on: the longest mount point above it, and of several at one place the last.
pub(crate) fn of(mountinfo: &[u8], path: &Path) -> Option<Mount> {
    all(mountinfo).filter(|mount| path.starts_with(&mount.point)).max_by_key(|mount| mount.point.components().count())
}

/// `36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/sda1 rw,errors=continue`
fn parse(line: &[u8]) -> Option<Mount> {
    let fields: Vec<Vec<u8>> = line.split(|byte| *byte == b' ').map(unescape).collect();
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let dash = 6 + fields.get(6..)?.iter().position(|field| field == b"-")?;
    let (of_mount, of_system) = (text(&fields[5]), text(fields.get(dash + 3)?));
    let mut options: Vec<&str> = of_mount.split(',').collect();
    let more = of_system.split(',').filter(|option| !options.contains(option)).collect::<Vec<_>>();
    options.extend(more);
    Some(Mount {
        point: PathBuf::from(text(&fields[4])),
        device: text(&fields[2]),
        kind: text(&fields[dash + 1]),
        source: text(&fields[dash + 2]),
        options: options.join(","),
    })
}

/// Blanks, tabs, newlines and backslashes are written as `\040`.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        match tail {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] if *first == b'\\' => {
                out.push(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'));
                rest = after;
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &[u8] = b"\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resuid=65534
30 27 0:27 / /data rw,noatime shared:5 master:1 - xfs /dev/mapper/vg-data rw,attr2
31 30 8:17 / /data rw,nosuid - ext3 /dev/sdb1 rw,errors=continue
32 27 0:40 / /mnt/my\\040disk\\134x ro - nfs4 host:/export ro,vers=4.2
a line that is none
";

    fn point(path: &str) -> String {
        of(SAMPLE, Path::new(path)).unwrap().point.display().to_string()
    }

    #[test]
    fn the_longest_mount_point_counts_by_whole_names() {
        assert_eq!(point("/home/x"), "/");
        assert_eq!(point("/data/a/b"), "/data");
        assert_eq!(point("/database"), "/");
        assert_eq!(point("/mnt/my disk\\x/deep"), "/mnt/my disk\\x");
    }

    #[test]
    fn the_last_of_several_mounts_at_one_place_is_seen() {
        let mount = of(SAMPLE, Path::new("/data")).unwrap();
        assert_eq!((mount.kind.as_str(), mount.device.as_str(), mount.source.as_str()), ("ext3", "8:17", "/dev/sdb1"));
        assert_eq!(mount.options, "rw,nosuid,errors=continue");
    }

    #[test]
    fn fields_before_the_dash_may_be_many_or_none() {
        let shared = of(SAMPLE.split_at(160).0, Path::new("/")).unwrap();
        assert_eq!(shared.options, "rw,relatime,discard,resuid=65534");
        assert_eq!(of(b"", Path::new("/")), None);
        assert_eq!(of(b"1 2 3", Path::new("/")), None);
    }
}
