//! The keys of audit.toml about launching a subject: arguments, what its outputs are checked against, what it is timed
//! beside.
//!
//! ```toml
//! [subject.launch]
//! grid = [6, 7252]              # blocks: a number, or up to three; each may be an expression
//! block = 256
//! cluster = 2                   # blocks of a cluster, where the kernel does not fix them
//! dynamic_shared = 49152
//! args = [                      # in the kernel's order; a shape makes a buffer, a value a number
//!   { name = "out", role = "out", dtype = "bf16", shape = [1024, 768] },
//!   { name = "x", dtype = "e4m3", shape = [1024, 768], uniform = [-2, 2] },   # or normal = [mean, deviation]
//!   { name = "ids", dtype = "u32", shape = 1024, integers = [0, 9], seed = 7 },
//!   { name = "codes", dtype = "e2m1", shape = [768, 768] },                    # two to a byte
//!   { name = "scale", dtype = "e8m0", shape = [768, 24], powers = [-9, -3] }, # powers of two; ue4m3 for NVFP4
//!   { name = "first", dtype = "u32", shape = 9, offsets = [0, 128] },         # where 8 groups of at most 128 rows begin
//!   { name = "bins", role = "inout", dtype = "u32", shape = 4, fill = 0 },    # set again before every launch
//!   { name = "w", dtype = "e4m3", shape = [768, 768], map = { box = [256, 128], swizzle = 128 } },  # as tensor map
//!   # a map may see the buffer with other extents: map = { shape = [196, 3072], box = [64, 128], swizzle = 128 }
//!   { name = "rows", dtype = "u32", value = 1024 },
//! ]
//!
//! [subject.correctness]         # a reference kernel on the same arguments, or a product as under [subject.reference]
//! source = "kernels/reference/transpose.cu"
//! kernel = "transpose_ref"      # where the source holds several
//! grid = 4096
//! block = 256
//! args = ["out", "x", "rows"]   # where they differ from the subject's
//! maps = true                   # it takes tensor maps where the subject does; pointers by default
//! tolerance = 0.01              # relative Frobenius norm; 0 asks for the same bits
//! worst = 0.1                   # error of one element; ten times the tolerance by default
//! seeds = [1, 2]
//! # or, and beside that, the tests of the project:
//! pytest = ["python", "-m", "pytest", "tests/test_gemm.py"]   # `audit collect` runs it, with --junit-xml
//! junit = "results.xml"         # or what CTest, GoogleTest, pytest wrote
//! tests = "gemm"                # which of them, by a regular expression on their names; all by default
//!
//! [subject.reference]           # what it is timed beside
//! cublaslt = { a = "x", b = "w", transpose_b = true, bias = "bias", out = "out" }
//! # with scales of blocks, in tiles of 128 rows by 4: a_scale = "a_scale", b_scale = "b_scale" beside them (NVFP4, MXFP8)
//! note = "adds no position embedding"
//! then = { source = "kernels/add_position.cu", grid = 1024, block = 256, args = ["out", "pos"] }   # does the rest
//! # where the kernel's types are not the library's, buffers of its own; a third extent in front counts products:
//! # buffers = [{ name = "dense", dtype = "bf16", shape = [8, 4096, 2048] }, …]
//! ```

mod argument;
mod plan;
mod reference;
mod scales;
mod values;

pub(super) use plan::LaunchKeys;
pub(super) use reference::{ReferenceKeys, Subjected};
