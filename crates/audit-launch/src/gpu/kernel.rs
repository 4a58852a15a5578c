//! A loaded kernel: its attributes on this device, and the launch.

use super::Gpu;
use super::arguments::Packed;
use super::error::driver;
use crate::{Given, LaunchError, Program, fit};
use cudarc::driver::result::{self, function, module};
use cudarc::driver::sys::{self, CUfunction_attribute_enum as Attribute};
use launch_facts::FunctionFacts;
use std::ffi::{CString, c_void};

/// Largest cluster that every device with clusters runs (CUDA Programming Guide, thread block clusters).
const PORTABLE_CLUSTER: u32 = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) cluster: Option<[u32; 3]>,
    pub(super) dynamic_shared: u32,
}

#[derive(Debug)]
pub(super) struct Kernel {
    module: sys::CUmodule,
    function: sys::CUfunction,
    shape: Shape,
    facts: FunctionFacts,
}

impl Kernel {
    /// Loads a program, checks that the arguments fit it, and that it can be launched in this shape.
    pub(super) fn load(gpu: &Gpu, program: &Program, shape: Shape, given: &[Given]) -> Result<Kernel, LaunchError> {
        let name =
            || LaunchError::NoKernel { input: program.input.clone(), wanted: program.kernel.clone(), found: vec![] };
        if let Some(parameters) = &program.parameters {
            fit(&program.kernel, parameters, given)?;
        }
        let symbol = CString::new(program.kernel.as_str()).map_err(|_| name())?;
        // The driver takes PTX as text that ends in a zero; a cubin says its own length and does not mind one more.
        let mut image = program.image.clone();
        image.push(0);
        let doing = format!("loading {}", program.input.display());
        // SAFETY: the image is complete; the reader of cubins has looked at it, and the driver checks PTX.
        let module = unsafe { module::load_data(image.as_ptr().cast()) }.map_err(driver(&doing))?;
        let doing = format!("finding {} in {}", program.kernel, program.input.display());
        // SAFETY: the module was just loaded.
        let function = unsafe { module::get_function(module, symbol) }.map_err(driver(&doing))?;
        let mut kernel = Kernel { module, function, shape, facts: FunctionFacts::default() };
        if program.parameters.is_none() {
            fit(&program.kernel, &kernel.parameters()?, given)?;
        }
        kernel.prepare(gpu)?;
        Ok(kernel)
    }

    /// What the driver says of it.
    pub(super) fn facts(&self) -> &FunctionFacts {
        &self.facts
    }

    /// Bytes of each parameter, as the driver knows them.
    fn parameters(&self) -> Result<Vec<u32>, LaunchError> {
        let mut all = Vec::new();
        loop {
            let (mut offset, mut size) = (0usize, 0usize);
            // SAFETY: both pointers are to words of ours.
            let asked = unsafe { sys::cuFuncGetParamInfo(self.function, all.len(), &raw mut offset, &raw mut size) };
            match asked {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(all),
                ended => ended.result().map_err(driver("reading the kernel's parameters"))?,
            }
            all.push(size as u32);
        }
    }

    /// Reads attributes, checks the shape against them, and allows what has to be allowed before a launch.
    fn prepare(&mut self, gpu: &Gpu) -> Result<(), LaunchError> {
        let shape = self.shape;
        // SAFETY: the function is of a loaded module.
        let ask = |attribute| {
            unsafe { function::get_function_attribute(self.function, attribute) }
                .map(i32::unsigned_abs)
                .map_err(driver("reading the kernel's attributes"))
        };
        self.facts = FunctionFacts {
            registers: ask(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: ask(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?.into(),
            static_shared: ask(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?.into(),
            max_threads: ask(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            blocks_per_multiprocessor: 0,
        };
        let threads: u64 = shape.block.iter().map(|side| u64::from(*side)).product();
        if threads > u64::from(self.facts.max_threads) {
            return Err(LaunchError::Beyond {
                asked: format!("a block of {threads} threads"),
                limiter: "the kernel with its registers".to_owned(),
                allowed: self.facts.max_threads.to_string(),
                key: "`block`",
            });
        }
        let shared = gpu.facts().shared_bytes_per_block.saturating_sub(self.facts.static_shared);
        if u64::from(shape.dynamic_shared) > shared {
            return Err(LaunchError::Beyond {
                asked: format!("{} bytes of dynamic shared memory", shape.dynamic_shared),
                limiter: format!("the {} beside {} static bytes", gpu.facts().name, self.facts.static_shared),
                allowed: shared.to_string(),
                key: "`dynamic_shared`",
            });
        }
        let allow = |attribute, value: u32| {
            // SAFETY: as above.
            unsafe { function::set_function_attribute(self.function, attribute, value.cast_signed()) }
                .map_err(driver("raising the kernel's limits"))
        };
        if shape.dynamic_shared > 0 {
            allow(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.dynamic_shared)?;
        }
        if shape.cluster.is_some_and(|sides| sides.iter().product::<u32>() > PORTABLE_CLUSTER) {
            allow(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        let (block, shared) = (threads as i32, shape.dynamic_shared as usize);
        // SAFETY: as above.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(self.function, block, shared) };
        self.facts.blocks_per_multiprocessor = blocks.map_err(driver("reading the kernel's occupancy"))?.unsigned_abs();
        if self.facts.blocks_per_multiprocessor == 0 {
            return Err(LaunchError::Beyond {
                asked: format!("a block of {threads} threads with {shared} bytes of dynamic shared memory"),
                limiter: format!("a multiprocessor of the {}", gpu.facts().name),
                allowed: "none of them".to_owned(),
                key: "`block` or `dynamic_shared`",
            });
        }
        Ok(())
    }

    pub(super) fn launch(&self, gpu: &Gpu, arguments: &mut [Packed]) -> Result<(), LaunchError> {
        let mut pointers: Vec<*mut c_void> = arguments.iter_mut().map(Packed::pointer).collect();
        let Shape { grid, block, cluster, dynamic_shared } = self.shape;
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { pad: [0; 64] },
        };
        if let Some([x, y, z]) = cluster {
            attribute.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
        }
        let config = sys::CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: dynamic_shared,
            hStream: gpu.stream,
            attrs: &raw mut attribute,
            numAttrs: cluster.is_some().into(),
        };
        // SAFETY: number and sizes of the arguments were checked against the kernel's parameters when it was loaded;
        // the buffers behind them live as long as the runner that owns both.
        let launched = unsafe {
            sys::cuLaunchKernelEx(&raw const config, self.function, pointers.as_mut_ptr(), std::ptr::null_mut())
        };
        launched.result().map_err(driver("launching the kernel"))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the module was loaded once and nothing of it is used after this.
        let _ = unsafe { module::unload(self.module) };
    }
}
