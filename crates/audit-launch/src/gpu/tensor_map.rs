//! Tensor maps: what a kernel's bulk copies need to know of a buffer.

use super::error::driver;
use crate::{Buffer, DType, LaunchError, Promotion, Swizzle, TensorMap};
use cudarc::driver::sys::{
    self, CUtensorMap, CUtensorMapDataType_enum as Type, CUtensorMapFloatOOBfill_enum as Fill,
    CUtensorMapInterleave_enum as Interleave, CUtensorMapL2promotion_enum as L2, CUtensorMapSwizzle_enum as Pattern,
};

/// The map of a buffer at an address.
pub(super) fn encode(buffer: &Buffer, map: &TensorMap, pointer: u64) -> Result<CUtensorMap, LaunchError> {
    // The driver counts dimensions from the fastest.
    let mut extents: Vec<u64> = map.shape.iter().rev().copied().collect();
    let mut sides: Vec<u32> = map.extent.iter().rev().copied().collect();
    // Elements that share a byte are mapped as bytes: a box arrives as it lies in memory, which is how tensor cores read
    // packed operands.
    let shared = buffer.dtype.in_a_byte();
    extents[..1].iter_mut().for_each(|extent| *extent /= shared as u64);
    sides[..1].iter_mut().for_each(|side| *side /= shared as u32);
    let steps = vec![1u32; extents.len()];
    let mut pitch = buffer.dtype.bytes() as u64;
    let mut strides = Vec::with_capacity(extents.len());
    for extent in &extents {
        pitch *= extent;
        strides.push(pitch);
    }
    let mut encoded = CUtensorMap { opaque: [0; 16] };
    // SAFETY: the arrays have as many elements as the rank says; the driver copies them.
    let ended = unsafe {
        sys::cuTensorMapEncodeTiled(
            &raw mut encoded,
            data_type(buffer.dtype),
            extents.len() as u32,
            pointer as *mut std::ffi::c_void,
            extents.as_ptr(),
            strides.as_ptr(),
            sides.as_ptr(),
            steps.as_ptr(),
            Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            pattern(map.swizzle),
            promotion(map.promotion),
            Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    ended.result().map_err(driver(&format!("creating the tensor map of {}", buffer.name)))?;
    Ok(encoded)
}

fn data_type(dtype: DType) -> Type {
    match dtype {
        DType::E2m1 | DType::E8m0 | DType::Ue4m3 | DType::E4m3 | DType::E5m2 | DType::U8 | DType::I8 => {
            Type::CU_TENSOR_MAP_DATA_TYPE_UINT8
        }
        DType::U16 | DType::I16 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        DType::U32 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT32,
        DType::I32 => Type::CU_TENSOR_MAP_DATA_TYPE_INT32,
        DType::U64 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        DType::I64 => Type::CU_TENSOR_MAP_DATA_TYPE_INT64,
        DType::F16 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        DType::Bf16 => Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        DType::Tf32 => Type::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        DType::F32 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        DType::F64 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    }
}

fn pattern(swizzle: Swizzle) -> Pattern {
    match swizzle {
        Swizzle::None => Pattern::CU_TENSOR_MAP_SWIZZLE_NONE,
        Swizzle::Bytes32 => Pattern::CU_TENSOR_MAP_SWIZZLE_32B,
        Swizzle::Bytes64 => Pattern::CU_TENSOR_MAP_SWIZZLE_64B,
        Swizzle::Bytes128 => Pattern::CU_TENSOR_MAP_SWIZZLE_128B,
    }
}

fn promotion(promotion: Promotion) -> L2 {
    match promotion {
        Promotion::None => L2::CU_TENSOR_MAP_L2_PROMOTION_NONE,
        Promotion::Bytes64 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
        Promotion::Bytes128 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        Promotion::Bytes256 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
    }
}
