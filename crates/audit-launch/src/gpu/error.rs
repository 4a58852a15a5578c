//! The driver's and cuBLASLt's errors in our words.

use crate::LaunchError;
use cudarc::cublaslt::result::CublasError;
use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

/// Turns an error of the driver into ours; `doing` says what was tried: `loading the cubin`.
pub(super) fn driver(doing: &str) -> impl Fn(DriverError) -> LaunchError + '_ {
    move |error| {
        let text = |found: Result<&std::ffi::CStr, DriverError>| {
            found.map_or_else(|_| "no description".to_owned(), |text| text.to_string_lossy().into_owned())
        };
        LaunchError::Driver {
            doing: doing.to_owned(),
            name: text(error.error_name()),
            meaning: text(error.error_string()),
            cure: cure(error.0).to_owned(),
        }
    }
}

fn cure(code: CUresult) -> &'static str {
    match code {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED => {
            "\n  help: the kernel reads or writes where it must not, with these shapes; run it under `compute-sanitizer`"
        }
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "\n  help: the code is for another architecture than this device; correct `arch`"
        }
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES | CUresult::CUDA_ERROR_INVALID_VALUE => {
            "\n  help: check grid, block, cluster, dynamic_shared and tensor maps under [subject.launch]"
        }
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => "\n  help: smaller shapes, or a device with no other users",
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH | CUresult::CUDA_ERROR_SYSTEM_NOT_READY => {
            "\n  help: the driver's library and its kernel module differ or are not ready; restart the machine or the container"
        }
        _ => "",
    }
}

/// Turns an error of cuBLASLt into ours.
pub(super) fn cublaslt<'a>(doing: &'a str, cure: &'a str) -> impl Fn(CublasError) -> LaunchError + 'a {
    move |error| LaunchError::CublasLt {
        doing: doing.to_owned(),
        status: format!("{:?}", error.0),
        cure: if cure.is_empty() { String::new() } else { format!("\n  help: {cure}") },
    }
}
