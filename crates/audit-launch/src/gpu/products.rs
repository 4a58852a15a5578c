//! What cuBLASLt multiplies for a reference: one product, or one for each group of rows.
//!
//! Those of groups are side by side in one graph: the device runs as many of them at once as it has room for, and one call queues
//! them all. How many rows a group has stands in a buffer of the launch, which is read before each of them.

use super::Gpu;
use super::error::driver;
use super::gemm::{self, GemmRun};
use super::memory::read;
use crate::{Buffer, Gemm, LaunchError, LaunchPlan};
use cudarc::driver::result::{graph, stream};
use cudarc::driver::sys::{self, CUstreamCaptureMode};

/// Of so many sets of groups the products are kept: the launches of a benchmark read those of two seeds in turn.
const KEPT: usize = 2;

/// The products of a reference.
pub(super) struct Products {
    gemm: Gemm,
    capability: String,
    plan: LaunchPlan,
    /// Where each argument of the plan lies.
    addresses: Vec<u64>,
    sets: Vec<Set>,
    /// The one of them that is launched.
    now: usize,
    /// Place in the library's ranking that every product takes.
    chosen: usize,
    name: String,
}

/// The products for some groups; a single one without.
struct Set {
    begins: Vec<u64>,
    /// Fields are dropped in order: the graph before what it launches.
    graph: Option<Graph>,
    runs: Vec<GemmRun>,
}

impl Products {
    /// Prepares the products of the plan's buffers at the addresses that `pointer` gives, with the library's first choice, on a device
    /// of this compute capability. Those of groups are made by [`Products::prepare`].
    pub(super) fn new(
        gemm: &Gemm,
        capability: &str,
        plan: LaunchPlan,
        pointer: impl Fn(usize) -> Option<u64>,
    ) -> Result<Products, LaunchError> {
        let addresses = (0..plan.arguments.len()).map(|at| pointer(at).unwrap_or_default()).collect();
        let name = gemm::name(gemm, &plan)?;
        let mut all = Products {
            gemm: gemm.clone(),
            capability: capability.to_owned(),
            plan,
            addresses,
            sets: Vec::new(),
            now: 0,
            chosen: 0,
            name,
        };
        if gemm.groups.is_none() {
            let run = GemmRun::new(gemm, capability, &all.plan, |at| all.addresses[at])?;
            all.sets.push(Set { begins: Vec::new(), graph: None, runs: vec![run] });
        }
        Ok(all)
    }

    /// Library, types and epilogue in words.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Makes what the next launch needs: products of the groups that their buffer tells now.
    pub(super) fn prepare(&mut self, gpu: &Gpu) -> Result<(), LaunchError> {
        let Some((at, buffer)) = self.gemm.groups.and_then(|at| Some((at, self.plan.buffer(at)?))) else {
            return Ok(());
        };
        let begins = begins(buffer, &read(gpu, self.addresses[at], buffer.bytes() as usize)?, self.gemm.m)?;
        self.now = match self.sets.iter().position(|set| set.begins == begins) {
            Some(at) => at,
            None => {
                if self.sets.len() == KEPT {
                    self.sets.clear();
                }
                let runs = self.of_groups(&begins)?;
                self.sets.push(Set { begins, graph: None, runs });
                self.sets.len() - 1
            }
        };
        let set = &mut self.sets[self.now];
        if set.graph.is_none() {
            set.graph = Some(Graph::of(gpu, &set.runs)?);
        }
        Ok(())
    }

    /// A product for each group that has rows.
    fn of_groups(&self, begins: &[u64]) -> Result<Vec<GemmRun>, LaunchError> {
        let Gemm { a, b, out, n, k, .. } = self.gemm;
        let apart =
            |at: usize, elements: u64| self.plan.buffer(at).map_or(0, |buffer| buffer.dtype.bytes() as u64 * elements);
        let (row, matrix, result) = (apart(a, k), apart(b, n * k), apart(out, n));
        let groups = begins.windows(2).zip(0u64..).filter(|(ends, _)| ends[0] < ends[1]);
        groups
            .map(|(ends, nth)| {
                let one = Gemm { batch: 1, m: ends[1] - ends[0], ..self.gemm.clone() };
                let address = |at: usize| {
                    let behind = [(a, ends[0] * row), (b, nth * matrix), (out, ends[0] * result)];
                    self.addresses[at] + behind.iter().find(|(of, _)| *of == at).map_or(0, |(_, bytes)| *bytes)
                };
                let mut run = GemmRun::new(&one, &self.capability, &self.plan, address)?;
                run.choose(self.chosen);
                Ok(run)
            })
            .collect()
    }

    fn runs(&self) -> &[GemmRun] {
        self.sets.get(self.now).map_or(&[], |set| &set.runs)
    }

    /// Algorithms that the library offers, for the product that has the most.
    pub(super) fn algorithms(&self) -> usize {
        self.runs().iter().map(GemmRun::algorithms).max().unwrap_or_default()
    }

    /// Makes each product take the algorithm at a position, its last one where there are not that many.
    pub(super) fn choose(&mut self, position: usize) {
        self.chosen = position;
        for set in &mut self.sets {
            set.graph = None;
            set.runs.iter_mut().for_each(|run| run.choose(position));
        }
    }

    /// What was chosen in words.
    pub(super) fn algorithm(&self) -> String {
        match self.runs() {
            [one] => one.algorithm(),
            several => format!("number {} of what it offers for each of {} products", self.chosen + 1, several.len()),
        }
    }

    /// Queues all products.
    pub(super) fn launch(&self, gpu: &Gpu) -> Result<(), LaunchError> {
        match self.sets.get(self.now) {
            Some(Set { graph: Some(all), .. }) => all.launch(gpu),
            Some(Set { runs, .. }) => runs.iter().try_for_each(|run| run.launch(gpu)),
            None => Ok(()),
        }
    }
}

/// Where groups begin and the last one ends, of `rows` rows.
fn begins(buffer: &Buffer, bytes: &[u8], rows: u64) -> Result<Vec<u64>, LaunchError> {
    let begins: Vec<u64> = bytes.chunks_exact(buffer.dtype.bytes()).map(|element| buffer.dtype.bits(element)).collect();
    if begins.is_sorted() && begins.last().is_some_and(|end| *end <= rows) {
        return Ok(begins);
    }
    let why = format!("{} does not say where groups of {rows} rows begin: something wrote to it", buffer.name);
    Err(LaunchError::Refused { why, cure: "the kernel must leave its inputs as they are" })
}

/// Products side by side, as the driver launches them.
struct Graph(sys::CUgraphExec);

impl Graph {
    fn of(gpu: &Gpu, runs: &[GemmRun]) -> Result<Graph, LaunchError> {
        let doing = "putting the products of groups side by side";
        let mut all = Captured(std::ptr::null_mut());
        // SAFETY: the pointer is to a word of ours.
        unsafe { sys::cuGraphCreate(&raw mut all.0, 0) }.result().map_err(driver(doing))?;
        for run in runs {
            let one = Captured::of(gpu, run)?;
            let mut node = std::ptr::null_mut();
            // SAFETY: both graphs are alive, and the driver copies the one into the other; there are no dependencies to read.
            unsafe { sys::cuGraphAddChildGraphNode(&raw mut node, all.0, std::ptr::null(), 0, one.0) }
                .result()
                .map_err(driver(doing))?;
        }
        // SAFETY: the graph is whole.
        let ready = unsafe { graph::instantiate(all.0, sys::CUgraphInstantiate_flags(0)) };
        ready.map(Graph).map_err(driver(doing))
    }

    fn launch(&self, gpu: &Gpu) -> Result<(), LaunchError> {
        // SAFETY: graph and stream are alive.
        unsafe { graph::launch(self.0, gpu.stream) }.map_err(driver("launching the cuBLASLt products"))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made once, used by nobody after this.
        let _ = unsafe { graph::exec_destroy(self.0) };
    }
}

/// A graph in the making.
struct Captured(sys::CUgraph);

impl Captured {
    /// What a product queues.
    fn of(gpu: &Gpu, run: &GemmRun) -> Result<Captured, LaunchError> {
        let doing = "recording a product";
        // SAFETY: the stream is alive.
        unsafe { stream::begin_capture(gpu.stream, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) }
            .map_err(driver(doing))?;
        let queued = run.launch(gpu);
        // SAFETY: the capture was begun above, and ends whatever came of the launch.
        let whole = unsafe { stream::end_capture(gpu.stream) }.map(Captured).map_err(driver(doing));
        queued.and(whole)
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made once, used by nobody after this.
            let _ = unsafe { graph::destroy(self.0) };
        }
    }
}
