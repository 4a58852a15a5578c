//! A report without what it says of the people and machines that made it.
//!
//! ncu writes the host, its addresses, the whole command line and, from its window, the environment into the headers of a
//! report, and where it was asked to, the stacks of the program into each result. Every other byte stays as ncu wrote it;
//! only lengths in front of shortened messages change.

use super::container::MAGIC;
use super::message::BlockHeader;
use super::wire::{Field, walk};
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};

/// Fields of a block's header.
const SESSION: u32 = 3;
const PAYLOAD_SIZE: u32 = 5;
const PROCESS: u32 = 6;
/// Of a process.
const HOST: u32 = 2;
const PROGRAM: u32 = 3;
/// Of a session: what describes the host and the target, what people remarked, the program as ncu's window started it,
/// and the command line.
const SYSTEMS: [u32; 2] = [3, 4];
const REMARKS: u32 = 7;
const STARTED: u32 = 9;
const COMMAND: u32 = 11;
/// Of a system: its name and its addresses.
const NAMES: [u32; 2] = [5, 7];
/// Of kernels, ranges, command lists and graphs: the stacks of the program.
const STACKS: [[u32; 2]; 4] = [[28, 32], [14, 17], [16, 22], [16, 19]];

/// The bytes of a plain report without host, addresses, environment, arguments and stacks; `command` shortens the command
/// line. `None` for a report that is not whole; what is no report stays as it is.
pub fn public_report(report: &[u8], command: &dyn Fn(&str) -> String) -> Option<Vec<u8>> {
    let Some(mut rest) = report.strip_prefix(MAGIC) else { return Some(report.to_vec()) };
    let mut made = MAGIC.to_vec();
    put_sized(&mut made, sized(&mut rest)?);
    while !rest.is_empty() {
        let header = sized(&mut rest)?;
        let read = BlockHeader::decode(header).ok()?;
        let (payload, after) = rest.split_at_checked(read.payload_size.unwrap_or(0) as usize)?;
        rest = after;
        let payload = public_payload(payload, &read)?;
        let header = rewritten(header, |field, made| {
            match field.number {
                SESSION => put(made, SESSION, &session(field.contents()?, command)?),
                PROCESS => put(made, PROCESS, &process(field.contents()?)?),
                PAYLOAD_SIZE => {
                    encode_key(PAYLOAD_SIZE, WireType::Varint, made);
                    encode_varint(payload.len() as u64, made);
                }
                _ => made.extend_from_slice(field.whole),
            }
            Some(())
        })?;
        put_sized(&mut made, &header);
        made.extend_from_slice(&payload);
    }
    Some(made)
}

/// The entries of a block without stacks.
fn public_payload(mut payload: &[u8], header: &BlockHeader) -> Option<Vec<u8>> {
    let results = [header.kernels, header.ranges, header.cmdlists, header.graphs].map(|count| count.unwrap_or(0));
    let mut made = Vec::with_capacity(payload.len());
    for _ in 0..header.sources.unwrap_or(0) {
        put_sized(&mut made, sized(&mut payload)?);
    }
    for (count, stacks) in results.into_iter().zip(STACKS) {
        for _ in 0..count {
            put_sized(&mut made, &without(sized(&mut payload)?, &stacks)?);
        }
    }
    payload.is_empty().then_some(made)
}

fn session(piece: &[u8], command: &dyn Fn(&str) -> String) -> Option<Vec<u8>> {
    rewritten(piece, |field, made| {
        match field.number {
            REMARKS | STARTED => {}
            COMMAND => put(made, COMMAND, command(&String::from_utf8_lossy(field.contents()?)).as_bytes()),
            number if SYSTEMS.contains(&number) => put(made, number, &without(field.contents()?, &NAMES)?),
            _ => made.extend_from_slice(field.whole),
        }
        Some(())
    })
}

fn process(process: &[u8]) -> Option<Vec<u8>> {
    rewritten(process, |field, made| {
        match field.number {
            HOST => {}
            PROGRAM => {
                let path = field.contents()?;
                put(made, PROGRAM, path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path));
            }
            _ => made.extend_from_slice(field.whole),
        }
        Some(())
    })
}

/// A message without some of its fields.
fn without(message: &[u8], numbers: &[u32]) -> Option<Vec<u8>> {
    rewritten(message, |field, made| {
        if !numbers.contains(&field.number) {
            made.extend_from_slice(field.whole);
        }
        Some(())
    })
}

/// A message whose fields `each` writes; `None` where one is malformed.
fn rewritten<'m>(message: &'m [u8], mut each: impl FnMut(Field<'m>, &mut Vec<u8>) -> Option<()>) -> Option<Vec<u8>> {
    let mut made = Vec::with_capacity(message.len());
    let mut is_whole = true;
    walk(message, |field| is_whole &= each(field, &mut made).is_some())?;
    is_whole.then_some(made)
}

/// Takes a little-endian size word and what it announces off the front.
fn sized<'r>(rest: &mut &'r [u8]) -> Option<&'r [u8]> {
    let (size, after) = rest.split_first_chunk()?;
    let (taken, after) = after.split_at_checked(u32::from_le_bytes(*size) as usize)?;
    *rest = after;
    Some(taken)
}

fn put_sized(made: &mut Vec<u8>, bytes: &[u8]) {
    made.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    made.extend_from_slice(bytes);
}

/// A field of bytes.
fn put(made: &mut Vec<u8>, number: u32, contents: &[u8]) {
    encode_key(number, WireType::LengthDelimited, made);
    encode_varint(contents.len() as u64, made);
    made.extend_from_slice(contents);
}
