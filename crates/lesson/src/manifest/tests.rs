//! Every rule of the manifest, with the place its fault names.

use std::path::Path;

use domain::exercise::{Compare, Element, Fill, SizeChoice};
use domain::expression::Sizes;

use super::*;
use crate::Fault;

/// The smallest manifest that uses everything; the lines are counted by the tables below.
const GOOD: &str = r#"format = 1
title = "Add"
kind = "kernel"
minutes = 15
difficulty = 1
entry = "add"

[sizes]
n = { min = 1, max = 100_000 }
cols = { min = 1, max = 50 }

[[param]]
name = "a"
type = "f32"
shape = ["n", "cols"]
role = "in"
fill = { kind = "uniform", lo = -1, hi = 1.5 }

[[param]]
name = "out"
type = "f32"
shape = ["n * cols"]
role = "out"
compare = { kind = "close", abs = 1e-6, rel = 0, reason = "one rounding" }

[[param]]
name = "n"
type = "i32"
role = "scalar"
value = "n"

[[launch]]
kernel = "add"
grid = ["ceil_div(n, 128)"]
block = ["128", 2]
shared_bytes = "4 * cols"
learner_may_change = false

[[case]]
sizes = { n = 3, cols = 2 }
visible = true
fill = "ramp"

[[case]]
sizes = { n = "random(2_000, 9000)", cols = 1 }

[[case]]
sizes = { n = 100_000, cols = 50 }
device = "gpu"
timed = true

[limits]
run_ms = 500

[target]
bytes = "8 * n"
flops = "n"
fast_fraction = 0.85
"#;

fn read_text(text: &str) -> (Option<Manifest>, Vec<Fault>) {
    read_document(Document::new(Path::new("exercise.toml"), text, 1))
}

fn edit(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "'{from}' must occur once");
    GOOD.replacen(from, to, 1)
}

/// Replacing `from` by `to` gives one fault: its line (0 for none), its field and a part of its message.
fn check(from: &str, to: &str, line: usize, field: &str, part: &str) {
    check_text(&edit(from, to), to, line, field, part);
}

fn check_text(text: &str, name: &str, line: usize, field: &str, part: &str) {
    let (manifest, faults) = read_text(text);
    assert!(manifest.is_none(), "{name}");
    let [fault] = &faults[..] else {
        panic!("{name}: {faults:#?}");
    };
    let found = fault.field.as_deref().unwrap_or("");
    assert_eq!(found, field, "{name}: {fault}");
    assert_eq!(fault.line.unwrap_or(0), line, "{name}: {fault}");
    assert!(fault.message.contains(part), "{name}: {fault}");
}

/// Replacing `from` by `to` is fine.
fn check_good(from: &str, to: &str) -> Manifest {
    let (manifest, faults) = read_text(&edit(from, to));
    assert!(faults.is_empty(), "{to}: {faults:#?}");
    manifest.unwrap()
}

#[test]
fn a_good_manifest_is_read_as_written() {
    let manifest = check_good("Add", "Add");
    let task = &manifest.task;
    assert_eq!((manifest.minutes, manifest.difficulty), (15, 1));
    assert_eq!(task.signature(), "extern \"C\" __global__ void add(const float* a, float* out, int n)");
    let names: Vec<_> = task.sizes.iter().map(|size| size.name.as_str()).collect();
    assert_eq!(names, ["n", "cols"], "in the order of the file");
    assert_eq!(task.params[0].element, Element::F32);
    let sizes = Sizes::from([("n".to_owned(), 300), ("cols".to_owned(), 2)]);
    let values = |extents: &[Expression; 3]| extents.each_ref().map(|e| e.value(&sizes).unwrap());
    assert_eq!(values(&task.launches[0].grid), [3, 1, 1]);
    assert_eq!(values(&task.launches[0].block), [128, 2, 1]);
    assert_eq!(task.cases.len(), 3);
    assert!(task.cases[0].visible && !task.cases[1].visible);
    assert_eq!(task.cases[0].fill, Some(Fill::Ramp { start: 0, step: 1 }));
    assert_eq!(task.cases[1].sizes[0], ("n".to_owned(), SizeChoice::Random { lo: 2000, hi: 9000 }));
    assert!(task.cases[2].gpu_only && task.cases[2].timed);
    assert_eq!(task.run_ms, 500);
    assert!((task.target.as_ref().unwrap().fast_fraction - 0.85).abs() < 1e-12);
}

#[test]
fn what_may_be_absent_has_a_default() {
    assert_eq!(check_good("[limits]\nrun_ms = 500\n", "").task.run_ms, 2000);
    let target = "[target]\nbytes = \"8 * n\"\nflops = \"n\"\nfast_fraction = 0.85\n";
    assert_eq!(check_good(target, "").task.target, None);
    check_good("flops = \"n\"\n", "");
    check_good("shared_bytes = \"4 * cols\"\nlearner_may_change = false\n", "");
    let compare = "{ kind = \"close\", abs = 1e-6, rel = 0, reason = \"one rounding\" }";
    let manifest = check_good(compare, "\"exact\"");
    let domain::exercise::Role::Out { compare, .. } = &manifest.task.params[1].role else {
        panic!("{:?}", manifest.task.params[1]);
    };
    assert_eq!(*compare, Compare::Exact);
    check_good("fill = \"ramp\"", "fill = { kind = \"ints\", lo = -3, hi = 3 }");
    check_good("fill = \"ramp\"", "fill = { kind = \"constant\", value = 1 }");
    check_good("role = \"out\"\n", "role = \"inout\"\nfill = \"ramp\"\n");
}

#[test]
fn the_head_is_checked() {
    check("format = 1", "", 0, "format", "is missing");
    check("format = 1", "format = 2", 1, "format", "from 1 to 1");
    check("title = \"Add\"", "", 0, "title", "is missing");
    check("\"Add\"", "\" \"", 2, "title", "must not be empty");
    check("\"Add\"", "7", 2, "title", "between quotes, and this is of type integer");
    check("\"Add\"", &format!("\"{}\"", "x".repeat(501)), 2, "title", "longer than 500");
    check("\"kernel\"", "\"answer\"", 3, "kind", "not available yet");
    check("\"kernel\"", "\"game\"", 3, "kind", "not known");
    check("minutes = 15", "minutes = \"15\"", 4, "minutes", "a whole number");
    check("minutes = 15", "minutes = 0", 4, "minutes", "is 0");
    check("minutes = 15", "minutes = 99999999999999999999", 4, "minutes", "past 64 bits");
    check("difficulty = 1", "difficulty = 6", 5, "difficulty", "from 1 to 5");
    check("difficulty = 1", "difficulty = 1\nauthor = \"x\"", 6, "author", "no field here");
    check("difficulty = 1", "difficulty = 1\nstrict_races = 1", 6, "strict_races", "of type integer");
    check("entry = \"add\"", "entry = \"a b\"", 6, "entry", "no name in C");
    check("title = \"Add\"", "title = Add", 2, "", "no TOML");
    check("title = \"Add\"", "title = \"Add\"\ntitle = \"B\"", 3, "", "no TOML");
}

#[test]
fn sizes_are_checked() {
    check("[sizes]", "[sizes]\nmin = { min = 1, max = 2 }", 9, "sizes.min", "cannot be used");
    check("[sizes]", "[sizes]\n\"a b\" = { min = 1, max = 2 }", 9, "sizes.a b", "cannot be used");
    check("max = 100_000", "max = 0", 9, "sizes.n", "larger than max");
    check(", max = 100_000", "", 9, "sizes.n.max", "is missing");
    check("max = 100_000", "max = 1e5", 9, "sizes.n.max", "a whole number");
    check("max = 100_000", "max = 100_000, step = 2", 9, "sizes.n.step", "no field here");
}

#[test]
fn parameters_are_checked() {
    check("name = \"a\"\n", "", 12, "param[1].name", "is missing");
    check("name = \"out\"", "name = \"a\"", 19, "param[2]", "two parameters");
    check("shape = [\"n\", \"cols\"]\nrole", "shape = []\nrole", 15, "param[1].shape", "1 to 4");
    check("[\"n\", \"cols\"]", "[\"n\", \"m\"]", 15, "param[1].shape[2]", "uses 'm'");
    check("[\"n\", \"cols\"]", "[\"n +\"]", 15, "param[1].shape[1]", "no expression");
    check("[\"n\", \"cols\"]", "[1.5]", 15, "param[1].shape[1]", "between quotes");
    check("role = \"in\"", "role = \"input\"", 16, "param[1].role", "choose one of in, out");
    check("role = \"in\"", "role = \"in\"\nvalue = \"n\"", 17, "param[1].value", "no field here");
    check("type = \"i32\"", "type = \"half\"", 28, "param[3].type", "choose one of i8");
    check("type = \"i32\"", "type = \"struct:Body\"", 28, "param[3].type", "not available yet");
    check("type = \"i32\"", "type = \"float4\"", 28, "param[3].type", "not available yet");
    check("value = \"n\"\n", "", 26, "param[3].value", "is missing");
    check("role = \"in\"", "role = \"in\"\ncompare = \"exact\"", 17, "param[1].compare", "no field here");
}

#[test]
fn fills_are_checked() {
    let fill = "{ kind = \"uniform\", lo = -1, hi = 1.5 }";
    let field = "param[1].fill";
    check(fill, "\"uniform\"", 17, field, "needs its numbers");
    check(fill, "\"ones\"", 17, field, "not known");
    check(fill, "\"offsets\"", 17, field, "needs its numbers");
    check(fill, "{ kind = \"uniform\", lo = 2, hi = 1 }", 17, field, "less than hi");
    check(fill, "{ kind = \"uniform\", lo = nan, hi = 1 }", 17, "param[1].fill.lo", "finite");
    check(fill, "{ kind = \"uniform\", lo = -1, hi = inf }", 17, "param[1].fill.hi", "finite");
    check(fill, "{ kind = \"uniform\", lo = -1 }", 17, "param[1].fill.hi", "is missing");
    check(fill, "{ kind = \"uniform\", lo = 0, hi = 1e39 }", 17, field, "into float");
    check(fill, "{ kind = \"ints\", lo = 2, hi = 1 }", 17, field, "not be more");
    check(fill, "{ kind = \"ints\", lo = 0.5, hi = 1 }", 17, "param[1].fill.lo", "whole number");
    check(fill, "{ kind = \"ramp\", lo = 1 }", 17, "param[1].fill.lo", "no field here");
    check(fill, "{ kind = \"constant\" }", 17, "param[1].fill.value", "is missing");
    check(fill, "{ lo = 1 }", 17, "param[1].fill.kind", "is missing");
    check(fill, "3", 17, field, "a table");
    let integers = "type = \"u8\"\nshape = [\"n\", \"cols\"]\nrole = \"in\"\nfill = ";
    let floats = "type = \"f32\"\nshape = [\"n\", \"cols\"]\nrole = \"in\"\nfill = ";
    for (fill_text, part) in [
        ("{ kind = \"uniform\", lo = 0, hi = 1 }", "use ints"),
        ("{ kind = \"ints\", lo = -1, hi = 1 }", "does not fit into unsigned char"),
        ("{ kind = \"constant\", value = 0.5 }", "no value of unsigned char"),
        ("{ kind = \"constant\", value = 256 }", "no value of unsigned char"),
    ] {
        let from = format!("{floats}{fill}");
        check(&from, &format!("{integers}{fill_text}"), 17, field, part);
    }
}

#[test]
fn fills_may_follow_the_sizes() {
    let fill = "{ kind = \"uniform\", lo = -1, hi = 1.5 }";
    let field = "param[1].fill";
    check(fill, "{ kind = \"ints\", lo = 0, hi = \"m\" }", 17, "param[1].fill.hi", "uses 'm'");
    check(fill, "{ kind = \"normal\", sd = 0 }", 17, field, "more than 0");
    check(fill, "{ kind = \"normal\", mean = 3e38, sd = 1e38 }", 17, field, "into float");
    check(fill, "{ kind = \"offsets\", total = 3 }", 17, field, "offsets are whole");
    for good in [
        "\"normal\"",
        "{ kind = \"normal\", mean = 2, sd = 0.5 }",
        "\"zeros\"",
        "{ kind = \"zeros\" }",
        "\"permutation\"",
        "{ kind = \"ramp\", start = -5, step = 2 }",
        "{ kind = \"ints\", lo = \"1 - n\", hi = \"cols\" }",
    ] {
        check_good(fill, good);
    }
    // Case 1 replaces the fill, so what depends on sizes is told of case 2, or of case 3 where only that is too large.
    let typed = |element: &str, fill_text: &str| {
        let from = format!("type = \"f32\"\nshape = [\"n\", \"cols\"]\nrole = \"in\"\nfill = {fill}");
        let to = format!("type = \"{element}\"\nshape = [\"n\", \"cols\"]\nrole = \"in\"\nfill = {fill_text}");
        (from, to)
    };
    for (element, text, line, case, part) in [
        ("i32", "{ kind = \"ints\", lo = 9, hi = \"n - 3000\" }", 44, "case[2]", "not be more than hi -1000"),
        ("u8", "{ kind = \"ints\", lo = 0, hi = \"n / 300\" }", 47, "case[3]", "does not fit into unsigned char"),
        ("i16", "\"permutation\"", 47, "case[3]", "does not fit into short"),
        ("f16", "{ kind = \"ramp\", step = 2 }", 47, "case[3]", "does not fit into __half"),
        ("i32", "{ kind = \"offsets\", total = \"n - 3000\" }", 44, "case[2]", "total of offsets is -1000"),
        ("i8", "{ kind = \"offsets\", total = \"n / 700\" }", 47, "case[3]", "does not fit into signed char"),
    ] {
        let (from, to) = typed(element, text);
        check(&from, &to, line, case, part);
    }
    let (from, to) = typed("i32", "{ kind = \"offsets\", total = \"10 * n\" }");
    check_good(&from, &to);
}

#[test]
fn halves_and_fractions_are_values() {
    let manifest = check_good("type = \"f32\"\nshape = [\"n * cols\"]", "type = \"bf16\"\nshape = [\"n * cols\"]");
    assert!(manifest.task.signature().contains("__nv_bfloat16* out"));
    check_good("type = \"i32\"\nrole = \"scalar\"\nvalue = \"n\"", "type = \"f16\"\nrole = \"scalar\"\nvalue = 2.5");
    let scalar = "type = \"i32\"\nrole = \"scalar\"\nvalue = \"n\"";
    let field = "param[3].value";
    check(scalar, "type = \"i32\"\nrole = \"scalar\"\nvalue = 2.5", 30, field, "2.5 is no value of int");
    check(scalar, "type = \"f16\"\nrole = \"scalar\"\nvalue = 1e5", 30, field, "into __half");
    check(scalar, "type = \"f16\"\nrole = \"scalar\"\nvalue = \"n\"", 47, "case[3]", "does not fit into __half");
    let uniform = |element: &str, hi: &str| {
        format!(
            "type = \"{element}\"\nshape = [\"n\", \"cols\"]\nrole = \"in\"\nfill = {{ kind = \"uniform\", lo = -1, hi = {hi} }}"
        )
    };
    check_good(&uniform("f32", "1.5"), &uniform("f16", "65504"));
    check(&uniform("f32", "1.5"), &uniform("f16", "65505"), 17, "param[1].fill", "into __half");
}

#[test]
fn comparisons_are_checked() {
    let compare = "{ kind = \"close\", abs = 1e-6, rel = 0, reason = \"one rounding\" }";
    let field = "param[2].compare";
    let close = |abs: &str, rel: &str| format!("{{ kind = \"close\", abs = {abs}, rel = {rel}, reason = \"r\" }}");
    for (abs, rel, name, part) in [
        ("nan", "0", "param[2].compare.abs", "finite"),
        ("inf", "0", "param[2].compare.abs", "finite"),
        ("-1e-6", "0", "param[2].compare.abs", "from 0 to 1000"),
        ("1001", "0", "param[2].compare.abs", "from 0 to 1000"),
        ("0", "1e4", "param[2].compare.rel", "from 0 to 1000"),
        ("0", "-0.1", "param[2].compare.rel", "from 0 to 1000"),
        ("0", "0", field, "both 0"),
        ("0", "1", field, "zeros"),
        ("\"1\"", "0", "param[2].compare.abs", "a number"),
    ] {
        check(compare, &close(abs, rel), 24, name, part);
    }
    check_good(compare, &close("1000", "0.5"));
    check(compare, "\"close\"", 24, field, "needs its bounds");
    check(compare, "\"equal\"", 24, field, "not known");
    check(compare, "{ kind = \"close\", abs = 1, rel = 0 }", 24, "param[2].compare.reason", "is missing");
    check(compare, "{ kind = \"exact\", abs = 1 }", 24, "param[2].compare.abs", "no field here");
    check(compare, "{ abs = 1 }", 24, "param[2].compare.kind", "is missing");
}

#[test]
fn launches_are_checked() {
    check("kernel = \"add\"", "kernel = \"sub\"", 33, "launch[1].kernel", "the entry is 'add'");
    check("[\"ceil_div(n, 128)\"]", "[]", 34, "launch[1].grid", "one to three");
    check("[\"128\", 2]", "[1, 1, 1, 1]", 35, "launch[1].block", "one to three");
    check("[\"128\", 2]", "[\"sms\"]", 35, "launch[1].block[1]", "uses 'sms'");
    check("\"4 * cols\"", "\"pow(2, n)\"", 36, "launch[1].shared_bytes", "no expression");
    check("change = false", "change = true", 37, "launch[1].learner_may_change", "only false");
    check("change = false", "change = { grid = \"any\" }", 37, "launch[1].learner_may_change", "only false");
    check("change = false", "change = 1", 37, "launch[1].learner_may_change", "true or false");
    check("change = false", "change = false\nwhen = \"n > 0\"", 38, "launch[1].when", "not available yet");
    for (table, next) in [("launch", "[[case]]"), ("param", "[[launch]]"), ("case", "[limits]")] {
        let start = GOOD.find(&format!("[[{table}]]")).unwrap();
        let without = format!("{}{}", &GOOD[..start], &GOOD[GOOD.find(next).unwrap()..]);
        check_text(&without, table, 0, table, "is missing");
        let empty = format!("{table} = []\n{without}");
        check_text(&empty, table, 1, table, "there must be 1 to");
        let wrong = format!("{table} = 1\n{without}");
        check_text(&wrong, table, 1, table, "must be a list");
    }
}

#[test]
fn cases_are_checked() {
    let sizes = "{ n = 3, cols = 2 }";
    let at = "case[1].sizes";
    check(sizes, "{ n = 3, cols = 2, m = 4 }", 40, "case[1].sizes.m", "no size of this exercise");
    check(sizes, "{ n = 3 }", 40, at, "size 'cols' is missing");
    check(sizes, "{ n = 0, cols = 2 }", 40, "case[1].sizes.n", "from 1 to 100000");
    check(sizes, "{ n = 100_001, cols = 2 }", 40, "case[1].sizes.n", "from 1 to 100000");
    check(sizes, "{ n = 3.0, cols = 2 }", 40, "case[1].sizes.n", "a whole number");
    check(sizes, "{ n = \"2 * 3\", cols = 2 }", 40, "case[1].sizes.n", "neither a whole number");
    check(sizes, "{ n = \"random(9)\", cols = 2 }", 40, "case[1].sizes.n", "neither");
    check(sizes, "{ n = \"random(9, 2)\", cols = 2 }", 40, "case[1].sizes.n", "empty");
    check(sizes, "{ n = \"random(0, 9)\", cols = 2 }", 40, "case[1].sizes.n", "leaves the bounds");
    check(&format!("sizes = {sizes}\n"), "", 39, at, "is missing");
    check("visible = true", "visible = \"yes\"", 41, "case[1].visible", "true or false");
    check("visible = true", "visible = false", 39, "case", "no case is visible");
    check("visible = true\n", "visible = true\ndevice = \"tpu\"\n", 42, "case[1].device", "choose one of");
    check("visible = true\n", "visible = true\nlaunch = []\n", 42, "case[1].launch", "not available yet");
    check("device = \"gpu\"\n", "", 49, "case[3].timed", "add device");
    check("fill = \"ramp\"", "fill = \"noise\"", 42, "case[1].fill", "not known");
}

#[test]
fn every_bound_holds_at_its_edge_and_not_past_it() {
    let more = |count: usize| {
        let case = "[[case]]\nsizes = { n = 1, cols = 1 }\n\n";
        format!("{}[limits]", case.repeat(count))
    };
    check_good("[limits]", &more(61));
    check("[limits]", &more(62), 39, "case", "1 to 64 cases");
    let params = |count: usize| {
        let text: Vec<_> = (0..count)
            .map(|number| format!("[[param]]\nname = \"p{number}\"\ntype = \"i32\"\nrole = \"scalar\"\nvalue = 1\n\n"))
            .collect();
        text.concat() + "[[launch]]"
    };
    check_good("[[launch]]", &params(29));
    check("[[launch]]", &params(30), 12, "param", "1 to 32 parameters");
    check_good("run_ms = 500", "run_ms = 10_000");
    check("run_ms = 500", "run_ms = 10_001", 53, "limits.run_ms", "from 1 to 10000");
    check("run_ms = 500", "run_ms = 0", 53, "limits.run_ms", "from 1");
}

#[test]
fn what_a_case_comes_to_is_checked() {
    // Two f32 buffers of n * cols elements: 2 GiB is 268,435,456 elements.
    let wide = |cols: i64| edit("max = 50 }", "max = 9000 }").replace("cols = 50 }", &format!("cols = {cols} }}"));
    let faults_of = |text: &str| read_text(text).1;
    assert_eq!(faults_of(&wide(2684)), []);
    let [fault] = &faults_of(&wide(2685))[..] else {
        panic!("one fault is expected");
    };
    assert_eq!((fault.line, fault.field.as_deref()), (Some(47), Some("case[3]")));
    assert!(fault.message.contains("make it smaller"), "{fault}");

    check("\"n * cols\"", "\"n - 3\"", 39, "case[1]", "at least one element");
    check("\"n * cols\"", "\"n / (n - 3)\"", 39, "case[1]", "division by zero");
    check("\"n * cols\"", "\"max(8999 - n, n - 9000)\"", 44, "case[2]", "n = 9000");
    check("value = \"n\"", "value = \"n * 30000\"", 47, "case[3]", "does not fit into int");
    check("[\"128\", 2]", "[\"128\", 9]", 39, "case[1]", "1152 threads");
    check("[\"128\", 2]", "[1, 1, 65]", 39, "case[1]", "65 along z");
    check("[\"ceil_div(n, 128)\"]", "[\"n / 4\"]", 39, "case[1]", "grid has 0 along x");
    check("[\"ceil_div(n, 128)\"]", "[1, \"n\"]", 47, "case[3]", "65535");
    check("\"4 * cols\"", "\"232449\"", 39, "case[1]", "shared_bytes is 232449");
    check("\"8 * n\"", "\"n - 4\"", 39, "case[1]", "the target has -1 bytes");
}

#[test]
fn the_target_is_checked() {
    check("= 0.85", "= 1.01", 58, "target.fast_fraction", "at most 1");
    check("= 0.85", "= 0.0", 58, "target.fast_fraction", "more than 0");
    check("= 0.85", "= nan", 58, "target.fast_fraction", "finite");
    check("fast_fraction = 0.85\n", "", 55, "target.fast_fraction", "is missing");
    check("bytes = \"8 * n\"\nflops = \"n\"\n", "", 55, "target", "bytes or flops");
    check("\"8 * n\"", "\"8 * m\"", 56, "target.bytes", "uses 'm'");
}

#[test]
fn several_faults_are_told_at_once() {
    let text = edit("minutes = 15", "minutes = 0").replace("role = \"in\"", "role = \"x\"");
    let fields: Vec<_> = read_text(&text).1.into_iter().filter_map(|f| f.field).collect();
    assert_eq!(fields, ["minutes", "param[1].role"]);
}

#[test]
fn a_fault_reads_as_one_line() {
    let (_, faults) = read_text(&edit("n = 3,", "n = 0,"));
    assert_eq!(faults[0].to_string(), "exercise.toml:40: case[1].sizes.n: is 0; it must be from 1 to 100000");
}

#[test]
fn the_documentation_shows_a_manifest_that_loads() {
    let text = include_str!("../../../../docs/EXERCISE_FORMAT.md");
    let start = text.find("```toml\nformat = 1\n").unwrap() + "```toml\n".len();
    let example = text[start..].split("```").next().unwrap();
    assert_eq!(read_text(example).1, []);
    for kind in domain::verdict::VerdictKind::ALL {
        assert!(text.contains(&format!("`{}`", kind.as_str())), "{kind:?}");
    }
}

#[test]
fn damaged_manifests_are_faults_and_no_panic() {
    for end in 0..GOOD.len() {
        let (manifest, faults) = read_text(&GOOD[..end]);
        assert!(manifest.is_some() || !faults.is_empty(), "{end}");
    }
    let lines: Vec<_> = GOOD.lines().collect();
    for left_out in 0..lines.len() {
        let mut kept = lines.clone();
        kept.remove(left_out);
        let (manifest, faults) = read_text(&kept.join("\n"));
        assert_eq!(manifest.is_none(), !faults.is_empty(), "{left_out}");
    }
    for piece in ["[", "]", "{", "\"", "=", "\0", "ä", "9999999999999999999999", "nan", "[[", "."] {
        for (at, _) in GOOD.char_indices().step_by(7) {
            let text = format!("{}{piece}{}", &GOOD[..at], &GOOD[at..]);
            let (manifest, faults) = read_text(&text);
            assert_eq!(manifest.is_none(), !faults.is_empty(), "{at} {piece}");
        }
    }
    let deep = format!("title = {}", "[".repeat(100_000));
    assert!(read_text(&deep).0.is_none());
    let deep = format!("x{} = 1", ".y".repeat(100_000));
    assert!(read_text(&deep).0.is_none());
}
