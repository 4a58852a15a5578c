//! The build tools at work: PTX names seen again in fresh code, control flow beside nvdisasm's, and what goes wrong.

use crate::read_sass::{join_unnamed, nodes_of_dot, nodes_of_flow};
use kernel_audit::analysis::code::{CodeInputs, LaunchShape, RoleRow, code_facts};
use kernel_audit::analysis::phases::dispatches;
use kernel_audit::analysis::sass::{Listed, opcode_matches};
use kernel_audit::catalog::sass_aliases;
use kernel_audit::collect::{Build, Call, Places, Tool, compile, disassemble, run};
use kernel_audit::evidence::CodeBuild;
use kernel_audit::source::{CodeParts, Neutral, read_code};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Flags of the patch embedding with scales.
const SCALED: [&str; 3] = ["-O3", "-DSCALED=1", "-DTILE_N=128"];

/// The tools of this repository's own toolchain, so that tests see the pinned versions; the disassembler is [`nvdisasm`].
pub(crate) fn places() -> Places {
    let named = [("nvdisasm".to_owned(), nvdisasm().to_owned())].into();
    let places = Places { cuda: Some(Path::new(ROOT).join(".cuda")), named, ..Places::default() };
    assert!(places.find(Tool::Nvcc).is_ok(), "this test compiles CUDA: run `kernels/toolchain.sh` once");
    places
}

/// The same for an audit.toml.
pub(crate) fn tools() -> String {
    let Places { cuda, named, .. } = places();
    format!("[tools]\ncuda = {:?}\nnvdisasm = {:?}\n", cuda.unwrap(), named["nvdisasm"])
}

/// What runs nvdisasm where nobody asked it before: a run takes half a second, and one cubin is asked for by many tests. What it
/// printed is known by the program, its arguments, and the bytes of the files among them. Yesterday's is swept.
fn nvdisasm() -> &'static Path {
    static SCRIPT: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvdisasm");
        fs::create_dir_all(&folder).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let age = fs::metadata(&path).ok().and_then(|file| file.modified().ok()?.elapsed().ok());
            if age.is_some_and(|age| age > Duration::from_secs(24 * 60 * 60)) {
                fs::remove_file(path).ok();
            }
        }
        let script = r#"#!/bin/sh
set -e
tool='ROOT/.cuda/bin/nvdisasm'
key=$({ ls -lL "$tool"; for word; do if [ -f "$word" ]; then cat "$word"; else echo "$word"; fi; done; } | sha256sum)
kept="${0%/*}/${key%% *}"
if [ ! -f "$kept" ]; then
    trap 'rm -f "$kept.$$"' EXIT
    "$tool" "$@" >"$kept.$$"
    mv "$kept.$$" "$kept"
fi
cat "$kept"
"#;
        let mut file =
            tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempfile_in(&folder).unwrap();
        file.write_all(script.replace("ROOT", ROOT).as_bytes()).unwrap();
        let path = folder.join("run");
        file.persist(&path).unwrap();
        path
    });
    &SCRIPT
}

pub(crate) fn build(folder: &Path, source: &str, arch: &str) -> CodeBuild {
    built(folder, source, arch, &["-O3"])
}

fn built(folder: &Path, source: &str, arch: &str, flags: &[&str]) -> CodeBuild {
    let places = places();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let what = Build { source: source.into(), arch: arch.into(), flags };
    let made = compile(&places, folder, &what).unwrap();
    let sass = disassemble(&places, &made.cubin).unwrap();
    let parts = CodeParts {
        input: source,
        command: &made.command,
        compiler: &made.tool,
        disassembler: &sass.tool,
        cubin: &made.cubin,
        log: Some(&made.log),
        sass: &sass.text,
    };
    read_code(&parts, &Neutral::new(folder, Some(&made.toolkit))).unwrap()
}

#[test]
fn every_alias_is_what_the_compiler_makes_of_it() {
    let folder = Path::new(ROOT).join("tests/fixtures/sass_alias_snippets");
    let files = ["memory.cu", "sync.cu", "math.cu", "tensor.cu"];
    for (arch, chip) in [("sm_90a", "sm_90"), ("sm_100a", "sm_100")] {
        let builds: Vec<CodeBuild> = std::thread::scope(|scope| {
            let started: Vec<_> = files.iter().map(|file| scope.spawn(|| build(&folder, file, arch))).collect();
            started.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for row in sass_aliases() {
            let symbol = format!("probe_{}", row.probe);
            let function = builds.iter().find_map(|build| build.listing.function(&symbol));
            let Some(patterns) = row.sass.get(chip) else {
                assert!(function.is_none(), "{}: {symbol} exists on {chip}, and the row has no {chip}", row.name);
                continue;
            };
            let function = function.unwrap_or_else(|| panic!("{}: no {symbol} on {chip}", row.name));
            for pattern in patterns {
                let is_there = function.instructions.iter().any(|i| opcode_matches(i.named(), pattern));
                assert!(is_there, "{}: no {pattern} in {symbol} on {chip}", row.name);
            }
        }
    }
}

#[test]
fn blocks_edges_and_roles_of_a_specialised_kernel_are_found() {
    let places = places();
    let kernels = Path::new(ROOT).join("kernels");
    let source = Path::new("patch_embed_gemm_sm100.cu");
    let flags = SCALED.map(str::to_owned).to_vec();
    let what = Build { source: source.into(), arch: "sm_100a".into(), flags };
    let made = compile(&places, &kernels, &what).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("k.cubin");
    std::fs::write(&cubin, &made.cubin).unwrap();
    let nvdisasm = places.find(Tool::Nvdisasm).unwrap();
    let graph = run(&Call::new(&nvdisasm.path).argument("-bbcfg").argument("-poff").argument(&cubin)).unwrap();
    let build = built(&kernels, "patch_embed_gemm_sm100.cu", "sm_100a", &SCALED);
    let mut theirs = nodes_of_dot(&String::from_utf8(graph.stdout).unwrap());
    assert!(theirs.len() > 50);
    let ours = nodes_of_flow(build.listing.functions.iter());
    assert_eq!(join_unnamed(&mut theirs, &ours), 1);
    let only = |a: &BTreeMap<u64, (usize, BTreeSet<u64>)>, b: &BTreeMap<u64, (usize, BTreeSet<u64>)>| {
        a.keys().filter(|key| !b.contains_key(key)).map(|key| format!("{:#x}", key & 0xffff_ffff)).collect::<Vec<_>>()
    };
    assert_eq!((only(&ours, &theirs), only(&theirs, &ours)), (Vec::new(), Vec::new()));
    for (start, node) in &theirs {
        assert_eq!(&ours[start], node, "{:#x}", start & 0xffff_ffff);
    }

    let function = &build.listing.functions[0];
    let listed = Listed::of(function);
    let [dispatch] = &dispatches(&listed)[..] else { panic!("one place where warps part") };
    let who: Vec<String> = dispatch.roles.iter().map(|role| role.who.unwrap().to_string()).collect();
    assert_eq!(who, ["warp other than 4, 5", "warp 5", "warp 4"]);
    let holds = |role: usize, opcode: &str| {
        let own = dispatch.roles[role].blocks.iter().flat_map(|at| listed.flow.blocks[*at].instructions.clone());
        own.filter(|at| function.instructions[*at].op().name() == opcode).count()
    };
    assert_eq!((holds(0, "LDTM"), holds(1, "UTCQMMA"), holds(2, "UTMALDG")), (4, 4, 4));
    assert_eq!((holds(0, "UTMALDG"), holds(1, "STG"), holds(2, "UTCQMMA")), (0, 0, 0));
    assert!(dispatch.meet.is_some());
}

#[test]
fn tensor_memory_and_the_roles_of_warps_follow_from_the_code() {
    let build = built(&Path::new(ROOT).join("kernels"), "patch_embed_gemm_sm100.cu", "sm_100a", &SCALED);
    let inputs = CodeInputs {
        build: &build,
        variant: "",
        old: None,
        kernel: None,
        old_kernel: None,
        launched: None,
        shape: LaunchShape {
            threads: Some(192),
            along_x: Some(192),
            dynamic_shared: Some(64 * 1024),
            ..LaunchShape::default()
        },
        checks: &[],
        shared: &[],
    };
    let code = code_facts(&inputs).unwrap();
    // `tcgen05.alloc … 512` of 512 columns: one block, whatever room shared memory leaves.
    let columns = code.resources.iter().find(|row| row.label == "Tensor memory, columns").unwrap();
    assert_eq!(columns.cubin, Some(512));
    assert_eq!((code.occupancies[0].blocks, code.occupancies[0].limiters()), (1, vec!["registers", "tensor memory"]));
    // What the compiler calls where an allocation goes wrong traps, and is no function of the kernel.
    assert_eq!(code.flow.called, 0);
    // The source's tile of 256 rows and 128 columns.
    let products: Vec<_> = code.products.iter().map(|own| (own.opcode.as_str(), own.shape, own.count)).collect();
    assert_eq!(products, [("UTCQMMA.2CTA", Some([256, 128]), 4)]);
    // Of the other kernel a lane stores 32 bytes of a row of 16,384.
    let flags = ["-O3", "-DVECTOR=16", "-DTILE_N=128"];
    let fp4 = built(&Path::new(ROOT).join("kernels"), "block_scaled_gemm.cu", "sm_100a", &flags);
    let fp4 = code_facts(&CodeInputs { build: &fp4, ..inputs.clone() }).unwrap();
    let stores: Vec<_> =
        fp4.stores.iter().map(|own| (own.bits, own.count, own.reach.sectors, own.reach.lines)).collect();
    assert_eq!(stores, [(256, 8, 32, 32)]);
    let role = |opcode: &str| {
        let roles = code.dispatches[0].roles.iter();
        roles.filter(|role| role.telling.iter().any(|(own, _)| own.name() == opcode)).collect::<Vec<_>>()
    };
    let meets = |role: &RoleRow| role.barriers.iter().any(|own| own.barrier == "mbarrier" && own.waits > 0);
    assert!(["LDTM", "UTCQMMA", "UTMALDG"].iter().all(|opcode| role(opcode).iter().any(|role| meets(role))));
}

#[test]
fn a_kernel_without_roles_has_none_and_no_file_name_tells_the_machine() {
    let build = build(Path::new(ROOT), "kernels/barrier_reduction.cu", "sm_90a");
    let function = &build.listing.functions[0];
    assert!(dispatches(&Listed::of(function)).is_empty());
    let files: Vec<&str> = build
        .listing
        .functions
        .iter()
        .flat_map(|f| &f.instructions)
        .flat_map(|i| i.places.iter())
        .map(|p| p.file.as_ref())
        .collect();
    assert!(!files.is_empty() && files.iter().all(|file| !file.starts_with('/')), "{files:?}");
    assert!(files.contains(&"kernels/barrier_reduction.cu"));
    assert!(!build.command.contains(ROOT) && build.command.ends_with("kernels/barrier_reduction.cu"));
}
