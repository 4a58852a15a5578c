//! `audit collect --timeline` with a script for nsys, and the page of a program.

use crate::project::{Run, audit};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Records into the file behind `--output`, and prints the tables of a recording.
const NSYS: &str = r#"#!/bin/sh
case $1 in
--version) echo 'NVIDIA Nsight Systems version 2025.3.2.474-253236389321v0'; exit 0;;
profile)
    echo "$*" >> runs.log
    while [ $# -gt 0 ]; do [ "$1" = --output ] && file=$2; shift; done
    echo recorded > "$file";;
stats)
    while [ $# -gt 1 ]; do shift; done
    [ "$(cat "$1")" = recorded ] || exit 1
    cat tables.csv;;
esac
"#;
const TABLES: &str = "Processing [x.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...\n\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\nTime (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n90.0,1800000,3,600000.0,600000.0,500000,700000,100000.0,\"gemm(const float *)\"\n10.0,200000,2,100000.0,100000.0,90000,110000,14142.1,\"sum(const float *, int)\"\n";

struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Lab {
        let lab = Lab(tempfile::tempdir().unwrap());
        let config = "[tools]\nncu = \"./ncu\"\nnsys = \"./nsys\"\n[[subject]]\nname = \"app\"\ntitle = \"The whole app\"\nkernel = \"^gemm$\"\nrun = [\"./program\", \"--steps\", \"3\"]\nprefix = [\"env\"]\n[subject.collect]\nsanitizers = []\n";
        fs::write(lab.path("audit.toml"), config).unwrap();
        fs::write(lab.path("tables.csv"), TABLES).unwrap();
        lab.script("program", "#!/bin/sh\n");
        lab.script("nsys", NSYS);
        let report = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/labelled/stream_triad.ncu-repz");
        lab.script("ncu", &format!("#!/bin/sh\n[ $1 = --version ] && {{ echo 'Version 2025.3.1.0'; exit 0; }}\nwhile [ $# -gt 0 ]; do [ \"$1\" = --export ] && file=$2; shift; done\ncp {report} $file\necho '==PROF== Profiling \"gemm\" - 0: 0%....100% - 17 passes'\n"));
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, words: &str) -> Run {
        Run(audit(self.0.path()).args(words.split_whitespace()).output().unwrap())
    }

    fn step(&self) -> serde_json::Value {
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(self.path("collected/app/collected.json")).unwrap()).unwrap();
        let steps = manifest["steps"].as_array().unwrap();
        steps.iter().find(|step| step["step"] == "timeline").expect("a timeline").clone()
    }
}

#[test]
fn the_whole_program_is_recorded_and_its_page_is_dated() {
    let lab = Lab::new();
    lab.run("timeline --subject app").ends(2, "run `audit collect app --timeline` where Nsight Systems is");
    lab.run("collect --timeline --quiet").done();
    let step = lab.step();
    assert_eq!((step["outcome"].as_str(), step["tool"].as_str()), (Some("made"), Some("nsys 2025.3.2.474")));
    // What stands behind a program that is not the profiler itself is the user's own.
    assert_eq!(step["command"], "env <arguments>");
    assert_eq!(fs::read_to_string(lab.path("collected/app/timeline.csv")).unwrap(), TABLES);
    // The recording is read by nsys alone and does not stay.
    let kept = fs::read_dir(lab.path("collected/app")).unwrap();
    assert!(!kept.map(|entry| entry.unwrap().file_name()).any(|name| name.to_string_lossy().contains("nsys-rep")));
    lab.run("collect --timeline --quiet").done();
    assert_eq!(fs::read_to_string(lab.path("runs.log")).unwrap().lines().count(), 1, "it is kept");

    assert_eq!(lab.run("timeline --subject app --date 2026-11-20").done(), "audits/2026-11-20-app/timeline.md\n");
    let page = fs::read_to_string(lab.path("audits/2026-11-20-app/timeline.md")).unwrap();
    for part in [
        "# Timeline: The whole app",
        "| `gemm(const float *)` | 90.00 % |",
        "Do kernels dominate? ",
        "kernel = '^gemm$'",
        "collected/app/timeline.csv",
        "audit timeline --subject app --date 2026-11-20",
    ] {
        assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part}\n{page}");
    }
    // Our own words between the blocks stay.
    let mine = page.replacen("<!-- audit:end lead -->", "<!-- audit:end lead -->\n\nOur own words.\n\n", 1);
    fs::write(lab.path("audits/2026-11-20-app/timeline.md"), &mine).unwrap();
    fs::write(lab.path("collected/app/timeline.csv"), TABLES.replace("90.0,1800000", "91.0,2000000")).unwrap();
    lab.run("timeline --subject app --date 2026-11-20").done();
    let again = crate::project::loose(&fs::read_to_string(lab.path("audits/2026-11-20-app/timeline.md")).unwrap());
    assert!(again.contains("Our own words.\n") && again.contains("90.91 %"), "{again}");
}

#[test]
fn a_recording_that_fails_is_said_and_leaves_the_profile() {
    let lab = Lab::new();
    fs::write(lab.path("tables.csv"), "nothing to see\n").unwrap();
    lab.run("collect --timeline --quiet").ends(0, "not measured: app timeline: what nsys printed cannot be read");
    assert!(!lab.path("collected/app/timeline.csv").exists() && lab.path("collected/app/profile.ncu-repz").is_file());
    lab.script("nsys", "#!/bin/sh\n[ $1 = --version ] && { echo 'version 2025.3.2'; exit 0; }\necho 'Illegal --trace argument'; exit 1\n");
    lab.run("collect --timeline --quiet").ends(0, "recorded nothing: Illegal --trace argument");
    fs::remove_file(lab.path("nsys")).unwrap();
    lab.run("collect --timeline --quiet").ends(0, "not measured: app timeline: nsys is not at");
    lab.run("doctor").ends(0, "needed for recording a whole program (`collect --timeline`)");
}
