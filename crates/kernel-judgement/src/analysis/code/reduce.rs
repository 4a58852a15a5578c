//! A build, reduced to its facts.

use super::block_limits::{self, LaunchShape};
use super::checks::{self, SassCheck};
use super::select::{self, CodeError, Launched};
use super::shared_layout::{self, SharedPart};
use super::{accesses, facts::CodeFacts, flow, latency, products, resources, shared_map, tensor_memory};
use crate::analysis::sass::{Listed, class_counts, diff, opcode_counts};
use crate::catalog;
use crate::evidence::{BuildRecord, CodeBuild, SassFunction};
use regex::Regex;

/// What the facts of a build are read from.
#[derive(Clone, Debug)]
pub struct CodeInputs<'r> {
    pub build: &'r CodeBuild,
    /// What it is called among several builds of one source; else empty.
    pub variant: &'r str,
    pub old: Option<&'r CodeBuild>,
    pub kernel: Option<&'r Regex>,
    /// Which kernel of the old build; `kernel` when absent.
    pub old_kernel: Option<&'r Regex>,
    /// What a report says of the launch.
    pub launched: Option<&'r Launched>,
    /// How the kernel is launched, as stated.
    pub shape: LaunchShape,
    pub checks: &'r [SassCheck],
    /// The parts of dynamic shared memory; none where the layout is not stated.
    pub shared: &'r [SharedPart],
}

const OPCODES_KEPT: usize = 40;

/// The facts of one build, beside the old one. Errors: when the kernel under audit is not in it, or cannot be told among several.
pub fn code_facts(inputs: &CodeInputs<'_>) -> Result<CodeFacts, CodeError> {
    let build = inputs.build;
    let kernel = select::kernel_of(&build.cubin, &build.input, inputs.kernel, inputs.launched)?;
    let record = record(build, &kernel.mangled);
    let nothing = SassFunction::default();
    let function = build.listing.function(&kernel.mangled).unwrap_or(&nothing);
    let listed = &Listed::of(function);
    let arch = build.cubin.arch.to_string();
    let mut resources = resources::rows(kernel, record, inputs.launched);
    let dynamic = block_limits::dynamic_shared(inputs.shape, inputs.launched);
    resources.extend(shared_map::rows(kernel, &arch, listed, dynamic));
    let initialised = shared_map::mbarriers(listed).and_then(|addresses| shared_map::initialised(&addresses));
    let layout = shared_layout::checked(inputs.shared, dynamic, initialised);
    resources.extend(layout.iter().flat_map(|(rows, _)| rows.clone()));
    resources.extend(tensor_memory::rows(listed));
    let columns = tensor_memory::columns(&resources);
    let occupancies = block_limits::occupancies(kernel, &arch, inputs.shape, inputs.launched, columns);
    let latency = catalog::chip_of_arch(&arch).and_then(|chip| chip.latency.as_ref());
    let loads = latency.map(|latency| latency::uses(listed, latency)).unwrap_or_default();
    let hottest = listed.hottest.map(|at| &listed.loops[at].blocks);
    let sides = kernel.cluster.map(|sides| sides.iter().product());
    let launched = inputs.launched.and_then(|launched| launched.cluster).filter(|blocks| *blocks > 0);
    let cluster = sides.or(launched).or(inputs.shape.cluster).unwrap_or(1);
    let ground = checks::Ground { arch: &arch, listed, resources: &resources, shape: inputs.shape, cluster };
    // What a launch touched was counted.
    let block = inputs.shape.sides().filter(|_| inputs.launched.is_none());
    let stores = block.map(|block| accesses::stores(listed, block)).unwrap_or_default();
    let opcodes = opcode_counts(listed.code);
    let old = old_code(inputs)?;
    let checked = inputs.checks.iter().filter_map(|check| checks::checked(check, &ground));
    Ok(CodeFacts {
        variant: inputs.variant.to_owned(),
        mangled: kernel.mangled.to_string(),
        kernel: crate::analysis::kernel::select::short_name(&kernel.demangled).to_owned(),
        input: build.input.clone(),
        command: build.command.clone(),
        compiler: build.compiler.clone(),
        disassembler: build.disassembler.clone(),
        cubin: build.command.is_empty().then(|| build.cubin.origin.clone()),
        code_sha256: kernel.code_sha256.clone(),
        identity: select::identity(&arch, &kernel.code_sha256, inputs.launched),
        warnings: build.log.iter().flat_map(|log| log.warnings.clone()).collect(),
        instructions: listed.code.len(),
        opcodes: opcodes.iter().take(OPCODES_KEPT).map(|(opcode, count)| ((*opcode).to_owned(), *count)).collect(),
        loops: flow::loop_rows(listed),
        dispatches: flow::dispatch_rows(listed),
        checked: checked.chain(layout.map(|(_, check)| check)).collect(),
        diff: old.as_ref().map(|(_, old)| diff(old, function)),
        before: old.map(|(old, _)| Box::new(old)),
        flow: flow::summary(listed),
        products: products::shapes(listed),
        arch,
        resources,
        occupancies,
        classes: class_counts(listed.code.iter()),
        widths: accesses::widths(listed.code.iter()),
        hot_widths: hottest.map(|blocks| accesses::widths(listed.instructions(blocks))),
        loads,
        stores,
        local: accesses::local(listed, kernel),
    })
}

fn record<'b>(build: &'b CodeBuild, mangled: &str) -> Option<&'b BuildRecord> {
    build.log.iter().flat_map(|log| &log.records).find(|record| record.mangled == mangled)
}

/// The facts of the old build by itself, with its function; `None` where it does not have the kernel.
fn old_code<'r>(inputs: &CodeInputs<'r>) -> Result<Option<(CodeFacts, &'r SassFunction)>, CodeError> {
    let Some(build) = inputs.old else { return Ok(None) };
    let filter = inputs.old_kernel.or(inputs.kernel);
    let kernel = select::kernel_of(&build.cubin, &build.input, filter, None)?;
    let Some(function) = build.listing.function(&kernel.mangled) else { return Ok(None) };
    let alone = CodeInputs { build, old: None, kernel: filter, launched: None, ..inputs.clone() };
    Ok(Some((code_facts(&alone)?, function)))
}
