// The hash by which a line of the metric table is found: FNV-1a of 32 bits. The build script, which lays the table out,
// takes this file too.

/// The slot of a name among `slots`, a power of two, where the search for it begins.
fn slot_of(name: &str, slots: usize) -> usize {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 15) as usize & (slots - 1)
}
