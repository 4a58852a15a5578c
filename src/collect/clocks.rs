//! Clocks of a device, as nvidia-smi tells them.

use super::{Call, run};
use crate::evidence::Clocks;
use std::time::Duration;

/// What nvidia-smi is asked for, in this order.
const QUERY: &str = "clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_throttle_reasons.active";

/// Reads the clocks of the device at a place on the PCI bus. The error says why they cannot be read. Errors: when
/// nvidia-smi is missing, fails, or prints something else.
pub fn clocks(bus: &str) -> Result<Clocks, String> {
    let mut call = Call::new("nvidia-smi").argument(format!("--query-gpu={QUERY}"));
    call = call.argument("--format=csv,noheader,nounits").argument("-i").argument(bus);
    call.limit = Duration::from_secs(20);
    let ran = run(&call).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?;
    let text = String::from_utf8_lossy(&ran.stdout);
    if !ran.status.success() {
        return Err(format!("nvidia-smi ended with {}: {}", ran.status, text.trim()));
    }
    parsed(&text).ok_or_else(|| format!("nvidia-smi printed {:?} for {QUERY}", text.trim()))
}

/// One line of five values; what a device does not tell is printed in brackets.
fn parsed(text: &str) -> Option<Clocks> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [sm, memory, temperature, power, throttle] = cells[..] else { return None };
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    Some(Clocks {
        sm_mhz: number(sm),
        memory_mhz: number(memory),
        temperature_c: number(temperature),
        power_w: number(power),
        throttle: throttle.strip_prefix("0x").map_or_else(String::new, |_| throttle.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_nvidia_smi_is_read_and_what_it_does_not_tell_is_absent() {
        let clocks = parsed("1980, 3201, 41, 312.45, 0x0000000000000000\n").expect("a line");
        assert_eq!((clocks.sm_mhz, clocks.memory_mhz, clocks.temperature_c), (Some(1980.0), Some(3201.0), Some(41.0)));
        assert_eq!((clocks.power_w, clocks.throttle.as_str()), (Some(312.45), "0x0000000000000000"));
        let clocks = parsed("1980, 3201, 41, [N/A], [Not Supported]").expect("a line");
        assert_eq!((clocks.power_w, clocks.throttle.as_str()), (None, ""));
        assert_eq!(parsed("No devices were found"), None);
    }
}
