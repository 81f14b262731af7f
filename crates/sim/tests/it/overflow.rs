//! An index that wrapped at 32 bits is told beside the access that went astray.

use sim::{Related, TrapKind};

use crate::case;

fn wrapped_at(kernel: &str) -> Option<u32> {
    let trap = case("overflow", kernel, 1, 32).buffer("out", &[0.0_f32; 64]).value(1000_i32).run().expect_err(kernel);
    assert!(matches!(trap.kind, TrapKind::OutOfBounds { .. }), "{kernel}: {trap:?}");
    trap.related.iter().find(|(what, _)| *what == Related::Overflow).map(|(_, line)| *line)
}

#[test]
fn products_and_shifts_that_wrapped_are_told_with_their_line() {
    assert_eq!(wrapped_at("square"), Some(3));
    assert_eq!(wrapped_at("rows"), Some(9));
}

#[test]
fn what_fits_is_not_blamed() {
    assert_eq!(wrapped_at("wide"), None);
    assert_eq!(wrapped_at("narrow"), None);
}
