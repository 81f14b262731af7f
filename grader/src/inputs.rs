//! (fill, seed, parameter, index) -> bytes: the same everywhere and for ever, so a stored seed replays a verdict.
//!
//! Values come from a counter hash (splitmix64 over seed, parameter and index), so element i does not depend
//! on how many elements there are, and no two elements are equal by construction.

use domain::exercise::{Element, Fill};

/// One round of splitmix64's finaliser: a bijection on 64 bits with good avalanche.
pub fn mix(mut value: u64) -> u64 {
    value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The 64 random bits of one element.
fn bits(seed: u64, param_index: u64, index: u64) -> u64 {
    mix(mix(seed ^ mix(param_index)) ^ index)
}

/// `count` elements, dense, little-endian.
pub fn fill(fill: &Fill, element: Element, count: u64, seed: u64, param_index: usize) -> Vec<u8> {
    let param_index = param_index as u64;
    let mut bytes = Vec::with_capacity((count * u64::from(element.bytes())) as usize);
    for index in 0..count {
        match fill {
            Fill::Ramp => push_integer(&mut bytes, element, index as i64),
            Fill::Constant { value } => push_float(&mut bytes, element, *value),
            Fill::Uniform { lo, hi } => {
                let unit = (bits(seed, param_index, index) >> 11) as f64 / (1_u64 << 53) as f64;
                push_float(&mut bytes, element, lo + (hi - lo) * unit);
            }
            Fill::Ints { lo, hi } => {
                let span = (hi.wrapping_sub(*lo) as u64).wrapping_add(1);
                let random = bits(seed, param_index, index);
                // A span of 2^64 wraps to 0: then every value is in range.
                let offset = if span == 0 { random } else { random % span };
                push_integer(&mut bytes, element, lo.wrapping_add(offset as i64));
            }
        }
    }
    bytes
}

/// Appends a whole number, wrapped to the type.
pub fn push_integer(bytes: &mut Vec<u8>, element: Element, value: i64) {
    match element {
        Element::F32 => bytes.extend((value as f32).to_le_bytes()),
        Element::F64 => bytes.extend((value as f64).to_le_bytes()),
        _ => bytes.extend(&value.to_le_bytes()[..element.bytes() as usize]),
    }
}

fn push_float(bytes: &mut Vec<u8>, element: Element, value: f64) {
    match element {
        Element::F32 => bytes.extend((value as f32).to_le_bytes()),
        Element::F64 => bytes.extend(value.to_le_bytes()),
        _ => push_integer(bytes, element, value as i64),
    }
}

/// The marker that outputs hold before a launch: a NaN that no arithmetic makes, 0xA5 for integers.
pub fn poison(element: Element) -> &'static [u8] {
    match element {
        // Quiet NaNs with a payload of our own.
        Element::F32 => &[0xa5, 0xa5, 0xc5, 0x7f],
        Element::F64 => &[0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xfd, 0x7f],
        Element::I8 | Element::U8 => &[0xa5],
        Element::I16 | Element::U16 => &[0xa5; 2],
        Element::I32 | Element::U32 => &[0xa5; 4],
        Element::I64 | Element::U64 => &[0xa5; 8],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(bytes: &[u8]) -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_for_ever() {
        let uniform = Fill::Uniform { lo: -1.0, hi: 1.0 };
        let long = floats(&fill(&uniform, Element::F32, 1000, 7, 0));
        let short = floats(&fill(&uniform, Element::F32, 10, 7, 0));
        assert_eq!(long[..10], short[..]);
        assert_ne!(long, floats(&fill(&uniform, Element::F32, 1000, 8, 0)));
        assert_ne!(long, floats(&fill(&uniform, Element::F32, 1000, 7, 1)));
        assert!(long.iter().all(|value| (-1.0..1.0).contains(value)));
        // A verdict of years ago must replay: these bits never change.
        assert_eq!(bits(1, 2, 3), 0xc4b7_2f8c_e414_b6da);
        let mut sorted = long.clone();
        sorted.sort_by(f32::total_cmp);
        sorted.dedup();
        assert!(sorted.len() > 990, "elements differ by index");
    }

    #[test]
    fn integers_stay_in_their_range() {
        let bytes = fill(&Fill::Ints { lo: -3, hi: 3 }, Element::I32, 1000, 1, 0);
        let values: Vec<i32> = bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert!((-3..=3).all(|wanted| values.contains(&wanted)));
        assert!(values.iter().all(|value| (-3..=3).contains(value)));
        let whole = Fill::Ints { lo: i64::MIN, hi: i64::MAX };
        assert_eq!(fill(&whole, Element::I64, 3, 1, 0).len(), 24);
        assert_eq!(fill(&Fill::Ramp, Element::U8, 300, 0, 0)[256], 0);
    }

    #[test]
    fn the_marker_is_no_number() {
        assert!(f32::from_le_bytes(poison(Element::F32).try_into().unwrap()).is_nan());
        assert!(f64::from_le_bytes(poison(Element::F64).try_into().unwrap()).is_nan());
    }
}
