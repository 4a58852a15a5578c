//! Whether the arguments fit the parameters that the kernel was compiled with.

use super::{Argument, LaunchError};

/// Bytes of a tensor map (CUDA driver API, `CUtensorMap`).
const MAP_BYTES: u32 = 128;
const POINTER_BYTES: u32 = 8;

/// An argument as the kernel receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What it is.
    pub what: String,
    /// Its bytes.
    pub bytes: u32,
}

impl From<&Argument> for Given {
    fn from(argument: &Argument) -> Given {
        match argument {
            Argument::Scalar(scalar) => {
                Given { what: format!("{}, {}", scalar.name, scalar.dtype), bytes: scalar.dtype.bytes() as u32 }
            }
            Argument::Buffer(buffer) if buffer.map.is_some() => {
                Given { what: format!("{}, tensor map", buffer.name), bytes: MAP_BYTES }
            }
            Argument::Buffer(_) => Given::plain(argument),
        }
    }
}

impl Given {
    /// The argument where every buffer is passed as pointer.
    pub fn plain(argument: &Argument) -> Given {
        match argument {
            Argument::Scalar(_) => Given::from(argument),
            Argument::Buffer(buffer) => Given { what: format!("{}, pointer", buffer.name), bytes: POINTER_BYTES },
        }
    }
}

/// Checks that arguments and parameters agree in number and size.
///
/// # Errors
/// [`LaunchError::Arguments`] with both lists side by side.
pub fn fit(kernel: &str, parameters: &[u32], given: &[Given]) -> Result<(), LaunchError> {
    let agree =
        parameters.len() == given.len() && parameters.iter().zip(given).all(|(bytes, given)| *bytes == given.bytes);
    if agree {
        return Ok(());
    }
    let row = |at: usize| {
        let parameter = parameters.get(at).map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
        let argument =
            given.get(at).map_or("none".to_owned(), |given| format!("{} bytes ({})", given.bytes, given.what));
        let differs = parameters.get(at).copied() != given.get(at).map(|given| given.bytes);
        format!("  {at}: kernel {parameter}, audit.toml {argument}{}", if differs { "  <- differs" } else { "" })
    };
    let rows: Vec<String> = (0..parameters.len().max(given.len())).map(row).collect();
    Err(LaunchError::Arguments {
        kernel: kernel.to_owned(),
        parameters: parameters.len(),
        given: given.len(),
        rows: rows.join("\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(what: &str, bytes: u32) -> Given {
        Given { what: what.into(), bytes }
    }

    #[test]
    fn a_wrong_size_and_a_missing_argument_show_both_sides() {
        let arguments = [given("out, pointer", 8), given("in, pointer", 8), given("n, u64", 8)];
        assert!(fit("k", &[8, 8, 8], &arguments).is_ok());
        let text = fit("k", &[8, 8, 4], &arguments).expect_err("differs").to_string();
        assert!(text.contains("  2: kernel 4 bytes, audit.toml 8 bytes (n, u64)  <- differs"), "{text}");
        let text = fit("k", &[8, 8, 8, 4], &arguments).expect_err("too few").to_string();
        assert!(text.starts_with("the kernel k takes 4 parameters, audit.toml gives 3 arguments"), "{text}");
        assert!(text.contains("  3: kernel 4 bytes, audit.toml none  <- differs"), "{text}");
        let text = fit("k", &[8], &arguments).expect_err("too many").to_string();
        assert!(text.contains("  1: kernel none, audit.toml 8 bytes (in, pointer)  <- differs"), "{text}");
    }
}
