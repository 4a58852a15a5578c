//! Where in the code a check looks, as audit.toml writes it.

use crate::analysis::Unreadable;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole function, with what it calls in its own section.
    #[default]
    Function,
    /// The loop that most likely runs most.
    HottestLoop,
    /// The innermost loop that holds an instruction of this line, whatever lines its instructions were inlined from.
    LoopAt(u32),
    /// Instructions of these lines of the subject's source.
    Lines(u32, u32),
}

/// Reads `function`, `hottest-loop`, `loop at line 10`, `lines 10-25` and `line 10`.
impl FromStr for Scope {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Scope, Unreadable> {
        let wrong = || Unreadable::new("`function`, `hottest-loop`, `loop at line N`, `line N` or `lines N-M`", text);
        match text.trim() {
            "function" => Ok(Scope::Function),
            "hottest-loop" => Ok(Scope::HottestLoop),
            other => {
                let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
                if let Some(line) = other.strip_prefix("loop at line ") {
                    return Ok(Scope::LoopAt(number(line)?));
                }
                let numbers = other.strip_prefix("lines").or(other.strip_prefix("line")).ok_or_else(wrong)?.trim();
                let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
                let (from, to) = (number(from)?, number(to)?);
                if from <= to { Ok(Scope::Lines(from, to)) } else { Err(wrong()) }
            }
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Function => f.write_str("the kernel"),
            Scope::HottestLoop => f.write_str("the hottest loop"),
            Scope::LoopAt(line) => write!(f, "the loop at line {line}"),
            Scope::Lines(from, to) if from == to => write!(f, "line {from}"),
            Scope::Lines(from, to) => write!(f, "lines {from}–{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_written() {
        assert_eq!("lines 3-9".parse(), Ok(Scope::Lines(3, 9)));
        assert_eq!("line 3".parse(), Ok(Scope::Lines(3, 3)));
        assert_eq!("loop at line 3".parse(), Ok(Scope::LoopAt(3)));
        assert!("lines 9-3".parse::<Scope>().is_err() && "loop".parse::<Scope>().is_err());
    }
}
