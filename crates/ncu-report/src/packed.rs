//! Packed reports (`.ncu-repz`): a report as a zstd stream, which NVIDIA's tools read as well.

use crate::bounds::SKIPPED;
use std::convert::Infallible;
use std::io::{self, Read as _};
use zstd::zstd_safe::{find_frame_compressed_size, get_frame_content_size};

/// First bytes of a zstd frame (RFC 8878, 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// A report is 8 to 60 times smaller packed, whatever the level; a higher one takes seconds.
const LEVEL: i32 = 12;
/// What a stream may unpack to: this, and so many times its own size. A report stays far below.
const ROOM: u64 = 64 << 20;
const RATIO: u64 = 256;
/// What most reports unpack to stays below so many times their packed size.
const USUAL: u64 = 24;
/// And never to more than this: four times what is taken of a file that is read whole.
const MOST: u64 = 4 << 30;
/// The largest window that unpacking may need, as a power of two.
const WINDOW: u32 = 27;

/// Why a stream was not unpacked to its end.
#[derive(Debug)]
pub enum Broken {
    /// It is damaged or cut behind these bytes.
    Damaged {
        /// What was unpacked before.
        bytes: Vec<u8>,
        /// What zstd says.
        found: String,
    },
    /// It unpacks to more than this many bytes.
    TooLarge(u64),
}

/// Whether the first bytes are those of a packed file: a frame, which skippable ones (RFC 8878, 3.1.2) may stand before,
/// as `pzstd` writes it.
pub fn is_packed(head: &[u8]) -> bool {
    begins(|at| Ok::<_, Infallible>(head.get(at..).unwrap_or_default())) == Ok(true)
}

/// The same of a file that is not in memory: `read` gives 8 bytes at a place, fewer at its end.
pub(crate) fn begins<B: AsRef<[u8]>, E>(mut read: impl FnMut(usize) -> Result<B, E>) -> Result<bool, E> {
    let mut at = 0_usize;
    for _ in 0..SKIPPED {
        let head = read(at)?;
        let Some([0x50..=0x5f, 0x2a, 0x4d, 0x18, size @ ..]) = head.as_ref().first_chunk::<8>() else {
            return Ok(head.as_ref().starts_with(&MAGIC));
        };
        at = at.saturating_add(8).saturating_add(u32::from_le_bytes(*size) as usize);
    }
    Ok(false)
}

/// Packs a report, unless it is packed; the stream states its size and ends with a checksum.
pub fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if is_packed(bytes) {
        return Ok(bytes.to_vec());
    }
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(bytes)
}

/// Bytes of the frames that hold data. Skippable frames (RFC 8878, 3.1.2) hold none, so that they pay for nothing.
fn data_bytes(packed: &[u8]) -> u64 {
    let (mut rest, mut data) = (packed, 0);
    while let Some(length) = find_frame_compressed_size(rest).ok().filter(|length| (1..=rest.len()).contains(length)) {
        if rest.starts_with(&MAGIC) {
            data += length as u64;
        }
        rest = &rest[length..];
    }
    // What is no whole frame is cut or damaged data.
    data + rest.len() as u64
}

/// Unpacks a report into memory that is bounded by the size of the stream.
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, Broken> {
    let most = (ROOM + RATIO * data_bytes(packed)).min(MOST);
    let stated = get_frame_content_size(packed).ok().flatten();
    if stated.is_some_and(|size| size > most) {
        return Err(Broken::TooLarge(most));
    }
    // Into room for all of it no window is needed beside the bytes; room that nothing is written to costs no memory.
    let room = stated.unwrap_or(USUAL * packed.len() as u64).min(most);
    {
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(room as usize).is_ok()
            && let Ok(mut decompressor) = zstd::bulk::Decompressor::new()
            && decompressor.decompress_to_buffer(packed, &mut bytes).is_ok()
        {
            return Ok(bytes);
        }
    }
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<usize> {
        let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
        decoder.window_log_max(WINDOW)?;
        decoder.take(most + 1).read_to_end(&mut bytes)
    };
    match read() {
        Ok(_) if bytes.len() as u64 > most => Err(Broken::TooLarge(most)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(Broken::Damaged { bytes, found: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        for bytes in [Vec::new(), b"NVR\0 a report".to_vec(), noise(300_000)] {
            let packed = pack(&bytes).expect("packs");
            assert!(is_packed(&packed));
            assert_eq!(unpack(&packed).expect("whole"), bytes);
        }
        let frames = [pack(b"one ").expect("packs"), zstd::encode_all(&b"two"[..], 1).expect("packs")].concat();
        assert_eq!(unpack(&frames).expect("frames one after the other, one of unknown size"), b"one two");
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4][..], &frames].concat();
        assert!(is_packed(&skipped) && !is_packed(&skipped[..12]));
        assert_eq!(unpack(&skipped).expect("as pzstd writes it"), b"one two");
    }

    #[test]
    fn a_cut_or_changed_stream_gives_what_is_before() {
        let bytes = noise(400_000);
        let packed = pack(&bytes).expect("packs");
        for length in [5, 1000, packed.len() / 2, packed.len() - 1] {
            let Err(Broken::Damaged { bytes: before, .. }) = unpack(&packed[..length]) else {
                unreachable!("{length} bytes pass for whole")
            };
            assert!(bytes.starts_with(&before) && (length < 300_000 || before.len() > 100_000), "{length}");
        }
        let mut changed = packed;
        changed[200_000] ^= 1;
        assert!(matches!(unpack(&changed), Err(Broken::Damaged { .. })), "the checksum tells");
        changed.push(7);
        assert!(matches!(unpack(&changed), Err(Broken::Damaged { .. })));
    }

    #[test]
    fn a_stream_that_unpacks_to_too_much_is_refused() {
        let zeros = vec![0; (ROOM + (ROOM >> 3)) as usize];
        let stating = pack(&zeros).expect("packs");
        assert!(stating.len() < 100_000);
        assert!(matches!(unpack(&stating), Err(Broken::TooLarge(most)) if most < ROOM + (64 << 20)));
        let silent = zstd::encode_all(zeros.as_slice(), 1).expect("packs");
        assert_eq!(get_frame_content_size(&silent).ok().flatten(), None);
        assert!(matches!(unpack(&silent), Err(Broken::TooLarge(_))));
        // A frame that is passed over allows no more, wherever it stands.
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18][..], &(4_u32 << 20).to_le_bytes(), &vec![0; 4 << 20]].concat();
        let paid = [silent.as_slice(), &skipped].concat();
        assert!(matches!(unpack(&paid), Err(Broken::TooLarge(_))));
    }
}
