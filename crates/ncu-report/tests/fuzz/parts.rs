//! A real report with parts changed for others: fields are dropped, repeated, moved, or have other values, at any depth, and the lengths
//! around them are right again, so that a reader comes to see them.

use crate::change::Random;
use crate::elf;
use prost::encoding::{decode_varint, encode_varint};

/// What is written in place of text.
const WORDS: [&str; 8] = ["", "gpu__time_duration.sum", "NaN", "\u{1b}[2J", "../x", "sm_90", "k(float*)", "<b>|`x`"];

/// A field of a message: its number and wire type, and its bytes without length.
#[derive(Clone)]
struct Field {
    key: u64,
    value: Vec<u8>,
}

/// The fields of a message; `None` for bytes that are none.
fn fields(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = decode_varint(&mut bytes).ok().filter(|key| key >> 3 > 0)?;
        let before = bytes;
        let length = match key & 7 {
            0 => {
                decode_varint(&mut bytes).ok()?;
                let length = before.len() - bytes.len();
                bytes = before;
                length
            }
            1 => 8,
            2 => usize::try_from(decode_varint(&mut bytes).ok()?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, rest) = bytes.split_at_checked(length)?;
        all.push(Field { key, value: value.to_vec() });
        bytes = rest;
    }
    Some(all)
}

fn message(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        encode_varint(field.key, &mut bytes);
        if field.key & 7 == 2 {
            encode_varint(field.value.len() as u64, &mut bytes);
        }
        bytes.extend_from_slice(&field.value);
    }
    bytes
}

/// Changes something in a message or below it.
fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    let Some(mut all) = fields(bytes).filter(|all| !all.is_empty()) else {
        *bytes = match bytes.starts_with(b"\x7fELF") {
            true => elf::changed(random, bytes),
            false => random.pick(&WORDS).as_bytes().to_vec(),
        };
        return;
    };
    let at = random.below(all.len());
    let is_nested = all[at].key & 7 == 2;
    if is_nested && !random.one_in(4) {
        change(random, &mut all[at].value);
    } else {
        match (random.below(6), all[at].key & 7) {
            (0, _) => drop(all.remove(at)),
            (1, _) => {
                let again = vec![all[at].clone(); 1 << random.below(9)];
                drop(all.splice(at..at, again));
            }
            (2, _) => {
                let other = random.below(all.len());
                all.swap(at, other);
            }
            (3, wire) => all[at].key = (1 + random.below(40) as u64) << 3 | wire,
            (_, 0) => {
                all[at].value.clear();
                encode_varint(random.edge(), &mut all[at].value);
            }
            (_, 1) => all[at].value = random.value().to_le_bytes().to_vec(),
            (_, 5) => all[at].value = (random.value() as f32).to_le_bytes().to_vec(),
            _ => all[at].value = random.pick(&WORDS).as_bytes().to_vec(),
        }
    }
    *bytes = message(&all);
}

fn sized<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (size, rest) = bytes.split_first_chunk::<4>()?;
    let (own, rest) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
    *bytes = rest;
    Some(own)
}

fn put(message: &[u8], into: &mut Vec<u8>) {
    into.extend((message.len() as u32).to_le_bytes());
    into.extend_from_slice(message);
}

/// A block of a report: the fields of its header, and its entries.
struct Block {
    header: Vec<Field>,
    entries: Vec<Vec<u8>>,
}

/// The bytes of the payload stand in this field of the header, those of entries by kind in these.
const PAYLOAD: u64 = 5;
const COUNTS: [u64; 5] = [1, 2, 7, 8, 9];

fn number(header: &[Field], field: u64) -> u64 {
    let own = header.iter().find(|own| own.key == field << 3);
    own.and_then(|own| decode_varint(&mut own.value.as_slice()).ok()).unwrap_or_default()
}

fn set(header: &mut Vec<Field>, field: u64, to: u64) {
    let mut value = Vec::new();
    encode_varint(to, &mut value);
    header.retain(|own| own.key != field << 3);
    header.push(Field { key: field << 3, value });
}

fn blocks(mut bytes: &[u8]) -> Option<Vec<Block>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let header = fields(sized(&mut bytes)?)?;
        let (mut payload, rest) = bytes.split_at_checked(number(&header, PAYLOAD) as usize)?;
        let mut entries = Vec::new();
        while !payload.is_empty() {
            entries.push(sized(&mut payload)?.to_vec());
        }
        all.push(Block { header, entries });
        bytes = rest;
    }
    Some(all)
}

/// A plain report with one to four parts changed.
///
/// # Panics
/// On bytes that are no report.
pub(crate) fn changed(random: &mut Random, report: &[u8]) -> Vec<u8> {
    let mut rest = report.strip_prefix(b"NVR\0").expect("a report");
    let head = sized(&mut rest).expect("its head");
    let mut all = blocks(rest).expect("blocks");
    for _ in 0..=random.below(4) {
        let at = random.below(all.len());
        let block = &mut all[at];
        let entry = random.below(block.entries.len());
        match random.below(12) {
            0 => {
                let mut header = message(&block.header);
                change(random, &mut header);
                block.header = fields(&header).unwrap_or_default();
            }
            1 => {
                let field = COUNTS[random.below(COUNTS.len())];
                set(&mut block.header, field, random.edge());
            }
            2 if !block.entries.is_empty() => drop(block.entries.remove(entry)),
            3 if !block.entries.is_empty() => {
                let again = block.entries[entry].clone();
                block.entries.insert(entry, again);
                // One more of a kind that is there.
                let kinds: Vec<u64> = COUNTS.into_iter().filter(|kind| number(&block.header, *kind) > 0).collect();
                if let Some(kind) = kinds.get(random.below(kinds.len())) {
                    let count = number(&block.header, *kind);
                    set(&mut block.header, *kind, count.saturating_add(1));
                }
            }
            _ if !block.entries.is_empty() => change(random, &mut block.entries[entry]),
            _ => {}
        }
    }
    let mut bytes = b"NVR\0".to_vec();
    put(head, &mut bytes);
    for block in &mut all {
        let mut payload = Vec::new();
        block.entries.iter().for_each(|entry| put(entry, &mut payload));
        set(&mut block.header, PAYLOAD, payload.len() as u64);
        put(&message(&block.header), &mut bytes);
        bytes.extend(payload);
    }
    bytes.truncate(8 << 20);
    bytes
}
