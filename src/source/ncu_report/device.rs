//! The device of a result, taken from the result's own attribute metrics.

use super::text::Texts;
use crate::evidence::{Device, Value};

const NAME: &str = "device__attribute_display_name";
const INDEX: &str = "device__attribute_device_index";
const MAJOR: &str = "device__attribute_compute_capability_major";
const MINOR: &str = "device__attribute_compute_capability_minor";
const SM_COUNT: &str = "device__attribute_multiprocessor_count";

/// The metrics that name a device; read of every result.
pub(super) const ATTRIBUTES: [&str; 5] = [MAJOR, MINOR, INDEX, NAME, SM_COUNT];

/// A device as its attributes come in.
#[derive(Default)]
pub(super) struct DeviceParts {
    device: Device,
    major: Option<u32>,
    minor: Option<u32>,
}

impl DeviceParts {
    /// Takes one attribute; names that are none are ignored.
    pub(super) fn take(&mut self, name: &str, value: Option<&Value>, texts: &mut Texts) {
        let number = value.and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        match name {
            NAME => self.device.name = texts.of(value.and_then(Value::as_text).unwrap_or_default()),
            INDEX => self.device.index = number,
            MAJOR => self.major = number,
            MINOR => self.minor = number,
            SM_COUNT => self.device.sm_count = number,
            _ => {}
        }
    }

    /// The device.
    pub(super) fn finish(self) -> Device {
        Device { compute_capability: self.major.zip(self.minor), ..self.device }
    }
}
