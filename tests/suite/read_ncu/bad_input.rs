//! Files that are no report, or an unreadable one: each is refused with what, where, expected, found and the cure.

use super::{everything, plain};
use kernel_audit::source::{self, ReadError, Want, ncu_report};
use std::path::Path;

/// The message for a file of these bytes.
fn message(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let error = source::read_profile(&path, &Want::everything()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(name) && text.contains("help: "), "{text}");
    text
}

/// File header of a version.
fn header(version: u8) -> Vec<u8> {
    [b"NVR\0", &[2, 0, 0, 0][..], &[8, version]].concat()
}

#[test]
fn every_kind_of_wrong_file_says_what_it_is() {
    for (name, bytes, expected) in [
        ("empty.ncu-rep", &b""[..], "it is an empty file"),
        ("short.ncu-rep", b"NV", "it is text of no kind known here"),
        ("log.ncu-rep", b"==PROF== Connected to process 462\n", "without a CSV table"),
        ("pointer.ncu-rep", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git lfs pull"),
        ("packed.ncu-repz", b"\x01\x02\x03\x04\x05", "named as a packed report"),
        ("zipped.ncu-rep", b"\x28\xb5\x2f\xfd\x00\x00", "expected the rest of a packed report"),
        ("trace.ncu-rep", b"SQLite format 3\0", "SQLite"),
        ("program.ncu-rep", b"\x7fELF\x02\x01\x01\0", "program or library"),
        ("other.ncu-rep", b"\x00\x01\x02\x03\xff\xfe", "of no kind known here"),
    ] {
        let text = message(name, bytes);
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn damage_names_the_byte_and_both_sizes() {
    for (name, bytes, expected) in [
        (
            "cut-header.ncu-rep",
            b"NVR\0\x02\0".to_vec(),
            "at byte 4: expected 4 bytes with the size of the file header, found 2 bytes",
        ),
        (
            "giant.ncu-rep",
            [b"NVR\0", &[0xff; 4][..], b"ab"].concat(),
            "at byte 4: expected the file header of 4294967295 bytes, found 2 bytes to the end",
        ),
        ("old.ncu-rep", header(6), "at byte 8: expected report version 7 or later, found version 6"),
        ("versionless.ncu-rep", b"NVR\0\0\0\0\0".to_vec(), "found no version"),
        (
            "giant-block.ncu-rep",
            [header(7), vec![0xff; 4]].concat(),
            "at byte 10: expected a block header of 4294967295 bytes, found 0 bytes to the end",
        ),
        (
            "tail.ncu-rep",
            [header(7), vec![1, 2, 3]].concat(),
            "at byte 10: expected 4 bytes with the size of a block header, found 3 bytes",
        ),
        // One kernel of 4 GiB in a payload of 100 bytes.
        (
            "giant-entry.ncu-rep",
            [header(7), vec![4, 0, 0, 0, 0x10, 1, 0x28, 100], vec![0xff; 4]].concat(),
            "expected an entry of 4294967295 bytes, found 0 bytes to the end",
        ),
        (
            "empty-entry.ncu-rep",
            [header(7), vec![4, 0, 0, 0, 0x10, 1, 0x28, 4], vec![0; 4]].concat(),
            "expected a message, found 0 bytes",
        ),
        // Four billion kernels announced, none there.
        (
            "many.ncu-rep",
            [header(7), vec![8, 0, 0, 0, 0x10, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x28, 0]].concat(),
            "expected 4 bytes with the size of an entry, found 0 bytes",
        ),
        (
            "payload.ncu-rep",
            [header(7), vec![4, 0, 0, 0, 0x10, 0, 0x28, 3], vec![0; 3]].concat(),
            "expected a payload of 3 bytes, found entries of 0 bytes",
        ),
    ] {
        let text = message(name, &bytes);
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn a_report_without_results_says_so() {
    let text = message("nothing.ncu-rep", &header(7));
    assert!(text.contains("holds no results"), "{text}");
    // Zeros at the end are empty blocks.
    let text = message("padded.ncu-rep", &[header(8), vec![0; 64]].concat());
    assert!(text.contains("holds no results"), "{text}");
}

#[test]
fn what_is_no_file_is_refused() {
    let error = ncu_report::read(Path::new("no/such.ncu-rep"), &Want::default()).unwrap_err();
    assert!(matches!(error, ReadError::Io { .. }), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let error = ncu_report::read(folder.path(), &Want::default()).unwrap_err().to_string();
    assert!(error.contains("it is a directory"), "{error}");
}

#[test]
fn zeros_at_the_end_and_later_versions_are_harmless() {
    let mut bytes = plain("badmetric_dropped");
    bytes[9] = 9; // the version
    bytes.extend([0; 4096]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("padded.ncu-rep");
    std::fs::write(&path, bytes).unwrap();
    let report = ncu_report::read(&path, &Want { hash: false, ..Want::everything() }).unwrap();
    let plain = everything("badmetric_dropped");
    assert_eq!((report.launches, report.dropped), (plain.launches, plain.dropped));
}
