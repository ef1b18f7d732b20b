//! Values of fixed width as the integers that their bytes are.
//!
//! Whoever writes or reads many values of a column at once keeps their bytes as big-endian unsigned integers; the order of
//! the integers is the order of the bytes.

use crate::float_order::{flip32, flip64};

/// A value whose bytes are those of an unsigned integer.
pub trait Word: Copy {
    /// The integer: `u64` for values of at most eight bytes, else `u128`.
    type Bits: Copy + Ord + Default;

    /// The value's bytes in the native encoding.
    fn native_word(self) -> Self::Bits;

    /// The value's bytes in the binary encoding.
    fn binary_word(self) -> Self::Bits;

    /// The value's bytes in a key, ascending: native, with one zero and one NaN.
    #[inline]
    fn key_word(self) -> Self::Bits {
        self.native_word()
    }
}

macro_rules! signed {
    ($($value:ty as $unsigned:ty => $bits:ty),*) => {$(
        impl Word for $value {
            type Bits = $bits;

            #[inline]
            fn native_word(self) -> $bits {
                <$bits>::from((self ^ <$value>::MIN) as $unsigned)
            }

            #[inline]
            fn binary_word(self) -> $bits {
                <$bits>::from(self as $unsigned)
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($value:ty),*) => {$(
        impl Word for $value {
            type Bits = u64;

            #[inline]
            fn native_word(self) -> u64 {
                self.into()
            }

            #[inline]
            fn binary_word(self) -> u64 {
                self.into()
            }
        }
    )*};
}

signed!(i8 as u8 => u64, i16 as u16 => u64, i32 as u32 => u64, i64 as u64 => u64, i128 as u128 => u128);
unsigned!(bool, u8, u16, u32, u64);

macro_rules! floats {
    ($($value:ty, $flip:ident),*) => {$(
        impl Word for $value {
            type Bits = u64;

            #[inline]
            fn native_word(self) -> u64 {
                $flip(self.to_bits()).into()
            }

            #[inline]
            fn binary_word(self) -> u64 {
                self.to_bits().into()
            }

            #[inline]
            fn key_word(self) -> u64 {
                // Adding positive zero changes negative zero alone.
                (if self.is_nan() { <$value>::NAN } else { self + 0.0 }).native_word()
            }
        }
    )*};
}

floats!(f32, flip32, f64, flip64);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Encoding, KeyLexicoder, KeyPart, PrimitiveType, ScalarRef, encode};

    fn check<W: Word<Bits: Into<u128>>>(value: W, ty: PrimitiveType, scalar: ScalarRef<'_>) {
        let integer = |bytes: &[u8]| bytes.iter().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
        let encoded = |encoding| {
            let mut bytes = Vec::new();
            encode(ty, encoding, scalar, &mut bytes).unwrap();
            integer(&bytes)
        };
        assert_eq!(value.native_word().into(), encoded(Encoding::Native), "{scalar:?}");
        assert_eq!(value.binary_word().into(), encoded(Encoding::Binary), "{scalar:?}");
        let key = KeyLexicoder::new(vec![KeyPart::ascending(ty)]);
        assert_eq!(value.key_word().into(), integer(&key.encode(&[scalar]).unwrap()), "{scalar:?}");
    }

    #[test]
    fn floats_have_one_form_in_keys() {
        for value in [0.0, -0.0, f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001), f64::INFINITY] {
            check(value, PrimitiveType::Float64, ScalarRef::Float64(value));
        }
        check(true, PrimitiveType::Boolean, ScalarRef::Boolean(true));
    }

    proptest! {
        #[test]
        fn words_are_the_encoded_bytes(value: i64, unsigned: u64, wide: i128, float: f64, single: f32) {
            check(value, PrimitiveType::Int64, ScalarRef::Int(value));
            check(value as i32, PrimitiveType::Date32, ScalarRef::Int((value as i32).into()));
            check(value as i16, PrimitiveType::Int16, ScalarRef::Int((value as i16).into()));
            check(value as i8, PrimitiveType::Int8, ScalarRef::Int((value as i8).into()));
            check(unsigned, PrimitiveType::UInt64, ScalarRef::UInt(unsigned));
            check(unsigned as u32, PrimitiveType::UInt32, ScalarRef::UInt((unsigned as u32).into()));
            check(unsigned as u16, PrimitiveType::UInt16, ScalarRef::UInt((unsigned as u16).into()));
            check(unsigned as u8, PrimitiveType::UInt8, ScalarRef::UInt((unsigned as u8).into()));
            let wide = wide / 1000;
            check(wide, PrimitiveType::Decimal128 { precision: 38, scale: 2 }, ScalarRef::Decimal128(wide));
            check(float, PrimitiveType::Float64, ScalarRef::Float64(float));
            check(single, PrimitiveType::Float32, ScalarRef::Float32(single));
        }
    }
}
