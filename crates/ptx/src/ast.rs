//! What a PTX text says, without what it means.

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.file` rows: number and path.
    pub files: Vec<(u32, String)>,
    /// Variables at module level.
    pub variables: Vec<Variable>,
    /// Entries and functions, in order.
    pub functions: Vec<Function>,
}

/// An entry or a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it can be launched.
    pub is_entry: bool,
    /// Return values of a function, in order.
    pub returns: Vec<Variable>,
    /// Parameters in order.
    pub params: Vec<Variable>,
    /// `.reg` rows: type, name, and the count of a `<n>` form.
    pub registers: Vec<Register>,
    /// Shared and local variables, and `.param` variables of calls.
    pub variables: Vec<Variable>,
    /// Labels and instructions; empty of a declaration.
    pub body: Vec<Statement>,
}

/// One `.reg` row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Type without its dot: `b32`, `pred`.
    pub kind: String,
    /// Name or prefix, with its `%`.
    pub name: String,
    /// `Some(n)` where names run from `prefix0` to `prefix(n-1)`.
    pub count: Option<u32>,
}

/// State space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// Constant memory.
    Const,
    /// Shared by a block.
    Shared,
    /// A thread's own.
    Local,
    /// Parameters.
    Param,
}

/// A variable or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Where it lives.
    pub space: Space,
    /// Its name.
    pub name: String,
    /// Alignment in bytes.
    pub align: u64,
    /// Bytes of one element.
    pub element_bytes: u32,
    /// Bytes in all; `None` of `extern .shared x[]`.
    pub bytes: Option<u64>,
    /// First bytes; the rest is zero, and so is where an address goes.
    pub initial: Vec<u8>,
    /// Addresses of others in the initialiser.
    pub references: Vec<Reference>,
}

/// An address in an initialiser: `name`, `name+8`, `generic(name)` or `0xFF00(name)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where it goes: bytes from the start.
    pub at: usize,
    /// Bytes of it that go there.
    pub bytes: usize,
    /// Of which variable or function.
    pub name: String,
    /// What is added.
    pub offset: i64,
    /// Bits to the right that it is moved by, as a mask asks.
    pub shift: u32,
}

/// A label or an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `name:`
    Label(String),
    /// One instruction.
    Instruction(Instruction),
}

/// A row of `.loc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File number.
    pub file: u32,
    /// Line; 0 means none.
    pub line: u32,
    /// Where the function was inlined: file and line of each call, innermost first.
    pub inlined_at: Vec<(u32, u32)>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The `.loc` row that holds here.
    pub location: Option<Location>,
    /// Guard: register, and whether it is negated.
    pub guard: Option<(String, bool)>,
    /// Opcode and modifiers, split at dots: `ld`, `global`, `f32`.
    pub words: Vec<String>,
    /// Operands in order.
    pub operands: Vec<Operand>,
}

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register, variable or label.
    Name(String),
    /// `!name`
    Not(String),
    /// An integer, two's complement.
    Integer(u64),
    /// `0f…`: bits of a binary32.
    Float32(u32),
    /// `0d…`: bits of a binary64.
    Float64(u64),
    /// `[base+offset]`; base is a register or variable, or nothing.
    Address(Option<String>, i64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `a|b`
    Pair(String, String),
    /// `(a, b)` of a call, or `[a, {x, y}]` of a texture.
    List(Vec<Operand>),
}
