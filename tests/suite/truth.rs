//! NVIDIA's own reading of the reports of `tests/fixtures/h200`; the long pages are packed.

use std::path::Path;

/// A file of `tests/fixtures/h200/truth`, unpacked where it lies there as `.zst`.
pub(crate) fn bytes(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200/truth").join(file);
    match std::fs::File::open(format!("{}.zst", path.display())) {
        Ok(packed) => zstd::decode_all(packed).unwrap(),
        Err(_) => std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    }
}

/// The same as text.
pub(crate) fn text(file: &str) -> String {
    String::from_utf8(bytes(file)).unwrap()
}
