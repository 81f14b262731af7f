//! `printf` of a kernel: the format and the argument area that NVRTC hands to `vprintf`.
//!
//! Arguments lie at their natural alignment; floats are promoted to binary64, narrow integers to 32 bits.

use crate::memory::{Access, Memory};
use crate::op::MemorySpace;
use crate::trap::TrapKind;

/// Printed bytes that are kept.
pub(crate) const KEPT_BYTES: usize = 16_384;
/// Bytes of a format or of one text argument that are read.
const TEXT_BYTES_MAX: usize = 4096;
/// Most width and precision that is honoured.
const FIELD_MAX: usize = 256;

/// One formatted text.
pub(crate) fn format(
    memory: &mut Memory<'_>,
    format: u64,
    arguments: u64,
    thread: usize,
) -> Result<Vec<u8>, Box<TrapKind>> {
    let text = memory.text(format, TEXT_BYTES_MAX, thread)?;
    let mut at = arguments;
    let mut printed = vec![];
    let mut rest = text.as_slice();
    while let Some(start) = rest.iter().position(|byte| *byte == b'%') {
        printed.extend(&rest[..start]);
        rest = &rest[start + 1..];
        let end = rest.iter().position(|byte| b"diouxXcfFeEgGaAsp%".contains(byte));
        let Some(end) = end else {
            printed.push(b'%');
            break;
        };
        let (spec, conversion) = (String::from_utf8_lossy(&rest[..end]).into_owned(), rest[end]);
        rest = &rest[end + 1..];
        if conversion == b'%' {
            printed.push(b'%');
            continue;
        }
        let wide = spec.contains('l')
            || spec.contains('j')
            || spec.contains('z')
            || matches!(conversion, b's' | b'p')
            || b"fFeEgGaA".contains(&conversion);
        let bytes = if wide { 8 } else { 4 };
        at = at.wrapping_add(bytes - 1) & !(bytes - 1);
        let slot = memory.load(Access {
            space: MemorySpace::Generic,
            address: at,
            bytes: bytes as u32,
            write: false,
            thread,
        })?;
        let mut value = [0; 8];
        value[..slot.len()].copy_from_slice(slot);
        at = at.wrapping_add(bytes);
        let value = u64::from_le_bytes(value);
        let body = if conversion == b's' {
            String::from_utf8_lossy(&memory.text(value, TEXT_BYTES_MAX, thread)?).into_owned()
        } else {
            number(conversion, &spec, value, wide)
        };
        printed.extend(padded(&spec, body).bytes());
    }
    printed.extend(rest);
    Ok(printed)
}

fn number(conversion: u8, spec: &str, value: u64, wide: bool) -> String {
    let signed = if wide { value as i64 } else { i64::from(value as i32) };
    let precision = spec
        .split_once('.')
        .and_then(|(_, digits)| digits.trim_end_matches(['l', 'h']).parse().ok())
        .map(|p: usize| p.min(FIELD_MAX));
    let float = f64::from_bits(value);
    let plus = |text: String, negative: bool| {
        if spec.contains('+') && !negative { format!("+{text}") } else { text }
    };
    match conversion {
        b'd' | b'i' => plus(signed.to_string(), signed < 0),
        b'u' => value.to_string(),
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        b'p' => format!("{value:#x}"),
        b'c' => char::from(value as u8).to_string(),
        b'e' | b'E' => {
            let text = exponential(float, precision.unwrap_or(6));
            plus(if conversion == b'E' { text.to_uppercase() } else { text }, float < 0.0)
        }
        b'g' | b'G' => plus(general(float, precision.unwrap_or(6).max(1)), float < 0.0),
        _ => plus(format!("{float:.*}", precision.unwrap_or(6)).to_lowercase(), float < 0.0),
    }
}

fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text.to_lowercase();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn general(value: f64, precision: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let exponent =
        exponential(value, precision - 1).split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(value, precision - 1);
        let (digits, tail) = text.split_once('e').unwrap_or((&text, "+00"));
        format!("{}e{tail}", trim(digits))
    } else {
        trim(&format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize))
    }
}

fn padded(spec: &str, body: String) -> String {
    let flags: String = spec.chars().take_while(|c| "-+ #0".contains(*c)).collect();
    let width: String = spec[flags.len()..].chars().take_while(char::is_ascii_digit).collect();
    let width = width.parse::<usize>().unwrap_or(0).min(FIELD_MAX);
    let missing = width.saturating_sub(body.chars().count());
    if flags.contains('-') {
        body + &" ".repeat(missing)
    } else if flags.contains('0') && missing > 0 {
        let sign = usize::from(body.starts_with(['-', '+']));
        format!("{}{}{}", &body[..sign], "0".repeat(missing), &body[sign..])
    } else {
        " ".repeat(missing) + &body
    }
}
