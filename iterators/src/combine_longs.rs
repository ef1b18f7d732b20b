//! Whole numbers of 64 bits and lists of them as the values of combiners, in Accumulo's encodings.

use crate::combiner::CombineValues;

/// How a number lies in a cell (`LongCombiner.Type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongEncoding {
    /// Hadoop's `WritableUtils.writeVLong`: one to nine bytes.
    VarLen,
    /// Eight bytes, big-endian.
    FixedLen,
    /// Decimal text.
    String,
}

impl LongEncoding {
    /// The encoding of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "VARLEN" => Some(Self::VarLen),
            "FIXEDLEN" => Some(Self::FixedLen),
            "STRING" => Some(Self::String),
            _ => None,
        }
    }

    /// One number that is all of the bytes.
    fn read(self, bytes: &[u8]) -> Result<i64, String> {
        let refused = || format!("{} is no whole number in the encoding {self:?}", crate::BytesText(bytes));
        match self {
            Self::String => {
                std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).ok_or_else(refused)
            }
            Self::FixedLen => Ok(i64::from_be_bytes(bytes.try_into().map_err(|_| refused())?)),
            Self::VarLen => match read_vlong(bytes) {
                Some((number, [])) => Ok(number),
                _ => Err(refused()),
            },
        }
    }

    fn write(self, number: i64, bytes: &mut Vec<u8>) {
        match self {
            Self::String => bytes.extend_from_slice(number.to_string().as_bytes()),
            Self::FixedLen => bytes.extend_from_slice(&number.to_be_bytes()),
            Self::VarLen => write_vlong(number, bytes),
        }
    }

    /// A list of numbers: text between commas, or their count as a number of variable length and then each.
    fn read_list(self, bytes: &[u8]) -> Result<Vec<i64>, String> {
        let refused =
            || format!("{} is no list of numbers in the encoding {self:?}", crate::BytesText(bytes));
        if self == Self::String {
            let text = std::str::from_utf8(bytes).map_err(|_| refused())?;
            return text.split(',').map(|part| part.parse().map_err(|_| refused())).collect();
        }
        let (count, mut rest) = read_vlong(bytes).ok_or_else(refused)?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            let (number, tail) = match self {
                Self::FixedLen => rest
                    .split_first_chunk()
                    .map(|(number, tail)| (i64::from_be_bytes(*number), tail))
                    .ok_or_else(refused)?,
                _ => read_vlong(rest).ok_or_else(refused)?,
            };
            numbers.push(number);
            rest = tail;
        }
        if rest.is_empty() && count >= 0 { Ok(numbers) } else { Err(refused()) }
    }

    fn write_list(self, numbers: &[i64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self != Self::String {
            write_vlong(i64::try_from(numbers.len()).unwrap_or(i64::MAX), &mut bytes);
        }
        for (index, number) in numbers.iter().enumerate() {
            if self == Self::String && index > 0 {
                bytes.push(b',');
            }
            self.write(*number, &mut bytes);
        }
        bytes
    }
}

/// A number of Hadoop's variable length, and what lies behind it.
fn read_vlong(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let first = i8::from_be_bytes([*first]);
    if first >= -112 {
        return Some((i64::from(first), rest));
    }
    // -113 to -120: one to eight bytes of a number from 0; -121 to -128: of the complement of one below.
    let (length, complement) = if first >= -120 { (-112 - first, false) } else { (-120 - first, true) };
    let length = usize::try_from(length).ok()?;
    let (digits, rest) = rest.split_at_checked(length)?;
    let number = digits.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let number = i64::from_be_bytes(number.to_be_bytes());
    Some((if complement { !number } else { number }, rest))
}

fn write_vlong(number: i64, bytes: &mut Vec<u8>) {
    if let Ok(small) = i8::try_from(number)
        && small >= -112
    {
        bytes.extend_from_slice(&small.to_be_bytes());
        return;
    }
    let (magnitude, base) = if number < 0 { (!number, -120_i8) } else { (number, -112_i8) };
    let digits = magnitude.to_be_bytes();
    let zeros = digits.iter().take(7).take_while(|byte| **byte == 0).count();
    let digits = digits.get(zeros..).unwrap_or_default();
    bytes.extend_from_slice(&(base - i8::try_from(digits.len()).unwrap_or(8)).to_be_bytes());
    bytes.extend_from_slice(digits);
}

/// What becomes of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongOperation {
    /// Their sum; one that does not fit stays at the greatest or least number, as in Accumulo.
    Sum,
    /// The smaller.
    Min,
    /// The greater.
    Max,
}

impl LongOperation {
    fn apply(self, left: i64, right: i64) -> i64 {
        match self {
            Self::Sum => left.saturating_add(right),
            Self::Min => left.min(right),
            Self::Max => left.max(right),
        }
    }
}

/// Combines numbers: `SummingCombiner`, `MinCombiner`, `MaxCombiner`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Longs {
    /// How they lie in cells.
    pub encoding: LongEncoding,
    /// What becomes of two.
    pub operation: LongOperation,
}

impl CombineValues for Longs {
    type State = i64;

    fn first(&self, value: &[u8]) -> Result<i64, String> {
        self.encoding.read(value)
    }

    fn add(&self, state: &mut i64, value: &[u8]) -> Result<(), String> {
        *state = self.operation.apply(*state, self.encoding.read(value)?);
        Ok(())
    }

    fn bytes(&self, state: &i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encoding.write(*state, &mut bytes);
        bytes
    }
}

/// Adds lists number by number, shorter ones as if zeros followed: `SummingArrayCombiner`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongLists {
    /// How their numbers lie in cells.
    pub encoding: LongEncoding,
}

impl CombineValues for LongLists {
    type State = Vec<i64>;

    fn first(&self, value: &[u8]) -> Result<Vec<i64>, String> {
        self.encoding.read_list(value)
    }

    fn add(&self, state: &mut Vec<i64>, value: &[u8]) -> Result<(), String> {
        let numbers = self.encoding.read_list(value)?;
        if numbers.len() > state.len() {
            state.resize(numbers.len(), 0);
        }
        for (sum, number) in state.iter_mut().zip(numbers) {
            *sum = sum.saturating_add(number);
        }
        Ok(())
    }

    fn bytes(&self, state: &Vec<i64>) -> Vec<u8> {
        self.encoding.write_list(state)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENCODINGS: [LongEncoding; 3] = [LongEncoding::VarLen, LongEncoding::FixedLen, LongEncoding::String];

    /// The bytes that Hadoop 2.7's `WritableUtils.writeVLong` gives.
    #[test]
    fn numbers_of_variable_length_are_hadoops() {
        let known: [(i64, &[u8]); 8] = [
            (0, &[0]),
            (127, &[127]),
            (-112, &[0x90]),
            (128, &[0x8f, 0x80]),
            (-113, &[0x87, 0x70]),
            (256, &[0x8e, 1, 0]),
            (i64::MAX, &[0x88, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            (i64::MIN, &[0x80, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ];
        for (number, bytes) in known {
            let mut written = Vec::new();
            write_vlong(number, &mut written);
            assert_eq!(written, bytes, "{number}");
            assert_eq!(read_vlong(bytes), Some((number, &[][..])));
        }
    }

    proptest! {
        #[test]
        fn numbers_and_lists_come_back(numbers in prop::collection::vec(any::<i64>(), 1..5)) {
            for encoding in ENCODINGS {
                let mut bytes = Vec::new();
                encoding.write(numbers[0], &mut bytes);
                prop_assert_eq!(encoding.read(&bytes), Ok(numbers[0]));
                prop_assert_eq!(encoding.read_list(&encoding.write_list(&numbers)), Ok(numbers.clone()));
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            for encoding in ENCODINGS {
                let _ = (encoding.read(&bytes), encoding.read_list(&bytes));
            }
        }
    }

    #[test]
    fn sums_stop_at_the_limits_and_lists_grow() {
        let sum = Longs { encoding: LongEncoding::String, operation: LongOperation::Sum };
        let mut state = sum.first(b"9223372036854775807").unwrap();
        sum.add(&mut state, b"5").unwrap();
        assert_eq!(sum.bytes(&state), b"9223372036854775807");
        assert!(sum.add(&mut state, b"five").is_err());
        let lists = LongLists { encoding: LongEncoding::String };
        let mut state = lists.first(b"1,2").unwrap();
        lists.add(&mut state, b"10,20,30").unwrap();
        assert_eq!(lists.bytes(&state), b"11,22,30");
    }
}
