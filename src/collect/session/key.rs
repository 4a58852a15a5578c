//! What decides a step, as one hash: a step whose key is the same is not made again.

/// A hash over named parts.
pub(super) struct Key(blake3::Hasher);

impl Key {
    pub(super) fn new(step: &str) -> Key {
        let mut key = Key(blake3::Hasher::new());
        key.part("step", step);
        key
    }

    pub(super) fn part(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Key {
        let value = value.as_ref();
        // The length keeps two parts from reading as one.
        self.0.update(format!("{name} {}\n", value.len()).as_bytes());
        self.0.update(value);
        self
    }

    pub(super) fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
