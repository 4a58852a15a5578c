//! Warps that cover a patch of a plane in place of a row of it.

use super::*;

/// Threads of a warp in x and y where it covers a patch of a plane.
const PATCH: [f64; 2] = [8.0, 4.0];

/// Sectors of a patch of so many lanes where a row of them touches `now`, by the part of a sector that a lane's bytes are. Lanes that lie in so
/// many rows of memory, side by side in each, touch `rows + (32 − rows) · part` of them; of the rows that 32 lanes in a row cross a patch
/// crosses a quarter in x, and at most one more for each of its own rows.
fn of_patch(now: f64, part: f64) -> f64 {
    let rows = (now - WARP * part) / (1.0 - part);
    let rows = rows * PATCH[0] / WARP + PATCH[1];
    rows + (WARP - rows) * part
}

/// Of the sectors beside the bytes of an access the part that goes where a warp covers a patch of a plane and not 32 places in a row: places
/// in x and y together choose its address by more than sums and products, so that a row of lanes crosses rows of the memory, and neighbours
/// take what it leaves, as DRAM is read for less than half of it.
pub(super) fn as_patch(m: &Measures<'_>, access: &SectorAccess) -> Option<f64> {
    let study = m.study?;
    let row = study.code.row_at(access.at.offset)?;
    let is_row = m.kernel.key().block?.0[0].is_multiple_of(WARP as u64);
    let is_plane = study.code.numbers_of_thread(row)[..2] == [true; 2];
    let is_taken = 2.0 * m.dram_read()? <= SECTOR * access.sectors as f64;
    let [now, ideal] = [access.sectors, access.ideal].map(|sectors| sectors as f64 / access.requests.max(1) as f64);
    let then = of_patch(now, access.width_bits? as f64 / 8.0 / SECTOR);
    (is_row && is_plane && is_taken && access.step.is_none() && then < now)
        .then(|| ((now - then) / (now - ideal)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::of_patch;

    #[test]
    fn a_patch_crosses_a_quarter_of_the_rows_and_its_own() {
        // 32 floats in 16 rows, two side by side in each: 18 sectors; as 8 × 4 in 8 rows 11.
        assert!((of_patch(18.0, 1.0 / 8.0) - 11.0).abs() < 1e-9);
        // Along a row of memory lanes lie best as they are.
        assert!(of_patch(4.875, 1.0 / 8.0) > 4.875);
    }
}
