//! `buffer_pattern` and `verify_pattern`: `0xdeadbeef`, `"text"`, `'file'`, `%o`, small numbers, one after the other.

use super::super::world::World;
use fsbench_model::job::PatternBytes;

/// fio's limit.
const BYTES_MAX: usize = 512 * 1024;

/// Reads a pattern; `%o` puts eight bytes of offset there.
pub(super) fn parse(text: &str, world: &World<'_>) -> Result<PatternBytes, String> {
    let mut pattern = PatternBytes::default();
    let mut rest = text.trim();
    while !rest.is_empty() {
        rest = part(rest, &mut pattern, world)?;
    }
    match pattern.bytes.len() {
        0 => Err("the pattern has no bytes".into()),
        length if length > BYTES_MAX => Err(format!("the pattern has {length} bytes; accepted: up to {BYTES_MAX}")),
        _ => Ok(pattern),
    }
}

/// Reads the first part, and gives what is behind it.
fn part<'a>(text: &'a str, pattern: &mut PatternBytes, world: &World<'_>) -> Result<&'a str, String> {
    if let Some(rest) = text.strip_prefix("%o") {
        pattern.offsets.push(u32::try_from(pattern.bytes.len()).unwrap_or(u32::MAX));
        pattern.bytes.extend([0; 8]);
        return Ok(rest);
    }
    if let Some(rest) = text.strip_prefix('"') {
        return quoted(rest, &mut pattern.bytes);
    }
    if let Some(rest) = text.strip_prefix('\'') {
        let (file, rest) = rest.split_once('\'').ok_or("a ' is missing at the end of the file's name")?;
        let read = (world.read)(file).map_err(|why| format!("cannot read {file}: {why}"))?;
        pattern.bytes.extend(read.bytes());
        return Ok(rest);
    }
    if let Some(rest) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        hex(&rest[..end], &mut pattern.bytes)?;
        return Ok(&rest[end..]);
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(text.len());
    let number = text[..end].parse::<i64>().ok().filter(|number| (-128..256).contains(number));
    let number = number.ok_or_else(|| {
        format!("'{text}' is no pattern; accepted: 0xdeadbeef, \"text\", 'file', %o, or a number from -128 to 255")
    })?;
    pattern.bytes.push(number.to_le_bytes()[0]);
    Ok(&text[end..])
}

/// Bytes in the order in which they are written: 0xdead is de ad.
fn hex(digits: &str, out: &mut Vec<u8>) -> Result<(), String> {
    if digits.is_empty() {
        return Err("0x has no digits".into());
    }
    let even = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_string() };
    for at in (0..even.len()).step_by(2) {
        out.push(u8::from_str_radix(&even[at..at + 2], 16).map_err(|_| "not a hexadecimal number")?);
    }
    Ok(())
}

fn quoted<'a>(text: &'a str, out: &mut Vec<u8>) -> Result<&'a str, String> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Ok(&text[at + 1..]),
            '\\' if !escaped => escaped = true,
            c => {
                let c = match c {
                    'n' if escaped => '\n',
                    't' if escaped => '\t',
                    c => c,
                };
                out.extend(c.encode_utf8(&mut [0; 4]).bytes());
                escaped = false;
            }
        }
    }
    Err("a \" is missing at the end of the text".into())
}
