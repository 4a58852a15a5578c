//! Reports of Nsight Compute made byte by byte.

use kernel_audit::evidence::Report;
use kernel_audit::source::{Want, ncu_report};
use prost::encoding::encode_varint;

/// A number as a field.
pub(crate) fn number(field: u32, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(u64::from(field << 3), &mut bytes);
    encode_varint(value, &mut bytes);
    bytes
}

/// Bytes, text or a message as a field.
pub(crate) fn nested(field: u32, contents: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(u64::from(field << 3 | 2), &mut bytes);
    encode_varint(contents.as_ref().len() as u64, &mut bytes);
    bytes.extend_from_slice(contents.as_ref());
    bytes
}

pub(crate) fn sized(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_le_bytes()[..], message].concat()
}

/// A block: its header's fields, how many entries of which kind (header field), and the entries.
pub(crate) fn block(header: &[Vec<u8>], counts: &[u32], entries: &[Vec<u8>]) -> Vec<u8> {
    let payload: Vec<u8> = entries.iter().flat_map(|entry| sized(entry)).collect();
    let mut fields = header.concat();
    for field in [1, 2, 7, 8, 9] {
        let count = counts.iter().filter(|kind| **kind == field).count();
        fields.extend(number(field, count as u64));
    }
    fields.extend(number(5, payload.len() as u64));
    [sized(&fields), payload].concat()
}

pub(crate) const SOURCE: u32 = 1;
pub(crate) const KERNEL: u32 = 2;
pub(crate) const CMDLIST: u32 = 8;

pub(crate) fn process(id: u64) -> Vec<u8> {
    nested(6, [number(1, id), nested(3, "C:\\work\\app.exe")].concat())
}

pub(crate) fn strings(names: &[&str]) -> Vec<u8> {
    nested(4, names.iter().flat_map(|name| nested(1, name)).collect::<Vec<u8>>())
}

pub(crate) fn metric(field: u32, name: u64, rest: &[Vec<u8>]) -> Vec<u8> {
    nested(field, [number(1, name), rest.concat()].concat())
}

pub(crate) fn double(value: f64) -> Vec<u8> {
    [&[3 << 3 | 1][..], &value.to_le_bytes()].concat()
}

pub(crate) fn float(value: f32) -> Vec<u8> {
    [&[2 << 3 | 5][..], &value.to_le_bytes()].concat()
}

/// A report in a folder of its own.
pub(crate) struct MadeReport(tempfile::TempDir);

impl MadeReport {
    pub(crate) fn with(blocks: &[Vec<u8>]) -> MadeReport {
        let folder = MadeReport(tempfile::tempdir().unwrap());
        let header = [b"NVR\0", &[2, 0, 0, 0][..], &[8, 7]].concat();
        std::fs::write(folder.path(), [header, blocks.concat()].concat()).unwrap();
        folder
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.0.path().join("made.ncu-rep")
    }

    pub(crate) fn read(&self) -> Report {
        ncu_report::read(&self.path(), &Want { hash: false, ..Want::everything() }).unwrap_or_else(|e| panic!("{e}"))
    }
}

pub(crate) fn kernel(fields: &[Vec<u8>]) -> Vec<u8> {
    [nested(5, "_Z1kv"), nested(6, "k"), nested(7, "k()"), fields.concat()].concat()
}
