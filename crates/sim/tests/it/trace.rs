//! Steps of small kernels, told one by one: `testdata/counters.cu` and others.

use sim::{Event, Program, Report, Space, Trace, TraceLimits, Way};

use super::{Case, case, text};

fn traced(mut case: Case, limits: TraceLimits) -> Trace {
    case.limits.trace = Some(limits);
    let Report { trace, .. } = case.run().expect("it ends");
    trace.expect("it was asked for")
}

fn split() -> Case {
    case("counters", "split", 1, 32).buffer("a", &(0..32).collect::<Vec<i32>>()).value(2)
}

fn of_line(trace: &Trace, line: u32) -> Vec<&Event> {
    trace.events.iter().filter(|event| event.line == Some(line)).collect()
}

#[test]
fn a_divergent_branch_shows_lines_and_masks() {
    let mut case = split();
    case.limits.trace = Some(TraceLimits::default());
    let report = case.run().expect("it ends");
    let trace = report.trace.expect("it was asked for");
    assert!(!trace.is_cut);
    assert_eq!(trace.events.len() as u64, report.warp_instructions, "every step once, the shuffle too");
    assert_eq!(trace.bytes, trace.events.iter().map(Event::bytes).sum::<usize>());
    // Eight lanes go round the loop twice, and then the others come to the fence.
    let body = of_line(&trace, 52);
    assert!(body.iter().all(|event| event.active == 0xff), "{body:?}");
    let ways = |way| body.iter().flat_map(|event| &event.accesses).filter(|one| one.way == way).count();
    // The compiler keeps the element in a register through the loop: after two rounds it is 3 * (3 * i + 0) + 1.
    assert_eq!((ways(Way::Load), ways(Way::Store)), (1, 1), "{body:?}");
    let twice: Vec<u64> = (0..8).map(|i| 9 * i + 1).collect();
    assert!(body.iter().flat_map(|event| &event.changes).any(|one| one.lanes == 0xff && one.values == twice));
    let fence = of_line(&trace, 55);
    assert!(!fence.is_empty() && fence.iter().all(|event| event.active == 0xffff_ff00), "{fence:?}");
    let last = of_line(&trace, 57);
    assert!(!last.is_empty() && last.iter().all(|event| event.active == u32::MAX), "{last:?}");
    assert!(trace.events.iter().all(|event| event.block == [0; 3] && event.warp == 0));
}

#[test]
fn accesses_name_buffer_and_offset_of_each_lane() {
    let trace = traced(split(), TraceLimits::default());
    let program = Program::decode(&text("counters"), "split").expect("a program");
    let last = of_line(&trace, 57);
    let store = last.iter().flat_map(|event| &event.accesses).find(|one| one.way == Way::Store).expect("a store");
    assert_eq!((store.bytes, store.lanes.len()), (4, 32));
    for (lane, touched) in store.lanes.iter().enumerate() {
        assert_eq!((usize::from(touched.lane), touched.space, touched.offset), (lane, Space::Global, 4 * lane as i64));
        let variable = touched.variable.expect("a buffer");
        assert_eq!(program.global_name(variable), Err(0), "the first buffer");
    }
}

#[test]
fn changed_registers_have_names_and_values() {
    let trace = traced(split(), TraceLimits::default());
    let program = Program::decode(&text("counters"), "split").expect("a program");
    // The first step that changes a register to the lanes' own numbers reads %tid.x.
    let numbers: Vec<u64> = (1..32).collect();
    let (event, change) = trace
        .events
        .iter()
        .flat_map(|event| event.changes.iter().map(move |change| (event, change)))
        .find(|(_, change)| change.values == numbers)
        .expect("the thread's number");
    // Lane 0 had 0 before.
    assert_eq!((change.lanes, change.is_predicate), (u32::MAX - 1, false));
    assert!(program.register_name(event.pc, change).expect("a name").starts_with("%r"));
    let predicate = trace.events.iter().flat_map(|event| event.changes.iter().map(move |change| (event, change)));
    let (event, change) = predicate.into_iter().find(|(_, change)| change.is_predicate).expect("a comparison");
    assert!(program.register_name(event.pc, change).expect("a name").starts_with("%p"));
    assert!(change.values.iter().all(|value| *value == 1), "they were 0 before: {change:?}");
}

#[test]
fn a_trace_ends_at_its_bounds() {
    let whole = traced(split(), TraceLimits::default());
    let (events, bytes) = (whole.events.len(), whole.bytes);
    let bounds = TraceLimits { events, bytes, blocks: 1 };
    assert_eq!(traced(split(), bounds), whole, "at its bounds");
    let shorter = traced(split(), TraceLimits { events: events - 1, ..bounds });
    assert!(shorter.is_cut);
    assert_eq!(shorter.events, whole.events[..events - 1]);
    let smaller = traced(split(), TraceLimits { bytes: bytes - 1, ..bounds });
    assert!(smaller.is_cut && smaller.bytes < bytes);
    assert_eq!(smaller.events, whole.events[..events - 1]);
    let nothing = traced(split(), TraceLimits { events: 0, ..bounds });
    assert!(nothing.is_cut && nothing.events.is_empty());
}

#[test]
fn other_blocks_are_left_out() {
    let copy = |grid| {
        let floats: Vec<f32> = vec![1.0; 256];
        case("counters", "copy", grid, 64).buffer("a", &floats).buffer("b", &floats)
    };
    let (one, all) = (TraceLimits { blocks: 1, ..TraceLimits::default() }, TraceLimits::default());
    let first = traced(copy(4), one);
    assert!(!first.is_cut && !first.events.is_empty());
    assert!(first.events.iter().all(|event| event.block == [0; 3]));
    assert_eq!(traced(copy(4), all).events.len(), 4 * first.events.len());
}

#[test]
fn a_fault_is_the_last_step() {
    let mut case = case("counters", "split", 1, 32).buffer("a", &[0_i32; 31]).value(2);
    case.limits.trace = Some(TraceLimits::default());
    let trap = case.run().expect_err("lane 31 is past the end");
    let trace = trap.trace.expect("it was asked for");
    let last = trace.events.last().expect("a step");
    assert_eq!((last.line, trap.line), (Some(57), Some(57)));
    let touched = last.accesses[0].lanes.last().expect("a lane");
    assert_eq!((touched.lane, touched.offset), (31, 124));
}

#[test]
fn shared_memory_has_names_too() {
    let floats: Vec<f32> = (0..64_u8).map(f32::from).collect();
    let trace =
        traced(case("counters", "reduce", 1, 64).buffer("a", &floats).buffer("b", &floats), TraceLimits::default());
    let program = Program::decode(&text("counters"), "reduce").expect("a program");
    let mut shared = trace.events.iter().flat_map(|event| &event.accesses).flat_map(|one| &one.lanes);
    let touched = shared.find(|touched| touched.space == Space::Shared).expect("shared memory");
    assert!(program.shared_name(touched.variable.expect("a variable")).expect("a name").contains("part"));
    assert!(trace.events.iter().any(|event| event.warp == 1));
}

#[test]
fn nothing_is_traced_unasked() {
    assert_eq!(split().run().expect("it ends").trace, None);
}

#[test]
fn variables_of_a_debugging_build_have_their_values() {
    let text = text("unset_debug");
    let program = Program::decode(&text, "no_start").expect("a program");
    let variables = ptx::debug::variables(&text);
    let of = |name: &str| variables.iter().find(|one| one.function == "no_start" && one.name == name).expect(name);
    let floats = [1.0_f32; 72];
    let mut case = case("unset_debug", "no_start", 2, 32).buffer("a", &floats).buffer("b", &floats).value(60_i32);
    case.limits.trace = Some(TraceLimits::default());
    let trace = case.run().expect("what is not set is a finding, no fault").trace.expect("it was asked for");
    let (mut registers, mut rounds, mut numbers) = (std::collections::HashMap::new(), vec![], None);
    for event in trace.events.iter().filter(|event| event.block == [1, 0, 0]) {
        // Line 14 is the head of the loop: what `j` is where the body begins, in lane 7.
        if let Some(register) = program.register_of(of("j"), event.pc)
            && event.line == Some(14)
        {
            let value = registers.get(&(register.to_owned(), 7)).copied().unwrap_or(0);
            if rounds.last() != Some(&value) {
                rounds.push(value);
            }
        }
        for change in &event.changes {
            let name = program.register_name(event.pc, change).unwrap_or_default();
            let lanes = (0..32_u32).filter(|lane| change.lanes >> lane & 1 == 1);
            for (lane, value) in lanes.zip(&change.values) {
                registers.insert((name.to_owned(), lane), *value);
            }
        }
        numbers = program.register_of(of("i"), event.pc).map(str::to_owned).or(numbers);
    }
    // Thread 7 of block 1, and the loop from 0 to 4.
    let i = numbers.expect("a register");
    assert_eq!(registers.get(&(i, 7)), Some(&39));
    assert_eq!(rounds, [0, 1, 2, 3, 4]);
    // Elsewhere it is not there.
    assert_eq!(program.register_of(of("j"), 0), None);
}
