//! The text of a launch becomes a task of one case: `saxpy<<<4, 256>>>(const float[1024]=ramp, float[1024], int=5)`.
//!
//! Grid, block and bytes of shared memory stand as in CUDA; several extents stand in brackets, `(16, 16)`. An argument
//! is a type, for a buffer its length, and what it holds: see `docs/RUN.md`. Nothing is compiled or run here.

use domain::exercise::{Case, Compare, Element, Fill, KernelTask, Launch, Param, Role, ScalarValue};
use domain::expression::Expression;
use domain::limits::RUN_MILLISECONDS_MAX;

/// Arguments at most: a bound of ours, far below what the parameter space of a kernel holds.
pub const ARGUMENTS_MAX: usize = 256;
/// Whole numbers that `random` gives to an integer type: 0 to this.
const RANDOM_MAX: i64 = 99;

/// How a launch is written, for `grader run --help`.
pub const HELP: &str = "\
How a launch is written:
  --launch 'kernel<<<grid, block, shared bytes>>>(argument, ...)'
  --launch 'saxpy<<<4, 256>>>(x: const float[1024]=ramp, y: float[1024]=1, n: int=1024)'
Grid and block are one number, or two or three in brackets: (16, 16).
An argument of the kernel is one of
  int=5                   a value
  const float[1024]=ramp  a buffer that the kernel may only read
  float[1024]=random      a buffer with a content that it may change
  float[1024]             a buffer that holds nothing yet
A content is ramp (0, 1, 2, ...), random, or one number for all elements.
Before the type a name may stand: x: float[1024].";

/// The words for a type; those of C++ and of `cstdint`.
const TYPES: &[(&str, Element)] = &[
    ("float", Element::F32),
    ("double", Element::F64),
    ("half", Element::F16),
    ("__half", Element::F16),
    ("__nv_bfloat16", Element::Bf16),
    ("char", Element::I8),
    ("signed char", Element::I8),
    ("int8_t", Element::I8),
    ("unsigned char", Element::U8),
    ("uint8_t", Element::U8),
    ("short", Element::I16),
    ("int16_t", Element::I16),
    ("unsigned short", Element::U16),
    ("uint16_t", Element::U16),
    ("int", Element::I32),
    ("int32_t", Element::I32),
    ("unsigned", Element::U32),
    ("unsigned int", Element::U32),
    ("uint32_t", Element::U32),
    ("long", Element::I64),
    ("long long", Element::I64),
    ("int64_t", Element::I64),
    ("unsigned long", Element::U64),
    ("unsigned long long", Element::U64),
    ("uint64_t", Element::U64),
    ("size_t", Element::U64),
];

/// What is wrong with the text of a launch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// It has another form.
    #[error("`{text}` is no launch; one looks like `kernel<<<4, 256>>>(float[1024]=ramp, int=1024)`")]
    Form {
        /// The whole text.
        text: String,
    },
    /// Grid, block or shared memory.
    #[error("the {part} `{text}` is {reason}")]
    Shape {
        /// Which.
        part: &'static str,
        /// As it was written.
        text: String,
        /// What it should be.
        reason: &'static str,
    },
    /// An argument.
    #[error("argument {position} `{text}`: {reason}")]
    Argument {
        /// From 1.
        position: usize,
        /// As it was written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// More arguments than a kernel can take.
    #[error("a launch may give {ARGUMENTS_MAX} arguments; {count} are given")]
    TooMany {
        /// So many.
        count: usize,
    },
}

/// The task that a launch is: no sizes, one visible case.
///
/// # Errors
/// The first part that cannot be read.
pub fn parse(text: &str) -> Result<KernelTask, LaunchError> {
    let form = || LaunchError::Form { text: text.trim().to_owned() };
    let (name, rest) = text.trim().split_once("<<<").ok_or_else(form)?;
    let (shape, rest) = rest.split_once(">>>").ok_or_else(form)?;
    let arguments = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(form)?;
    let entry = name.trim();
    if !is_name(entry) {
        return Err(form());
    }
    let (grid, block, shared) = match parts(shape)[..] {
        [grid, block] => (grid, block, "0"),
        [grid, block, shared] => (grid, block, shared),
        _ => return Err(form()),
    };
    let (grid, block) = (extents("grid", grid)?, extents("block", block)?);
    let shared_bytes = shared.parse::<u32>().map_err(|_| LaunchError::Shape {
        part: "shared memory",
        text: shared.to_owned(),
        reason: "no number of bytes",
    })?;
    let arguments = if arguments.trim().is_empty() { vec![] } else { parts(arguments) };
    if arguments.len() > ARGUMENTS_MAX {
        return Err(LaunchError::TooMany { count: arguments.len() });
    }
    let params = arguments.iter().enumerate().map(|(at, text)| {
        let refused = |reason| LaunchError::Argument { position: at + 1, text: (*text).to_owned(), reason };
        argument(text, at + 1).map_err(refused)
    });
    let (kernel, shared_bytes) = (entry.to_owned(), i64::from(shared_bytes).into());
    Ok(KernelTask {
        entry: entry.to_owned(),
        sizes: vec![],
        params: params.collect::<Result<_, _>>()?,
        launches: vec![Launch { kernel, grid, block, shared_bytes }],
        cases: vec![Case { sizes: vec![], visible: true, fill: None, gpu_only: false, timed: false }],
        run_ms: RUN_MILLISECONDS_MAX,
        strict_races: false,
        target: None,
    })
}

/// The parts between commas that stand in no bracket, without blanks around them.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let is_comma = |letter: char| {
        depth += i32::from(matches!(letter, '(' | '[')) - i32::from(matches!(letter, ')' | ']'));
        letter == ',' && depth == 0
    };
    text.split(is_comma).map(str::trim).collect()
}

/// `256` or `(16, 16)`: what is not said is 1.
fn extents(part: &'static str, text: &str) -> Result<[Expression; 3], LaunchError> {
    let refused =
        || LaunchError::Shape { part, text: text.to_owned(), reason: "no number from 1, nor two or three in brackets" };
    let inner = text.strip_prefix("dim3").unwrap_or(text).trim();
    let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
    let numbers: Vec<u32> = parts(inner)
        .iter()
        .map(|number| number.parse().ok().filter(|number| *number > 0).ok_or_else(refused))
        .collect::<Result<_, _>>()?;
    let mut extents = [1, 1, 1];
    extents.get_mut(..numbers.len()).ok_or_else(refused)?.copy_from_slice(&numbers);
    Ok(extents.map(|extent| i64::from(extent).into()))
}

/// `[name:] [const] type[length] [= content]`, or `[name:] type = number`.
fn argument(text: &str, position: usize) -> Result<Param, String> {
    let (declared, content) = match text.split_once('=') {
        Some((declared, content)) => (declared.trim(), Some(content.trim())),
        None => (text, None),
    };
    let (name, declared) = match declared.split_once(':') {
        Some((name, declared)) => (name.trim().to_owned(), declared.trim()),
        None => (format!("argument_{position}"), declared),
    };
    if !is_name(&name) {
        return Err(format!("`{name}` is no name"));
    }
    let (is_input, declared) = match declared.strip_prefix("const ") {
        Some(declared) => (true, declared),
        None => (false, declared),
    };
    let (kind, length) = match declared.split_once('[') {
        Some((kind, length)) => (kind, Some(length.strip_suffix(']').ok_or("a `]` is missing")?.trim())),
        None => (declared, None),
    };
    let words: Vec<&str> = kind.split_whitespace().collect();
    let kind = words.join(" ");
    let known = TYPES.iter().find(|(word, _)| *word == kind);
    let (_, element) = *known.ok_or_else(|| format!("`{kind}` is no type of an element"))?;
    let role = match (length, content, is_input) {
        (None, Some(number), _) => Role::Scalar { value: scalar(number, element)? },
        (None, None, _) => return Err("a value is missing: write `int=5`, or `int[5]` for a buffer".to_owned()),
        (Some(length), content, is_input) => {
            let length = length.parse::<u32>().ok().filter(|length| *length > 0);
            let length = length.ok_or("its length is no whole number from 1")?;
            let shape = vec![i64::from(length).into()];
            match (content, is_input) {
                (Some(content), true) => Role::In { shape, fill: fill(content, element)? },
                (Some(content), false) => Role::InOut { shape, fill: fill(content, element)?, compare: Compare::Exact },
                (None, false) => Role::Scratch { shape },
                (None, true) => return Err("an input holds something: write `=ramp` behind it".to_owned()),
            }
        }
    };
    Ok(Param { name, element, role })
}

fn fill(content: &str, element: Element) -> Result<Fill, String> {
    Ok(match content {
        "ramp" => Fill::Ramp { start: 0, step: 1 },
        "random" if element.is_float() => Fill::Uniform { lo: 0.0, hi: 1.0 },
        "random" => Fill::Ints { lo: 0.into(), hi: RANDOM_MAX.into() },
        number => match scalar(number, element) {
            Ok(ScalarValue::Fraction(value)) => Fill::Constant { value },
            // A ramp that does not rise keeps all 64 bits.
            Ok(ScalarValue::Whole(value)) => Fill::Ramp { start: value.constant().unwrap_or_default(), step: 0 },
            Err(_) => return Err(format!("`{number}` is neither `ramp`, nor `random`, nor a number of its type")),
        },
    })
}

fn scalar(number: &str, element: Element) -> Result<ScalarValue, String> {
    let refused = || format!("`{number}` is no value of `{}`", element.c_name());
    if element.is_float() {
        let value = number.trim_end_matches(['f', 'F']).parse::<f64>().ok().filter(|value| value.is_finite());
        return value.map(ScalarValue::Fraction).ok_or_else(refused);
    }
    let bits = element.bytes() * 8;
    let is_signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    let (low, high) = if is_signed { (-(1_i128 << (bits - 1)), 1 << (bits - 1)) } else { (0, 1_i128 << bits) };
    let value = number.parse::<i128>().ok().filter(|value| (low..high).contains(value)).ok_or_else(refused)?;
    // The upper half of 64 bits wraps here, and back where bytes are made of it.
    Ok(ScalarValue::Whole((value as i64).into()))
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.chars().all(is_letter) && text.chars().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests;
