//! Constants that instructions compute with, spread to 32 lanes once instead of at every use.

use std::collections::HashMap;

use crate::op::{Kind, LANES, Lanes, Op, Source};

/// Different constants that are spread: 64 KiB.
const SPREAD_MAX: usize = 256;

/// Replaces constants in what is computed lane by lane, and gives them spread.
pub(super) fn spread(ops: &mut [Op]) -> Vec<Lanes> {
    let (mut known, mut all) = (HashMap::new(), vec![]);
    let mut replace = |source: &mut Source| {
        let Source::Constant(value) = *source else { return };
        let next = all.len();
        let index = *known.entry(value).or_insert(next);
        if index == next && next < SPREAD_MAX {
            all.push([value; LANES]);
        }
        if index < SPREAD_MAX {
            *source = Source::Spread(index as u32);
        }
    };
    for op in ops {
        match &mut op.kind {
            Kind::Map1 { a, .. } | Kind::Copy { a, .. } => replace(a),
            Kind::Map2 { a, b, .. } | Kind::Compare { a, b, .. } => [a, b].into_iter().for_each(&mut replace),
            Kind::Map3 { a, b, c, .. } => [a, b, c].into_iter().for_each(&mut replace),
            _ => {}
        }
    }
    all
}
