//! Number types of VTK files and the conversion of their bytes.

use crate::error::MeshError;

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum ByteOrder {
    Little,
    Big,
}

impl Scalar {
    /// Bytes of one number.
    pub(in crate::io) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    pub(in crate::io) fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

type Done = Result<(), MeshError>;

macro_rules! each {
    ($type:ty, $bytes:expr, $order:expr, $take:expr) => {
        for item in $bytes.as_chunks::<{ size_of::<$type>() }>().0 {
            let value = match $order {
                ByteOrder::Little => <$type>::from_le_bytes(*item),
                ByteOrder::Big => <$type>::from_be_bytes(*item),
            };
            $take(value as _)?;
        }
    };
}

/// Hands the numbers in `bytes` on as integers. Of floats, the whole part; values from 2^63 on wrap
/// to negative ones, which no caller accepts as a count or index.
pub(in crate::io) fn each_integer(
    bytes: &[u8],
    scalar: Scalar,
    order: ByteOrder,
    mut take: impl FnMut(i64) -> Done,
) -> Done {
    match scalar {
        Scalar::I8 => each!(i8, bytes, order, take),
        Scalar::U8 => each!(u8, bytes, order, take),
        Scalar::I16 => each!(i16, bytes, order, take),
        Scalar::U16 => each!(u16, bytes, order, take),
        Scalar::I32 => each!(i32, bytes, order, take),
        Scalar::U32 => each!(u32, bytes, order, take),
        Scalar::I64 => each!(i64, bytes, order, take),
        Scalar::U64 => each!(u64, bytes, order, take),
        Scalar::F32 => each!(f32, bytes, order, take),
        Scalar::F64 => each!(f64, bytes, order, take),
    }
    Ok(())
}

/// Hands the numbers in `bytes` on as floats.
pub(in crate::io) fn each_float(
    bytes: &[u8],
    scalar: Scalar,
    order: ByteOrder,
    mut take: impl FnMut(f64) -> Done,
) -> Done {
    match scalar {
        Scalar::F32 => each!(f32, bytes, order, take),
        Scalar::F64 => each!(f64, bytes, order, take),
        _ => each_integer(bytes, scalar, order, |i| take(i as f64))?,
    }
    Ok(())
}
