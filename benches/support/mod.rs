//! What the benchmarks share: large reports made from a small one, and whole processes measured from outside.

use prost::encoding::{DecodeContext, decode_key, decode_varint, skip_field};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The fields of a message: number, value of those that are numbers, bytes.
fn fields(mut rest: &[u8]) -> Vec<(u32, u64, &[u8])> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let whole = rest;
        let (number, kind) = decode_key(&mut rest).expect("the seed is a report");
        let value = decode_varint(&mut { rest }).unwrap_or(0);
        skip_field(kind, number, &mut rest, DecodeContext::default()).expect("the seed is a report");
        fields.push((number, value, &whole[..whole.len() - rest.len()]));
    }
    fields
}

/// What a block of results needs of its header: the numbers of sources and results, the size of the payload and the process. The
/// session and the strings are left out, because a file must state them once.
const HEADER: [u32; 4] = [1, 2, 5, 6];

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// Writes a report with `launches` results: `seed` as it is, then its blocks of kernel results over and over. Nothing
/// large is held here: a child's peak memory begins with that of the process that starts it.
pub(crate) fn write_repeated(seed: &[u8], launches: usize, out: &mut impl Write) -> std::io::Result<()> {
    let mut at = 8 + word(seed, 4);
    let mut blocks = Vec::new();
    while at + 4 <= seed.len() {
        let size = word(seed, at);
        let mut header = fields(&seed[at + 4..at + 4 + size]);
        let number =
            |field| header.iter().find(|(number, ..)| *number == field).map_or(0, |(_, value, _)| *value as usize);
        let (sources, results, payload) = (number(1), number(2), number(5));
        let payload = at + 4 + size..at + 4 + size + payload;
        at = payload.end;
        if results > 0 && sources == 0 {
            header.retain(|(number, ..)| HEADER.contains(number));
            let encoded = header.iter().map(|(.., bytes)| *bytes).collect::<Vec<_>>().concat();
            blocks.push((encoded, results, payload));
        }
    }
    let held: usize = blocks.iter().map(|(_, results, _)| *results).sum();
    out.write_all(seed)?;
    let mut made = held;
    'fill: loop {
        for (header, results, payload) in &blocks {
            if made >= launches {
                break 'fill;
            }
            made += results;
            out.write_all(&(header.len() as u32).to_le_bytes())?;
            out.write_all(header)?;
            out.write_all(&seed[payload.clone()])?;
        }
    }
    out.flush()
}

/// A captured report of the repository.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200").join(name)
}

/// Milliseconds by the clock and of the processor, user and system, and peak resident memory in MB of one finished process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
}

/// Runs a command to its end and measures it. `None` when it cannot be started or fails.
pub(crate) fn run(command: &mut Command) -> Option<Run> {
    let begin = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let mut status = 0;
    // SAFETY: `rusage` is plain data that the call fills; the pid is of a child that nobody else waits for.
    let (done, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, &raw mut usage), usage)
    };
    let wall_ms = begin.elapsed().as_secs_f64() * 1e3;
    let ms = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    let cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime);
    (done > 0 && status == 0).then_some(Run { wall_ms, cpu_ms, peak_mb: usage.ru_maxrss as f64 / 1024.0 })
}

/// Smallest, median and largest of some figures.
pub(crate) fn spread(mut figures: Vec<f64>) -> (f64, f64, f64) {
    figures.sort_by(f64::total_cmp);
    (figures[0], figures[figures.len() / 2], figures[figures.len() - 1])
}
