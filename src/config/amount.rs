//! An amount of work: a whole number, or the product and sum that it comes from.

use std::fmt;
use std::str::FromStr;

/// Parentheses may be nested this deep.
const DEEPEST: usize = 32;

/// A whole number with the expression that the user wrote for it, such as `2*2048*1024*1024`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    value: u64,
    text: String,
}

impl Amount {
    pub fn value(&self) -> u64 {
        self.value
    }
}

impl From<u64> for Amount {
    fn from(value: u64) -> Amount {
        Amount { value, text: value.to_string() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {}: expected {expected}, found {found}", at + 1)]
pub struct AmountError {
    pub at: usize,
    /// What an expression has there.
    pub expected: &'static str,
    pub found: String,
}

/// Reads whole numbers joined by `+`, `*` and `/`, with parentheses; `_` may part digits. `*` and `/` bind tighter, from the
/// left; a quotient must leave no remainder.
impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Amount, AmountError> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.sum(0)?;
        match parser.peek() {
            None => Ok(Amount { value, text: text.trim().to_owned() }),
            Some(_) => Err(parser.fault("`+`, `*`, `/` or the end")),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        if there {
            self.at += c.len_utf8();
        }
        there
    }

    fn sum(&mut self, depth: usize) -> Result<u64, AmountError> {
        let mut value = self.product(depth)?;
        while self.peek() == Some('+') {
            let at = self.at;
            self.take('+');
            let term = self.product(depth)?;
            value = value.checked_add(term).ok_or_else(|| too_large(at))?;
        }
        Ok(value)
    }

    fn product(&mut self, depth: usize) -> Result<u64, AmountError> {
        let mut value = self.factor(depth)?;
        while let Some(sign) = self.peek().filter(|c| matches!(c, '*' | '/')) {
            let at = self.at;
            self.take(sign);
            let factor = self.factor(depth)?;
            value = if sign == '*' {
                value.checked_mul(factor).ok_or_else(|| too_large(at))?
            } else if factor != 0 && value.is_multiple_of(factor) {
                value / factor
            } else {
                let found = format!("{value} / {factor}");
                return Err(AmountError { at, expected: "a quotient without remainder", found });
            };
        }
        Ok(value)
    }

    fn factor(&mut self, depth: usize) -> Result<u64, AmountError> {
        if self.peek() == Some('(') && depth < DEEPEST {
            self.take('(');
            let value = self.sum(depth + 1)?;
            return if self.take(')') { Ok(value) } else { Err(self.fault("`+`, `*`, `/` or `)`")) };
        }
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count();
        let digits = rest[..length].replace('_', "");
        if digits.is_empty() {
            return Err(self.fault("a whole number or `(`"));
        }
        let value = digits.parse().map_err(|_| too_large(self.at))?;
        self.at += length;
        Ok(value)
    }

    fn fault(&mut self, expected: &'static str) -> AmountError {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
        AmountError { at: self.at, expected, found }
    }
}

fn too_large(at: usize) -> AmountError {
    AmountError { at, expected: "a number below 2^64", found: "a larger one".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> u64 {
        text.parse::<Amount>().expect("an amount").value()
    }

    fn fault(text: &str) -> String {
        text.parse::<Amount>().expect_err("no amount").to_string()
    }

    #[test]
    fn products_bind_tighter_than_sums() {
        assert_eq!(value("2*2048*1024*1024"), 4_294_967_296);
        assert_eq!(value(" 1 + 2 * 3 "), 7);
        assert_eq!(value("4*(2*3+5)"), 44);
        assert_eq!(value("1_000"), 1000);
        assert_eq!(value("928256/128*(768/256)"), 21_756);
        assert_eq!(fault("1 + 7/2"), "at character 6: expected a quotient without remainder, found 7 / 2");
        assert_eq!(fault("7/0"), "at character 2: expected a quotient without remainder, found 7 / 0");
        assert_eq!("2 * 3".parse::<Amount>().expect("an amount").text, "2 * 3");
    }

    #[test]
    fn mistakes_name_their_character() {
        assert_eq!(fault(""), "at character 1: expected a whole number or `(`, found the end");
        assert_eq!(fault("2*M"), "at character 3: expected a whole number or `(`, found `M`");
        assert_eq!(fault("2-1"), "at character 2: expected `+`, `*`, `/` or the end, found `-`");
        assert_eq!(fault("(2"), "at character 3: expected `+`, `*`, `/` or `)`, found the end");
        assert_eq!(fault("1.5"), "at character 2: expected `+`, `*`, `/` or the end, found `.`");
        assert_eq!(fault("9999999999*9999999999"), "at character 11: expected a number below 2^64, found a larger one");
        assert!(fault(&"(".repeat(100_000)).starts_with("at character 33"));
    }
}
