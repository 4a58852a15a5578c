//! Reading JUnit files, which pytest, CTest, GoogleTest and others write: a `testcase` for each test, with a `failure`, an `error` or
//! a `skipped` inside where it did not pass, in suites that may have properties.

use super::{ReadError, read_all};
use crate::evidence::{TestCase, TestRun};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use regex::Regex;
use std::path::Path;

/// The property of a suite that says which commit was tested.
const COMMIT: &str = "commit";
/// Names that an error lists.
const LISTED: usize = 8;

/// Reads a file, with all of its tests. Errors: as [`junit`], and [`ReadError::Io`] where the system refuses.
pub fn read_junit(path: &Path) -> Result<TestRun, ReadError> {
    junit(&read_all(path)?, path, None)
}

/// What a file says of the tests whose name `meant` matches, or of all. Errors: for what is no JUnit file, and without such a test.
pub fn junit(bytes: &[u8], path: &Path, meant: Option<&Regex>) -> Result<TestRun, ReadError> {
    let file = File::read(bytes).map_err(|(at, found)| {
        let cure = "run the tests again, such as `pytest --junit-xml=FILE`";
        let expected = "a JUnit file: <testsuites> or <testsuite>";
        ReadError::malformed(path, format!("byte {at}"), expected, found, cure)
    })?;
    let is_meant = |case: &Case| meant.is_none_or(|meant| meant.is_match(&case.name));
    let mut tested = TestRun {
        by: file.by,
        meant: meant.map_or_else(String::new, |meant| meant.as_str().to_owned()),
        commit: file.commit,
        begun: file.begun,
        ..TestRun::default()
    };
    for case in file.cases.iter().filter(|case| is_meant(case)) {
        let one = || TestCase { name: case.name.clone(), why: case.why.clone() };
        match case.ended {
            Ended::Passed => tested.passed += 1,
            Ended::Skipped => tested.skipped += 1,
            Ended::Failed => tested.failed.push(one()),
            Ended::Broken => tested.broken.push(one()),
        }
    }
    if tested.passed + tested.skipped == 0 && tested.failed.is_empty() && tested.broken.is_empty() {
        let names: Vec<&str> = file.cases.iter().take(LISTED).map(|case| case.name.as_str()).collect();
        let (expected, found) = match meant {
            Some(meant) if !names.is_empty() => (format!("a test that matches /{meant}/"), names.join(", ")),
            _ => ("a test".to_owned(), "none".to_owned()),
        };
        let cure = "correct `tests` under [subject.correctness], or what the tests are chosen by";
        return Err(ReadError::malformed(path, "its tests", expected, found, cure));
    }
    Ok(tested)
}

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Passed,
    Skipped,
    Failed,
    Broken,
}

struct Case {
    name: String,
    ended: Ended,
    why: String,
}

#[derive(Default)]
struct File {
    by: String,
    commit: String,
    begun: String,
    cases: Vec<Case>,
}

impl File {
    /// Reads a file; an error is the byte and what was found there.
    fn read(bytes: &[u8]) -> Result<File, (u64, String)> {
        let mut reader = Reader::from_reader(bytes);
        reader.config_mut().expand_empty_elements = true;
        let (mut file, mut depth, mut is_whole) = (File::default(), 0u32, false);
        loop {
            let at = reader.buffer_position();
            match reader.read_event().map_err(|error| (at, error.to_string()))? {
                Event::Start(tag) => {
                    file.take(&tag, depth).map_err(|found| (at, found))?;
                    depth += 1;
                }
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    is_whole |= depth == 0;
                }
                Event::Text(text) if depth == 0 && !text.xml10_content().trim().is_empty() => {
                    return Err((at, "text".into()));
                }
                Event::Eof if is_whole => return Ok(file),
                Event::Eof => return Err((at, "the end of the file".into())),
                _ => {}
            }
        }
    }

    /// Takes what an element says by its attributes.
    fn take(&mut self, tag: &BytesStart<'_>, depth: u32) -> Result<(), String> {
        let name = tag.local_name().as_ref().to_owned();
        if depth == 0 && !["testsuites", "testsuite"].contains(&name.as_str()) {
            return Err(format!("<{name}>"));
        }
        let said = |key: &str| attribute(tag, key);
        let last = self.cases.last_mut();
        match (name.as_str(), last) {
            ("testsuite", _) => {
                for (own, key) in [(&mut self.by, "name"), (&mut self.begun, "timestamp")] {
                    if own.is_empty() {
                        *own = said(key);
                    }
                }
            }
            ("property", _) if said("name") == COMMIT && self.commit.is_empty() => self.commit = said("value"),
            ("testcase", _) => {
                let (class, own) = (said("classname"), said("name"));
                let name = if class.is_empty() { own } else { format!("{class}.{own}") };
                // GoogleTest and CTest say so of tests that are switched off.
                let is_left_out = ["notrun", "disabled"].contains(&said("status").as_str());
                let ended = if is_left_out { Ended::Skipped } else { Ended::Passed };
                self.cases.push(Case { name, ended, why: String::new() });
            }
            ("failure", Some(case)) => case.end(Ended::Failed, &said("message")),
            ("error", Some(case)) if case.ended != Ended::Failed => case.end(Ended::Broken, &said("message")),
            ("skipped", Some(case)) if case.ended == Ended::Passed => case.end(Ended::Skipped, &said("message")),
            _ => {}
        }
        Ok(())
    }
}

impl Case {
    fn end(&mut self, ended: Ended, message: &str) {
        self.ended = ended;
        message.lines().next().unwrap_or_default().trim().clone_into(&mut self.why);
    }
}

/// The value of an attribute; empty without it.
fn attribute(tag: &BytesStart<'_>, key: &str) -> String {
    let found = tag.try_get_attribute(key).ok().flatten();
    // A line's end is kept, which the normal form of an attribute would make a space.
    found.map_or_else(String::new, |found| {
        quick_xml::escape::unescape(&found.value).map_or_else(|_| found.value.to_string(), |text| text.into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What pytest 9 wrote for six tests.
    const PYTEST: &[u8] = include_bytes!("../../../../tests/fixtures/python/pytest.junit.xml");

    fn read(bytes: &[u8], meant: Option<&str>) -> Result<TestRun, ReadError> {
        let meant = meant.map(|meant| Regex::new(meant).expect("a pattern"));
        junit(bytes, Path::new("junit.xml"), meant.as_ref())
    }

    #[test]
    fn tests_of_pytest_are_counted_and_those_that_did_not_pass_named() {
        let all = read(PYTEST, None).expect("a JUnit file");
        assert_eq!((all.by.as_str(), all.passed, all.skipped), ("pytest", 3, 1));
        assert_eq!(all.commit, "0123456789abcdef0123456789abcdef01234567");
        let one = |name: &str, why: &str| TestCase { name: name.into(), why: why.into() };
        assert_eq!(all.failed, [one("test_matmul.test_matmul_wrong", "AssertionError: row 3 < row 4")]);
        assert_eq!(all.broken, [one("test_matmul.test_layernorm", "failed on setup with \"RuntimeError: no device\"")]);
        let some = read(PYTEST, Some(r"test_matmul\[")).expect("two tests");
        assert_eq!((some.passed, some.skipped, some.failed.len(), some.broken.len()), (2, 0, 0, 0));
    }

    #[test]
    fn what_is_missing_is_said() {
        let text = read(PYTEST, Some("attention")).expect_err("no such test").to_string();
        assert!(text.contains("a test that matches /attention/") && text.contains("test_matmul[256]"), "{text}");
        let half = &PYTEST[..PYTEST.len() / 2];
        assert!(read(half, None).is_err());
        assert!(read(b"<html></html>", None).expect_err("no tests").to_string().contains("<html>"));
        assert!(read(b"<testsuites/>", None).is_err());
        assert!(read(b"", None).is_err());
    }

    #[test]
    fn tests_that_are_switched_off_did_not_pass() {
        let text = b"<testsuite name='ctest'><testcase name='a' status='disabled'/><testcase name='b' status='run'/></testsuite>";
        let tested = read(text, None).expect("two tests");
        assert_eq!((tested.passed, tested.skipped), (1, 1));
    }
}
