//! What a file is, for those that cannot be read where they were given.

use super::{ReadError, ncu_csv, ptxas_log, text};
use crate::merge::is_unmerged;
use ncu_report::packed;
use std::path::Path;

/// What is being looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// A report or a page of one.
    Profile,
    /// What the assembler printed.
    BuildLog,
}

impl Sought {
    /// What to give instead of a file that is of another kind.
    fn cure(self) -> &'static str {
        match self {
            Sought::Profile => {
                "give a .ncu-rep or .ncu-repz file, or the output of `ncu --import REPORT.ncu-rep --page raw --csv`"
            }
            Sought::BuildLog => "give what `nvcc -Xptxas -v ...` printed: `nvcc -Xptxas -v ... 2> build.log`",
        }
    }
}

/// The error for a file whose content no reader of `sought` takes.
pub(super) fn wrong(path: &Path, bytes: &[u8], sought: Sought) -> ReadError {
    let (found, cure) = describe(path, bytes, sought);
    ReadError::wrong(path, found, cure)
}

/// What a file is that holds the lines of two branches, and the cure.
pub(super) const UNMERGED: (&str, &str) = (
    "a merge stopped in it and left both sides",
    "take one side, `git checkout --ours FILE` or `git checkout --theirs FILE`; of audits `audit resolve` keeps both",
);

const FAILED: &str = "the tool that should have written it failed; run it again and read what it says";

fn describe(path: &Path, bytes: &[u8], sought: Sought) -> (&'static str, &'static str) {
    let otherwise = sought.cure();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match (extension, bytes) {
        ("ncu-repz", _) if packed::is_packed(bytes) => ("it is a packed Nsight Compute report", otherwise),
        ("ncu-repz", [_, ..]) => {
            ("it is named as a packed report and is not one", "copy the report again, or profile again")
        }
        (_, []) => ("it is an empty file", FAILED),
        _ if bytes.starts_with(b"version https://git-lfs") => {
            ("it is a Git LFS pointer, not the file itself", "run `git lfs pull`")
        }
        (_, [b'N', b'V', b'R', 0, ..]) => ("it is an Nsight Compute report", otherwise),
        ("nsys-rep" | "qdrep", _) => (
            "it is a report of Nsight Systems, a timeline without the counters of a kernel",
            "profile the kernel with `ncu --set full -o REPORT ...`; `audit timeline` reads what `nsys stats` prints of it",
        ),
        (_, [b'S', b'Q', b'L', b'i', b't', b'e', b' ', ..]) => (
            "it is an SQLite database, such as Nsight Systems exports",
            "profile the kernel with `ncu --set full -o REPORT ...`; `audit timeline FILE` reads an export of nsys",
        ),
        (_, [0x7f, b'E', b'L', b'F', ..]) if bytes.get(18..20) == Some(&[190, 0]) => {
            ("it is a cubin: the kernel's code, without numbers of a run", otherwise)
        }
        (_, [0x7f, b'E', b'L', b'F', ..]) => ("it is a program or library", otherwise),
        (_, [0x50, 0xed, 0x55, 0xba, ..]) => ("it is a CUDA fat binary", otherwise),
        (_, [0x1f, 0x8b, ..]) => ("it is a gzip file", "unpack it first: `gunzip FILE`"),
        (_, [b'P', b'K', 3 | 5, ..]) => ("it is a zip file", "unpack it first: `unzip FILE`"),
        (_, [0x28, 0xb5, 0x2f, 0xfd, ..]) => ("it is a zstd file", "unpack it first: `unzstd FILE`"),
        _ => describe_text(bytes, sought).unwrap_or(("it is of no kind known here", otherwise)),
    }
}

fn describe_text(bytes: &[u8], sought: Sought) -> Option<(&'static str, &'static str)> {
    if ncu_csv::looks_like(bytes).is_some() && sought != Sought::Profile {
        return Some(("it is a page that ncu printed", sought.cure()));
    }
    if ptxas_log::looks_like(bytes) && sought != Sought::BuildLog {
        return Some(("it is a build log", sought.cure()));
    }
    if is_unmerged(bytes) {
        return Some(UNMERGED);
    }
    let text = text::decode(bytes);
    let has = |word: &str| text.contains(word);
    let page =
        "print the page as CSV: `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself";
    let otherwise = sought.cure();
    Some(if has("==PROF==") || has("==ERROR==") || (has("Section: ") && has("Metric Name")) {
        ("it is text that ncu printed, without a CSV table", if sought == Sought::Profile { page } else { otherwise })
    } else if has("COMPUTE-SANITIZER") {
        ("it is a log of compute-sanitizer", otherwise)
    } else if has("\t.headerflags") || has("Fatbin elf code") || has("/*0000*/") {
        ("it is a disassembly", otherwise)
    } else if has(".target sm_") && has(".version ") {
        ("it is PTX", otherwise)
    } else if text.trim().is_empty() {
        ("it holds white space only", FAILED)
    } else if text.contains(['\u{0}', char::REPLACEMENT_CHARACTER]) {
        return None;
    } else {
        ("it is text of no kind known here", otherwise)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_content_before_its_name() {
        let found = |name: &str, bytes: &[u8]| describe(Path::new(name), bytes, Sought::Profile).0;
        assert!(found("a.ncu-rep", b"").contains("empty"));
        assert!(found("a.ncu-repz", b"xx").contains("named as a packed report"));
        assert!(found("a.txt", b"SQLite format 3\0").contains("SQLite"));
        assert!(found("a", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xbe\0").contains("cubin"));
        assert!(found("a", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0").contains("program"));
        assert!(found("a.log", b"ptxas info    : 0 bytes gmem\n").contains("build log"));
        assert!(found("a.md", b"hello\n").contains("text of no kind"));
        assert_eq!(found("a.json", b"<<<<<<< HEAD\n{}\n=======\n{ }\n>>>>>>> other\n"), UNMERGED.0);
        assert!(found("a.bin", b"\0\x01\x02\xff").starts_with("it is of no kind"));
    }
}
