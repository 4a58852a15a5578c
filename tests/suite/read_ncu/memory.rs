//! Memory stays far below the size of the report.

use super::{everything, plain};
use bytes::{Buf, Bytes};
use kernel_audit::source::{NameSet, Want, ncu_report};
use prost::encoding::{DecodeContext, decode_key, decode_varint, skip_field};
use std::collections::BTreeSet;
use std::process::Command;

/// A number in an encoded block header, 0 where it has none.
fn number(mut header: Bytes, field: u32) -> usize {
    while header.has_remaining() {
        let (tag, kind) = decode_key(&mut header).unwrap();
        if tag == field {
            return decode_varint(&mut header).unwrap() as usize;
        }
        skip_field(kind, tag, &mut header, DecodeContext::default()).unwrap();
    }
    0
}

/// A report of 560 launches and 29 MB: the blocks of a small one, its last kernel many times.
fn long_report() -> Vec<u8> {
    let small = plain("both_basic");
    let mut bytes = small.clone();
    let mut rest = Bytes::from(small.clone());
    rest.advance(4);
    let header = rest.get_u32_le() as usize;
    rest.advance(header);
    let mut last_kernel = Bytes::new();
    while !rest.is_empty() {
        let start = rest.clone();
        let size = rest.get_u32_le() as usize;
        let header = rest.split_to(size);
        rest.advance(number(header.clone(), 5));
        if number(header, 2) == 1 {
            last_kernel = start.slice(..start.len() - rest.len());
        }
    }
    for _ in 2..560 {
        bytes.extend_from_slice(&last_kernel);
    }
    bytes
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_report_is_read_in_half_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.ncu-rep");
    let bytes = long_report();
    let limit = bytes.len() / 2 + (32 << 20);
    std::fs::write(&path, &bytes).unwrap();
    // Only a process of its own has a peak of its own.
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "read_ncu::memory::read_and_print_the_peak", "--ignored", "--nocapture"])
        .env("LONG_REPORT", &path)
        .output()
        .unwrap();
    let output = String::from_utf8(child.stdout).unwrap();
    let peak = output.split("peak ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let peak: usize = peak.unwrap_or_else(|| panic!("{output}")).parse::<usize>().unwrap() * 1024;
    assert!(peak < limit, "{peak} bytes at the peak, {limit} allowed for a report of {} bytes", bytes.len());
}

#[test]
#[ignore = "the other half of a_long_report_is_read_in_half_its_size, which runs it"]
fn read_and_print_the_peak() {
    let path = std::env::var_os("LONG_REPORT").expect("LONG_REPORT names the report");
    let metrics: BTreeSet<_> = {
        let few = everything("both_basic");
        few.launches[1].metrics.iter().map(|metric| metric.name.clone()).take(200).collect()
    };
    let want = Want { metrics: NameSet::exactly(metrics), instances: NameSet::none(), hash: true, ..Want::default() };
    let report = ncu_report::read(path.as_ref(), &want).unwrap();
    assert_eq!(report.launches.len(), 560);
    assert!(report.launches.iter().all(|launch| launch.metrics.len() == 200));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak {}", peak.trim());
}
