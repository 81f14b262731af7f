//! `malloc` and `free` of threads.

use sim::{FoundKind, Space, Trap, TrapKind};

use crate::case;

const BUILDS: [&str; 2] = ["heap", "heap_debug"];

fn trap(build: &str, kernel: &str) -> Trap {
    case(build, kernel, 1, 8).buffer("out", &[0_i32; 8]).run().expect_err("a trap")
}

fn illegal(kernel: &str, line: u32, expect: &str) {
    for build in BUILDS {
        let trap = trap(build, kernel);
        let TrapKind::Illegal { reason } = &trap.kind else { panic!("{build}: {trap:?}") };
        assert_eq!((reason.as_str(), trap.line), (expect, Some(line)), "{build}");
    }
}

#[test]
fn a_list_of_nodes() {
    for build in BUILDS {
        let out = case(build, "list", 2, 32).buffer("out", &[0_i32; 32]).value(9_i32).result::<i32>(0);
        let expect: Vec<i32> = (0..32).map(|i| 36 * i).collect();
        assert_eq!(out, expect, "{build}");
    }
}

#[test]
fn an_allocation_has_an_end() {
    for build in BUILDS {
        let trap = trap(build, "past_end");
        let TrapKind::OutOfBounds { write: true, space: Space::Global, buffer, index: 5, size, threads } = trap.kind
        else {
            panic!("{build}: {trap:?}")
        };
        // Lane 0 asked for nothing.
        assert_eq!((buffer.as_deref(), size, threads), (Some("malloc at line 21"), 0, 6));
        assert_eq!((trap.line, trap.thread), (Some(22), [0, 0, 0]));
    }
}

#[test]
fn freed_memory_is_gone() {
    illegal("after_free", 29, "Memory of `malloc at line 26` is used after it was freed at line 28.");
    illegal("twice", 34, "Memory of `malloc at line 32` is freed again; it was freed at line 33.");
}

#[test]
fn only_what_was_given_is_freed() {
    for build in BUILDS {
        let trap = trap(build, "not_given");
        assert!(matches!(trap.kind, TrapKind::Illegal { .. }), "{trap:?}");
        assert_eq!(trap.line, Some(37));
    }
}

#[test]
fn a_heap_is_used_up() {
    for build in BUILDS {
        let out = case(build, "used_up", 1, 1).buffer("out", &[0_i32]).result::<i32>(0);
        assert_eq!(out, [7], "{build}");
    }
}

#[test]
fn a_new_allocation_holds_nothing() {
    for build in BUILDS {
        let report = case(build, "unwritten", 1, 2).buffer("out", &[0_i32; 2]).run().expect("it ends");
        let found = report.found.first().expect("a finding");
        assert!(matches!(found.kind, FoundKind::Uninitialised { .. }), "{found:?}");
        assert_eq!(found.line, Some(46), "{build}");
    }
}
