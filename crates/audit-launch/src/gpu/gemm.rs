//! A matrix product by cuBLASLt.
//!
//! The library counts rows fastest, audit.toml columns. A row-major matrix is its column-major transpose, so that
//! `outᵀ = bᵀ · aᵀ`: our second operand is the library's first.

use super::Gpu;
use super::error::cublaslt;
use super::memory::Memory;
use crate::{BlockScale, Buffer, DType, Gemm, LaunchError, LaunchPlan};
use cudarc::cublaslt::{result as lt, sys};
use std::ffi::c_void;
use sys::{cublasLtMatmulAlgoConfigAttributes_t as Config, cublasLtMatmulDescAttributes_t as Describe};

/// Memory that the library may use, in bytes: what its own samples give Hopper, twice over.
const WORKSPACE: u64 = 64 << 20;
/// Bytes from one scale to the next. The library refuses a product at its launch, and not before, when a scale is not
/// aligned to 16 bytes (cuBLASLt of CUDA 13.0 on an H200).
const SCALE_STEP: usize = 16;
/// Bytes that addresses are multiples of, where the library is told of no fewer.
const ALIGNED: u32 = 256;
/// Algorithms that are asked for.
const ASKED: usize = 32;

/// A product, ready to be launched.
pub(super) struct GemmRun {
    handle: sys::cublasLtHandle_t,
    describe: sys::cublasLtMatmulDesc_t,
    /// The library's first and second operand and the output.
    layouts: Vec<sys::cublasLtMatrixLayout_t>,
    algorithms: Vec<sys::cublasLtMatmulHeuristicResult_t>,
    chosen: usize,
    workspace: Memory,
    /// Scales of FP8 operands, both one.
    _scale: Memory,
    addresses: [u64; 3],
    is_double: bool,
}

impl GemmRun {
    /// Prepares a product of the plan's buffers at the addresses that `address` gives, with the library's first choice, on a device of
    /// this compute capability.
    pub(super) fn new(
        gemm: &Gemm,
        capability: &str,
        plan: &LaunchPlan,
        address: impl Fn(usize) -> u64,
    ) -> Result<GemmRun, LaunchError> {
        gemm.scales.map_or(Ok(()), |scales| scales.kind.check(capability))?;
        is_there()?;
        let buffer = |at: usize| buffer(plan, at);
        let (a, b, out) = (buffer(gemm.a)?, buffer(gemm.b)?, buffer(gemm.out)?);
        let (compute, scaling) = types(a, gemm.tf32);
        let scale = Memory::of(&1.0f32.to_le_bytes().repeat(2 * SCALE_STEP / size_of::<f32>()))?;
        let mut run = GemmRun {
            handle: lt::create_handle().map_err(cublaslt("starting cuBLASLt", ""))?,
            describe: std::ptr::null_mut(),
            layouts: Vec::new(),
            algorithms: Vec::new(),
            chosen: 0,
            workspace: Memory::new(0)?,
            addresses: [address(gemm.b), address(gemm.a), address(gemm.out)],
            is_double: a.dtype == DType::F64,
            _scale: scale,
        };
        let doing = "describing the product to cuBLASLt";
        run.describe = lt::create_matmul_desc(compute, scaling).map_err(cublaslt(doing, ""))?;
        run.set(Describe::CUBLASLT_MATMUL_DESC_TRANSA, &i32::from(gemm.transpose_b))?;
        run.set(Describe::CUBLASLT_MATMUL_DESC_TRANSB, &i32::from(gemm.transpose_a))?;
        if let Some(scales) = gemm.scales {
            // The library's first operand is our second.
            let mode = scale_mode(scales.kind) as i32;
            run.set(Describe::CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode)?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode)?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &address(scales.b))?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &address(scales.a))?;
        } else if a.dtype.bytes() == 1 {
            let scales = run._scale.pointer();
            run.set(Describe::CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scales)?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &(scales + SCALE_STEP as u64))?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_FAST_ACCUM, &i8::from(gemm.fast_accumulation))?;
        }
        if let Some(bias) = gemm.bias {
            run.set(
                Describe::CUBLASLT_MATMUL_DESC_EPILOGUE,
                &(sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_BIAS as u32),
            )?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_BIAS_POINTER, &address(bias))?;
            run.set(Describe::CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &(data_type(buffer(bias)?.dtype) as u32))?;
        }
        let stored = |is_transposed: bool, rows: u64, columns: u64| {
            if is_transposed { (columns, rows) } else { (rows, columns) }
        };
        // Row-major [rows, columns] is column-major with `columns` rows.
        let (b_rows, b_columns) = stored(gemm.transpose_b, gemm.k, gemm.n);
        let (a_rows, a_columns) = stored(gemm.transpose_a, gemm.m, gemm.k);
        for (dtype, rows, columns) in
            [(b.dtype, b_rows, b_columns), (a.dtype, a_rows, a_columns), (out.dtype, gemm.m, gemm.n)]
        {
            let layout = lt::create_matrix_layout(data_type(dtype), columns, rows, columns.cast_signed());
            run.layouts.push(layout.map_err(cublaslt(doing, ""))?);
            if gemm.batch > 1 {
                run.repeat(gemm.batch, rows * columns)?;
            }
        }
        run.algorithms = run.heuristics()?;
        let asked = run.algorithms.iter().map(|found| found.workspaceSize).max().unwrap_or_default();
        run.workspace = Memory::new(asked as u64)?;
        Ok(run)
    }

    /// Sets an attribute of the product to a value of the size that the library expects for it.
    fn set<T>(&self, attribute: Describe, value: &T) -> Result<(), LaunchError> {
        let (value, size) = (std::ptr::from_ref(value).cast(), size_of::<T>());
        // SAFETY: the description is alive, and the library copies the value.
        unsafe { lt::set_matmul_desc_attribute(self.describe, attribute, value, size) }
            .map_err(cublaslt("describing the product to cuBLASLt", ""))
    }

    /// Makes the last layout one of a batch, whose matrices lie `elements` apart.
    fn repeat(&self, batch: u64, elements: u64) -> Result<(), LaunchError> {
        use sys::cublasLtMatrixLayoutAttribute_t as Layout;
        let Some(layout) = self.layouts.last() else { return Ok(()) };
        let (count, apart) = (batch as i32, elements.cast_signed());
        // SAFETY: the layout is alive, and the library copies the values, of the sizes that it states for them.
        unsafe {
            let count = (&raw const count).cast();
            lt::set_matrix_layout_attribute(*layout, Layout::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count, 4)
                .and_then(|()| {
                    let apart = (&raw const apart).cast();
                    lt::set_matrix_layout_attribute(
                        *layout,
                        Layout::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                        apart,
                        8,
                    )
                })
                .map_err(cublaslt("describing the product to cuBLASLt", ""))
        }
    }

    /// The algorithms that the library offers, in its order.
    fn heuristics(&self) -> Result<Vec<sys::cublasLtMatmulHeuristicResult_t>, LaunchError> {
        let cure = "cuBLASLt has no algorithm for these types, shapes and transpositions; FP8 needs `transpose_b = true`, \
                    `transpose_a = false` and sizes that are multiples of 16";
        let doing = "choosing a cuBLASLt algorithm";
        let preference = lt::create_matmul_pref().map_err(cublaslt(doing, ""))?;
        let mut found = Vec::<sys::cublasLtMatmulHeuristicResult_t>::with_capacity(ASKED);
        let mut count = 0;
        let limit = WORKSPACE as usize;
        use sys::cublasLtMatmulPreferenceAttributes_t as Prefer;
        let key = Prefer::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
        // Rows of a group begin where those before them end.
        let alignment =
            self.addresses.iter().fold(ALIGNED, |least, address| least.min(1 << address.trailing_zeros().min(31)));
        let aligned = [
            Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
            Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
            Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
            Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
        ];
        let [first, second, out] = self.layouts[..] else { return Ok(Vec::new()) };
        // SAFETY: everything that is passed is alive; the vector has room for as many results as are asked for, and the
        // library writes `count` of them.
        let ended = unsafe {
            lt::set_matmul_pref_attribute(preference, key, (&raw const limit).cast(), size_of::<usize>())
                .map_err(cublaslt(doing, ""))?;
            for key in aligned {
                lt::set_matmul_pref_attribute(preference, key, (&raw const alignment).cast(), size_of::<u32>())
                    .map_err(cublaslt(doing, ""))?;
            }
            let ended = sys::cublasLtMatmulAlgoGetHeuristic(
                self.handle,
                self.describe,
                first,
                second,
                out,
                out,
                preference,
                ASKED as i32,
                found.as_mut_ptr(),
                &raw mut count,
            );
            let _ = lt::destroy_matmul_pref(preference);
            found.set_len(if ended.result().is_ok() { count.max(0) as usize } else { 0 });
            ended
        };
        ended.result().map_err(cublaslt(doing, cure))?;
        found.retain(|result| result.state.result().is_ok());
        if found.is_empty() {
            let status = "it offers none".to_owned();
            return Err(LaunchError::CublasLt { doing: doing.into(), status, cure: format!("\n  help: {cure}") });
        }
        Ok(found)
    }

    pub(super) fn algorithms(&self) -> usize {
        self.algorithms.len()
    }

    /// Takes the algorithm at a position, the last one where there are not that many.
    pub(super) fn choose(&mut self, position: usize) {
        self.chosen = position.min(self.algorithms.len() - 1);
    }

    /// The chosen algorithm's configuration in words.
    pub(super) fn algorithm(&self) -> String {
        let found = &self.algorithms[self.chosen];
        let ask = |attribute, size: usize| {
            let (mut value, mut written) = (0u32, 0usize);
            // SAFETY: the library writes at most `size` bytes into the word.
            let asked = unsafe {
                sys::cublasLtMatmulAlgoConfigGetAttribute(
                    &raw const found.algo,
                    attribute,
                    (&raw mut value).cast(),
                    size,
                    &raw mut written,
                )
            };
            asked.result().ok().map(|()| value)
        };
        let words = [
            ("algorithm", ask(Config::CUBLASLT_ALGO_CONFIG_ID, 4)),
            ("tile", ask(Config::CUBLASLT_ALGO_CONFIG_TILE_ID, 4)),
            ("stages", ask(Config::CUBLASLT_ALGO_CONFIG_STAGES_ID, 4)),
            ("split-k", ask(Config::CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4)),
            ("cluster", ask(Config::CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2)),
            ("option", ask(Config::CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4)),
        ];
        let mut said: Vec<String> =
            words.iter().filter_map(|(word, value)| value.map(|value| format!("{word} {value}"))).collect();
        said.push(format!("workspace {} bytes", found.workspaceSize));
        said.join(", ")
    }

    pub(super) fn launch(&self, gpu: &Gpu) -> Result<(), LaunchError> {
        let [first, second, out] = self.layouts[..] else { return Ok(()) };
        let (one, zero, double_one, double_zero) = (1.0f32, 0.0f32, 1.0f64, 0.0f64);
        let (alpha, beta): (*const c_void, *const c_void) = if self.is_double {
            ((&raw const double_one).cast(), (&raw const double_zero).cast())
        } else {
            ((&raw const one).cast(), (&raw const zero).cast())
        };
        let [a, b, d] = self.addresses;
        // SAFETY: the addresses are of buffers with the layouts' sizes, which outlive the stream's work.
        let ended = unsafe {
            lt::matmul(
                self.handle,
                self.describe,
                alpha,
                beta,
                a as *const c_void,
                first,
                b as *const c_void,
                second,
                d as *const c_void,
                out,
                d as *mut c_void,
                out,
                &raw const self.algorithms[self.chosen].algo,
                self.workspace.pointer() as *mut c_void,
                self.workspace.bytes(),
                gpu.stream.cast(),
            )
        };
        ended.map_err(cublaslt("launching the cuBLASLt product", ""))
    }
}

impl Drop for GemmRun {
    fn drop(&mut self) {
        // SAFETY: each was made once and is used by nobody after this; nothing is left to do where giving back fails.
        unsafe {
            for layout in &self.layouts {
                let _ = lt::destroy_matrix_layout(*layout);
            }
            if !self.describe.is_null() {
                let _ = lt::destroy_matmul_desc(self.describe);
            }
            let _ = lt::destroy_handle(self.handle);
        }
    }
}

/// Whether the library can be opened.
fn is_there() -> Result<(), LaunchError> {
    // SAFETY: only looks.
    if unsafe { sys::is_culib_present() } { Ok(()) } else { Err(LaunchError::NoCublasLt) }
}

/// How the library is told of scales of blocks.
fn scale_mode(kind: BlockScale) -> sys::cublasLtMatmulMatrixScale_t {
    use sys::cublasLtMatmulMatrixScale_t as Mode;
    match kind {
        BlockScale::Vec16Ue4m3 => Mode::CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3,
        BlockScale::Vec32Ue8m0 => Mode::CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0,
    }
}

/// In which types the library computes, and scales.
fn types(a: &Buffer, tf32: bool) -> (sys::cublasComputeType_t, sys::cudaDataType) {
    use sys::cublasComputeType_t as Compute;
    match a.dtype {
        DType::F64 => (Compute::CUBLAS_COMPUTE_64F, data_type(DType::F64)),
        DType::Tf32 => (Compute::CUBLAS_COMPUTE_32F_FAST_TF32, data_type(DType::F32)),
        DType::F32 if tf32 => (Compute::CUBLAS_COMPUTE_32F_FAST_TF32, data_type(DType::F32)),
        _ => (Compute::CUBLAS_COMPUTE_32F, data_type(DType::F32)),
    }
}

fn data_type(dtype: DType) -> sys::cudaDataType {
    use sys::cudaDataType_t as Type;
    match dtype {
        DType::E2m1 => Type::CUDA_R_4F_E2M1,
        DType::E8m0 => Type::CUDA_R_8F_UE8M0,
        DType::Ue4m3 => Type::CUDA_R_8F_UE4M3,
        DType::E4m3 => Type::CUDA_R_8F_E4M3,
        DType::E5m2 => Type::CUDA_R_8F_E5M2,
        DType::Bf16 => Type::CUDA_R_16BF,
        DType::F16 => Type::CUDA_R_16F,
        DType::Tf32 | DType::F32 => Type::CUDA_R_32F,
        DType::F64 => Type::CUDA_R_64F,
        DType::U8 => Type::CUDA_R_8U,
        DType::U16 => Type::CUDA_R_16U,
        DType::U32 => Type::CUDA_R_32U,
        DType::U64 => Type::CUDA_R_64U,
        DType::I8 => Type::CUDA_R_8I,
        DType::I16 => Type::CUDA_R_16I,
        DType::I32 => Type::CUDA_R_32I,
        DType::I64 => Type::CUDA_R_64I,
    }
}

fn buffer(plan: &LaunchPlan, at: usize) -> Result<&Buffer, LaunchError> {
    plan.buffer(at).ok_or(LaunchError::NotStated {
        subject: String::new(),
        what: "which buffers the product is of",
        cure: "name buffers of `args` in `cublaslt`",
    })
}

/// Library, types and epilogue in words.
pub(super) fn name(gemm: &Gemm, plan: &LaunchPlan) -> Result<String, LaunchError> {
    is_there()?;
    let (a, b, out) = (buffer(plan, gemm.a)?, buffer(plan, gemm.b)?, buffer(plan, gemm.out)?);
    // SAFETY: asks for a number.
    let version = unsafe { sys::cublasLtGetVersion() };
    let upper = |dtype: DType| dtype.name().to_uppercase();
    let mut words = vec![
        format!("cuBLASLt {}.{}.{}", version / 10_000, version / 100 % 100, version % 100),
        format!("{} × {} → {}", upper(a.dtype), upper(b.dtype), upper(out.dtype)),
    ];
    words.extend((gemm.batch > 1).then(|| match gemm.groups {
        Some(_) => format!("products of {} groups side by side", gemm.batch),
        None => format!("{} products", gemm.batch),
    }));
    words.extend(gemm.scales.map(|scales| format!("scales {}", scales.kind.name())));
    words.extend(gemm.bias.map(|_| "bias".to_owned()));
    words.extend((a.dtype == DType::F32 && gemm.tf32).then(|| "through TF32".to_owned()));
    let is_scaled_once = a.dtype.bytes() == 1 && gemm.scales.is_none();
    words.extend((is_scaled_once && gemm.fast_accumulation).then(|| "fast accumulation".to_owned()));
    Ok(words.join(", "))
}
