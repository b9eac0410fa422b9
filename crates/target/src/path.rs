//! Names below a target's base.

use crate::{Error, ErrorKind, Result};

/// Checks that `path` stays below the base: relative, no empty part, no `.` or `..`. `""` is the base itself.
///
/// Every target calls this before it touches anything, which is what keeps a run inside its directory.
///
/// # Errors
/// [`ErrorKind::Invalid`], naming the path.
pub fn relative<'a>(target: &'static str, operation: &'static str, path: &'a str) -> Result<&'a str> {
    let inside = path.is_empty() || path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if inside && !path.contains('\0') {
        return Ok(path);
    }
    Err(Error::new(ErrorKind::Invalid, target, operation, path, "the name does not stay below the target's base"))
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn names_stay_below_the_base() {
        for path in ["", "a", "a/b", "..a/b."] {
            assert!(relative("mem", "open", path).is_ok(), "{path}");
        }
        for path in ["/", "/etc/passwd", "..", "a/../b", "a//b", "a/", "./a", "a\0b"] {
            assert!(relative("mem", "open", path).is_err(), "{path}");
        }
    }
}
