//! The gate's outcome for machines: JUnit XML, and annotations of GitHub Actions.

use super::xml;
use crate::plain;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Pass,
    Fail,
    /// Undecided, which fails.
    Unsure,
    /// Undecided, which is allowed.
    Skip,
}

/// What the gate says of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    pub name: String,
    pub level: Level,
    pub text: String,
    /// The page; empty when there is none.
    pub file: String,
    /// Time of one launch in seconds; zero when it was not measured.
    pub seconds: f64,
}

/// The remarks as one JUnit test suite, a case for each.
pub fn junit(remarks: &[Remark]) -> String {
    let count = |level: Level| remarks.iter().filter(|remark| remark.level == level).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"audit check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        remarks.len(),
        count(Level::Fail),
        count(Level::Unsure),
        count(Level::Skip)
    );
    for remark in remarks {
        let attribute = |text: &str| xml::text(text).replace('\n', "&#10;");
        let (name, said) = (attribute(&remark.name), attribute(&remark.text));
        let case = format!("    <testcase classname=\"audit\" name=\"{name}\" time=\"{:.9}\"", remark.seconds);
        let inner = match remark.level {
            Level::Pass => format!("<system-out>{said}</system-out>"),
            Level::Fail => format!("<failure type=\"regression\" message=\"{said}\"/>"),
            Level::Unsure => format!("<error type=\"inconclusive\" message=\"{said}\"/>"),
            Level::Skip => format!("<skipped message=\"{said}\"/>"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{case}>\n      {inner}\n    </testcase>");
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// The remarks as workflow commands of GitHub Actions, a line for each.
pub fn github(remarks: &[Remark]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let level = match remark.level {
            Level::Pass => "notice",
            Level::Fail => "error",
            Level::Unsure | Level::Skip => "warning",
        };
        let title = property(&format!("audit: {}", remark.name));
        let file = if remark.file.is_empty() { String::new() } else { format!("file={},", property(&remark.file)) };
        let _ = writeln!(text, "::{level} {file}title={title}::{}", message(&remark.text));
    }
    text
}

fn message(text: &str) -> String {
    plain::clean(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(level: Level) -> Remark {
        let text = "−5 % & \"more\" <x>\nnext".to_owned();
        Remark { name: "a:b,c".into(), level, text, file: "audits/a.md".into(), seconds: 0.000_1 }
    }

    #[test]
    fn annotations_keep_to_one_line() {
        let text = github(&[remark(Level::Fail)]);
        assert_eq!(text, "::error file=audits/a.md,title=audit%3A a%3Ab%2Cc::−5 %25 & \"more\" <x>%0Anext\n");
    }

    #[test]
    fn junit_escapes_and_counts() {
        let text = junit(&[remark(Level::Fail), remark(Level::Pass), remark(Level::Skip), remark(Level::Unsure)]);
        assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""), "{text}");
        assert!(text.contains("message=\"−5 % &amp; &quot;more&quot; &lt;x&gt;&#10;next\""), "{text}");
        assert!(text.contains("time=\"0.000100000\""), "{text}");
    }
}
