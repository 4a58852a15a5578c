//! Checking a program with compute-sanitizer: its command, and whether it really checked something.
//!
//! Its XML holds findings only: a run that checked nothing leaves the file of a clean one. What it prints tells them apart
//! (messages of compute-sanitizer 2025.3.1, `tests/fixtures/h200/logs`, and its manual).

use super::{Setback, Words};
use crate::evidence::SanitizerTool;

/// Findings that are written at most.
const MOST: u32 = 1000;

/// The arguments of compute-sanitizer up to the program: findings go to `xml`.
pub(crate) fn sanitizer_words(tool: SanitizerTool, xml: &str) -> Words {
    let mut words = Words::default();
    words.pair("--tool", tool.name());
    words.one("--xml");
    words.file("--save", xml);
    words.pair("--print-limit", MOST.to_string());
    words.pair("--target-processes", "all");
    if tool == SanitizerTool::Racecheck {
        // Hazards as a whole and not one by one.
        words.pair("--racecheck-report", "analysis");
    }
    words
}

/// What compute-sanitizer printed, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SanitizerSaid {
    /// `ERROR SUMMARY: 257 errors`; empty for a run that did not come to its end.
    pub summary: String,
    /// What else it said of its own: that findings were left out, that the program failed.
    pub remarks: Vec<String>,
    /// Its own errors: it could not check.
    pub errors: Vec<String>,
}

impl SanitizerSaid {
    /// Reads what it wrote to both streams; lines of the program are passed over.
    pub(crate) fn read(text: &str) -> SanitizerSaid {
        let mut said = SanitizerSaid::default();
        for line in text.lines() {
            let Some(line) = line.trim_start().strip_prefix("=========").map(str::trim) else { continue };
            if line.contains("SUMMARY:") && said.summary.is_empty() {
                line.clone_into(&mut said.summary);
            } else if line.contains("not printed") || line.contains("Target application returned an error") {
                said.remarks.push(line.to_owned());
            } else if NOTHING_CHECKED.iter().any(|mark| line.contains(mark)) {
                said.errors.push(line.to_owned());
            }
        }
        said
    }

    /// Why nothing is known after a run.
    pub(crate) fn setback(&self, tool: SanitizerTool, status: &str, has_file: bool) -> Option<Setback> {
        let name = tool.name();
        if let Some(error) = self.errors.first() {
            return Some(Setback::new(
                format!("{name} checked nothing: {error}"),
                "run the program by hand: it must reach its kernels; and see that the tool is of the driver's release or older",
            ));
        }
        if self.summary.is_empty() || !has_file {
            return Some(Setback::new(
                format!("{name} ended with {status} before it gave a result"),
                "the file collect.log in the evidence folder has the command and what the tool said",
            ));
        }
        None
    }
}

/// What it says when it could not look at the kernels.
const NOTHING_CHECKED: [&str; 8] = [
    "Target application terminated before first instrumented API call",
    "No attachable process found",
    "did not terminate successfully",
    "didn't terminate successfully",
    "Internal Sanitizer Error",
    "Error: process",
    "Unable to find injection library",
    "Device not supported",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_reached_no_kernel_is_not_clean() {
        let text = "========= COMPUTE-SANITIZER\n========= Target application terminated before first instrumented API call\n========= ERROR SUMMARY: 0 errors\n";
        let setback = SanitizerSaid::read(text).setback(SanitizerTool::Memcheck, "exit status: 0", true);
        assert!(setback.is_some_and(|setback| setback.to_string().contains("memcheck checked nothing")));
    }

    #[test]
    fn a_run_without_its_summary_is_not_clean() {
        let said = SanitizerSaid::read("========= COMPUTE-SANITIZER\nok\n");
        let setback = said.setback(SanitizerTool::Synccheck, "signal: 9 (SIGKILL)", true);
        assert!(setback.is_some_and(|setback| setback.to_string().contains("signal: 9")));
    }

    #[test]
    fn findings_are_a_result() {
        let text = "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at f+0x1 in a.cu:27\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n========= 3 errors were not printed. Use --print-limit\n";
        let said = SanitizerSaid::read(text);
        assert!(said.summary.starts_with("RACECHECK SUMMARY: 1 hazard"));
        assert_eq!(said.remarks.len(), 1);
        assert_eq!(said.setback(SanitizerTool::Racecheck, "exit status: 0", true), None);
    }
}
