//! The device of a result and the grid of a kernel, taken from the result's own metrics.

use crate::{Device, Dim3, Value};
use cuda_binary::text::Texts;

const NAME: &str = "device__attribute_display_name";
const INDEX: &str = "device__attribute_device_index";
const MAJOR: &str = "device__attribute_compute_capability_major";
const MINOR: &str = "device__attribute_compute_capability_minor";
const SM_COUNT: &str = "device__attribute_multiprocessor_count";

const GRID: [&str; 3] = ["launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"];

/// Whether a metric is read of every result, asked for or not.
pub(super) fn is_needed(name: &str) -> bool {
    [MAJOR, MINOR, INDEX, NAME, SM_COUNT].contains(&name) || GRID.contains(&name)
}

/// A device, and a grid in blocks, as their metrics come in.
#[derive(Default)]
pub(super) struct DeviceParts {
    device: Device,
    major: Option<u32>,
    minor: Option<u32>,
    grid: [Option<u64>; 3],
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
            _ => {
                if let Some(axis) = GRID.iter().position(|axis| *axis == name) {
                    self.grid[axis] = value.and_then(Value::as_u64);
                }
            }
        }
    }

    /// The grid in blocks, where all of its metrics are there.
    pub(super) fn grid(&self) -> Option<Dim3> {
        let [x, y, z] = self.grid;
        Some(Dim3([x?, y?, z?]))
    }

    /// The device.
    pub(super) fn finish(self) -> Device {
        Device { compute_capability: self.major.zip(self.minor), ..self.device }
    }
}
