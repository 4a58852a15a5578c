//! `audit explain` for a chip, by any name that people give it.

use super::{ChipRow, Explanation, chips};
use crate::quantity::format;

/// The major compute capability from which some chips have tensor memory.
const FIRST_WITH_TENSOR_MEMORY: u32 = 10;
/// Words before the name of a product that say who makes it or for whom.
const BRANDS: [&str; 4] = ["NVIDIA", "GEFORCE", "TESLA", "QUADRO"];

/// A chip by architecture (`sm_90`, `sm_90a`), compute capability (`9.0`), name (`GH100`, also one inside a range such as
/// `GB203`) or product (`H200`, `NVIDIA H100 PCIe`).
pub(super) fn chip_named(name: &str) -> Option<&'static ChipRow> {
    let arch = name.to_ascii_lowercase();
    let arch = arch.trim_end_matches(['a', 'f']);
    let is_meant =
        |row: &&ChipRow| row.arch == arch || format!("{}.{}", row.cc.0, row.cc.1) == name || is_chip_of(row.name, name);
    let asked = plain(name);
    let is_product = |row: &&ChipRow| products(row).any(|product| asked.starts_with(&plain(product)));
    chips().iter().find(is_meant).or_else(|| chips().iter().find(is_product).filter(|_| !asked.is_empty()))
}

/// The products that the catalog names for a chip.
pub(super) fn products(row: &ChipRow) -> impl Iterator<Item = &'static str> {
    row.examples.split(", ")
}

/// The words of a product's name in capitals, without brands before it.
fn plain(product: &str) -> Vec<String> {
    let words = product.split([' ', '-']).filter(|word| !word.is_empty()).map(str::to_ascii_uppercase);
    words.skip_while(|word| BRANDS.contains(&word.as_str())).collect()
}

/// Whether a name is that of the chip, or lies in a range such as `GB202 to GB207`.
fn is_chip_of(row: &str, name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    match row.split_once(" to ") {
        // The names of a range have one length, so that their order is that of their numbers.
        Some((first, last)) => {
            name.len() == first.len() && name.starts_with(&first[..2]) && (first..=last).contains(&name.as_str())
        }
        None => name == row,
    }
}

/// What the catalog knows of a chip.
pub(super) fn of_chip(row: &'static ChipRow) -> Explanation {
    let whole = |number: u32| format::integer(number.into());
    let mut facts = vec![
        format!("Products: {}.", row.examples),
        format!("A block has up to {} threads.", whole(row.max_threads_per_block)),
    ];
    if let Some(cluster) = row.max_portable_cluster {
        facts.push(format!("A portable cluster has up to {cluster} blocks."));
    }
    if let Some(tensor) = &row.tensor {
        let rates: Vec<_> = tensor.dense.iter().map(|(input, rate)| format!("{input} {}", whole(*rate))).collect();
        facts.push(format!(
            "Dense tensor operations per SM and cycle: {} (source: {}).",
            rates.join(", "),
            tensor.cite
        ));
    }
    match row.tensor_memory_columns {
        Some(columns) => facts.push(format!(
            "An SM has {} columns of tensor memory, of 128 lanes of 32 bits, which its blocks share; products are of tcgen05.",
            whole(columns)
        )),
        None if row.cc.0 >= FIRST_WITH_TENSOR_MEMORY => {
            facts.push("It has no tensor memory and no tcgen05: products are of whole warps (`mma.sync`).".to_owned());
        }
        None => {}
    }
    if let Some(memory) = &row.memory {
        facts.push(format!(
            "Device memory of a {}: a bus of {} bits at {} MHz, {} TB/s (source: {}).",
            memory.product,
            whole(memory.bus_bits),
            whole(memory.clock_mhz),
            format::fixed(memory.bytes_per_second() / 1e12, 2),
            memory.cite
        ));
    }
    facts.extend(row.fact.iter().chain(&row.nan).map(|fact| format!("{} (source: {})", fact.text, fact.cite)));
    match row.counters {
        Some(counters) => facts.push(format!(
            "Its counters are listed: `audit explain METRIC --chip {counters}` says whether ncu has a metric here."
        )),
        None => facts.push("Its counters are not listed: only ncu on that chip shows which metrics it has.".to_owned()),
    }
    facts.push("What a report states about its device takes precedence.".to_owned());
    Explanation {
        kind: "chip",
        name: row.arch.to_owned(),
        label: format!("{}, compute capability {}.{}", row.name, row.cc.0, row.cc.1),
        text: format!(
            "An SM has {} warp schedulers and room for {} warps ({} threads) and {} blocks. It has {} registers, up to \
             {} for a thread, and {} bytes of shared memory, of which a block can use {}; {}.",
            row.schedulers_per_sm,
            row.max_warps_per_sm,
            whole(row.max_threads_per_sm),
            row.max_blocks_per_sm,
            whole(row.registers_per_sm),
            row.max_registers_per_thread,
            whole(row.shared_per_sm),
            whole(row.shared_per_block_max),
            match row.shared_reserved_per_block {
                0 => "the driver keeps none of it".to_owned(),
                bytes => format!("the driver keeps {} bytes of each block", whole(bytes)),
            },
        ),
        facts,
        cite: row.cite.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_tells_what_it_has_for_products_and_who_saw_it() {
        let facts = |name: &str| chip_named(name).map(|row| of_chip(row).facts.join(" ")).unwrap_or_default();
        let b200 = facts("B200");
        for said in [
            "512 columns of tensor memory",
            "7,680 bits",
            "7.67 TB/s",
            "tile::gather4",
            "NaN",
            "pull/530",
            "fp4 32,768",
        ] {
            assert!(b200.contains(said), "{said}: {b200}");
        }
        assert!(facts("RTX 5090").contains("no tcgen05") && !facts("H200").contains("tcgen05"));
    }

    #[test]
    fn a_chip_answers_to_every_name_that_is_its_own() {
        let arch = |name: &str| chip_named(name).map(|row| row.arch);
        for (name, expected) in [
            ("H200", "sm_90"),
            ("NVIDIA H200", "sm_90"),
            ("NVIDIA A100-SXM4-80GB", "sm_80"),
            ("a100", "sm_80"),
            ("A10", "sm_86"),
            ("RTX 4090", "sm_89"),
            ("NVIDIA GeForce RTX 5090", "sm_120"),
            ("GB203", "sm_120"),
            ("GB208", ""),
            ("GB20", ""),
            ("SM_100a", "sm_100"),
            ("NVIDIA GB300", "sm_103"),
            ("8.7", "sm_87"),
            ("NVIDIA", ""),
            ("", ""),
        ] {
            assert_eq!(arch(name).unwrap_or(""), expected, "{name}");
        }
    }

    #[test]
    fn every_product_of_the_catalog_leads_to_its_chip() {
        for row in chips() {
            for name in products(row).chain([row.arch]) {
                assert_eq!(chip_named(name).map(|found| found.arch), Some(row.arch), "{name}");
            }
        }
    }
}
