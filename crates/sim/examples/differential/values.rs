//! Vectors of values that an instruction is run over: special ones in all pairs, and drawn ones.

/// Words of one vector; an operand each.
pub const OPERANDS: usize = 4;

/// What vectors are made for.
pub struct Wanted<'a> {
    /// Class of the register of each operand: `p`, `h`, `r`, `f`, `rd` or `d`.
    pub classes: &'a [&'a str],
    /// Vectors in all.
    pub count: usize,
    /// Whether the ISA bounds the error only near 0: within 100 pi.
    pub is_periodic: bool,
}

impl Wanted<'_> {
    /// Four values of 64 bits for each thread.
    pub fn vectors(&self) -> Vec<u8> {
        let lists: Vec<Vec<u64>> = (0..OPERANDS).map(|at| special(self.class(at))).collect();
        let (first, second) = (lists[0].len(), lists[1].len());
        let all = first * second;
        // Where there is no room for all pairs, one of so many is taken, of all parts of the table.
        let room = all.min(self.count * 7 / 8);
        let step = if room == all { 1 } else { all / room * 2 + 1 };
        let mut drawn = Drawn::new(0x9e37_79b9_7f4a_7c15);
        let vector = |at: usize| {
            let mixed = drawn.vector(at);
            let pair = at * step % all;
            std::array::from_fn(|operand: usize| {
                let place = match operand {
                    0 => pair / second,
                    1 => pair,
                    2 => pair * 7 + pair / second,
                    _ => pair * 5 + pair / second * 3,
                };
                let list = &lists[operand];
                self.bounded(if at < room { list[place % list.len()] } else { mixed[operand] })
            })
        };
        (0..self.count).map(vector).flat_map(|values: [u64; OPERANDS]| values.map(u64::to_le_bytes).concat()).collect()
    }

    fn class(&self, operand: usize) -> &str {
        self.classes.get(operand).copied().unwrap_or("")
    }

    fn bounded(&self, bits: u64) -> u64 {
        let value = f32::from_bits(bits as u32);
        let is_far = self.is_periodic && value.is_finite() && value.abs() > 314.0;
        if is_far { u64::from((value % 314.0).to_bits()) } else { bits }
    }
}

/// All values of 16 bits, as the first operand.
pub fn all_halves() -> Vec<u8> {
    (0..1_u64 << 16).flat_map(|value| [value, 0, 0, 0].map(u64::to_le_bytes).concat()).collect()
}

fn special(class: &str) -> Vec<u64> {
    let table = match class {
        "p" => return vec![0, 1],
        "h" => include_str!("../../testdata/differential/values16.txt"),
        "rd" | "d" => include_str!("../../testdata/differential/values64.txt"),
        "" => return vec![0],
        _ => include_str!("../../testdata/differential/values32.txt"),
    };
    table.lines().flat_map(words).collect()
}

/// Hexadecimal words of a line, without what follows a slash.
fn words(line: &str) -> impl Iterator<Item = u64> {
    let line = line.split('/').next().unwrap_or_default();
    line.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}")))
}

/// Numbers that are the same everywhere (xorshift).
pub struct Drawn(u64);

impl Drawn {
    /// From a seed other than 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any bits in half of the vectors; else numbers of one format and of similar size, so that sums of them cancel
    /// and round, or small counts.
    fn vector(&mut self, at: usize) -> [u64; OPERANDS] {
        std::array::from_fn(|_| {
            let bits = self.next();
            match at % 12 {
                0 | 1 => near(bits, 64, 52),
                2 => near(bits, 64, 52) & !0xffff_ffff_ffff,
                3 => near(bits, 32, 23) | near(bits >> 32, 32, 23) << 32,
                4 => (near(bits, 32, 23) | near(bits >> 32, 32, 23) << 32) & !0x000f_ffff_000f_ffff,
                5 => halves(bits, 10),
                6 => halves(bits, 7),
                7 => bits % 80,
                _ => bits,
            }
        })
    }
}

/// A number between 2^-6 and 2^9, of either sign: sign and fraction from the bits, and three bits more choose its size.
fn near(bits: u64, width: u32, fraction: u32) -> u64 {
    let mask = u64::MAX >> (64 - width);
    let exponents = mask >> 1 >> fraction;
    let exponent = (exponents >> 1) - 6 + (bits >> (fraction - 4) & 15);
    (bits & mask & !(exponents << fraction)) | exponent << fraction
}

/// Four halves.
fn halves(bits: u64, fraction: u32) -> u64 {
    (0..4).map(|at| near(bits >> (16 * at) & 0xffff, 16, fraction) << (16 * at)).fold(0, |all, one| all | one)
}
