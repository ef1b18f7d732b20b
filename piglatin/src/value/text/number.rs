//! Numbers as `Double.toString`, `Float.toString` and `BigDecimal.toString` print them.

use std::fmt::{self, Write};

use bigdecimal::BigDecimal;

/// `Double.toString`: the shortest digits that name this number and no other, at least one of them behind the point;
/// with an exponent below 0.001 and from 10000000 on.
#[must_use]
pub fn java_double(value: f64) -> String {
    let mut out = String::new();
    double(value, |text| out.push_str(text));
    out
}

/// `Float.toString`, by the rules of [`java_double`].
#[must_use]
pub fn java_float(value: f32) -> String {
    let mut out = String::new();
    float(value, |text| out.push_str(text));
    out
}

/// `BigDecimal.toString`: all digits of the scale; with an exponent if the scale is negative or more than five zeros
/// follow the point.
#[must_use]
pub fn java_decimal(value: &BigDecimal) -> String {
    let (unscaled, scale) = value.as_bigint_and_scale();
    let text = unscaled.to_string();
    if scale == 0 {
        return text;
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let adjusted = (count - 1).saturating_sub(scale);
    let mut out = String::from(sign);
    if scale > 0 && adjusted >= -6 {
        if adjusted >= 0 {
            // One digit or more stand before the point.
            let before = usize::try_from(count - scale).unwrap_or(0);
            out.push_str(&digits[..before]);
            out.push('.');
            out.push_str(&digits[before..]);
        } else {
            out.push_str("0.");
            for _ in 1..-adjusted {
                out.push('0');
            }
            out.push_str(digits);
        }
        return out;
    }
    out.push_str(&digits[..1]);
    if digits.len() > 1 {
        out.push('.');
        out.push_str(&digits[1..]);
    }
    if adjusted != 0 {
        out.push('E');
        if adjusted > 0 {
            out.push('+');
        }
        out.push_str(&adjusted.to_string());
    }
    out
}

pub(super) fn integer(value: i64, emit: impl FnOnce(&str)) {
    let mut buffer = Buffer::new();
    // 20 characters at most.
    let _ = write!(buffer, "{value}");
    emit(buffer.text());
}

pub(super) fn double(value: f64, emit: impl FnOnce(&str)) {
    if let Some(text) = special(value.is_nan(), value.is_infinite(), value.is_sign_negative(), value == 0.0) {
        return emit(text);
    }
    place_point(shortest(&value, 15, |text| text.parse() == Ok(value)).text(), emit);
}

pub(super) fn float(value: f32, emit: impl FnOnce(&str)) {
    if let Some(text) = special(value.is_nan(), value.is_infinite(), value.is_sign_negative(), value == 0.0) {
        return emit(text);
    }
    place_point(shortest(&value, 6, |text| text.parse() == Ok(value)).text(), emit);
}

/// The shortest digits that name a number. Where two are equally near, Java takes the even one and Rust the larger. That
/// needs as many digits behind the point as the type can hold, `ties_from`: fewer digits are nearer to their number.
fn shortest(value: &impl fmt::LowerExp, ties_from: usize, names: impl Fn(&str) -> bool) -> Buffer {
    let mut buffer = Buffer::new();
    // No number has more characters than the buffer.
    let _ = write!(buffer, "{value:e}");
    let text = buffer.text();
    let mantissa = text.split_once('e').map_or(text, |(mantissa, _)| mantissa);
    let Some((_, fraction)) = mantissa.split_once('.') else {
        // Of numbers with one digit Java prints the nearest of two digits: 4.9E-324, not 5.0E-324.
        buffer.clear();
        let _ = write!(buffer, "{value:.1e}");
        return buffer;
    };
    if fraction.len() >= ties_from {
        let mut nearest = Buffer::new();
        let _ = write!(nearest, "{value:.*e}", fraction.len());
        if names(nearest.text()) {
            return nearest;
        }
    }
    buffer
}

fn special(nan: bool, infinite: bool, negative: bool, zero: bool) -> Option<&'static str> {
    Some(match (nan, infinite, negative, zero) {
        (true, ..) => "NaN",
        (_, true, false, _) => "Infinity",
        (_, true, true, _) => "-Infinity",
        (.., false, true) => "0.0",
        (.., true, true) => "-0.0",
        _ => return None,
    })
}

/// Makes `1.25e-2` what Java prints: `0.0125`.
fn place_point(scientific: &str, emit: impl FnOnce(&str)) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let mut out = Buffer::new();
    let _ = if (0..7).contains(&exponent) {
        let exponent = usize::try_from(exponent).unwrap_or(0);
        // `1.0e3` has zeros of its own that stand for nothing.
        let rest = if rest == "0" { "" } else { rest };
        if rest.len() > exponent {
            write!(out, "{sign}{first}{}.{}", &rest[..exponent], &rest[exponent..])
        } else {
            write!(out, "{sign}{first}{rest:0<exponent$}.0")
        }
    } else if (-3..0).contains(&exponent) {
        let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
        let rest = if rest == "0" { "" } else { rest };
        write!(out, "{sign}0.{:0<zeros$}{first}{rest}", "")
    } else {
        write!(out, "{sign}{first}.{rest}E{exponent}")
    };
    emit(out.text());
}

/// Room for the text of one number, so that none is allocated.
struct Buffer {
    bytes: [u8; 40],
    used: usize,
}

impl Buffer {
    fn new() -> Self {
        Self { bytes: [0; 40], used: 0 }
    }

    fn clear(&mut self) {
        self.used = 0;
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.used]).unwrap_or_default()
    }
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.used + text.len();
        let room = self.bytes.get_mut(self.used..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}
