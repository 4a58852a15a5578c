//! Prints the metrics of every launch of a report: `cargo run --example table -- REPORT.ncu-rep`.

use ncu_report::{Want, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of a report")?;
    for launch in read(path.as_ref(), &Want::default())?.launches {
        for metric in &launch.metrics {
            if let Some(reading) = metric.quantity() {
                println!(
                    "{:>3}  {:32}  {:64}  {:>20} {}",
                    launch.id,
                    launch.function,
                    metric.name,
                    reading.value(),
                    reading.unit()
                );
            }
        }
    }
    Ok(())
}
