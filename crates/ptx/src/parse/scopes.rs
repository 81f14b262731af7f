//! Names of scopes `{ … }` inside a body. They are flattened, so a register or label that hides another one gets a name
//! of its own: inline assembly of CUDA's headers does hide registers of the function around it.

use std::collections::BTreeMap;

use crate::ast::{Operand, Register, Statement};

/// Names that one scope declares.
#[derive(Default)]
struct Scope {
    /// By name, or by prefix where numbers follow.
    registers: BTreeMap<String, Declared>,
    /// Statements before it.
    start: usize,
}

struct Declared {
    count: Option<u32>,
    /// Its name, or prefix, after flattening.
    becomes: String,
}

/// The open scopes of a function, and what it has declared so far.
#[derive(Default)]
pub(super) struct Scopes {
    open: Vec<Scope>,
    kinds: BTreeMap<String, String>,
    renamed: usize,
}

impl Scopes {
    /// A scope begins behind so many statements; the first one is the function's own.
    pub fn enter(&mut self, start: usize) {
        if self.open.is_empty() {
            *self = Self::default();
        }
        self.open.push(Scope { start, ..Scope::default() });
    }

    /// The innermost scope ends: its labels become different from all others, also from later ones.
    pub fn leave(&mut self, body: &mut [Statement]) {
        let Some(scope) = self.open.pop() else { return };
        if self.open.is_empty() {
            return;
        }
        let inside = body.get_mut(scope.start..).unwrap_or_default();
        let mut names = BTreeMap::new();
        for statement in inside.iter() {
            if let Statement::Label(name) = statement {
                names.insert(name.clone(), self.new_name(name));
            }
        }
        if names.is_empty() {
            return;
        }
        for statement in inside {
            let name = match statement {
                Statement::Label(name) => name,
                Statement::Instruction(one) if one.words.first().is_some_and(|word| word == "bra") => {
                    let Some(Operand::Name(name)) = one.operands.first_mut() else { continue };
                    name
                }
                Statement::Instruction(_) => continue,
            };
            if let Some(new) = names.get(name) {
                name.clone_from(new);
            }
        }
    }

    /// Takes in a declaration of the innermost scope, and gives it the name that it has after flattening.
    pub fn declare(&mut self, register: &mut Register) {
        let name = register.name.clone();
        let is_inner = self.open.len() > 1;
        let is_visible = self.open.iter().any(|scope| scope.find(&name).is_some());
        let is_other = self.kinds.get(&name).is_some_and(|kind| *kind != register.kind);
        if is_inner && (is_visible || is_other) {
            register.name = self.new_name(&name);
        }
        self.kinds.insert(name.clone(), register.kind.clone());
        if let Some(scope) = self.open.last_mut() {
            scope.registers.insert(name, Declared { count: register.count, becomes: register.name.clone() });
        }
    }

    /// The name after flattening of what an operand names here.
    pub fn resolve(&self, name: String) -> String {
        self.open.iter().skip(1).rev().find_map(|scope| scope.find(&name)).unwrap_or(name)
    }

    /// `$` is no part of names in CUDA's own headers; the last letter is none that a number could follow.
    fn new_name(&mut self, name: &str) -> String {
        self.renamed += 1;
        format!("{name}${}_", self.renamed)
    }
}

impl Scope {
    /// The name after flattening, if this scope declares it: alone, or as one of a row of numbers.
    fn find(&self, name: &str) -> Option<String> {
        if let Some(Declared { becomes, .. }) = self.registers.get(name) {
            return Some(becomes.clone());
        }
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count().min(9);
        (name.len() - digits..name.len()).find_map(|at| {
            let (prefix, number) = name.split_at(at);
            let Declared { count, becomes } = self.registers.get(prefix)?;
            let is_one = number.parse().is_ok_and(|number: u32| count.is_some_and(|count| number < count));
            is_one.then(|| format!("{becomes}{number}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::{Function, Operand, Statement};
    use crate::parse;

    fn function(body: &str) -> Function {
        parse(&format!(".version 8.0\n.target sm_80\n.entry k() {{ {body} }}")).unwrap().functions.remove(0)
    }

    /// First operands in order, labels with a colon.
    fn places(function: &Function) -> Vec<String> {
        let place = |statement: &Statement| match statement {
            Statement::Label(name) => format!("{name}:"),
            Statement::Instruction(one) => match one.operands.first() {
                Some(Operand::Name(name) | Operand::Pair(name, _) | Operand::Address(Some(name), _)) => name.clone(),
                other => format!("{other:?}"),
            },
        };
        function.body.iter().map(place).collect()
    }

    #[test]
    fn a_hidden_register_is_another_one() {
        let read = function(
            ".reg .b32 %r<4>; .reg .pred p; mov.b32 %r1, 1; { .reg .u32 %r1, t; mov.b32 %r1, 2; mov.b32 %r2, %r1; \
             { .reg .b32 %r<3>; mov.b32 %r2, 3; @!p mov.b32 %r3, 4; } mov.b32 %r1, 5; } mov.b32 %r1, 6;",
        );
        assert_eq!(places(&read), ["%r1", "%r1$1_", "%r2", "%r$2_2", "%r3", "%r1$1_", "%r1"]);
        let names: Vec<&str> = read.registers.iter().map(|register| register.name.as_str()).collect();
        assert_eq!(names, ["%r", "p", "%r1$1_", "t", "%r$2_"]);
    }

    #[test]
    fn a_name_of_two_kinds_is_two_registers() {
        let read =
            function("{ .reg.b16 t; mov.b16 t, 1; } { .reg.b16 t; mov.b16 t, 2; } { .reg.b32 t; mov.b32 t, 3; }");
        assert_eq!(places(&read), ["t", "t", "t$1_"]);
    }

    #[test]
    fn labels_of_scopes_are_apart() {
        let wait =
            "{ .reg .pred p; again: mbarrier.test_wait.shared.b64 p, [bar], %rd1; @p bra done; bra again; done: }";
        let read = function(&format!("{wait} {wait} done: bra done;"));
        let places = places(&read);
        assert_eq!(places[..5], ["again$1_:", "p", "done$2_", "again$1_", "done$2_:"]);
        assert_eq!(places[5..], ["again$3_:", "p", "done$4_", "again$3_", "done$4_:", "done:", "done"]);
    }
}
