//! How many matches a check asks for, as audit.toml writes it.

use crate::analysis::Unreadable;
use std::fmt;
use std::str::FromStr;

/// How many matches a check asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Count {
    pub least: usize,
    /// At most this many; `None` for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

impl Count {
    pub(super) fn holds(self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// Reads `8`, `= 8`, `>= 8`, `> 8`, `<= 8`, `< 8`, `none` and `some`.
impl FromStr for Count {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Count, Unreadable> {
        let wrong = || Unreadable::new("`= N`, `<= N`, `>= N`, `< N`, `> N`, `none` or `some`", text);
        let text = text.trim();
        match text {
            "none" => return Ok(Count { least: 0, most: Some(0) }),
            "some" => return Ok(Count { least: 1, most: None }),
            _ => {}
        }
        let sign = text.len() - text.trim_start_matches(['<', '>', '=']).len();
        let number: usize = text[sign..].trim().parse().map_err(|_| wrong())?;
        match &text[..sign] {
            "" | "=" | "==" => Ok(Count { least: number, most: Some(number) }),
            "<=" => Ok(Count { least: 0, most: Some(number) }),
            ">=" => Ok(Count { least: number, most: None }),
            "<" => Ok(Count { least: 0, most: Some(number.checked_sub(1).ok_or_else(wrong)?) }),
            ">" => Ok(Count { least: number.checked_add(1).ok_or_else(wrong)?, most: None }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Count { least: 0, most: Some(0) } => f.write_str("none"),
            Count { least, most: Some(most) } if least == most => write!(f, "exactly {least}"),
            Count { least: 0, most: Some(most) } => write!(f, "at most {most}"),
            Count { least, most: None } => write!(f, "at least {least}"),
            Count { least, most: Some(most) } => write!(f, "{least} to {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_written() {
        let count = |text: &str| text.parse::<Count>().map(|count| count.to_string());
        assert_eq!(count("= 8"), Ok("exactly 8".into()));
        assert_eq!(count("<= 8"), Ok("at most 8".into()));
        assert_eq!(count("> 7"), Ok("at least 8".into()));
        assert_eq!(count("< 1"), Ok("none".into()));
        assert_eq!(count("some"), Ok("at least 1".into()));
        assert!(count("< 0").is_err() && count("=> 3").is_err() && count("").is_err());
    }
}
