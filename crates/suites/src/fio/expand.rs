//! What is replaced in values: `${VARIABLE}`, `$pagesize`, `$mb_memory`, `$ncpus`.

use super::expression;
use super::numbers::Unit;
use super::world::World;

/// The value with everything replaced. An unset variable is empty, as in fio.
pub(super) fn expand(value: &str, world: &World<'_>) -> Result<String, String> {
    let value = variables(value, world)?;
    let machine = world.machine;
    let words = [
        ("$pagesize", machine.page_bytes),
        ("$mb_memory", machine.memory_mib),
        ("$ncpus", u64::from(machine.processors)),
    ];
    if !words.iter().any(|(word, _)| value.contains(word)) {
        return Ok(value);
    }
    let replaced = words.iter().fold(value, |value, (word, number)| value.replace(word, &number.to_string()));
    product(&replaced)
}

fn variables(value: &str, world: &World<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else {
            return Err(format!("'${{{after}' has no '}}'; write ${{NAME}}"));
        };
        out.push_str(before);
        out.push_str(world.environment.get(name).map_or("", String::as_str));
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// `8*16` is computed when a keyword stood there; anything else is left as it is.
fn product(text: &str) -> Result<String, String> {
    let plain = text.contains(['*', '+', '/', '-', '%', '^'])
        && !text.starts_with('(')
        && text.chars().all(|c| c.is_ascii_digit() || "*+/-%^() ".contains(c))
        && !text.ends_with('%');
    if !plain {
        return Ok(text.to_string());
    }
    expression::evaluate(&format!("({text})"), Unit::None).map(|value| value.to_string())
}

/// The names of variables that are not set, for messages about an empty value.
pub(super) fn unset<'a>(value: &'a str, world: &World<'_>) -> Option<&'a str> {
    let names = value.split("${").skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
    names.filter(|name| !world.environment.contains_key(*name)).last()
}
