//! The mbarriers of kernels, walked through their machine code.

use crate::build_tools::tools;
use crate::project::Project;
use std::fs;
use std::path::Path;

/// A ring as it must be, with one fault each, and as a walk cannot decide it: its flags, and what its row says.
const VARIANTS: [(&str, &str, &str); 8] = [
    ("right", "-DUSERS=2u -DSTART=1u", ""),
    (
        "a third user",
        "-DUSERS=3u -DSTART=1u",
        "waits at :44 for phase 1 of the mbarrier at 0x510 of block 0, which has 2 of 3 arrivals",
    ),
    ("one user of two", "-DUSERS=1u -DSTART=1u", "nobody goes on"),
    ("four lanes of each", "-DUSERS=8u -DSTART=1u -DLANES=4u", ""),
    (
        "an arrival too many",
        "-DUSERS=7u -DSTART=1u -DLANES=4u",
        "phases of the mbarrier at 0x510 of block 0, by the order in which warps run",
    ),
    ("parity stays", "-DUSERS=2u -DSTART=1u -DSTUCK", "nobody goes on"),
    ("waits for the first use", "-DUSERS=2u -DSTART=0u", "waits at :44 for phase 1 of the mbarrier"),
    (
        "turns of an argument",
        "-DUSERS=2u -DSTART=1u -DTURNS=turns",
        "cannot be walked without which way the branch at :41 goes",
    ),
];

#[test]
fn a_ring_is_walked_and_each_fault_is_named() {
    let project = Project::new();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ring.cu"), project.path("ring.cu")).unwrap();
    let subject = "[[subject]]\nname = \"ring\"\nkernel = \"^ring$\"\nsource = \"ring.cu\"\narch = \"sm_90a\"\nlaunch = { grid = 1, block = 96 }\n";
    let mut config = format!("{}\n{subject}", tools());
    for (name, flags, _) in VARIANTS {
        config +=
            &format!("[[subject.variant]]\nname = {name:?}\nflags = {:?}\n", flags.split(' ').collect::<Vec<_>>());
    }
    config += "[[subject.check]]\nname = \"phases\"\nresource = \"mbarrier-phases\"\ncount = \">= 3\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate ring --date 2026-01-01").done();
    let page = project.read("audits/2026-01-01-ring.md");
    assert!(page.contains("2 PASS, 5 FAIL, 1 INCONCLUSIVE"), "{page}");
    for (name, _, says) in VARIANTS.iter().filter(|(_, _, says)| !says.is_empty()) {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| phases ({name})")))
            .unwrap_or_else(|| panic!("{name}: {page}"));
        assert!(row.contains(says), "{row}");
    }
}
