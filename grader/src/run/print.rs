//! A judgement as lines of a terminal: plain text, nothing but what was found.

use std::fmt::Write;

use domain::counters::LineCounters;
use domain::counters::advice::{Setting, advice};
use domain::counters::occupancy::Occupancy;
use domain::verdict::{CaseOutcome, Verdict, VerdictKind};
use domain::words;

use super::{Counted, Ran};
use crate::diagnostics;

/// Letters of a source line that stand beside its counts.
const SOURCE_LETTERS: usize = 48;

pub(super) fn text(ran: &Ran, source: &str) -> String {
    let mut out = String::new();
    let verdict = &ran.verdict;
    let said = words::of(verdict);
    put(&mut out, format_args!("{}\n  {}\n", said.title, said.explanation));
    if verdict.kind != VerdictKind::Accepted {
        put(&mut out, format_args!("  {}\n", said.next));
    }
    details(&mut out, verdict);
    if let Some(counted) = ran.counted.as_ref() {
        work(&mut out, counted, source);
    }
    out
}

/// What the compiler said, what became of each case, and what was printed.
pub(super) fn details(out: &mut String, verdict: &Verdict) {
    for diagnostic in &verdict.diagnostics {
        let line = diagnostic.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        put(out, format_args!("  {line}{}\n", diagnostic.message));
    }
    for mark in words::marks(verdict) {
        put(out, format_args!("  {mark}\n"));
    }
    for case in &verdict.cases {
        let label = case.label.clone().unwrap_or_default();
        let outcome = match &case.outcome {
            CaseOutcome::Agrees => "agrees".to_owned(),
            CaseOutcome::Failed { kind, finding } => {
                let line = finding.line().map(|line| format!(" at line {line}")).unwrap_or_default();
                format!("{}{line}", kind.as_str())
            }
            CaseOutcome::NotRun => "not run: an earlier case ended it".to_owned(),
            CaseOutcome::Skipped => "not for the simulator".to_owned(),
        };
        put(out, format_args!("  case {} ({label}): {outcome}\n", case.index + 1));
    }
    for printed in &verdict.printed {
        put(out, format_args!("\nPrinted by case {}:\n{}\n", printed.case_index + 1, printed.text));
    }
}

/// What a kernel that ended did: counts, occupancy, advice.
pub(super) fn work(out: &mut String, counted: &Counted, source: &str) {
    if counted.cases > 0 {
        counters(out, counted, source);
        occupancy(out, counted);
    }
}

fn counters(out: &mut String, counted: &Counted, source: &str) {
    let cases = if counted.cases == 1 { "one case".to_owned() } else { format!("{} cases", counted.cases) };
    put(out, format_args!("\nCounts of PTX instructions, not of machine instructions, over {cases}:\n"));
    put(
        out,
        format_args!(
            "{:>5} {:>10} {:>6} {:>12} {:>12} {:>12} {:>9} {:>8} {:>8}\n",
            "line", "warp instr", "lanes", "loads", "stores", "shared", "branches", "barriers", "atomics"
        ),
    );
    let lines: Vec<&str> = source.lines().collect();
    for (line, of_line) in &counted.counters.lines {
        let code = (*line as usize).checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or("(no line)");
        row(out, &line.to_string(), of_line, &diagnostics::clean(code.trim(), SOURCE_LETTERS));
    }
    row(out, "all", &counted.counters.total(), "");
    put(out, format_args!("loads and stores: requests/sectors; shared: requests/conflicts; branches: all/divergent\n"));
}

fn row(out: &mut String, name: &str, of: &LineCounters, code: &str) {
    let pair = |a: u64, b: u64| if a == 0 { "-".to_owned() } else { format!("{a}/{b}") };
    let written = format!(
        "{name:>5} {:>10} {:>5.0}% {:>12} {:>12} {:>12} {:>9} {:>8} {:>8}  {code}",
        of.warp_instructions,
        of.lane_efficiency() * 100.0,
        pair(of.loads.requests, of.loads.sectors),
        pair(of.stores.requests, of.stores.sectors),
        pair(of.shared.requests, of.shared.conflicts()),
        pair(of.branches, of.divergent_branches),
        of.barriers,
        of.atomics,
    );
    put(out, format_args!("{}\n", written.trim_end()));
}

fn occupancy(out: &mut String, counted: &Counted) {
    let mut known = None;
    for resources in &counted.resources {
        let (Some(capability), Some((threads, dynamic))) = (resources.capability, counted.launch) else { continue };
        let name = format!("{}.{}", capability / 10, capability % 10);
        match Occupancy::of(capability, threads, resources.registers, resources.shared_bytes, dynamic) {
            Ok(found) => {
                put(
                    out,
                    format_args!(
                        "\nOccupancy on {name}: {} of {} warps ({:.0}%), {} blocks of {threads} threads; {} registers a \
                         thread, {} bytes of shared memory; bound by {}.",
                        found.warps,
                        found.warps_max,
                        found.share() * 100.0,
                        found.blocks,
                        resources.registers,
                        resources.shared_bytes + dynamic,
                        format!("{:?}", found.limit).to_lowercase(),
                    ),
                );
                known = known.or(Some((resources, found)));
            }
            Err(refused) => put(out, format_args!("\nOccupancy on {name}: {refused}.")),
        }
    }
    let setting = Setting {
        wants_f64: counted.wants_f64,
        resources: known.as_ref().map(|(resources, _)| *resources),
        occupancy: known.as_ref().map(|(_, occupancy)| occupancy),
    };
    put(out, format_args!("\n"));
    for advice in advice(&counted.counters, &setting) {
        put(out, format_args!("Advice: {}\n", advice.sentence));
    }
}

pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("text goes into a string");
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::counters::Counters;
    use domain::counters::request::{Sectors, Wavefronts};
    use domain::counters::resources::KernelResources;

    #[test]
    fn counts_stand_beside_their_line() {
        let mut counters = Counters::default();
        let line = counters.line_mut(2);
        line.record_instruction(0xffff);
        line.loads.record(Sectors { requested: 32, ideal: 4, bytes: 128 });
        line.shared.record(Wavefronts { requested: 32, ideal: 1 });
        let resources = KernelResources { capability: Some(80), registers: 64, ..KernelResources::default() };
        let counted =
            Counted { counters, cases: 1, launch: Some((256, 0)), resources: vec![resources], wants_f64: false };
        let verdict = Verdict {
            kind: VerdictKind::Accepted,
            finding: None,
            cases: vec![],
            diagnostics: vec![],
            marks: vec![],
            printed: vec![],
            device: "simulator".to_owned(),
        };
        let text = text(&Ran { verdict, counted: Some(counted) }, "first\n  b = a[i];\n");
        let row = text.lines().find(|line| line.ends_with("b = a[i];")).expect("a row for line 2");
        let cells: Vec<&str> = row.split_whitespace().take(9).collect();
        assert_eq!(cells, ["2", "1", "50%", "1/32", "-", "1/31", "-", "0", "0"]);
        // 64 registers of 256 threads: 65,536 / 64 = 1024 threads, half of what fits.
        assert!(text.contains("Occupancy on 8.0: 32 of 64 warps (50%), 4 blocks of 256 threads"), "{text}");
        assert!(text.contains("bound by registers"), "{text}");
        assert!(text.contains("Advice: Line 2 reads 32 sectors"), "{text}");
    }
}
