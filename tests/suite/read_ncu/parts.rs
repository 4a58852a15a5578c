//! What lies around the metrics: session, launches, source data, dropped names, unknown fields.

use super::{everything, fixture, plain, report_path};
use kernel_audit::evidence::{ClockStatus, Dim3, Workload};
use kernel_audit::source::ncu_report::NcuReport;
use kernel_audit::source::{Want, ncu_report};

#[test]
fn the_session_is_merged_from_its_pieces() {
    let session = everything("gemm_bias_v1").session;
    assert_eq!(session.ncu_version.as_str(), "2025.3.1.0 (build 36398880) (public-release)");
    assert_eq!(session.cuda_version.as_str(), "13.0");
    assert!(session.command_line.contains("--set full --import-source yes -o gemm_bias_v1"));
    assert_eq!(session.devices.len(), 1);
    assert_eq!(session.devices[0].name.as_str(), "NVIDIA H200");
    assert_eq!(session.devices[0].sm_count, Some(132));
    assert_eq!(session.devices[0].compute_capability, Some((9, 0)));
}

#[test]
fn a_kernel_result_names_what_was_launched() {
    let report = everything("gemm_bias_v1");
    let launch = &report.launches[0];
    assert_eq!(launch.workload, Workload::Kernel);
    assert_eq!(launch.function.as_str(), "gemm_bias_v1");
    assert_eq!(launch.mangled.as_str(), "_Z12gemm_bias_v1PKfS0_S0_Pfiii");
    assert_eq!(launch.grid, Some(Dim3([64, 32, 1])));
    assert_eq!(launch.block, Some(Dim3([32, 32, 1])));
    assert_eq!(launch.clock, Some(ClockStatus { requested: false, executed: false }));
    assert_eq!(launch.driver, Some(580.159));
    assert_eq!(report.origin.bytes, 3_559_608);
    assert_eq!(report.damage, []);
}

#[test]
fn graphs_and_ranges_have_no_grid_of_their_own() {
    for (name, workload, display) in [
        ("graph", Workload::Graph, "graph"),
        ("range", Workload::Range, "range"),
        ("app_range", Workload::Range, "range"),
    ] {
        let report = everything(name);
        let launch = &report.launches[0];
        assert_eq!((launch.workload, launch.name.as_ref(), launch.function.as_ref()), (workload, display, display));
        assert_eq!((launch.grid, launch.block), (None, None));
        assert!(launch.metric("launch__grid_dim_x").unwrap().instances.len() > 1, "{name}");
        assert!(!launch.sources.is_empty(), "{name}");
    }
}

#[test]
fn two_processes_with_one_reference_keep_their_own_source_data() {
    let report = everything("multiprocess");
    let processes: Vec<u32> = report.launches.iter().map(|launch| launch.process.id).collect();
    assert_eq!(processes, [936, 954]);
    let sources = NcuReport::open(&report_path("multiprocess"), false).unwrap().sources().unwrap();
    assert_eq!(sources.len(), 2);
    assert_eq!(sources[0].key.1, sources[1].key.1);
    assert_ne!(sources[0].functions[0].address, sources[1].functions[0].address);
    for (launch, source) in report.launches.iter().zip(&sources) {
        assert_eq!(launch.sources, [source.key]);
    }
}

#[test]
fn source_data_holds_the_cubin_and_the_imported_source() {
    let sources = NcuReport::open(&report_path("gemm_bias_v1"), false).unwrap().sources().unwrap();
    let cubin = sources[0].cubin.as_ref().unwrap();
    assert_eq!(cubin[..4], *b"\x7fELF");
    assert_eq!(sources[0].compute_capability, Some((9, 0)));
    let text = std::fs::read_to_string(fixture("devset.cu")).unwrap();
    let file = sources[0].files.iter().find(|file| file.file.ends_with("devset.cu")).unwrap();
    assert_eq!(file.text.as_ref(), text);
    assert!(sources[0].functions.iter().any(|function| function.symbol.contains("gemm_bias_v1")));
}

#[test]
fn metrics_that_ncu_dropped_are_named_as_they_were_asked_for() {
    let dropped = |name| everything(name).dropped.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(dropped("badmetric_dropped"), ["smsp__sass_warp_efficiency.avg"]);
    // The six that ncu's own log names; twenty-four expansions are left out.
    let log = std::fs::read_to_string(fixture("logs/gemm_bias_v1.log")).unwrap();
    let (_, named) = log.split_once("following 6 metrics: ").unwrap();
    let named: Vec<&str> = named.lines().next().unwrap().trim_end_matches('.').split(", ").collect();
    assert_eq!(dropped("gemm_bias_v1"), named);
    for complete in ["both_basic", "multiprocess", "graph", "range", "app_range", "appcrash"] {
        assert_eq!(dropped(complete), [""; 0], "{complete}");
    }
}

#[test]
fn the_hash_is_that_of_the_file() {
    let want = Want { hash: true, ..Want::default() };
    let report = ncu_report::read(&report_path("badmetric_dropped"), &want).unwrap();
    let bytes = plain("badmetric_dropped");
    assert_eq!(report.origin.blake3, blake3::hash(&bytes).to_hex().as_str());
    assert_eq!(report.origin.bytes, bytes.len() as u64);
}
