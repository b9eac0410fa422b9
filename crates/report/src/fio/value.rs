//! JSON as fio writes it: members in their order, `"key" : value`, two blanks for each level, six decimals.

use super::number::finite;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Text(String),
    Array(Vec<Value>),
    Object(Members),
}

/// The members of an object, in order.
pub(super) type Members = Vec<(String, Value)>;

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Value::Integer(value.into())
            }
        }
    )*};
}
integers!(u32, i32, u64);

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Text(value)
    }
}

impl From<Members> for Value {
    fn from(value: Members) -> Self {
        Value::Object(value)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Value::Array(values.into_iter().map(Into::into).collect())
    }
}

/// A member.
pub(super) fn member(key: impl Into<String>, value: impl Into<Value>) -> (String, Value) {
    (key.into(), value.into())
}

impl Value {
    /// The document, its last line ended.
    pub(super) fn document(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out.push('\n');
        out
    }

    fn write(&self, depth: usize, out: &mut String) {
        match self {
            Value::Integer(value) => out.push_str(&value.to_string()),
            Value::Float(value) => out.push_str(&format!("{:.6}", finite(*value))),
            Value::Boolean(value) => out.push_str(&value.to_string()),
            Value::Text(value) => out.push_str(&quoted(value)),
            Value::Array(values) => bracketed(('[', ']'), values, depth, out, |value, out| value.write(depth + 1, out)),
            Value::Object(members) => bracketed(('{', '}'), members, depth, out, |(key, value), out| {
                out.push_str(&quoted(key));
                out.push_str(" : ");
                value.write(depth + 1, out);
            }),
        }
    }
}

fn bracketed<T>(ends: (char, char), items: &[T], depth: usize, out: &mut String, write: impl Fn(&T, &mut String)) {
    out.push(ends.0);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        write(item, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(ends.1);
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_like_fios_and_is_json() {
        let object: Value = vec![
            member("a \"b\"", 1u64),
            member("f", f64::NAN),
            member("list", [1u64, 2].into_iter().collect::<Value>()),
            member("none", Members::new()),
        ]
        .into();
        let text = object.document();
        insta::assert_snapshot!(text, @r#"
        {
          "a \"b\"" : 1,
          "f" : 0.000000,
          "list" : [
            1,
            2
          ],
          "none" : {
          }
        }
        "#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["list"][1], 2);
    }
}
