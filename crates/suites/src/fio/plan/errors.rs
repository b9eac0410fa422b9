//! `ignore_error`: names and numbers of errors, as Linux has them.

const NAMES: [(&str, i32); 40] = [
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("ENXIO", 6),
    ("E2BIG", 7),
    ("EBADF", 9),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("EXDEV", 18),
    ("ENODEV", 19),
    ("ENOTDIR", 20),
    ("EISDIR", 21),
    ("EINVAL", 22),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("ESPIPE", 29),
    ("EROFS", 30),
    ("EMLINK", 31),
    ("EPIPE", 32),
    ("ERANGE", 34),
    ("ENAMETOOLONG", 36),
    ("ENODATA", 61),
    ("ETIME", 62),
    ("EREMOTEIO", 121),
    ("EDQUOT", 122),
    ("EILSEQ", 84),
    ("EOPNOTSUPP", 95),
    ("ENOTSUP", 95),
    ("ECONNRESET", 104),
    ("ENOBUFS", 105),
    ("ETIMEDOUT", 110),
    ("ESTALE", 116),
];

/// Reads `READ,WRITE,VERIFY` lists; in each, names and numbers are separated by colons.
pub(super) fn parse(text: &str) -> Result<[Vec<i32>; 3], String> {
    let mut out = [Vec::new(), Vec::new(), Vec::new()];
    let lists: Vec<&str> = text.split(',').collect();
    if lists.len() > 3 {
        return Err(format!("{} lists; at most three are accepted: reads,writes,verifications", lists.len()));
    }
    for (list, out) in lists.iter().zip(&mut out) {
        for word in list.split(':').map(str::trim).filter(|word| !word.is_empty()) {
            out.push(one(word)?);
        }
    }
    Ok(out)
}

fn one(word: &str) -> Result<i32, String> {
    let named = NAMES.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    let number = || word.parse::<i32>().ok().filter(|number| (1..4096).contains(number));
    named.or_else(number).ok_or_else(|| format!("'{word}' is no error; accepted: names as ENOSPC, or numbers as 28"))
}
