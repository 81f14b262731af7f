//! Actual bytes against expected bytes: pure, and in the parent only.
//!
//! Buffers are dense, row-major and little-endian. NaN never matches, not even NaN, unless the expected value
//! is not finite itself and bit for bit the same kind: the comparison is written as `!(|a - e| <= bound)`.

use domain::exercise::{Compare, Element, Launch, Param, Role};
use domain::expression::Sizes;
use domain::finding::{Finding, Mismatch, Thread};
use domain::verdict::VerdictKind;

use crate::inputs::{halves, poison};

/// What one output shows, in the order of precedence.
#[derive(Default)]
struct Tally {
    nan: Option<u64>,
    untouched: Option<u64>,
    untouched_count: u64,
    wrong: Option<u64>,
    differ: u64,
}

/// Judges one parameter's buffer after the launches. `before` is what an input held.
///
/// Returns the failure of highest precedence, or `None` where all is well. Slices have equal length.
pub fn judge(
    param: &Param,
    before: &[u8],
    expected: &[u8],
    actual: &[u8],
    owner: impl Fn(u64) -> Option<Thread>,
) -> Option<(VerdictKind, Finding)> {
    match &param.role {
        Role::In { .. } => {
            let width = param.element.bytes() as usize;
            let changed = before.chunks_exact(width).zip(actual.chunks_exact(width)).position(|(b, a)| b != a)?;
            let finding = Finding::WriteConst { buffer: param.name.clone(), index: Some(changed as u64), line: None };
            Some((VerdictKind::InputModified, finding))
        }
        Role::Out { compare, .. } | Role::InOut { compare, .. } => {
            assert_eq!(expected.len(), actual.len(), "a runner returned a buffer of another size");
            judge_output(param, compare, expected, actual, owner)
        }
        Role::Scratch { .. } | Role::Scalar { .. } => None,
    }
}

fn judge_output(
    param: &Param,
    compare: &Compare,
    expected: &[u8],
    actual: &[u8],
    owner: impl Fn(u64) -> Option<Thread>,
) -> Option<(VerdictKind, Finding)> {
    let width = param.element.bytes() as usize;
    let marker = poison(param.element);
    let mut tally = Tally::default();
    for (index, (e, a)) in expected.chunks_exact(width).zip(actual.chunks_exact(width)).enumerate() {
        let index = index as u64;
        // Most elements of most kernels are right to the bit.
        if (e == a && a != marker) || agree(compare, param.element, e, a) {
            continue;
        }
        tally.differ += 1;
        if a == marker {
            tally.untouched.get_or_insert(index);
            tally.untouched_count += 1;
        } else if !finite(param.element, a) && finite(param.element, e) {
            tally.nan.get_or_insert(index);
        } else {
            tally.wrong.get_or_insert(index);
        }
    }
    let facts = |index: u64, count: u64| {
        let at = index as usize * width..(index as usize + 1) * width;
        Some(mismatch(
            compare,
            param.element,
            &expected[at.clone()],
            &actual[at],
            index,
            count,
            expected.len() / width,
            &owner,
        ))
    };
    let buffer = param.name.clone();
    if let Some(index) = tally.nan {
        Some((VerdictKind::Nan, Finding::Nan { buffer, at: facts(index, tally.differ) }))
    } else if let Some(index) = tally.untouched {
        Some((VerdictKind::OutputUntouched, Finding::Untouched { buffer, at: facts(index, tally.untouched_count) }))
    } else {
        let index = tally.wrong?;
        Some((VerdictKind::WrongValues, Finding::WrongValues { buffer, at: facts(index, tally.differ) }))
    }
}

#[expect(clippy::too_many_arguments, reason = "the facts of one element; a struct for one call would only rename them")]
fn mismatch(
    compare: &Compare,
    element: Element,
    expected: &[u8],
    actual: &[u8],
    index: u64,
    count: u64,
    size: usize,
    owner: impl Fn(u64) -> Option<Thread>,
) -> Mismatch {
    let (e, a) = (number(element, expected), number(element, actual));
    let difference = (a - e).abs();
    Mismatch {
        index,
        expected: text(element, expected),
        got: text(element, actual),
        difference: difference.is_finite().then_some(difference),
        allowed: bound(compare, e),
        count,
        size: size as u64,
        who: owner(index),
    }
}

fn bound(compare: &Compare, expected: f64) -> f64 {
    match compare {
        Compare::Exact => 0.0,
        Compare::Close { abs, rel, .. } => abs + rel * expected.abs(),
    }
}

/// Whether one element agrees. Integers compare as integers, floats as numbers: -0 equals 0.
fn agree(compare: &Compare, element: Element, expected: &[u8], actual: &[u8]) -> bool {
    if !element.is_float() {
        return match compare {
            Compare::Exact => expected == actual,
            Compare::Close { .. } => {
                let (e, a) = (integer(element, expected), integer(element, actual));
                (a - e).unsigned_abs() as f64 <= bound(compare, e as f64)
            }
        };
    }
    let (e, a) = (number(element, expected), number(element, actual));
    if e.is_nan() {
        return a.is_nan() && actual != poison(element);
    }
    if e.is_infinite() {
        return a.to_bits() == e.to_bits();
    }
    (a - e).abs() <= bound(compare, e)
}

fn finite(element: Element, bytes: &[u8]) -> bool {
    !element.is_float() || number(element, bytes).is_finite()
}

fn integer(element: Element, bytes: &[u8]) -> i128 {
    let mut wide = [0_u8; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = i128::from_le_bytes(wide);
    let bits = bytes.len() * 8;
    let signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    if signed { (value << (128 - bits)) >> (128 - bits) } else { value }
}

fn number(element: Element, bytes: &[u8]) -> f64 {
    match element {
        Element::F16 | Element::Bf16 => {
            let half = if element == Element::F16 { halves::F16 } else { halves::BF16 };
            half.value(u16::from_le_bytes(bytes.try_into().expect("a half has two bytes")))
        }
        Element::F32 => f64::from(f32::from_le_bytes(bytes.try_into().expect("an f32 has four bytes"))),
        Element::F64 => f64::from_le_bytes(bytes.try_into().expect("an f64 has eight bytes")),
        _ => integer(element, bytes) as f64,
    }
}

/// The value as text that reads back to the same number; the marker by its name.
pub(crate) fn text(element: Element, bytes: &[u8]) -> String {
    if bytes == poison(element) {
        return "our marker".to_owned();
    }
    match element {
        Element::F32 => f32::from_le_bytes(bytes.try_into().expect("an f32 has four bytes")).to_string(),
        Element::F16 | Element::Bf16 | Element::F64 => number(element, bytes).to_string(),
        _ => integer(element, bytes).to_string(),
    }
}

/// Who owns element `index`, where one launch along x has at least one thread per element.
pub fn owner(launches: &[Launch], sizes: &Sizes, elements: u64, index: u64) -> Option<Thread> {
    let [launch] = launches else { return None };
    let value =
        |expression: &domain::expression::Expression| expression.value(sizes).ok().and_then(|v| u64::try_from(v).ok());
    let [grid, block] = [&launch.grid, &launch.block].map(|extents| extents.each_ref().map(value));
    let (grid_x, block_x) = (grid[0]?, block[0]?);
    let flat = [grid[1]?, grid[2]?, block[1]?, block[2]?] == [1; 4];
    (flat && block_x > 0 && grid_x * block_x >= elements).then(|| Thread {
        block: [(index / block_x) as u32, 0, 0],
        thread: [(index % block_x) as u32, 0, 0],
        block_size: [block_x as u32, 1, 1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(compare: Compare) -> Param {
        Param { name: "out".into(), element: Element::F32, role: Role::Out { shape: vec![], compare } }
    }

    fn close() -> Compare {
        Compare::Close { abs: 1e-6, rel: 1e-6, reason: String::new() }
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn check(expected: &[f32], actual: &[f32], expect: Option<(VerdictKind, u64)>) {
        let got = judge(&out(close()), &[], &bytes(expected), &bytes(actual), |_| None);
        let got = got.map(|(kind, finding)| match finding {
            Finding::Nan { at: Some(m), .. }
            | Finding::Untouched { at: Some(m), .. }
            | Finding::WrongValues { at: Some(m), .. } => (kind, m.index),
            other => panic!("{other:?}"),
        });
        assert_eq!(got, expect, "{expected:?} {actual:?}");
    }

    #[test]
    fn values_agree_within_the_tolerance() {
        let marker = f32::from_le_bytes(poison(Element::F32).try_into().unwrap());
        check(&[1.0, 2.0], &[1.0, 2.0], None);
        check(&[1000.0], &[1000.001], None);
        check(&[1000.0], &[1000.01], Some((VerdictKind::WrongValues, 0)));
        check(&[0.0], &[-0.0], None);
        check(&[1.0, 0.0], &[1.0, f32::NAN], Some((VerdictKind::Nan, 1)));
        check(&[1.0], &[f32::INFINITY], Some((VerdictKind::Nan, 0)));
        check(&[f32::INFINITY], &[f32::INFINITY], None);
        check(&[f32::NAN], &[f32::NAN], None);
        check(&[f32::NAN], &[marker], Some((VerdictKind::OutputUntouched, 0)));
        check(&[1.0, 2.0], &[5.0, marker], Some((VerdictKind::OutputUntouched, 1)));
        check(&[1.0, 2.0, 3.0], &[5.0, marker, f32::NAN], Some((VerdictKind::Nan, 2)));
        check(&[], &[], None);
    }

    #[test]
    fn halves_compare_as_numbers() {
        for (element, half) in [(Element::F16, halves::F16), (Element::Bf16, halves::BF16)] {
            let mut param = out(Compare::Close { abs: 0.0, rel: 0.01, reason: String::new() });
            param.element = element;
            let bytes = |value: f64| half.bits(value).to_le_bytes();
            let judged =
                |expected: &[u8], actual: &[u8]| judge(&param, &[], expected, actual, |_| None).map(|(kind, _)| kind);
            assert_eq!(judged(&bytes(1.0), &bytes(1.007_812_5)), None);
            assert_eq!(judged(&bytes(1.0), &bytes(1.0625)), Some(VerdictKind::WrongValues));
            assert_eq!(judged(&bytes(0.0), &bytes(-0.0)), None);
            assert_eq!(judged(&bytes(1.0), &bytes(f64::NAN)), Some(VerdictKind::Nan));
            assert_eq!(judged(&bytes(1.0), poison(element)), Some(VerdictKind::OutputUntouched));
        }
    }

    #[test]
    fn an_input_must_stand() {
        let param = Param {
            name: "a".into(),
            element: Element::F32,
            role: Role::In { shape: vec![], fill: domain::exercise::Fill::Permutation },
        };
        assert!(judge(&param, &bytes(&[1.0]), &[], &bytes(&[1.0]), |_| None).is_none());
        let (kind, finding) = judge(&param, &bytes(&[1.0, 2.0]), &[], &bytes(&[1.0, 3.0]), |_| None).unwrap();
        assert_eq!(
            (kind, finding),
            (VerdictKind::InputModified, Finding::WriteConst { buffer: "a".into(), index: Some(1), line: None })
        );
    }

    #[test]
    fn integers_compare_exactly() {
        let mut param = out(Compare::Exact);
        param.element = Element::I64;
        let e = i64::MAX.to_le_bytes();
        assert!(judge(&param, &[], &e, &e, |_| None).is_none());
        let (_, finding) = judge(&param, &[], &e, &(i64::MAX - 1).to_le_bytes(), |_| None).unwrap();
        let Finding::WrongValues { at: Some(m), .. } = finding else { panic!("{finding:?}") };
        assert_eq!((m.expected.as_str(), m.got.as_str()), ("9223372036854775807", "9223372036854775806"));
    }
}
