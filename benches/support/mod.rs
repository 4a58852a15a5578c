//! What the benchmarks share: large reports made from a small one, and whole processes measured from outside.

use prost::Message as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The parts of a block header that a block of results needs; the session and the strings are left out, because a
/// file must state them once.
#[derive(Clone, PartialEq, prost::Message)]
struct Header {
    #[prost(uint32, optional, tag = "1")]
    sources: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    results: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    payload: Option<u32>,
    #[prost(bytes = "vec", optional, tag = "6")]
    process: Option<Vec<u8>>,
}

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
        let header = Header::decode(&seed[at + 4..at + 4 + size]).expect("the seed is a report");
        let payload = at + 4 + size..at + 4 + size + header.payload.unwrap_or(0) as usize;
        at = payload.end;
        if header.results.unwrap_or(0) > 0 && header.sources.unwrap_or(0) == 0 {
            blocks.push((header, payload));
        }
    }
    let held: usize = blocks.iter().map(|(header, _)| header.results.unwrap_or(0) as usize).sum();
    out.write_all(seed)?;
    let mut made = held;
    'fill: loop {
        for (header, payload) in &blocks {
            if made >= launches {
                break 'fill;
            }
            made += header.results.unwrap_or(0) as usize;
            let encoded = header.encode_to_vec();
            out.write_all(&(encoded.len() as u32).to_le_bytes())?;
            out.write_all(&encoded)?;
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
