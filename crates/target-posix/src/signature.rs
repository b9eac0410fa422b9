//! What the first bytes of a block device say about its content: file systems, partition tables, volumes.

/// Name, where its mark is, and the mark: from the formats' own headers, as in util-linux's libblkid.
const MARKS: &[(&str, usize, &[u8])] = &[
    ("an XFS file system", 0, b"XFSB"),
    ("an encrypted volume (LUKS)", 0, b"LUKS\xba\xbe"),
    ("a squashfs file system", 0, b"hsqs"),
    ("a Ceph volume", 0, b"bluestore block device"),
    ("a RAID member (md 1.1)", 0, b"\xfc\x4e\x2b\xa9"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a BitLocker volume", 3, b"-FVE-FS-"),
    ("a FAT file system", 54, b"FAT12   "),
    ("a FAT file system", 54, b"FAT16   "),
    ("a FAT file system", 82, b"FAT32   "),
    ("an MBR partition table or boot sector", 510, b"\x55\xaa"),
    ("a GPT partition table", 512, b"EFI PART"),
    ("a GPT partition table", 4096, b"EFI PART"),
    ("an LVM volume", 0, b"LABELONE"),
    ("an LVM volume", 512, b"LABELONE"),
    ("an LVM volume", 1024, b"LABELONE"),
    ("an LVM volume", 1536, b"LABELONE"),
    ("an F2FS file system", 1024, b"\x10\x20\xf5\xf2"),
    ("an EROFS file system", 1024, b"\xe2\xe1\xf5\xe0"),
    ("an HFS+ file system", 1024, b"H+"),
    ("an ext2, ext3 or ext4 file system", 1080, b"\x53\xef"),
    ("an APFS container", 32, b"NXSB"),
    ("swap space", 4086, b"SWAPSPACE2"),
    ("swap space", 4086, b"SWAP-SPACE"),
    ("swap space", 16_374, b"SWAPSPACE2"),
    ("swap space", 65_526, b"SWAPSPACE2"),
    ("a RAID member (md 1.2)", 4096, b"\xfc\x4e\x2b\xa9"),
    ("a bcache or bcachefs device", 4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
    ("a bcachefs file system", 4120, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9"),
    ("a JFS file system", 32_768, b"JFS1"),
    ("an ISO 9660 file system", 32_769, b"CD001"),
    ("a UDF file system", 32_769, b"BEA01"),
    ("a btrfs file system", 65_600, b"_BHRfS_M"),
    ("a ReiserFS file system", 65_588, b"ReIsEr"),
    ("a GFS2 file system", 65_536, b"\x01\x16\x19\x70"),
    ("an OCFS2 file system", 8192, b"OCFSV2"),
];

/// Where ZFS keeps the uberblocks of its first label, how far apart, and how one begins, on both kinds of machine.
const ZFS_FIRST: usize = 128 << 10;
const ZFS_LAST: usize = 256 << 10;
const ZFS_STEP: usize = 1 << 10;
const ZFS_MAGIC: u64 = 0x00ba_b10c;

/// All that is recognized in the first bytes of a device, each once.
pub(crate) fn all(head: &[u8]) -> Vec<&'static str> {
    let marked = MARKS.iter().filter(|(_, at, mark)| head.get(*at..).is_some_and(|rest| rest.starts_with(mark)));
    let mut found: Vec<&str> = marked.map(|(name, _, _)| *name).collect();
    if has_zfs(head) {
        found.push("a ZFS pool");
    }
    found.dedup();
    found
}

fn has_zfs(head: &[u8]) -> bool {
    (ZFS_FIRST..ZFS_LAST).step_by(ZFS_STEP).any(|at| {
        let word = head.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        word.is_some_and(|bytes| u64::from_le_bytes(bytes) == ZFS_MAGIC || u64::from_be_bytes(bytes) == ZFS_MAGIC)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_found_where_it_belongs() {
        for (name, at, mark) in MARKS {
            let mut head = vec![0; 1 << 20];
            head[*at..at + mark.len()].copy_from_slice(mark);
            assert_eq!(all(&head), [*name]);
            assert!(all(&head[1..]).is_empty(), "{name}");
            assert!(all(&head[..at + mark.len() - 1]).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_pool_is_found_by_any_uberblock() {
        let mut head = vec![0; 1 << 20];
        assert!(all(&head).is_empty());
        head[ZFS_FIRST + 5 * ZFS_STEP..][..8].copy_from_slice(&ZFS_MAGIC.to_be_bytes());
        assert_eq!(all(&head), ["a ZFS pool"]);
    }

    #[test]
    fn noise_holds_nothing() {
        let noise: Vec<u8> = (0..1_u32 << 20).map(|at| (at.wrapping_mul(0x9E37_79B9) >> 21) as u8).collect();
        assert!(all(&noise).is_empty());
        assert!(all(&[]).is_empty());
    }
}
