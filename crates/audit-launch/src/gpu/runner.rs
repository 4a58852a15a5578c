//! Something that can be launched again and again: the kernel under audit, another kernel, or a product of cuBLASLt.

use super::Gpu;
use super::arguments::{Buffers, Packed, pack};
use super::kernel::{Kernel, Shape};
use super::products::Products;
use crate::{Given, KernelReference, LaunchError, LaunchPlan, Program, Reference, Role};
use launch_facts::{FunctionFacts, LaunchFacts};

/// Something that can be launched. Fields are dropped in order: the kernel before the memory it uses.
pub(super) struct Runner {
    what: What,
    /// Its outputs; for the kernel under audit its inputs too.
    pub(super) buffers: Buffers,
    /// Buffers that only it has, with the plan of their values.
    own: Option<(LaunchPlan, Buffers)>,
}

enum What {
    Kernel(Kernel, Vec<Packed>),
    /// Products, and the kernel that goes on with them.
    Gemm(Box<Products>, Option<(Kernel, Vec<Packed>)>),
}

impl Runner {
    /// The kernel under audit with buffers of its own.
    pub(super) fn subject(gpu: &Gpu, program: &Program, plan: &LaunchPlan) -> Result<Runner, LaunchError> {
        let all: Vec<usize> = (0..plan.arguments.len()).collect();
        let shape =
            Shape { grid: plan.grid, block: plan.block, cluster: plan.cluster, dynamic_shared: plan.dynamic_shared };
        let kernel = Kernel::load(gpu, program, shape, &plan.arguments.iter().map(Given::from).collect::<Vec<_>>())?;
        let buffers = Buffers::new(plan, |_| true)?;
        let packed = pack(plan, &all, true, |at| buffers.pointer(at))?;
        Ok(Runner { what: What::Kernel(kernel, packed), buffers, own: None })
    }

    /// A reference with outputs of its own that reads the inputs of `beside`. `program` is the code of the kernel that it
    /// launches.
    pub(super) fn reference(
        gpu: &Gpu,
        reference: &Reference,
        program: Option<&Program>,
        plan: &LaunchPlan,
        beside: &Runner,
    ) -> Result<Runner, LaunchError> {
        let buffers = Buffers::new(plan, |role| role != Role::In)?;
        let own = match reference.own() {
            [] => None,
            own => {
                let own = LaunchPlan { arguments: own.to_vec(), ..plan.clone() };
                let memory = Buffers::new(&own, |_| true)?;
                Some((own, memory))
            }
        };
        let extended = reference.extended(plan);
        let pointer = |at: usize| match at.checked_sub(plan.arguments.len()) {
            Some(behind) => own.as_ref().and_then(|(_, memory)| memory.pointer(behind)),
            None => buffers.pointer(at).or_else(|| beside.buffers.pointer(at)),
        };
        let load = |kernel: &KernelReference| {
            let missing = || {
                let wanted = kernel.kernel.clone().unwrap_or_else(|| "of the reference".to_owned());
                LaunchError::NoKernel { input: kernel.source.clone(), wanted, found: Vec::new() }
            };
            let packed = pack(&extended, &kernel.arguments, kernel.maps, pointer)?;
            let loaded = Kernel::load(gpu, program.ok_or_else(missing)?, shape(kernel), &kernel.given(plan))?;
            Ok::<_, LaunchError>((loaded, packed))
        };
        let what = match reference {
            Reference::Kernel(kernel) => {
                let (kernel, packed) = load(kernel)?;
                What::Kernel(kernel, packed)
            }
            Reference::Gemm(gemm) => {
                let then = gemm.then.as_ref().map(load).transpose()?;
                let products = Products::new(gemm, &gpu.facts().compute_capability, extended, pointer)?;
                What::Gemm(Box::new(products), then)
            }
        };
        Ok(Runner { what, buffers, own })
    }

    /// Writes fresh values for a seed into what it reads.
    pub(super) fn fill(&self, plan: &LaunchPlan, seed: u64) -> Result<(), LaunchError> {
        self.buffers.fill(plan, seed)?;
        self.own.as_ref().map_or(Ok(()), |(own, memory)| memory.fill(own, seed))
    }

    /// Queues what must happen before a launch.
    pub(super) fn reset(&mut self, gpu: &Gpu, turn: usize) -> Result<(), LaunchError> {
        self.buffers.reset(gpu, turn)?;
        self.gemm().map_or(Ok(()), |products| products.prepare(gpu))
    }

    /// Queues one launch; of a product it alone.
    pub(super) fn launch(&mut self, gpu: &Gpu) -> Result<(), LaunchError> {
        match &mut self.what {
            What::Kernel(kernel, arguments) => kernel.launch(gpu, arguments),
            What::Gemm(products, _) => products.launch(gpu),
        }
    }

    /// Queues one launch, and the kernel that goes on with a product.
    pub(super) fn launch_whole(&mut self, gpu: &Gpu) -> Result<(), LaunchError> {
        self.launch(gpu)?;
        match &mut self.what {
            What::Gemm(_, Some((kernel, arguments))) => kernel.launch(gpu, arguments),
            What::Gemm(_, None) | What::Kernel(..) => Ok(()),
        }
    }

    /// The products, where it is some.
    pub(super) fn gemm(&mut self) -> Option<&mut Products> {
        match &mut self.what {
            What::Gemm(products, _) => Some(products),
            What::Kernel(..) => None,
        }
    }

    /// What it is, where it is the kernel under audit.
    pub(super) fn facts(&self, program: &Program, plan: &LaunchPlan) -> LaunchFacts {
        LaunchFacts {
            kernel: program.kernel.clone(),
            code_sha256: program.code_sha256.clone(),
            grid: plan.grid,
            block: plan.block,
            cluster: plan.cluster,
            dynamic_shared: plan.dynamic_shared,
            arguments: plan.arguments.iter().map(crate::Argument::describe).collect(),
            function: match &self.what {
                What::Kernel(kernel, _) => kernel.facts().clone(),
                What::Gemm(..) => FunctionFacts::default(),
            },
        }
    }
}

fn shape(kernel: &KernelReference) -> Shape {
    Shape { grid: kernel.grid, block: kernel.block, cluster: None, dynamic_shared: kernel.dynamic_shared }
}
