//! The whole judgement of one build.

use super::accesses;
use super::block_limits::{self, LaunchShape};
use super::build::CodeAudit;
use super::checks::{self, CheckResult, SassCheck};
use super::flow;
use super::latency;
use super::patterns;
use super::products;
use super::resources;
use super::select::{self, CodeError, Launched};
use super::shared_layout::{self, SharedPart};
use super::{shared_map, tensor_memory};
use crate::analysis::limits::Limits;
use crate::analysis::sass::{ControlFlow, body, class_counts, diff, dispatches, loops, opcode_counts};
use crate::catalog::{self, Code};
use crate::evidence::{BuildRecord, CodeBuild, SassFunction};
use regex::Regex;

/// What the judgement of a build is made from.
#[derive(Clone, Debug)]
pub struct CodeInputs<'r> {
    /// The build under audit.
    pub build: &'r CodeBuild,
    /// What it is called among several builds of one source; else empty.
    pub variant: &'r str,
    /// The build to compare with.
    pub old: Option<&'r CodeBuild>,
    /// Which kernel.
    pub kernel: Option<&'r Regex>,
    /// Which kernel of the old build; `kernel` when absent.
    pub old_kernel: Option<&'r Regex>,
    /// What a report says of the launch.
    pub launched: Option<&'r Launched>,
    /// How the kernel is launched, as stated.
    pub shape: LaunchShape,
    /// Checks.
    pub checks: &'r [SassCheck],
    /// The parts of dynamic shared memory; none where the layout is not stated.
    pub shared: &'r [SharedPart],
    /// What judgements compare with.
    pub limits: &'r Limits,
}

/// The builds with what is concluded of them: what the code shows against the kernel, and what an earlier audit said of
/// checks and findings, where this one did not see the old code itself.
pub(in crate::analysis) fn concluded(codes: &[CodeAudit], earlier: &[CodeAudit], limits: &Limits) -> Vec<CodeAudit> {
    let mut codes = codes.to_vec();
    for code in &mut codes {
        code.findings = patterns::findings(code, limits);
        let same = |before: &&CodeAudit| (&before.arch, &before.variant) == (&code.arch, &code.variant);
        let Some(before) = earlier.iter().find(same) else { continue };
        for check in code.checks.iter_mut().filter(|check| check.old.is_none()) {
            let same = |was: &&CheckResult| (&was.name, &was.rule) == (&check.name, &check.rule);
            check.old = before.checks.iter().find(same).map(|was| was.verdict);
        }
        code.old_findings.get_or_insert_with(|| shown_by(before, limits));
    }
    codes
}

/// Opcodes that are kept.
const OPCODES_KEPT: usize = 40;

/// Judges one build.
///
/// # Errors
/// When the kernel under audit is not in it, or cannot be told among several.
pub fn audit_code(inputs: &CodeInputs<'_>) -> Result<CodeAudit, CodeError> {
    let build = inputs.build;
    let kernel = select::kernel(build, inputs.kernel, inputs.launched)?;
    let record = record(build, &kernel.mangled);
    let nothing = SassFunction::default();
    let function = build.listing.function(&kernel.mangled).unwrap_or(&nothing);
    let file = flow::main_file(function);
    let shape = ControlFlow::of(function);
    let (found, irreducible) = loops(&shape);
    let hottest = flow::hottest(function, &shape, &found);
    let arch = build.cubin.arch.to_string();
    let mut resources = resources::rows(kernel, record, inputs.launched);
    let dynamic = block_limits::dynamic_shared(inputs.shape, inputs.launched);
    resources.extend(shared_map::rows(kernel, &arch, (function, &shape, &found), dynamic));
    let initialised = shared_map::where_initialised((function, &shape, &found));
    let layout = shared_layout::judged(inputs.shared, dynamic, initialised);
    resources.extend(layout.iter().flat_map(|(rows, _)| rows.clone()));
    resources.extend(tensor_memory::rows(function, &shape, &found));
    let columns = tensor_memory::columns(&resources);
    let occupancies = block_limits::occupancies(kernel, &arch, inputs.shape, inputs.launched, columns);
    let latency = catalog::chip_of_arch(&arch).and_then(|chip| chip.latency.as_ref());
    let loads = latency.map(|latency| latency::uses(function, &shape, &found, latency, &file)).unwrap_or_default();
    let classes = class_counts(function);
    let code = body(function);
    let (widths, local) = (accesses::widths(code.iter()), accesses::local(function, kernel, &file));
    let hot_widths = hottest
        .map(|at| accesses::widths(found[at].blocks.iter().flat_map(|b| &code[shape.blocks[*b].instructions.clone()])));
    let flow_numbers = flow::summary(function, &shape, irreducible.len());
    let ground = checks::Ground {
        arch: &arch,
        file: &file,
        function,
        flow: &shape,
        loops: &found,
        hottest,
        resources: &resources,
    };
    // What a launch touched was counted.
    let block = inputs.shape.sides().filter(|_| inputs.launched.is_none());
    let stores = block.map(|block| accesses::stores(function, &arch, block, &file)).unwrap_or_default();
    let counts = opcode_counts(function);
    let old = old_code(inputs)?;
    let verdict = |at: usize| Some(old.as_ref()?.0.checks.get(at)?.verdict);
    let judged = inputs.checks.iter().filter_map(|check| checks::judge(check, &ground));
    let judged = judged.chain(layout.into_iter().map(|(_, check)| check));
    let judged = judged.enumerate().map(|(at, result)| CheckResult { old: verdict(at), ..result }).collect();
    Ok(CodeAudit {
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
        instructions: counts.iter().map(|count| count.count).sum(),
        opcodes: counts.iter().take(OPCODES_KEPT).map(|c| (c.opcode.to_string(), c.count)).collect(),
        loops: flow::loop_rows(function, &shape, &found, hottest, &file),
        dispatches: flow::dispatch_rows(function, &shape, &found, &dispatches(function, &shape), &file),
        checks: judged,
        diff: old.as_ref().map(|(_, old)| diff(old, function)),
        flow: flow_numbers,
        products: products::shapes(function, &shape),
        arch,
        resources,
        occupancies,
        classes,
        widths,
        hot_widths,
        loads,
        stores,
        local,
        findings: Vec::new(),
        old_findings: old.map(|(old, _)| shown_by(&old, inputs.limits)),
    })
}

/// Codes of what a build shows against its kernel.
fn shown_by(code: &CodeAudit, limits: &Limits) -> Vec<Code> {
    patterns::findings(code, limits).into_iter().map(|finding| finding.code).collect()
}

fn record<'b>(build: &'b CodeBuild, mangled: &str) -> Option<&'b BuildRecord> {
    build.log.iter().flat_map(|log| &log.records).find(|record| record.mangled == mangled)
}

/// The old build as it is judged by itself, with its function; `None` where it does not have the kernel.
fn old_code<'r>(inputs: &CodeInputs<'r>) -> Result<Option<(CodeAudit, &'r SassFunction)>, CodeError> {
    let Some(build) = inputs.old else { return Ok(None) };
    let filter = inputs.old_kernel.or(inputs.kernel);
    let kernel = select::kernel(build, filter, None)?;
    let Some(function) = build.listing.function(&kernel.mangled) else { return Ok(None) };
    let alone = CodeInputs { build, old: None, kernel: filter, launched: None, ..inputs.clone() };
    Ok(Some((audit_code(&alone)?, function)))
}
