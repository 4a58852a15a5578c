//! Words as a POSIX shell takes them, for commands that pages and logs show.

/// A word that a shell reads as it is: plain where it can be, else in single quotes.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The words of a command line. Quotes are those of a POSIX shell; a backslash stands for itself, as in paths of Windows,
/// unless a quote or a space follows it.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') if chars.peek().is_some_and(|next| matches!(next, '\'' | '"' | ' ')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{quoted, split};

    #[test]
    fn words_come_back_as_they_were() {
        for words in [&["ncu", "a b", "it's", "", "x\"y", "C:\\a\\b"][..], &["-k", "regex:^a$|b"]] {
            let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            assert_eq!(split(&line), words, "{line}");
        }
        assert_eq!(split(r#" sh  -c "./a 1; exit 3" C:\x\y.exe"#), ["sh", "-c", "./a 1; exit 3", r"C:\x\y.exe"]);
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b.ncu-rep"), "a/b.ncu-rep");
        assert_eq!(quoted("2*3"), "'2*3'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
