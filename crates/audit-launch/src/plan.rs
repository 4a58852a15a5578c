//! The plan of a launch: what audit.toml says of shape, arguments, reference and tolerance.

use super::{BlockScales, DType, Given};
use std::path::PathBuf;

/// One launch of the kernel under audit.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchPlan {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster; `None` leaves it to the kernel.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: u32,
    /// Arguments in the kernel's order.
    pub arguments: Vec<Argument>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number, passed by value.
    Scalar(Scalar),
    /// A buffer, passed as pointer or as tensor map.
    Buffer(Buffer),
}

/// A number that is passed by value.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// Its type.
    pub dtype: DType,
    /// Its bits in the lower bytes.
    pub bits: u64,
}

/// A buffer in device memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Who writes it.
    pub role: Role,
    /// Type of its elements.
    pub dtype: DType,
    /// Extents, the slowest first.
    pub shape: Vec<u64>,
    /// What its values start from, besides the seed of the run.
    pub seed: u64,
    /// What it holds before the launch; outputs hold a pattern that no kernel should leave.
    pub values: Values,
    /// How it is passed: as a tensor map of this kind, else as pointer.
    pub map: Option<TensorMap>,
}

/// Who writes a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// The kernel reads it.
    In,
    /// The kernel writes every element.
    Out,
    /// The kernel reads and writes it; it is set again before every launch.
    InOut,
}

/// Values of a buffer before the launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Evenly spread in `[low, high)`.
    Uniform(f64, f64),
    /// Normally distributed: mean, standard deviation.
    Normal(f64, f64),
    /// Whole numbers from the first to the last, both included.
    Integers(i128, i128),
    /// Powers of two, their exponents from the first to the last, both included: scales of blocks.
    Powers(i32, i32),
    /// 0, and then the running sums of whole numbers from the first to the last: where groups of so many rows begin, and
    /// where the last one ends.
    Offsets(i128, i128),
    /// One value throughout: for counters that a kernel adds to.
    Fill(f64),
}

/// How a buffer is seen through a tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Extents of the buffer as the map sees it, the slowest first: the buffer's own, or others of as many elements.
    pub shape: Vec<u64>,
    /// Elements of the box in each of those dimensions.
    pub extent: Vec<u32>,
    /// Pattern of the rows in shared memory.
    pub swizzle: Swizzle,
    /// Size of the fetches into L2.
    pub promotion: Promotion,
}

/// Pattern of the rows of a box in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// As they are.
    None,
    /// Within 32 bytes.
    Bytes32,
    /// Within 64 bytes.
    Bytes64,
    /// Within 128 bytes.
    Bytes128,
}

/// Size of a tensor map's fetches into L2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// As they come.
    None,
    /// 64 bytes.
    Bytes64,
    /// 128 bytes.
    Bytes128,
    /// 256 bytes.
    Bytes256,
}

/// Against what, how closely and how often a kernel's outputs are checked.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckPlan {
    /// What gives the expected outputs.
    pub reference: Reference,
    /// Largest relative Frobenius norm of the difference; zero asks for the same bits.
    pub tolerance: f64,
    /// Largest error of one element, relative to the larger of its own and the root mean square expected magnitude.
    pub worst: f64,
    /// Seeds of the runs, each with fresh inputs.
    pub seeds: Vec<u64>,
}

/// What a kernel is timed beside.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencePlan {
    /// What it is.
    pub reference: Reference,
    /// In what its work differs, in words; may be empty.
    pub note: String,
}

/// Another way to the same outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// Another kernel.
    Kernel(KernelReference),
    /// A product by cuBLASLt.
    Gemm(Gemm),
}

/// Another kernel on the subject's arguments, with outputs of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelReference {
    /// Buffers that only it has; positions go on with them behind the launch's arguments.
    pub own: Vec<Argument>,
    /// Its source, relative to the folder of audit.toml; compiled as the subject is.
    pub source: PathBuf,
    /// Its name in the source; the only kernel of the source where none is given.
    pub kernel: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: u32,
    /// Which of the subject's arguments it takes, in its own order.
    pub arguments: Vec<usize>,
    /// Whether it takes tensor maps where the subject does; else it takes pointers.
    pub maps: bool,
}

/// `out[m, n] = a[m, k] · b[k, n] + bias[n]`, all row-major, as cuBLASLt computes it; with a third extent in front as many
/// of these as that says. Positions count the launch's arguments and go on with `own`.
#[derive(Clone, Debug, PartialEq)]
pub struct Gemm {
    /// Buffers that only the product has: where the kernel's own are of types or shapes that the library does not take.
    pub own: Vec<Argument>,
    /// Products of the batch, or of the groups.
    pub batch: u64,
    /// Position of the buffer that says where each group of rows begins in `a` and `out`, and where the last one ends; a group is
    /// multiplied by its own `b`. `None` where all products have `m` rows.
    pub groups: Option<usize>,
    /// Position of the first operand among the arguments.
    pub a: usize,
    /// Position of the second operand.
    pub b: usize,
    /// Scales of blocks of both operands; `None` where they have none.
    pub scales: Option<BlockScales>,
    /// Position of the vector that is added to every row.
    pub bias: Option<usize>,
    /// Position of the output, which lends type and shape.
    pub out: usize,
    /// Rows of the output; with groups those that all of them together have room for.
    pub m: u64,
    /// Columns of the output.
    pub n: u64,
    /// Products of each sum.
    pub k: u64,
    /// Whether `a` is stored as `[k, m]`.
    pub transpose_a: bool,
    /// Whether `b` is stored as `[n, k]`.
    pub transpose_b: bool,
    /// Whether FP32 operands go through the tensor cores as TF32.
    pub tf32: bool,
    /// Whether FP8 sums stay in the tensor cores' own accumulators.
    pub fast_accumulation: bool,
    /// The kernel that does the rest of the subject's work on the product.
    pub then: Option<KernelReference>,
}

impl Reference {
    /// The kernel that it launches: its own, or the one behind its product.
    pub fn kernel(&self) -> Option<&KernelReference> {
        match self {
            Reference::Kernel(kernel) => Some(kernel),
            Reference::Gemm(gemm) => gemm.then.as_ref(),
        }
    }

    /// Buffers that only it has.
    pub fn own(&self) -> &[Argument] {
        match self {
            Reference::Kernel(kernel) => &kernel.own,
            Reference::Gemm(gemm) => &gemm.own,
        }
    }

    /// The launch with its own buffers behind the arguments.
    pub fn extended(&self, plan: &LaunchPlan) -> LaunchPlan {
        let arguments = plan.arguments.iter().chain(self.own()).cloned().collect();
        LaunchPlan { arguments, ..plan.clone() }
    }

    /// Operations of a product; `None` for a kernel, and where the inputs of a launch decide how many rows there are.
    pub fn flop(&self) -> Option<u64> {
        match self {
            Reference::Gemm(Gemm { batch, m, n, k, groups: None, .. }) => Some(2 * batch * m * n * k),
            Reference::Gemm(_) | Reference::Kernel(_) => None,
        }
    }

    /// Whether one kernel of it stands for all of its work, so that counters of that kernel do.
    pub fn is_one_launch(&self) -> bool {
        !matches!(self, Reference::Gemm(Gemm { groups: Some(_), .. }))
    }

    /// What it is, in words that need no GPU.
    pub fn describe(&self) -> String {
        match self {
            Reference::Kernel(kernel) => kernel.describe(),
            Reference::Gemm(_) => "cuBLASLt".to_owned(),
        }
    }
}

impl KernelReference {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        match &self.kernel {
            Some(name) => format!("`{name}` of {}", self.source.display()),
            None => format!("the kernel of {}", self.source.display()),
        }
    }

    /// Its arguments as the check of their sizes sees them.
    pub fn given(&self, plan: &LaunchPlan) -> Vec<Given> {
        let all: Vec<&Argument> = plan.arguments.iter().chain(&self.own).collect();
        let arguments = self.arguments.iter().filter_map(|at| all.get(*at).copied());
        arguments.map(|argument| if self.maps { Given::from(argument) } else { Given::plain(argument) }).collect()
    }
}

impl LaunchPlan {
    /// The buffer at a position; `None` for a scalar.
    pub fn buffer(&self, at: usize) -> Option<&Buffer> {
        match self.arguments.get(at)? {
            Argument::Buffer(buffer) => Some(buffer),
            Argument::Scalar(_) => None,
        }
    }
}

impl Argument {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Argument::Scalar(scalar) => &scalar.name,
            Argument::Buffer(buffer) => &buffer.name,
        }
    }

    /// What it is, for messages and pages: `patches: e4m3 [928256, 768], in`.
    pub fn describe(&self) -> String {
        match self {
            Argument::Scalar(scalar) if scalar.dtype.is_float() => {
                format!("{}: {} {}", scalar.name, scalar.dtype, scalar.dtype.decode(scalar.bits))
            }
            Argument::Scalar(scalar) => {
                let value = match scalar.dtype.range() {
                    Some((low, _)) if low < 0 => (scalar.dtype.decode(scalar.bits) as i64).to_string(),
                    _ => scalar.bits.to_string(),
                };
                format!("{}: {} {value}", scalar.name, scalar.dtype)
            }
            Argument::Buffer(buffer) => {
                let values =
                    if buffer.role == Role::Out { String::new() } else { format!(", {}", buffer.values.describe()) };
                let map = if buffer.map.is_some() { ", as tensor map" } else { "" };
                format!("{}: {} {:?}, {}{values}{map}", buffer.name, buffer.dtype, buffer.shape, buffer.role.word())
            }
        }
    }
}

impl Role {
    /// Its word in audit.toml.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl Values {
    /// In words.
    pub fn describe(self) -> String {
        match self {
            Values::Uniform(low, high) => format!("uniform in [{low}, {high})"),
            Values::Normal(mean, deviation) => format!("normal with mean {mean} and deviation {deviation}"),
            Values::Integers(low, high) => format!("integers from {low} to {high}"),
            Values::Powers(low, high) => format!("powers of two from 2^{low} to 2^{high}"),
            Values::Offsets(low, high) => format!("offsets of groups of {low} to {high}"),
            Values::Fill(value) => format!("{value} throughout"),
        }
    }
}

impl Buffer {
    /// Elements.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.elements() / self.dtype.in_a_byte() as u64 * self.dtype.bytes() as u64
    }
}

/// A kernel in a loadable image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it came from.
    pub input: PathBuf,
    /// A cubin, or PTX as text.
    pub image: Vec<u8>,
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Bytes of each parameter; `None` where only the driver can tell, after loading.
    pub parameters: Option<Vec<u32>>,
    /// SHA-256 of the kernel's code section; empty for PTX.
    pub code_sha256: String,
}
