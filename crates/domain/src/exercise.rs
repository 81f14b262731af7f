//! What an exercise asks: the pure model of `exercise.toml`, without texts.
//!
//! Layout of all buffers is dense and row-major; sizes are counted in elements unless a name says bytes.

use serde::{Deserialize, Serialize};

use crate::expression::{Expression, ExpressionError, Sizes};

/// The kinds of exercise. An enum from the first day, so that the next kind is an addition.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Device code, launched by the grader.
    Kernel(KernelTask),
}

/// An exercise whose answer is device code with one entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTask {
    /// The `extern "C"` name of the kernel.
    pub entry: String,
    /// The sizes that expressions may use, with their bounds.
    pub sizes: Vec<SizeBounds>,
    /// Parameters in the order of the call.
    pub params: Vec<Param>,
    /// Launches of one case, in order.
    pub launches: Vec<Launch>,
    /// Cases in the order of judging.
    pub cases: Vec<Case>,
    /// Wall clock of one case in milliseconds, at most the site's.
    pub run_ms: u64,
    /// Whether threads that store the same value to one place fail, instead of being told.
    pub strict_races: bool,
    /// What a fast kernel reaches, where the exercise says so.
    pub target: Option<Target>,
}

/// Bounds of one size, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeBounds {
    /// Name in expressions.
    pub name: String,
    /// Smallest.
    pub min: i64,
    /// Largest.
    pub max: i64,
}

/// One parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name as in the signature.
    pub name: String,
    /// Element type.
    pub element: Element,
    /// What it is to the kernel.
    pub role: Role,
}

/// What a parameter is to the kernel, with what belongs to that role only.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Read by the kernel; must not change.
    In {
        /// Row-major extents.
        shape: Vec<Expression>,
        /// How it is filled.
        fill: Fill,
    },
    /// Written by the kernel; poisoned before.
    Out {
        /// Row-major extents.
        shape: Vec<Expression>,
        /// How it is judged.
        compare: Compare,
    },
    /// Read and written.
    InOut {
        /// Row-major extents.
        shape: Vec<Expression>,
        /// How it is filled.
        fill: Fill,
        /// How it is judged.
        compare: Compare,
    },
    /// Room to work in; poisoned, never judged.
    Scratch {
        /// Row-major extents.
        shape: Vec<Expression>,
    },
    /// Passed by value.
    Scalar {
        /// Its value.
        value: ScalarValue,
    },
}

/// The value of a scalar parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarValue {
    /// A whole number over the sizes; a float parameter gets it converted.
    Whole(Expression),
    /// A number that is not whole; of float parameters only.
    Fraction(f64),
}

impl Param {
    /// Extents, or `None` of a scalar.
    pub fn shape(&self) -> Option<&[Expression]> {
        match &self.role {
            Role::In { shape, .. } | Role::Out { shape, .. } | Role::InOut { shape, .. } | Role::Scratch { shape } => {
                Some(shape)
            }
            Role::Scalar { .. } => None,
        }
    }

    /// Elements of the buffer for these sizes; `None` of a scalar.
    pub fn element_count(&self, sizes: &Sizes) -> Result<Option<u64>, ExpressionError> {
        let Some(shape) = self.shape() else {
            return Ok(None);
        };
        let mut count: u64 = 1;
        for extent in shape {
            let overflow = || ExpressionError::Arithmetic { text: extent.to_string() };
            let extent_value = u64::try_from(extent.value(sizes)?).map_err(|_| overflow())?;
            count = count.checked_mul(extent_value).ok_or_else(overflow)?;
        }
        Ok(Some(count))
    }

    /// Bytes that the parameter takes in the kernel's parameter space: 8 of a pointer, else the element.
    pub fn parameter_bytes(&self) -> u32 {
        if self.shape().is_some() { 8 } else { self.element.bytes() }
    }

    /// The parameter as C++ text: `const float* a`, `int n`.
    pub fn declaration(&self) -> String {
        let name = &self.name;
        let element = self.element.c_name();
        match &self.role {
            Role::In { .. } => format!("const {element}* {name}"),
            Role::Out { .. } | Role::InOut { .. } | Role::Scratch { .. } => {
                format!("{element}* {name}")
            }
            Role::Scalar { .. } => format!("{element} {name}"),
        }
    }
}

/// Element types. More come with the full format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// Signed byte.
    I8,
    /// Unsigned byte.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits, unsigned.
    U64,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Element {
    /// Bytes of one element.
    pub fn bytes(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The C++ word.
    pub fn c_name(self) -> &'static str {
        match self {
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::F16 => "__half",
            Self::Bf16 => "__nv_bfloat16",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }
}

/// How an input is filled. The same (fill, seed, parameter, index) gives the same bytes everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Fill {
    /// Element i has the value `start + step * i`, wrapped to an integer type.
    Ramp {
        /// Value of element 0.
        start: i64,
        /// From one element to the next.
        step: i64,
    },
    /// Uniform in `[lo, hi)` by a counter hash of (seed, parameter, index).
    Uniform {
        /// Lower bound, included.
        lo: f64,
        /// Upper bound, excluded.
        hi: f64,
    },
    /// Nearly normal: a sum of twelve uniform numbers, so within six standard deviations of the mean.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
    /// Whole numbers, uniform in `[lo, hi]`.
    Ints {
        /// Lower bound, included.
        lo: Expression,
        /// Upper bound, included.
        hi: Expression,
    },
    /// One value everywhere.
    Constant {
        /// The value.
        value: f64,
    },
    /// Each of 0 to the element count - 1 once, shuffled.
    Permutation,
    /// Row pointers of a sparse matrix (CSR): begins with 0, never falls, ends with `total`.
    Offsets {
        /// The last element.
        total: Expression,
    },
}

/// How an output is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Compare {
    /// Equal as numbers; -0 equals 0.
    Exact,
    /// `|actual - expected| <= abs + rel * |expected|`.
    Close {
        /// Absolute part.
        abs: f64,
        /// Relative part.
        rel: f64,
        /// Why this bound, for the learner.
        reason: String,
    },
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Entry point.
    pub kernel: String,
    /// Blocks along x, y, z.
    pub grid: [Expression; 3],
    /// Threads along x, y, z.
    pub block: [Expression; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: Expression,
}

/// One case: sizes, and who may see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Value or range of each size.
    pub sizes: Vec<(String, SizeChoice)>,
    /// Visible cases show index, values and sizes; hidden ones never do.
    pub visible: bool,
    /// Overrides the fill of every `in` and `inout` parameter.
    pub fill: Option<Fill>,
    /// Runs only where a GPU is.
    pub gpu_only: bool,
    /// Meant for timing; judged on a GPU only.
    pub timed: bool,
}

/// A size of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeChoice {
    /// The same each time.
    Fixed(i64),
    /// Drawn from the submission's seed, bounds included.
    Random {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
}

/// What a fast kernel reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Bytes that must cross global memory.
    pub bytes: Expression,
    /// Floating-point operations.
    pub flops: Expression,
    /// Share of the measured roofline that earns the star.
    pub fast_fraction: f64,
}

impl KernelTask {
    /// The signature as C++ text, as the starter has it.
    pub fn signature(&self) -> String {
        let params: Vec<_> = self.params.iter().map(Param::declaration).collect();
        format!("extern \"C\" __global__ void {}({})", self.entry, params.join(", "))
    }
}
