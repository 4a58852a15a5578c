//! The most that a file may make of anything. What a report, log or snapshot says is a value, never the size of a loop or
//! of memory; where a thing grows with a value, or faster than the file that holds it, it ends here.

/// Marks of an axis.
pub const MARKS: u32 = 64;
/// Blocks that one SM can hold, twice as many as any chip so far (CUDA C++ Programming Guide, technical specifications).
pub(crate) const BLOCKS_OF_SM: u64 = 64;
/// Instructions of a launch that a snapshot holds, and lines that one was inlined into: code of 4 MB.
pub(crate) const INSTRUCTIONS: usize = 1 << 18;
pub(crate) const INLINED: usize = 256;
/// Bytes of its columns: 16 of the code and some numbers of each instruction.
pub(crate) const COLUMNS: usize = 64 << 20;
/// Bytes of a file that is read whole.
pub(crate) const FILE: u64 = 1 << 30;
/// Bytes of an audit.toml; a thousand subjects have some 200 kB.
pub const SETTINGS: usize = 1 << 20;
/// Partials that one page prints, those in partials counted.
pub const INCLUDES: u64 = 10_000;
/// Blocks of a template in one another.
pub const TEMPLATE_DEPTH: usize = 64;
/// Loops of a template in one another, those in partials counted: pages have some tens of sections.
pub const LOOPS: usize = 3;
/// Bytes of a page.
pub const PAGE: usize = 32 << 20;
/// Bytes of a template.
pub const TEMPLATE: usize = 1 << 20;
/// Bytes of a snapshot; those of this repository have 128 KB at most.
pub const SNAPSHOT: usize = 16 << 20;
/// Lists and objects of a snapshot, of which two characters may stand for a thousand bytes of memory.
pub const SNAPSHOT_LISTS: usize = 1 << 16;
