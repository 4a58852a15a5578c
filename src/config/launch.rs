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
//!   { name = "bins", role = "inout", dtype = "u32", shape = 4, fill = 0 },    # set again before every launch
//!   { name = "w", dtype = "e4m3", shape = [768, 768], map = { box = [256, 128], swizzle = 128 } },  # as tensor map
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
//!
//! [subject.reference]           # what it is timed beside
//! cublaslt = { a = "x", b = "w", transpose_b = true, bias = "bias", out = "out" }
//! note = "adds no position embedding"
//! ```

use super::ConfigError;
use super::code::LaunchKeys;
use super::text::Text;
use crate::collect::launch::{
    Argument, Buffer, CheckPlan, DType, Gemm, KernelReference, LaunchPlan, Promotion, Reference, ReferencePlan, Role,
    Scalar, Swizzle, TensorMap, Values,
};
use crate::nearest::nearest;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Largest relative norm where none is stated: what single precision loses in sums of a few thousand.
const DEFAULT_TOLERANCE: f64 = 1e-5;
/// The error of one element that is allowed, in units of the tolerance, where none is stated.
const WORST_PER_TOLERANCE: f64 = 10.0;
/// Seeds of a check where none are stated.
const DEFAULT_SEEDS: [u64; 2] = [1, 2];

/// One of `args`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArgumentKeys {
    name: Spanned<String>,
    dtype: Spanned<String>,
    value: Option<Spanned<toml::Value>>,
    shape: Option<Spanned<toml::Value>>,
    role: Option<Spanned<String>>,
    seed: Option<u64>,
    uniform: Option<Spanned<[f64; 2]>>,
    normal: Option<Spanned<[f64; 2]>>,
    integers: Option<Spanned<[i64; 2]>>,
    fill: Option<Spanned<f64>>,
    map: Option<MapKeys>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct MapKeys {
    #[serde(rename = "box")]
    extent: Spanned<Vec<u32>>,
    swizzle: Option<Spanned<u32>>,
    promotion: Option<Spanned<u32>>,
}

/// `[subject.correctness]`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CorrectnessKeys {
    source: Option<Spanned<PathBuf>>,
    kernel: Option<String>,
    grid: Option<Spanned<toml::Value>>,
    block: Option<Spanned<toml::Value>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    maps: bool,
    cublaslt: Option<GemmKeys>,
    tolerance: Option<Spanned<f64>>,
    worst: Option<Spanned<f64>>,
    seeds: Option<Spanned<Vec<u64>>>,
}

/// `[subject.reference]`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReferenceKeys {
    source: Option<Spanned<PathBuf>>,
    kernel: Option<String>,
    grid: Option<Spanned<toml::Value>>,
    block: Option<Spanned<toml::Value>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    maps: bool,
    cublaslt: Option<GemmKeys>,
    #[serde(default)]
    note: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct GemmKeys {
    a: Spanned<String>,
    b: Spanned<String>,
    bias: Option<Spanned<String>>,
    out: Spanned<String>,
    #[serde(default)]
    transpose_a: bool,
    #[serde(default)]
    transpose_b: bool,
    #[serde(default)]
    tf32: bool,
    fast_accumulation: Option<bool>,
}

/// The keys that say which reference it is.
struct OtherKeys {
    source: Option<Spanned<PathBuf>>,
    kernel: Option<String>,
    grid: Option<Spanned<toml::Value>>,
    block: Option<Spanned<toml::Value>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Vec<Spanned<String>>>,
    maps: bool,
    cublaslt: Option<GemmKeys>,
}

/// The parts of a subject that its reference is made from.
pub(super) struct Subjected<'a> {
    /// Where the table with the reference stands.
    pub(super) table: Range<usize>,
    /// The folder of the file.
    pub(super) folder: &'a Path,
    /// The subject's own launch.
    pub(super) plan: Option<&'a LaunchPlan>,
}

/// Files that a subject names and where it does.
type Files = Vec<(PathBuf, Range<usize>)>;

impl Text {
    /// The whole launch, where arguments are given.
    pub(super) fn plan(&self, keys: &LaunchKeys) -> Result<Option<LaunchPlan>, ConfigError> {
        let Some(arguments) = &keys.args else { return Ok(None) };
        let needed = |value: &Option<Spanned<toml::Value>>, key: &str| {
            let help = Some(format!("add `{key}` under [subject.launch]"));
            let message = format!("a launch with arguments needs `{key}`");
            let sides = value.as_ref().map(|value| self.sides(value));
            sides.unwrap_or_else(|| Err(self.wrong(message, arguments.span(), "given here", help)))
        };
        let (grid, block) = (needed(&keys.grid, "grid")?, needed(&keys.block, "block")?);
        let mut all: Vec<Argument> = Vec::new();
        for (at, argument) in arguments.get_ref().iter().enumerate() {
            let name = argument.name.get_ref();
            if all.iter().any(|other| other.name() == name) {
                let message = format!("two arguments are called {name:?}");
                return Err(self.wrong(message, argument.name.span(), "used before", None));
            }
            all.push(self.argument(argument, at)?);
        }
        Ok(Some(LaunchPlan {
            grid,
            block,
            cluster: keys.cluster.as_ref().map(|sides| self.sides(sides)).transpose()?,
            dynamic_shared: self.shared(keys.dynamic_shared.as_ref())?,
            arguments: all,
        }))
    }

    fn shared(&self, value: Option<&Spanned<toml::Value>>) -> Result<u32, ConfigError> {
        let Some(value) = value else { return Ok(0) };
        let bytes = self.amount(value)?.value();
        u32::try_from(bytes).map_err(|_| self.wrong("expected bytes below 2^32".into(), value.span(), "", None))
    }

    /// One to three sides of a grid, a block or a cluster; those that are not given are one.
    fn sides(&self, value: &Spanned<toml::Value>) -> Result<[u32; 3], ConfigError> {
        let given = self.amounts(value)?;
        let wrong = || {
            let help = Some("such as 1056, [256, 256] or [\"928256/128\", 3]".to_owned());
            self.wrong("expected one to three numbers from 1 to 2^31 - 1".into(), value.span(), "", help)
        };
        if given.is_empty() || given.len() > 3 {
            return Err(wrong());
        }
        let mut sides = [1; 3];
        for (side, amount) in sides.iter_mut().zip(given) {
            let number = u32::try_from(amount).ok().filter(|number| (1..=i32::MAX.unsigned_abs()).contains(number));
            *side = number.ok_or_else(wrong)?;
        }
        Ok(sides)
    }

    /// A number or an expression, or a list of them.
    fn amounts(&self, value: &Spanned<toml::Value>) -> Result<Vec<u64>, ConfigError> {
        let one = |one: &toml::Value| Ok(self.amount(&Spanned::new(value.span(), one.clone()))?.value());
        match value.get_ref() {
            toml::Value::Array(all) => all.iter().map(one).collect(),
            single => Ok(vec![one(single)?]),
        }
    }

    fn argument(&self, keys: &ArgumentKeys, at: usize) -> Result<Argument, ConfigError> {
        let dtype: DType =
            keys.dtype.get_ref().parse().map_err(|reason: String| self.wrong(reason, keys.dtype.span(), "", None))?;
        match (&keys.value, &keys.shape) {
            (Some(value), None) => Ok(Argument::Scalar(Scalar {
                name: keys.name.get_ref().clone(),
                dtype,
                bits: self.scalar(dtype, value)?,
            })),
            (None, Some(shape)) => Ok(Argument::Buffer(self.buffer(keys, dtype, shape, at)?)),
            (Some(value), Some(_)) => {
                let help = Some("`value` makes a number, `shape` a buffer".to_owned());
                Err(self.wrong("an argument has a value or a shape, not both".into(), value.span(), "", help))
            }
            (None, None) => {
                let help = Some("`value` makes a number, `shape` a buffer".to_owned());
                let message = format!("the argument {:?} has neither value nor shape", keys.name.get_ref());
                Err(self.wrong(message, keys.name.span(), "", help))
            }
        }
    }

    fn scalar(&self, dtype: DType, value: &Spanned<toml::Value>) -> Result<u64, ConfigError> {
        let Some((low, high)) = dtype.range() else {
            let number = match value.get_ref() {
                toml::Value::Float(number) => Some(*number),
                toml::Value::Integer(number) => Some(*number as f64),
                _ => None,
            };
            let number = number.ok_or_else(|| self.wrong("expected a number".into(), value.span(), "", None))?;
            return Ok(dtype.encode(number));
        };
        let number = match value.get_ref() {
            toml::Value::Integer(number) => i128::from(*number),
            _ => i128::from(self.amount(value)?.value()),
        };
        if !(low..=high).contains(&number) {
            let message = format!("{number} does not fit {dtype}: it holds {low} to {high}");
            return Err(self.wrong(message, value.span(), "", None));
        }
        Ok(dtype.encode_integer(number))
    }

    fn buffer(
        &self,
        keys: &ArgumentKeys,
        dtype: DType,
        shape: &Spanned<toml::Value>,
        at: usize,
    ) -> Result<Buffer, ConfigError> {
        let extents = self.amounts(shape)?;
        let elements = extents.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent));
        let bytes = elements.and_then(|elements| elements.checked_mul(dtype.bytes() as u64));
        if extents.is_empty() || bytes.is_none_or(|bytes| bytes == 0 || bytes > 1 << 40) {
            let message = "expected extents of at least one element and at most 2^40 bytes in all".to_owned();
            return Err(self.wrong(message, shape.span(), "", None));
        }
        let role = match keys.role.as_ref().map(|role| role.get_ref().as_str()) {
            None | Some("in") => Role::In,
            Some("out") => Role::Out,
            Some("inout") => Role::InOut,
            Some(other) => {
                let span = keys.role.as_ref().map_or(0..0, Spanned::span);
                let message = format!("expected \"in\", \"out\" or \"inout\", found {other:?}");
                return Err(self.wrong(message, span, "", None));
            }
        };
        let map = keys.map.as_ref().map(|map| self.map(map, extents.len())).transpose()?;
        Ok(Buffer {
            name: keys.name.get_ref().clone(),
            role,
            dtype,
            shape: extents,
            seed: keys.seed.unwrap_or(at as u64 + 1),
            values: self.values(keys, dtype, role)?,
            map,
        })
    }

    fn values(&self, keys: &ArgumentKeys, dtype: DType, role: Role) -> Result<Values, ConfigError> {
        let mut given: Vec<(Range<usize>, Values)> = Vec::new();
        given.extend(keys.uniform.as_ref().map(|v| (v.span(), Values::Uniform(v.get_ref()[0], v.get_ref()[1]))));
        given.extend(keys.normal.as_ref().map(|v| (v.span(), Values::Normal(v.get_ref()[0], v.get_ref()[1]))));
        given.extend(
            keys.integers.as_ref().map(|v| (v.span(), Values::Integers(v.get_ref()[0].into(), v.get_ref()[1].into()))),
        );
        given.extend(keys.fill.as_ref().map(|v| (v.span(), Values::Fill(*v.get_ref()))));
        if let [_, (span, _), ..] = &given[..] {
            let message = "expected one of `uniform`, `normal`, `integers` and `fill`".to_owned();
            return Err(self.wrong(message, span.clone(), "the second", None));
        }
        let Some((span, values)) = given.pop() else {
            return Ok(match dtype.range() {
                Some((low, high)) => Values::Integers(low, high),
                None => Values::Uniform(-1.0, 1.0),
            });
        };
        let wrong = |message: &str, help: &str| {
            Err(self.wrong(message.to_owned(), span.clone(), "", (!help.is_empty()).then(|| help.to_owned())))
        };
        match values {
            _ if role == Role::Out => {
                wrong("an output has no values before the launch", "`role = \"inout\"` for what is read as well")
            }
            Values::Fill(_) if role == Role::In => {
                wrong("an input is never one value throughout", "kernels are neither checked nor timed on such inputs")
            }
            Values::Uniform(low, high) if !(low < high && (high - low).is_finite()) => {
                wrong("expected [low, high] with low below high", "")
            }
            Values::Normal(mean, deviation) if !(mean.is_finite() && deviation > 0.0 && deviation.is_finite()) => {
                wrong("expected [mean, deviation] with a deviation above 0", "")
            }
            Values::Integers(low, high) if low >= high => wrong("expected [first, last] with first below last", ""),
            Values::Integers(low, high) if dtype.range().is_some_and(|(least, most)| low < least || high > most) => {
                wrong("these integers do not fit the type", "")
            }
            Values::Uniform(..) | Values::Normal(..) if !dtype.is_float() => {
                wrong("an integer type takes `integers`", "such as integers = [0, 255]")
            }
            values => Ok(values),
        }
    }

    fn map(&self, keys: &MapKeys, rank: usize) -> Result<TensorMap, ConfigError> {
        let extent = keys.extent.get_ref();
        if extent.len() != rank || rank > 5 || extent.iter().any(|side| !(1..=256).contains(side)) {
            let message = format!("expected {rank} sides from 1 to 256, one for each of at most 5 extents");
            return Err(self.wrong(message, keys.extent.span(), "", None));
        }
        let bytes = |value: &Option<Spanned<u32>>| value.as_ref().map(|value| (*value.get_ref(), value.span()));
        let swizzle = match bytes(&keys.swizzle) {
            None | Some((0, _)) => Swizzle::None,
            Some((32, _)) => Swizzle::Bytes32,
            Some((64, _)) => Swizzle::Bytes64,
            Some((128, _)) => Swizzle::Bytes128,
            Some((_, span)) => return Err(self.wrong("expected 0, 32, 64 or 128 bytes".into(), span, "", None)),
        };
        let promotion = match bytes(&keys.promotion) {
            None | Some((0, _)) => Promotion::None,
            Some((64, _)) => Promotion::Bytes64,
            Some((128, _)) => Promotion::Bytes128,
            Some((256, _)) => Promotion::Bytes256,
            Some((_, span)) => return Err(self.wrong("expected 0, 64, 128 or 256 bytes".into(), span, "", None)),
        };
        Ok(TensorMap { extent: extent.clone(), swizzle, promotion })
    }

    /// `[subject.correctness]`.
    pub(super) fn check_plan(
        &self,
        on: Subjected<'_>,
        keys: CorrectnessKeys,
        files: &mut Files,
    ) -> Result<CheckPlan, ConfigError> {
        let CorrectnessKeys {
            source,
            kernel,
            grid,
            block,
            dynamic_shared,
            args,
            maps,
            cublaslt,
            tolerance,
            worst,
            seeds,
        } = keys;
        let number = |value: Option<Spanned<f64>>, default: f64| match value {
            None => Ok(default),
            Some(value) if *value.get_ref() >= 0.0 && value.get_ref().is_finite() => Ok(value.into_inner()),
            Some(value) => Err(self.wrong("expected a number from 0".into(), value.span(), "", None)),
        };
        let tolerance = number(tolerance, DEFAULT_TOLERANCE)?;
        let seeds = match seeds {
            Some(seeds) if seeds.get_ref().is_empty() => {
                return Err(self.wrong("expected at least one seed".into(), seeds.span(), "", None));
            }
            Some(seeds) => seeds.into_inner(),
            None => DEFAULT_SEEDS.to_vec(),
        };
        let other = OtherKeys { source, kernel, grid, block, dynamic_shared, args, maps, cublaslt };
        Ok(CheckPlan {
            reference: self.other(on, other, files)?,
            tolerance,
            worst: number(worst, WORST_PER_TOLERANCE * tolerance)?,
            seeds,
        })
    }

    /// `[subject.reference]`.
    pub(super) fn reference_plan(
        &self,
        on: Subjected<'_>,
        keys: ReferenceKeys,
        files: &mut Files,
    ) -> Result<ReferencePlan, ConfigError> {
        let ReferenceKeys { source, kernel, grid, block, dynamic_shared, args, maps, cublaslt, note } = keys;
        let other = OtherKeys { source, kernel, grid, block, dynamic_shared, args, maps, cublaslt };
        Ok(ReferencePlan { reference: self.other(on, other, files)?, note })
    }

    fn other(&self, on: Subjected<'_>, keys: OtherKeys, files: &mut Files) -> Result<Reference, ConfigError> {
        let Some(plan) = on.plan else {
            let help = Some("add `grid`, `block` and `args` under [subject.launch]".to_owned());
            return Err(self.wrong("a reference needs the subject's arguments".into(), on.table, "", help));
        };
        let position = |name: &Spanned<String>| {
            let names = || plan.arguments.iter().map(Argument::name);
            names().position(|known| known == name.get_ref()).ok_or_else(|| {
                let help = nearest(name.get_ref(), names()).map(|near| format!("did you mean {near:?}?"));
                self.wrong(format!("no argument is called {:?}", name.get_ref()), name.span(), "unknown", help)
            })
        };
        match (keys.source, keys.cublaslt) {
            (Some(source), None) => {
                files.push((on.folder.join(source.get_ref()), source.span()));
                let arguments = match keys.args {
                    Some(names) => names.iter().map(position).collect::<Result<_, _>>()?,
                    None => (0..plan.arguments.len()).collect(),
                };
                Ok(Reference::Kernel(KernelReference {
                    source: source.into_inner(),
                    kernel: keys.kernel,
                    grid: keys.grid.map_or(Ok(plan.grid), |grid| self.sides(&grid))?,
                    block: keys.block.map_or(Ok(plan.block), |block| self.sides(&block))?,
                    dynamic_shared: self.shared(keys.dynamic_shared.as_ref())?,
                    arguments,
                    maps: keys.maps,
                }))
            }
            (None, Some(gemm)) => Ok(Reference::Gemm(self.gemm(&gemm, plan, position)?)),
            (Some(source), Some(_)) => {
                Err(self.wrong("a reference is a `source` or `cublaslt`, not both".into(), source.span(), "", None))
            }
            (None, None) => {
                let help = Some("add `source` with a kernel, or `cublaslt` with a product".to_owned());
                Err(self.wrong("this names no reference".into(), on.table, "", help))
            }
        }
    }

    fn gemm(
        &self,
        keys: &GemmKeys,
        plan: &LaunchPlan,
        position: impl Fn(&Spanned<String>) -> Result<usize, ConfigError>,
    ) -> Result<Gemm, ConfigError> {
        let matrix = |name: &Spanned<String>| {
            let at = position(name)?;
            match plan.buffer(at).map(|buffer| &buffer.shape[..]) {
                Some(&[rows, columns]) => Ok((at, rows, columns)),
                _ => Err(self.wrong("a product needs buffers with two extents".into(), name.span(), "", None)),
            }
        };
        let turned = |(at, rows, columns): (usize, u64, u64), is_turned: bool| match is_turned {
            true => (at, columns, rows),
            false => (at, rows, columns),
        };
        let (a, m, k) = turned(matrix(&keys.a)?, keys.transpose_a);
        let (b, inner, n) = turned(matrix(&keys.b)?, keys.transpose_b);
        let (out, rows, columns) = matrix(&keys.out)?;
        if k != inner || (m, n) != (rows, columns) {
            let message = format!("[{m}, {k}] × [{inner}, {n}] does not give [{rows}, {columns}]");
            let help = Some("check `transpose_a` and `transpose_b`: `b` stored as [n, k] is transposed".to_owned());
            return Err(self.wrong(message, keys.b.span(), "", help));
        }
        let bias = keys.bias.as_ref().map(|name| Ok((position(name)?, name.span()))).transpose()?;
        if let Some((at, span)) = &bias
            && plan.buffer(*at).is_none_or(|buffer| buffer.elements() != n)
        {
            return Err(self.wrong(format!("expected a bias of {n} elements"), span.clone(), "", None));
        }
        let floats = [a, b, out].iter().all(|at| plan.buffer(*at).is_some_and(|buffer| buffer.dtype.is_float()));
        if !floats {
            return Err(self.wrong("a product of cuBLASLt is of floats here".into(), keys.a.span(), "", None));
        }
        Ok(Gemm {
            a,
            b,
            bias: bias.map(|(at, _)| at),
            out,
            m,
            n,
            k,
            transpose_a: keys.transpose_a,
            transpose_b: keys.transpose_b,
            tf32: keys.tf32,
            fast_accumulation: keys.fast_accumulation.unwrap_or(true),
        })
    }
}
