//! Files and links of somebody else where a file of an audit goes.

use crate::project::{Profile, Project};
use std::fs;

#[cfg(unix)]
#[test]
fn charts_behind_a_link_and_pictures_of_others_stay() {
    let project = Project::new();
    project.report("new.csv", &[Profile::default()]);
    fs::create_dir_all(project.path("elsewhere")).unwrap();
    fs::create_dir_all(project.path("pages/2026-01-02-scale")).unwrap();
    fs::write(project.path("elsewhere/stalls.svg"), "mine").unwrap();
    fs::write(project.path("pages/2026-01-02-scale/stalls.svg"), "<svg>mine</svg>").unwrap();
    std::os::unix::fs::symlink(project.path("elsewhere"), project.path("pages/2026-01-01-scale")).unwrap();
    project.run("generate --date 2026-01-01").done();
    project.report("new.csv", &[Profile::steady(90_000.0)]);
    project.run("generate --date 2026-01-02").done();
    assert_eq!(project.read("elsewhere/stalls.svg"), "mine");
    assert_eq!(project.read("pages/2026-01-02-scale/stalls.svg"), "<svg>mine</svg>");
}

#[cfg(unix)]
#[test]
fn what_this_program_did_not_write_is_not_replaced() {
    let own = |project: &Project, file: &str| fs::write(project.path(file), "own").unwrap();
    let link = |project: &Project, to: &str, at: &str| {
        std::os::unix::fs::symlink(project.path(to), project.path(at)).unwrap();
    };
    let fresh = || {
        let project = Project::new();
        project.report("new.csv", &[Profile::default()]);
        fs::create_dir(project.path("pages")).unwrap();
        own(&project, "mine");
        project
    };
    let made = "generate scale --date 2026-01-01 --html";

    // An HTML page of somebody else, and one behind a link.
    let project = fresh();
    own(&project, "pages/2026-01-01-scale.html");
    project.run(made).ends(5, "audit did not write it");
    assert!(!project.path("pages/2026-01-01-scale.md").exists());
    assert_eq!(project.read("pages/2026-01-01-scale.html"), "own");
    project.run(&format!("{made} --force")).done();
    // Its own is replaced, also from the snapshot.
    project.run(made).done();
    project.run("render pages/2026-01-01-scale.json --format html").done();
    let project = fresh();
    link(&project, "mine", "pages/2026-01-01-scale.html");
    project.run(made).ends(5, "audit did not write it");

    // A snapshot's place is left to what lies there.
    let project = fresh();
    link(&project, "mine", "pages/2026-01-01-scale.json");
    assert!(project.run(made).done().starts_with("pages/2026-01-01.2-scale.md\n"));

    // An index elsewhere.
    let project = fresh();
    link(&project, "mine", "pages/README.md");
    project.run(made).ends(0, "the index was not written");
    assert_eq!(project.read("mine"), "own");
}
