//! What is printed reads back to what was printed.

use ptx::ast::{Function, Instruction, Location, Module, Operand, Register, Space, Statement, Variable};

/// Without the lines of the text, which are another text's.
fn without_lines(mut module: Module) -> Module {
    for statement in module.functions.iter_mut().flat_map(|function| &mut function.body) {
        if let Statement::Instruction(instruction) = statement {
            instruction.ptx_line = 0;
        }
    }
    module
}

fn check(module: Module, what: &str) {
    let text = module.to_string();
    let again = ptx::parse(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(without_lines(module) == without_lines(again), "{what} reads back as something else");
}

#[test]
fn every_text_of_nvrtc_survives() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/testdata");
    let paths = std::fs::read_dir(folder).expect("the simulator's texts").map(|entry| entry.expect("an entry").path());
    let mut count = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "ptx")) {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        // Frames that a test fills first are none.
        if let Ok(module) = ptx::parse(&text) {
            count += 1;
            check(module, &path.display().to_string());
        }
    }
    assert!(count > 15, "only {count} texts");
}

/// A fixed sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn name(&mut self) -> String {
        format!("{}{}", ["%r", "%rd", "$L__", "_Z1f", "buffer"][self.below(5) as usize], self.below(100))
    }

    fn operand(&mut self, depth: u32) -> Operand {
        match self.below(if depth > 2 { 7 } else { 9 }) {
            0 => Operand::Name(self.name()),
            1 => Operand::Not(self.name()),
            2 => Operand::Integer([0, 1, u64::MAX, 1 << 63][self.below(4) as usize]),
            3 => Operand::Float32(self.below(1 << 32) as u32),
            4 => Operand::Float64(self.below(1 << 32) << 31),
            5 => Operand::Pair(self.name(), self.name()),
            6 => {
                let base = (self.below(3) > 0).then(|| self.name());
                Operand::Address(base, [0, 4, -4, i64::MAX, i64::MIN][self.below(5) as usize])
            }
            7 => Operand::Vector((0..self.below(4)).map(|_| self.operand(depth + 1)).collect()),
            _ => Operand::List((0..self.below(4)).map(|_| self.operand(depth + 1)).collect()),
        }
    }

    fn variable(&mut self, space: Space) -> Variable {
        let element_bytes = 1 << self.below(4);
        let initial = (0..self.below(4) * u64::from(element_bytes)).map(|_| self.below(256) as u8).collect::<Vec<_>>();
        let bytes = Some(u64::from(element_bytes) * (4 + self.below(8)));
        let name = self.name();
        Variable { space, name, align: 1 << self.below(5), element_bytes, bytes, initial, references: vec![] }
    }

    fn function(&mut self) -> Function {
        let kind = ["b32", "pred", "f64"][self.below(3) as usize].to_owned();
        let register = Register { kind, name: "%r".to_owned(), count: (self.below(2) == 0).then_some(7) };
        let mut function = Function {
            name: self.name(),
            is_entry: self.below(2) == 0,
            registers: vec![register],
            ..Function::default()
        };
        function.params =
            (0..self.below(3)).map(|_| Variable { initial: vec![], ..self.variable(Space::Param) }).collect();
        function.variables = (0..self.below(3)).map(|_| self.variable(Space::Shared)).collect();
        let mut location = None;
        for _ in 0..self.below(20) {
            if self.below(4) == 0 {
                function.body.push(Statement::Label(self.name()));
            }
            if self.below(4) == 0 {
                location = Some(Location { file: 1, line: self.below(99) as u32, inlined_at: vec![] });
            }
            let guard = (self.below(3) == 0).then(|| (self.name(), self.below(2) == 0));
            let words = ["ld.global.f32", "add", "cp.async.cg.shared.global"][self.below(3) as usize];
            let words = words.split('.').map(str::to_owned).collect();
            let operands = (0..self.below(5)).map(|_| self.operand(0)).collect();
            let instruction = Instruction { ptx_line: 0, location: location.clone(), guard, words, operands };
            function.body.push(Statement::Instruction(instruction));
        }
        function
    }
}

#[test]
fn every_module_survives() {
    for seed in 0..500 {
        let mut numbers = Numbers(seed);
        let module = Module {
            files: vec![(1, "kernel.cu".to_owned())],
            variables: (0..numbers.below(3)).map(|_| numbers.variable(Space::Global)).collect(),
            functions: (0..=numbers.below(2)).map(|_| numbers.function()).collect(),
        };
        check(module, &format!("seed {seed}"));
    }
}
