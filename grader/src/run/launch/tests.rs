//! Launches that can be read, and the sentence for each that cannot.

use super::*;
use crate::cases;
use crate::runner::protocol::{Argument, BufferRole};

fn refusal(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn a_launch_becomes_a_case() {
    let task = parse("scale<<<(2, 3), dim3(16, 4, 2), 64>>>(x: const float[4]=ramp, int[2]=-7, half[3], unsigned=5)")
        .expect("it is one");
    let case = cases::plan(&task, 0, 0).expect("a case");
    let [launch] = case.run.launches[..] else { panic!("{:?}", case.run.launches) };
    assert_eq!(
        (task.entry.as_str(), launch.grid, launch.block, launch.shared_bytes),
        ("scale", [2, 3, 1], [16, 4, 2], 64)
    );
    let [x, filled, room] = &case.run.buffers[..] else { panic!("{:?}", case.run.buffers) };
    assert_eq!((x.name.as_str(), x.role, x.element_bytes), ("x", BufferRole::Input, 4));
    assert_eq!(x.bytes.0, [0.0_f32, 1.0, 2.0, 3.0].map(f32::to_le_bytes).concat());
    assert_eq!((filled.name.as_str(), filled.role), ("argument_2", BufferRole::InOut));
    assert_eq!(filled.bytes.0, [-7_i32; 2].map(i32::to_le_bytes).concat());
    assert_eq!((room.role, room.bytes.0.len()), (BufferRole::Scratch, 6));
    assert_eq!(case.run.arguments[3], Argument::Value(vec![5, 0, 0, 0]));
    assert!(case.visible);
}

#[test]
fn whole_numbers_keep_all_their_bits() {
    let task = parse(
        "k<<<1,1>>>(uint64_t=18446744073709551615, int64_t=-9223372036854775808, uint64_t[1]=18446744073709551615)",
    )
    .expect("it is one");
    let case = cases::plan(&task, 0, 0).expect("a case");
    assert_eq!(case.run.arguments[0], Argument::Value(vec![0xff; 8]));
    assert_eq!(case.run.arguments[1], Argument::Value(i64::MIN.to_le_bytes().to_vec()));
    assert_eq!(case.run.buffers[0].bytes.0, [0xff; 8]);
    assert!(parse("k<<<1, 1>>>()").expect("no arguments").params.is_empty());
    let random = parse("k<<<1, 1>>>(int[100]=random)").expect("it is one");
    let bytes = &cases::plan(&random, 0, 0).expect("a case").run.buffers[0].bytes.0;
    assert!(bytes.chunks(4).all(|value| (0..=99).contains(&i32::from_le_bytes(value.try_into().expect("four")))));
}

#[test]
fn what_cannot_be_read_is_told_in_a_sentence() {
    let form = "is no launch; one looks like `kernel<<<4, 256>>>(float[1024]=ramp, int=1024)`";
    for text in ["", "k", "k(1)", "k<<<1>>>()", "k<<<1, 1", "k<<<1, 1>>>(", "1k<<<1, 1>>>()", "k<<<1, 1, 1, 1>>>()"] {
        assert_eq!(refusal(text), format!("`{text}` {form}"));
    }
    let extents = "is no number from 1, nor two or three in brackets";
    for (text, part) in [("0", "grid"), ("x", "grid"), ("(1, 2, 3, 4)", "grid"), ("4294967296", "grid"), ("-1", "grid")]
    {
        assert_eq!(refusal(&format!("k<<<{text}, 1>>>()")), format!("the {part} `{text}` {extents}"));
    }
    assert_eq!(refusal("k<<<1, 0>>>()"), format!("the block `0` {extents}"));
    assert_eq!(refusal("k<<<1, 1, x>>>()"), "the shared memory `x` is no number of bytes");
    for (text, reason) in [
        ("int", "a value is missing: write `int=5`, or `int[5]` for a buffer"),
        ("string=5", "`string` is no type of an element"),
        ("int=x", "`x` is no value of `int`"),
        ("int=2147483648", "`2147483648` is no value of `int`"),
        ("unsigned char=256", "`256` is no value of `unsigned char`"),
        ("unsigned=-1", "`-1` is no value of `unsigned int`"),
        ("float=nan", "`nan` is no value of `float`"),
        ("float[4", "a `]` is missing"),
        ("float[0]=ramp", "its length is no whole number from 1"),
        ("float[4]=stairs", "`stairs` is neither `ramp`, nor `random`, nor a number of its type"),
        ("const float[4]", "an input holds something: write `=ramp` behind it"),
        ("4x: int=1", "`4x` is no name"),
        ("", "`` is no type of an element"),
    ] {
        assert_eq!(refusal(&format!("k<<<1, 1>>>(int=1, {text})")), format!("argument 2 `{text}`: {reason}"));
    }
}

#[test]
fn as_many_arguments_as_a_kernel_takes_are_read() {
    let launch = |count: usize| format!("k<<<1, 1>>>({})", vec!["int=1"; count].join(", "));
    assert_eq!(parse(&launch(ARGUMENTS_MAX)).expect("the most").params.len(), ARGUMENTS_MAX);
    let count = ARGUMENTS_MAX + 1;
    assert_eq!(parse(&launch(count)), Err(LaunchError::TooMany { count }));
}
