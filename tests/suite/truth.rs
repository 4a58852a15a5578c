//! NVIDIA's own reading, of the reports of `tests/fixtures/h200` and of cubins; the long ones are packed.

use std::path::Path;

/// A file of `tests/fixtures`, unpacked where it lies there as `.zst`.
pub(crate) fn unpacked(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    match std::fs::File::open(format!("{}.zst", path.display())) {
        Ok(packed) => zstd::decode_all(packed).unwrap(),
        Err(_) => std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    }
}

/// The same as text.
pub(crate) fn unpacked_text(file: &str) -> String {
    String::from_utf8(unpacked(file)).unwrap()
}

/// A file of `tests/fixtures/h200/truth`.
pub(crate) fn bytes(file: &str) -> Vec<u8> {
    unpacked(&format!("h200/truth/{file}"))
}

/// The same as text.
pub(crate) fn text(file: &str) -> String {
    unpacked_text(&format!("h200/truth/{file}"))
}
