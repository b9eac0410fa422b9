//! Percent-encoding of object keys and queries, as Signature V4 wants them: sent and signed in the same form.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but RFC 3986's unreserved characters.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The same, and the slashes of a key stay.
const PATH: &AsciiSet = &QUERY.remove(b'/');

/// A key as part of a path.
pub(crate) fn path(key: &str) -> String {
    utf8_percent_encode(key, PATH).to_string()
}

/// Adds a key to a path.
pub(crate) fn push_path(text: &mut String, key: &str) {
    text.extend(utf8_percent_encode(key, PATH));
}

/// A name or value of a query.
pub(crate) fn query(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// A key from an answer with `encoding-type=url`, which writes blanks as `+`.
pub(crate) fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_unreserved_characters_stay() {
        assert_eq!(path("a/b c+%&ü~-_.*'()!"), "a/b%20c%2B%25%26%C3%BC~-_.%2A%27%28%29%21");
        assert_eq!(query("a/b=c"), "a%2Fb%3Dc");
    }

    #[test]
    fn listings_write_blanks_as_plus() {
        assert_eq!(decode("a+b%2Bc%20d").as_deref(), Some("a b+c d"));
        assert_eq!(decode("%ff"), None);
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(key in "\\PC*") {
            let decoded = decode(&path(&key));
            prop_assert_eq!(decoded.as_deref(), Some(key.as_str()));
            let decoded = decode(&query(&key));
            prop_assert_eq!(decoded.as_deref(), Some(key.as_str()));
        }
    }
}
