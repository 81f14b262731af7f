//! Special registers by name (PTX ISA 9.0, section 10).

use crate::op::Special;

/// What a thread reads of a register like `%tid.x`.
pub(super) fn special(name: &str) -> Option<Special> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let axis = |letter: &str| ["x", "y", "z"].iter().position(|axis| *axis == letter);
    if let Some((register, letter)) = name.split_once('.') {
        return match register {
            "%tid" => axis(letter).map(Special::Tid),
            "%ntid" => axis(letter).map(Special::Ntid),
            "%ctaid" => axis(letter).map(Special::Ctaid),
            "%nctaid" => axis(letter).map(Special::Nctaid),
            _ => None,
        };
    }
    match name {
        "%laneid" => Some(Special::Lane),
        "%warpid" => Some(Special::WarpId),
        "%lanemask_lt" => Some(Special::LaneMask(Less, false)),
        "%lanemask_le" => Some(Special::LaneMask(Less, true)),
        "%lanemask_eq" => Some(Special::LaneMask(Equal, true)),
        "%lanemask_ge" => Some(Special::LaneMask(Greater, true)),
        "%lanemask_gt" => Some(Special::LaneMask(Greater, false)),
        "%clock" | "%clock64" | "%globaltimer" => Some(Special::Clock),
        _ => None,
    }
}
