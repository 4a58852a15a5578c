//! How many bits of each lane a memory instruction moves.

/// Opcodes that move data of each lane between registers and memory, or from global to shared memory.
const MOVES: &[&str] = &["LDG", "STG", "LD", "ST", "LDS", "STS", "LDL", "STL", "LDGSTS", "LDC"];

/// Bits per lane of a load or store, `128` for `LDG.E.128`; 32 where no modifier says otherwise. `None` for other opcodes.
pub fn access_width(opcode: &str) -> Option<u32> {
    let mut parts = opcode.split('.');
    if !MOVES.contains(&parts.next()?) {
        return None;
    }
    let stated = parts.find_map(|part| match part {
        "U8" | "S8" => Some(8),
        "U16" | "S16" | "16" => Some(16),
        "64" => Some(64),
        "96" => Some(96),
        "128" => Some(128),
        "256" => Some(256),
        _ => None,
    });
    Some(stated.unwrap_or(32))
}

#[cfg(test)]
mod tests {
    use super::access_width;

    #[test]
    fn widths_are_modifiers() {
        assert_eq!(access_width("STG.E.ENL2.256"), Some(256));
        assert_eq!(access_width("LDGSTS.E.BYPASS.LTC128B.128"), Some(128));
        assert_eq!(access_width("LDG.E.LTC128B"), Some(32));
        assert_eq!(access_width("LDG.E.U16.CONSTANT"), Some(16));
        assert_eq!(access_width("LDSM.16.M88.4"), None);
    }
}
