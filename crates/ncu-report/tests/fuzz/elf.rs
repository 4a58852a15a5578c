//! A cubin of which headers of sections, symbols or bytes of one section are others.

use crate::change::Random;
use std::ops::Range;

/// Where the headers of sections begin, and how many there are (ELF64).
const TABLE: Range<usize> = 0x28..0x30;
const COUNT: Range<usize> = 0x3c..0x3e;
const HEADER: usize = 64;
/// Fields of a header: name, type, flags, address, offset, size, link, info, alignment, size of an entry.
const FIELDS: [Range<usize>; 10] = [0..4, 4..8, 8..16, 16..24, 24..32, 32..40, 40..44, 44..48, 48..56, 56..64];
const OFFSET: usize = 4;
const SIZE: usize = 5;

fn number(bytes: &[u8], at: Range<usize>) -> usize {
    let mut all = [0; 8];
    let own = bytes.get(at).unwrap_or_default();
    all[..own.len()].copy_from_slice(own);
    u64::from_le_bytes(all) as usize
}

/// A cubin with one to four such changes; bytes that are none are changed anywhere.
pub(crate) fn changed(random: &mut Random, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(4) {
        let (table, count) = (number(&bytes, TABLE), number(&bytes, COUNT));
        let (own, other) = (random.below(count), random.below(count));
        let field = |section: usize, at: usize| {
            let start = table.saturating_add(section * HEADER);
            start.saturating_add(FIELDS[at].start)..start.saturating_add(FIELDS[at].end)
        };
        let contents = number(&bytes, field(own, OFFSET));
        let contents = contents..contents.saturating_add(number(&bytes, field(own, SIZE)));
        if bytes.get(contents.clone()).is_none_or(<[u8]>::is_empty) || random.one_in(3) {
            let at = random.below(FIELDS.len());
            let value = match random.below(3) {
                0 => random.edge(),
                1 => number(&bytes, field(other, at)) as u64,
                _ => (number(&bytes, field(own, at)) as u64).wrapping_add(random.next() % 65).wrapping_sub(32),
            };
            let place = field(own, at);
            let width = place.len();
            match bytes.get_mut(place) {
                Some(place) => place.copy_from_slice(&value.to_le_bytes()[..width]),
                None => return random.changed(whole, &[]),
            }
        } else if random.one_in(2) {
            // In place, so that the other sections stay where they are.
            let changed = random.changed(&bytes[contents.clone()], &[]);
            let length = changed.len().min(contents.len());
            bytes[contents.start..contents.start + length].copy_from_slice(&changed[..length]);
        } else {
            // The section at the end of the file, changed, of any length, over and over.
            let again = bytes[contents].repeat(1 << random.below(6));
            let again = random.changed(&again, &[]);
            let (offset, size) = (bytes.len() as u64, again.len() as u64);
            bytes.extend(again);
            for (at, value) in [(OFFSET, offset), (SIZE, size)] {
                bytes[field(own, at)].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
    bytes.truncate(8 << 20);
    bytes
}
