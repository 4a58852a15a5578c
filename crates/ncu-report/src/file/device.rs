//! The device of a result and the grid of a kernel, taken from the result's own metrics.

use crate::{Device, Dim3, Value};
use cuda_binary::text::Texts;

const NAME: &str = "device__attribute_display_name";
const INDEX: &str = "device__attribute_device_index";
const MAJOR: &str = "device__attribute_compute_capability_major";
const MINOR: &str = "device__attribute_compute_capability_minor";
const SM_COUNT: &str = "device__attribute_multiprocessor_count";

const GRID: [&str; 3] = ["launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"];
const BLOCKS: &str = "launch__grid_size";

/// Whether a metric is read of every result, asked for or not.
pub(super) fn is_needed(name: &str) -> bool {
    [MAJOR, MINOR, INDEX, NAME, SM_COUNT, BLOCKS].contains(&name) || GRID.contains(&name)
}

/// A device, and a grid in blocks, as their metrics come in.
#[derive(Default)]
pub(super) struct DeviceParts {
    device: Device,
    major: Option<u32>,
    minor: Option<u32>,
    grid: [Option<u64>; 3],
    blocks: Option<u64>,
}

impl DeviceParts {
    /// Takes one metric; names that are not needed are ignored.
    pub(super) fn take(&mut self, name: &str, value: Option<&Value>, texts: &mut Texts) {
        let number = value.and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        match name {
            NAME => self.device.name = texts.of(value.and_then(Value::as_text).unwrap_or_default()),
            INDEX => self.device.index = number,
            MAJOR => self.major = number,
            MINOR => self.minor = number,
            SM_COUNT => self.device.sm_count = number,
            BLOCKS => self.blocks = value.and_then(Value::as_u64),
            _ => {
                if let Some(axis) = GRID.iter().position(|axis| *axis == name) {
                    self.grid[axis] = value.and_then(Value::as_u64);
                }
            }
        }
    }

    /// The grid in blocks: by its metrics where all of them are there, else as it is stored. Some graphical captures store it in
    /// threads; the metrics count blocks in every version.
    pub(super) fn grid(&self, stored: Dim3, block: Option<Dim3>) -> Dim3 {
        if let [Some(x), Some(y), Some(z)] = self.grid {
            return Dim3([x, y, z]);
        }
        let in_blocks = || {
            let Dim3(threads) = block?;
            let axes: Vec<u64> =
                stored.0.iter().zip(threads).map(|(all, own)| all.checked_div(own)).collect::<Option<_>>()?;
            let grid = Dim3(axes.try_into().ok()?);
            (stored.count() != self.blocks && grid.count() == self.blocks && self.blocks.is_some()).then_some(grid)
        };
        in_blocks().unwrap_or(stored)
    }

    /// The device.
    pub(super) fn finish(self) -> Device {
        Device { compute_capability: self.major.zip(self.minor), ..self.device }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 79 blocks of 512 threads, stored as 40,448.
    #[test]
    fn a_grid_in_threads_is_one_in_blocks() {
        let parts = |blocks: u64| DeviceParts { blocks: Some(blocks), ..DeviceParts::default() };
        let (stored, block) = (Dim3([40_448, 1, 1]), Some(Dim3([512, 1, 1])));
        assert_eq!(parts(79).grid(stored, block), Dim3([79, 1, 1]));
        assert_eq!(parts(40_448).grid(stored, block), stored);
        assert_eq!(parts(7).grid(stored, block), stored, "neither blocks nor threads");
        assert_eq!(DeviceParts::default().grid(stored, block), stored);
        let told = DeviceParts { grid: [Some(2), Some(3), Some(1)], ..parts(79) };
        assert_eq!(told.grid(stored, block), Dim3([2, 3, 1]));
    }
}
