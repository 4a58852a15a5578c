//! The most that a report may make of anything: what it says is a value, never the size of a loop or of memory.

/// Cells of a table of NVIDIA's rules whose columns are of different length.
pub(crate) const RULE_CELLS: usize = 1 << 16;
/// Places of damage that are listed; more are counted.
pub(crate) const FAULTS: usize = 100;
/// Bytes of the header of a report's block, the string table with it.
pub(crate) const BLOCK_HEADER: usize = 8 << 20;
/// Names in a report's string tables.
pub(crate) const REPORT_NAMES: usize = 1 << 20;
/// Blocks of a report that hold nothing, as zeros behind the last one are for NVIDIA's reader.
pub(crate) const EMPTY_BLOCKS: usize = 1 << 20;
/// Bytes of a packed report, which is read whole.
pub(crate) const PACKED: usize = 1 << 30;
/// Frames in front of a packed file that hold no data.
pub(crate) const SKIPPED: usize = 1 << 12;
/// Bytes of a result, or of a piece of a module, each of which is read at once.
pub(crate) const ENTRY: usize = 1 << 30;
