//! Arithmetic in parentheses: `(4*1024)`, `(2^12)`, `(10*60s)`; the operators + - * / % ^, whole numbers only.
//!
//! Inside parentheses a time without unit is in microseconds, as in fio.

use super::numbers::{Unit, literal};

/// Deeper nesting is a typing mistake.
const DEPTH_MAX: u32 = 64;

/// Evaluates a text that begins with a parenthesis.
pub(super) fn evaluate(text: &str, unit: Unit) -> Result<u64, String> {
    let unit = if let Unit::Time(_) = unit { Unit::Time(1_000) } else { unit };
    let mut parser = Parser { text, at: 0, unit, depth: 0 };
    let value = parser.group().and_then(|value| parser.end().map(|()| value));
    let value = value.map_err(|why| format!("{text}: {why}"))?;
    let scale = if let Unit::Time(bare) = unit { i128::from(bare) } else { 1 };
    let value = value.checked_mul(scale).ok_or_else(|| format!("{text} is too large"))?;
    u64::try_from(value).map_err(|_| format!("{text} is {value}; a number from 0 to 2^64-1 is wanted"))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    unit: Unit,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        self.at += blanks;
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn end(&mut self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(format!("'{}' stands behind the parenthesis", self.rest())),
        }
    }

    fn group(&mut self) -> Result<i128, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("too many parentheses".into());
        }
        if !self.take('(') {
            return Err("'(' is missing".into());
        }
        let value = self.sum()?;
        if !self.take(')') {
            return Err("')' is missing".into());
        }
        self.depth -= 1;
        Ok(value)
    }

    fn sum(&mut self) -> Result<i128, String> {
        let mut left = self.product()?;
        while let Some(operator @ ('+' | '-')) = self.peek() {
            self.at += 1;
            let right = self.product()?;
            left = compute(operator, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<i128, String> {
        let mut left = self.power()?;
        while let Some(operator @ ('*' | '/' | '%')) = self.peek() {
            self.at += 1;
            let right = self.power()?;
            left = compute(operator, left, right)?;
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<i128, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("too many operators".into());
        }
        let base = self.value()?;
        let value = if self.take('^') { compute('^', base, self.power()?)? } else { base };
        self.depth -= 1;
        Ok(value)
    }

    /// A number or a group. Times are computed in microseconds, so that (10*60s) is 600 seconds.
    fn value(&mut self) -> Result<i128, String> {
        match self.peek() {
            Some('(') => return self.group(),
            Some('-') => {
                self.at += 1;
                let value = self.power()?;
                return value.checked_neg().ok_or_else(|| "a number is too large".to_string());
            }
            _ => {}
        }
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
        let word = rest[..length].to_string();
        let value = literal(&word, self.unit)?;
        self.at += length;
        if let Unit::Time(_) = self.unit {
            return if value % 1_000 == 0 { Ok(i128::from(value / 1_000)) } else { Err("less than 1us".into()) };
        }
        Ok(i128::from(value))
    }
}

fn compute(operator: char, left: i128, right: i128) -> Result<i128, String> {
    let result = match operator {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        '/' | '%' if right == 0 => return Err("division by zero".into()),
        '/' if left.checked_rem(right) != Some(0) => return Err(format!("{left}/{right} is not whole")),
        '/' => left.checked_div(right),
        '%' => left.checked_rem(right),
        _ => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
    };
    result.ok_or_else(|| "a number is too large".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_usual() {
        for (text, value) in [
            ("(1024*1024)", 1 << 20),
            ("(1+2)", 3),
            ("(2^12)", 4096),
            ("(2^3^2)", 512),
            ("(1+2*3)", 7),
            ("((1+2)*3)", 9),
            ("( 7 % 4 - 1 )", 2),
            ("(8/2/2)", 2),
            ("(5--1)", 6),
        ] {
            assert_eq!(evaluate(text, Unit::Count(1024)), Ok(value), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["(", "()", "(1", "(1)2", "(1+)", "(1/0)", "(7/2)", "(1-2)", "(2^200)", "(a)", "(1,2)", "(1.5)"] {
            assert!(evaluate(text, Unit::Count(1024)).is_err(), "{text}");
        }
        assert!(evaluate(&"(".repeat(1000), Unit::None).is_err());
    }
}
