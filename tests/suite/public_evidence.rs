//! What `audit collect` keeps says nothing of the people and machines that made it.

use crate::made_report::{KERNEL, MadeReport, block, double, kernel, metric, nested, number, strings};
use crate::project::{Run, audit};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// What must not be kept.
const SECRETS: [&str; 6] = ["node17", "10.9.8.7", "dave", "hf_token", "SECRET_KEY", "Eve"];

/// A report with what ncu and its window write of the machine, around one launch of `scale`.
fn report() -> MadeReport {
    let system = [nested(1, "Linux"), nested(5, "node17"), nested(7, nested(1, "10.9.8.7"))].concat();
    let started = [nested(1, "/home/dave/app"), nested(4, "SECRET_KEY=1")].concat();
    let session = [
        nested(3, &system),
        nested(4, &system),
        nested(7, "a remark of Eve"),
        nested(9, started),
        nested(11, "/opt/ncu --set full --import-source yes /home/dave/app --token=hf_token"),
    ];
    let process = nested(6, [number(1, 7), nested(2, "node17"), nested(3, "/home/dave/bin/app")].concat());
    let stack = nested(28, nested(1, [nested(1, "/home/dave/bin/app"), nested(4, "main")].concat()));
    let launch = kernel(&[metric(13, 0, &[nested(2, double(1500.0))]), stack]);
    let source =
        [number(1, 1), nested(8, nested(1, [nested(1, "/home/dave/src/scale.cu"), nested(2, "code")].concat()))];
    MadeReport::with(&[
        block(&[nested(3, session.concat()), strings(&["gpu__time_duration.sum"])], &[], &[]),
        block(std::slice::from_ref(&process), &[1], &[source.concat()]),
        block(std::slice::from_ref(&process), &[KERNEL], &[launch]),
    ])
}

#[test]
fn a_kept_report_names_nobody_and_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let report = report();
    fs::create_dir(path("fake")).unwrap();
    let ncu = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'Version 2025.3.1.0 (build 1)'; exit 0; }}\n\
         while [ $# -gt 0 ]; do [ \"$1\" = --export ] && file=$2; shift; done\n\
         cp {} $file; echo '==PROF== Profiling \"scale\" - 0: 0%....50%....100% - 1 passes'\n",
        report.path().display()
    );
    let sanitizer = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Version 2025.3.1'; exit 0; }\n\
         while [ $# -gt 0 ]; do [ \"$1\" = --save ] && file=$2; shift; done\n\
         printf '<?xml version=\"1.0\"?>\\n<ComputeSanitizerOutput><record><kind>Precise</kind><level>Error</level><what><text>bad</text></what>\
         <hostStack><frame><module>/home/dave/app</module></frame></hostStack></record></ComputeSanitizerOutput>\\n' > $file\n\
         echo '========= COMPUTE-SANITIZER'; echo '========= ERROR SUMMARY: 1 error'\n";
    for (name, text) in [("fake/ncu", ncu.as_str()), ("fake/compute-sanitizer", sanitizer), ("program", "#!/bin/sh\n")]
    {
        fs::write(path(name), text).unwrap();
        fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = "[tools]\nncu = \"fake/ncu\"\ncompute-sanitizer = \"fake/compute-sanitizer\"\n[[subject]]\nname = \"scale\"\n\
         run = [\"./program\", \"--token=hf_token\"]\nprefix = [\"env\"]\n\
         [subject.collect]\nsanitizers = [\"memcheck\"]\nlaunches = 0\nplain = true\nmetrics = \"basic\"\n";
    fs::write(path("audit.toml"), config).unwrap();
    Run(audit(folder.path()).args(["collect", "scale", "--quiet"]).output().unwrap()).done();

    let evidence = path("collected/scale");
    for entry in fs::read_dir(&evidence).unwrap() {
        let file = entry.unwrap().path();
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} is in {}", file.display());
        }
    }
    let kept = fs::read(evidence.join("profile.ncu-rep")).unwrap();
    let has = |text: &str| kept.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("ncu --set full --import-source yes app <arguments>") && has("/home/xxxx/src/scale.cu") && has("code"));

    // What was measured is what ncu wrote.
    let launches = |file: &std::path::Path| {
        let printed = Run(audit(folder.path()).args(["dump", "evidence"]).arg(file).output().unwrap()).done();
        serde_json::from_str::<serde_json::Value>(&printed).unwrap()["launches"].clone()
    };
    assert_eq!(launches(&evidence.join("profile.ncu-rep")), launches(&report.path()));

    // A log that leads elsewhere is not written to.
    fs::remove_file(evidence.join("collect.log")).unwrap();
    fs::write(path("mine"), "own").unwrap();
    std::os::unix::fs::symlink(path("mine"), evidence.join("collect.log")).unwrap();
    Run(audit(folder.path()).args(["collect", "scale", "--quiet"]).output().unwrap()).ends(4, "it is a symbolic link");
    assert_eq!(fs::read_to_string(path("mine")).unwrap(), "own");
}
