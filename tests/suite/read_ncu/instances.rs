//! Every instance and correlation id, against digests that NVIDIA's reader made (`truth/instances.tsv`).

use super::everything;
use kernel_audit::evidence::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

fn encoded(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("s{text}"),
        Value::U32(number) => format!("u{number}"),
        Value::U64(number) => format!("u{number}"),
        Value::F32(_) | Value::F64(_) => {
            let number = value.as_f64().unwrap();
            if number.is_nan() { "dnan".to_owned() } else { format!("d{:016x}", number.to_bits()) }
        }
    }
}

#[test]
fn every_instance_and_its_id_is_what_nvidia_reads() {
    let table = crate::truth::text("instances.tsv");
    let mut expected: BTreeMap<(&str, u32, String), (usize, &str)> = BTreeMap::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, result, metric, count, digest] = cells[..] else { panic!("{line}") };
        expected.insert((file, result.parse().unwrap(), metric.to_owned()), (count.parse().unwrap(), digest));
    }
    let mut files: Vec<&str> = expected.keys().map(|(file, _, _)| *file).collect();
    files.dedup();
    assert_eq!(files.len(), 9);
    for file in files {
        let report = everything(file.strip_suffix(".ncu-rep").unwrap());
        for launch in &report.launches {
            for metric in launch.metrics.iter().filter(|metric| !metric.instances.is_empty()) {
                let mut hasher = Sha256::new();
                for instance in &metric.instances {
                    hasher.update(format!("{}\t{}\n", encoded(&instance.id), encoded(&instance.value)));
                }
                let digest: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                let theirs = expected.remove(&(file, launch.id, metric.name.to_string()));
                assert_eq!(Some((metric.instances.len(), digest.as_str())), theirs, "{file}: {}", metric.name);
            }
        }
    }
    assert_eq!(expected.into_keys().collect::<Vec<_>>(), [], "instanced metrics that were not read");
}
