//! The assembler's records: `.nv.info`, `.nv.info.<kernel>`, `.nv.compat`.
//!
//! A record is a format byte, a code byte, and a 16-bit value, or with format 4 a 16-bit size and that many bytes. All
//! numbers are little endian. The meaning of the codes was found by comparing cubins with `ptxas -v` and
//! `cuobjdump --dump-resource-usage`.

/// Codes of records about one kernel.
pub(super) mod code {
    /// Largest block: x, y, z.
    pub(in super::super) const MAX_THREADS: u8 = 0x05;
    /// Parameters: where they begin in the constant bank, and their size.
    pub(in super::super) const PARAMETER_BANK: u8 = 0x0a;
    /// Required block: x, y, z.
    pub(in super::super) const REQUIRED_THREADS: u8 = 0x10;
    /// Frame size of a function: symbol, bytes.
    pub(in super::super) const FRAME: u8 = 0x11;
    /// Stack that a launch needs at least: symbol, bytes.
    pub(in super::super) const MIN_STACK: u8 = 0x12;
    /// One parameter: index, ordinal, offset, and its size in the upper 14 bits of the last word.
    pub(in super::super) const PARAMETER: u8 = 0x17;
    /// Bytes of all parameters.
    pub(in super::super) const PARAMETER_BYTES: u8 = 0x19;
    /// Register cap.
    pub(in super::super) const REGISTER_CAP: u8 = 0x1b;
    /// Offsets of exits.
    pub(in super::super) const EXITS: u8 = 0x1c;
    /// Registers of a function: symbol, count.
    pub(in super::super) const REGISTERS: u8 = 0x2f;
    /// Version of the assembler: CUDA's, times ten.
    pub(in super::super) const VERSION: u8 = 0x37;
    /// Cluster dimensions: x, y, z.
    pub(in super::super) const CLUSTER: u8 = 0x3d;
    /// Barriers, in the value's low byte.
    pub(in super::super) const BARRIERS: u8 = 0x4c;
    /// Notes on instructions: pairs of kind and offset; kind 1 is a spill or refill.
    pub(in super::super) const NOTES: u8 = 0x55;
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) code: u8,
    pub(super) payload: &'a [u8],
}

impl Record<'_> {
    /// The 16-bit value of a record without a size.
    pub(super) fn half(&self) -> Option<u64> {
        Some(u64::from(u16::from_le_bytes(*self.payload.first_chunk()?)))
    }

    /// The payload as 32-bit words.
    pub(super) fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.payload.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }

    /// A payload of three words.
    pub(super) fn extent(&self) -> Option<[u32; 3]> {
        let mut words = self.words();
        Some([words.next()?, words.next()?, words.next()?])
    }
}

/// The records of a section; the walk ends at the first that does not fit in it.
pub(super) fn records(mut bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        let [format, code, low, high] = *bytes.first_chunk::<4>()?;
        let size = if format == 4 { usize::from(u16::from_le_bytes([low, high])) } else { 0 };
        let payload = if format == 4 { bytes.get(4..4 + size)? } else { &bytes[2..4] };
        bytes = &bytes[4 + size..];
        Some(Record { code, payload })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_where_they_do_not_fit() {
        let bytes = [4, 0x05, 12, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0x1b, 0x40, 0, 4, 0x1c, 8, 0, 1];
        let found: Vec<Record<'_>> = records(&bytes).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].code, found[0].extent()), (0x05, Some([256, 1, 1])));
        assert_eq!((found[1].code, found[1].half(), found[1].extent()), (0x1b, Some(64), None));
    }
}
