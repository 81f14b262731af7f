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
            // A block is a cluster of its own.
            "%clusterid" => axis(letter).map(Special::Ctaid),
            "%nclusterid" => axis(letter).map(Special::Nctaid),
            "%cluster_ctaid" => axis(letter).map(|_| Special::Fixed(0)),
            "%cluster_nctaid" => axis(letter).map(|_| Special::Fixed(1)),
            _ => None,
        };
    }
    if let Some(number) = name.strip_prefix("%envreg") {
        return number.parse::<u32>().ok().filter(|number| *number < 32).map(|_| Special::Fixed(0));
    }
    match name {
        "%laneid" => Some(Special::Lane),
        "%warpid" => Some(Special::WarpId),
        "%lanemask_lt" => Some(Special::LaneMask(Less, false)),
        "%lanemask_le" => Some(Special::LaneMask(Less, true)),
        "%lanemask_eq" => Some(Special::LaneMask(Equal, true)),
        "%lanemask_ge" => Some(Special::LaneMask(Greater, true)),
        "%lanemask_gt" => Some(Special::LaneMask(Greater, false)),
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Some(Special::Clock),
        "%dynamic_smem_size" => Some(Special::DynamicShared),
        "%total_smem_size" => Some(Special::TotalShared),
        "%smid" | "%clock_hi" | "%globaltimer_hi" | "%cluster_ctarank" => Some(Special::Fixed(0)),
        "%nsmid" | "%gridid" | "%cluster_nctarank" => Some(Special::Fixed(1)),
        "%nwarpid" => Some(Special::Fixed(64)),
        _ => None,
    }
}
