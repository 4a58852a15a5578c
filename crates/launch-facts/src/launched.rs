//! A launch by `audit launch`: the device, the kernel's attributes there, and the arguments.

/// The device that a kernel ran on, as the driver describes it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeviceFacts {
    /// `NVIDIA H200`.
    pub name: String,
    /// `9.0`.
    pub compute_capability: String,
    /// CUDA version that the driver supports: `13.0`.
    pub driver_cuda: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// Shared memory that a block can ask for, in bytes.
    pub shared_bytes_per_block: u64,
    /// Shared memory of a multiprocessor in bytes.
    pub shared_bytes_per_multiprocessor: u64,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Threads that a multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// Whether device memory corrects errors.
    pub ecc: bool,
}

/// What was launched.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaunchFacts {
    /// Mangled name.
    pub kernel: String,
    /// SHA-256 of the kernel's code section, for joining this with a profile; empty for PTX, which the driver compiles.
    pub code_sha256: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster, where stated.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: u32,
    /// Every argument in words.
    pub arguments: Vec<String>,
    /// What the driver says of the loaded kernel.
    pub function: FunctionFacts,
}

/// What the driver says of a loaded kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FunctionFacts {
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread in bytes.
    pub local_bytes: u64,
    /// Static shared memory of a block in bytes.
    pub static_shared: u64,
    /// Largest block in threads.
    pub max_threads: u32,
    /// Blocks of this launch that one multiprocessor holds at once, by the driver's occupancy query.
    pub blocks_per_multiprocessor: u32,
}

/// A buffer that a launch was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer<'l> {
    /// The argument's name.
    pub name: &'l str,
    /// Its size.
    pub bytes: u64,
    /// Whether the kernel reads it.
    pub is_read: bool,
    /// Whether it writes it.
    pub is_written: bool,
}

impl LaunchFacts {
    /// Bytes of all buffers together: what a launch that uses all of them touches at most. `None` without any.
    pub fn footprint(&self) -> Option<f64> {
        let bytes: f64 = self.buffers()?.iter().map(|buffer| buffer.bytes as f64).sum();
        (bytes > 0.0).then_some(bytes)
    }

    /// The buffers among the arguments; `None` where one of them is not told as the launcher writes it: name, type, extents, role.
    pub fn buffers(&self) -> Option<Vec<Buffer<'_>>> {
        self.arguments.iter().filter(|argument| argument.contains(" [")).map(|argument| buffer(argument)).collect()
    }

    /// The name of the argument that begins at this byte of them; `None` where none does, or a size in front of it is not told.
    pub fn argument_at(&self, byte: u64) -> Option<&str> {
        let mut end = 0;
        for argument in &self.arguments {
            let (name, kind) = argument.split_once(": ")?;
            // A tensor map is handed over itself, of a buffer its address.
            let (bytes, aligned) = match kind.split_once(" [") {
                Some(_) if kind.ends_with("as tensor map") => (128, 64),
                Some(_) => (8, 8),
                None => element_bytes(kind.split(' ').next()?).map(|bytes| (bytes, bytes))?,
            };
            let start = u64::next_multiple_of(end, aligned);
            if start == byte {
                return Some(name);
            }
            end = start + bytes;
        }
        None
    }
}

/// `a: bf16 [4096, 4096], in, uniform in [-1, 1)`.
fn buffer(argument: &str) -> Option<Buffer<'_>> {
    let (name, rest) = argument.split_once(": ")?;
    let (kind, rest) = rest.split_once(" [")?;
    let (extents, rest) = rest.split_once("], ")?;
    let role = rest.split(',').next()?;
    let elements: Option<u64> = extents.split(", ").map(|extent| extent.parse::<u64>().ok()).product();
    let (is_read, is_written) = match role {
        "in" => (true, false),
        "out" => (false, true),
        "inout" => (true, true),
        _ => return None,
    };
    Some(Buffer { name, bytes: elements? * element_bytes(kind)?, is_read, is_written })
}

/// Bytes of an element by its type's name: the number in it is that of its bits, but for the two types of 8 bits that name their
/// fields, and tf32, which is kept in 32.
fn element_bytes(kind: &str) -> Option<u64> {
    match kind {
        "e4m3" | "e5m2" => Some(1),
        _ => {
            let bits: u64 = kind.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            (bits.is_multiple_of(8) && bits > 0).then_some(bits / 8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffer, LaunchFacts};

    fn of(arguments: &[&str]) -> LaunchFacts {
        LaunchFacts { arguments: arguments.iter().map(|one| (*one).to_owned()).collect(), ..LaunchFacts::default() }
    }

    #[test]
    fn sizes_follow_from_the_words_of_the_launcher() {
        let facts = of(&[
            "out: bf16 [4096, 4096], out",
            "a: e4m3 [256, 128], in, uniform in [-1, 1), as tensor map",
            "bins: u32 [4], inout, 0 throughout",
            "count: u32 8388608",
        ]);
        let expected = [
            Buffer { name: "out", bytes: 33_554_432, is_read: false, is_written: true },
            Buffer { name: "a", bytes: 32_768, is_read: true, is_written: false },
            Buffer { name: "bins", bytes: 16, is_read: true, is_written: true },
        ];
        assert_eq!(facts.buffers().as_deref(), Some(&expected[..]));
        // 33,554,432 + 32,768 + 16.
        assert_eq!(facts.footprint(), Some(33_587_216.0));
        assert_eq!(of(&["a: quux [3], in"]).buffers(), None);
        // An address of 8 bytes, a map of 128 at a multiple of 64, an address, a word.
        let names = [0, 64, 192, 200, 204].map(|byte| facts.argument_at(byte));
        assert_eq!(names, [Some("out"), Some("a"), Some("bins"), Some("count"), None]);
    }
}
