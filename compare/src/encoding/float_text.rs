//! Floats as the text SQL prints.
//!
//! The digits are the shortest that read back as the same float; where they are written out and where an exponent takes
//! over is DataFusion's choice, which differs by width.

/// Appends a double: written out from `1e-5` up to below `1e16`.
pub(super) fn write64(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() { lay_out(&format!("{value:e}"), -5, 16, out) } else { write_other(value, out) }
}

/// Appends a single: written out from `1e-6` up to below `1e13`.
pub(super) fn write32(value: f32, out: &mut Vec<u8>) {
    if value.is_finite() {
        lay_out(&format!("{value:e}"), -6, 13, out)
    } else {
        write_other(value.into(), out)
    }
}

fn write_other(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(match value {
        f64::INFINITY => b"inf",
        f64::NEG_INFINITY => b"-inf",
        _ => b"NaN",
    });
}

/// Writes a number given as `-d.ddde-xx`. `point` below is where the decimal point stands behind the first digit; the
/// number is written out if that is more than `least` and at most `most`.
fn lay_out(scientific: &str, least: i32, most: i32, out: &mut Vec<u8>) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let text = if digits == "0" {
        "0.0".to_owned()
    } else if point > most || point <= least {
        format!("{mantissa}e{exponent}")
    } else if point <= 0 {
        format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
    } else {
        let whole = point.unsigned_abs() as usize;
        match digits.split_at_checked(whole) {
            Some((whole, fraction)) if !fraction.is_empty() => format!("{whole}.{fraction}"),
            _ => format!("{digits:0<whole$}.0"),
        }
    };
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(text.as_bytes());
}
