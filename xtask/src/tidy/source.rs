//! Reads Rust just well enough for tidy: which text is code, which is comment, which belongs to tests.
//! It is no parser. It knows comments, every kind of string, characters, lifetimes and brackets; code that
//! compiles cannot confuse it, apart from macros that invent a syntax of their own.

/// One line, taken apart.
#[derive(Debug, Default, Clone)]
pub(crate) struct Line {
    /// The code, with the contents of strings and characters blanked out.
    pub(crate) code: String,
    /// The text of its comments.
    pub(crate) comment: String,
    /// Whether it is inside an item marked `#[cfg(test)]` or `#[test]`.
    pub(crate) is_test: bool,
}

impl Line {
    /// Neither blank nor mere comment.
    pub(crate) fn is_code(&self) -> bool {
        !self.code.trim().is_empty()
    }
}

/// A function with a body; lines count from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    /// How deep block comments are nested.
    BlockComment(u32),
    Text,
    /// Number of `#` that close it.
    RawText(usize),
}

/// Takes a file apart into lines.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut lines = split_code_and_comments(text);
    mark_tests(&mut lines);
    lines
}

fn split_code_and_comments(text: &str) -> Vec<Line> {
    let chars: Vec<char> = text.chars().collect();
    let mut lines = vec![Line::default()];
    let mut state = State::Code;
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '\n' {
            if state == State::LineComment {
                state = State::Code;
            }
            lines.push(Line::default());
            at += 1;
            continue;
        }
        let line = lines.last_mut().expect("there is always a line");
        let (next, taken) = step(state, &chars[at..], line);
        state = next;
        at += taken;
    }
    lines
}

/// Consumes a few characters: the state after them, and how many they were.
fn step(state: State, rest: &[char], line: &mut Line) -> (State, usize) {
    match state {
        State::Code => step_code(rest, line),
        State::LineComment => {
            line.comment.push(rest[0]);
            (state, 1)
        }
        State::BlockComment(depth) => match rest {
            ['*', '/', ..] if depth == 1 => (State::Code, 2),
            ['*', '/', ..] => (State::BlockComment(depth - 1), 2),
            ['/', '*', ..] => (State::BlockComment(depth + 1), 2),
            _ => {
                line.comment.push(rest[0]);
                (state, 1)
            }
        },
        State::Text => match rest {
            // An escaped line end is still a line end.
            ['\\', next, ..] if *next != '\n' => (state, 2),
            ['"', ..] => close(line),
            _ => (state, 1),
        },
        State::RawText(hashes) => {
            let closes = rest[0] == '"' && rest.len() > hashes && rest[1..=hashes].iter().all(|c| *c == '#');
            if closes { (close(line).0, 1 + hashes) } else { (state, 1) }
        }
    }
}

fn close(line: &mut Line) -> (State, usize) {
    line.code.push('"');
    (State::Code, 1)
}

fn step_code(rest: &[char], line: &mut Line) -> (State, usize) {
    match rest {
        ['/', '/', ..] => (State::LineComment, 2),
        ['/', '*', ..] => (State::BlockComment(1), 2),
        ['"', ..] => {
            line.code.push('"');
            (State::Text, 1)
        }
        ['r', '"' | '#', ..] if !ends_with_word(&line.code) || line.code.ends_with('b') => raw_text(rest, line),
        ['\'', ..] => {
            let taken = character(rest);
            line.code.push('\'');
            (State::Code, taken)
        }
        _ => {
            line.code.push(rest[0]);
            (State::Code, 1)
        }
    }
}

/// `r"…"`, `r#"…"#`; and `r#name`, which is only a name.
fn raw_text(rest: &[char], line: &mut Line) -> (State, usize) {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    line.code.push('r');
    if rest.get(1 + hashes) == Some(&'"') { (State::RawText(hashes), 2 + hashes) } else { (State::Code, 1) }
}

/// How many characters a literal such as `'{'` or `'\n'` takes; 1 for the quote of a lifetime.
fn character(rest: &[char]) -> usize {
    match rest {
        ['\'', '\\', _, tail @ ..] => 3 + tail.iter().position(|c| *c == '\'').map_or(0, |end| end + 1),
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
}

fn ends_with_word(code: &str) -> bool {
    code.chars().next_back().is_some_and(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn mark_tests(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let code = lines[at].code.trim_start();
        let is_test =
            code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") || code.starts_with("#[test]");
        if !is_test {
            at += 1;
            continue;
        }
        let end = item_end(lines, at);
        for line in &mut lines[at..=end] {
            line.is_test = true;
        }
        at = end + 1;
    }
}

/// The last line of the item whose attributes start at `from`.
fn item_end(lines: &[Line], from: usize) -> usize {
    let mut depth = 0_i32;
    for (at, line) in lines.iter().enumerate().skip(from) {
        for c in line.code.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return at;
                    }
                }
                ';' if depth == 0 => return at,
                _ => {}
            }
        }
    }
    lines.len() - 1
}

/// Every function that has a body, nested ones too.
pub(crate) fn functions(lines: &[Line]) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (column, name) in names_after_fn(&line.code) {
            if let Some(last) = body_end(lines, at, column) {
                found.push(Function { name, first_line: at + 1, last_line: last + 1 });
            }
        }
    }
    found
}

/// The byte position after `fn` and the name that follows, for each `fn name` of a line. `fn(…)` is a type.
fn names_after_fn(code: &str) -> Vec<(usize, String)> {
    words(code, "fn")
        .filter_map(|start| {
            let after = start + "fn".len();
            let name: String = code[after..].trim_start().chars().take_while(|c| is_word(*c)).collect();
            (!name.is_empty()).then_some((after, name))
        })
        .collect()
}

/// Where `word` stands in `code` as a whole word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(start, _)| start).filter(move |start| {
        let after = &code[start + word.len()..];
        !ends_with_word(&code[..*start]) && !after.chars().next().is_some_and(is_word)
    })
}

/// The line of the brace that closes the body; none for a declaration that ends with `;`.
fn body_end(lines: &[Line], line: usize, column: usize) -> Option<usize> {
    let (mut braces, mut others) = (0_i32, 0_i32);
    for (at, text) in lines.iter().enumerate().skip(line) {
        let code = if at == line { &text.code[column..] } else { &text.code[..] };
        for c in code.chars() {
            match c {
                '(' | '[' => others += 1,
                ')' | ']' => others -= 1,
                '{' => braces += 1,
                '}' if braces == 1 => return Some(at),
                '}' => braces -= 1,
                ';' if braces == 0 && others == 0 => return None,
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn strings_and_comments_are_not_code() {
        assert_eq!(codes("a(\"{ // \\\" }\"); // b {"), ["a(\"\"); "]);
        assert_eq!(codes("r#\"one\n } \" two\"# + 1"), ["r", "\" + 1"]);
        assert_eq!(codes("x /* a /* b */ c */ y"), ["x  y"]);
        assert_eq!(codes("b'{' + '\\'' + '\\u{7f}'; fn f<'a>() {}"), ["b' + ' + '; fn f<'a>() {}"]);
        assert_eq!(codes("let r#type = br\"}\";"), ["let r#type = br\";"]);
    }

    #[test]
    fn test_code_ends_with_its_item() {
        let text = "fn a() {}\n#[cfg(test)]\nmod t {\n  fn b() {}\n}\n#[cfg(test)]\nuse x::y;\nfn c() {}";
        let marks: Vec<bool> = lines(text).iter().map(|line| line.is_test).collect();
        assert_eq!(marks, [false, true, true, true, true, true, true, false]);
    }

    #[test]
    fn functions_have_bodies() {
        let text = "trait T { fn no(a: [u8; 4]); }\nfn yes(\n  f: fn(u8) -> u8,\n) {\n  { }\n}\n";
        let expected = Function { name: "yes".to_owned(), first_line: 2, last_line: 6 };
        assert_eq!(functions(&lines(text)), [expected]);
    }
}
