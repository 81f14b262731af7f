//! `grader bench`: source to verdict in this process, without Postgres or web.
//!
//! Every figure has its comparison from the same run on the same machine. On a GPU machine with `nvcc` the same
//! kernel goes through `nvcc -shared`, load and a launch over no elements beside ours, so it is charged no data.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use domain::event::{GradeEvent, Stage};
use domain::job::Backend;
use domain::submission::SourceText;
use domain::verdict::VerdictKind;
use lesson::{Course, Exercise};
use serde::Serialize;

use crate::grade::{self, EventSink};
use crate::tools::Tools;

/// One line of a bench. `./dev bench` reads it; `xtask/bench-rows.jsonl` holds both sides to one form.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// What it is compared with, with that figure.
    pub compared_with: Option<String>,
    /// value / compared.
    pub ratio: Option<f64>,
    /// The most it may be.
    pub budget: Option<f64>,
    /// Whether it is within.
    pub ok: bool,
}

/// Most that source to verdict may take on a GPU, half of all times.
const GPU_BUDGET_MS: f64 = 200.0;
/// Most that the whole way may take on the simulator; the way through web and database has the same budget.
const SIM_BUDGET_MS: f64 = 400.0;

/// Judges the first exercise's solution `rounds` times.
pub async fn bench(root: &Path, tools: &Tools, rounds: usize) -> anyhow::Result<Vec<Figure>> {
    let course = Course::load(root);
    let exercise = course.exercises().next().with_context(|| format!("no exercise below {}", root.display()))?;
    let source = SourceText::try_from(exercise.solution.clone()).context("the solution is no source")?;
    let mut times = vec![];
    let mut steps = Steps::default();
    for round in 0..rounds + 2 {
        // Warm pools are what is measured; how long they take to fill is another figure.
        while !tools.is_warm() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let begun = Instant::now();
        let (sender, events) = tokio::sync::mpsc::unbounded_channel();
        let watch = tokio::spawn(watch(events, begun));
        let verdict = grade::grade(tools, exercise, &source, round as i64, 1, &EventSink(Some(sender))).await?;
        let elapsed = begun.elapsed();
        if verdict.kind != VerdictKind::Accepted {
            bail!("the solution of {} got {}", exercise.slug, verdict.kind.as_str());
        }
        // The first two warm the oracle and the page cache.
        if round >= 2 {
            times.push(milliseconds(elapsed));
            steps.note(watch.await?, elapsed);
        }
    }
    times.sort_by(f64::total_cmp);
    let budget = if tools.backend == Backend::Gpu { GPU_BUDGET_MS } else { SIM_BUDGET_MS };
    let compared = if tools.backend == Backend::Gpu { nvcc(exercise)? } else { None };
    let figure = |name: &str, value: f64, budget: Option<f64>| Figure {
        name: format!("grader source-to-verdict {name}, {}", tools.device),
        value,
        unit: "ms".to_owned(),
        compared_with: compared.as_ref().map(|(what, ms)| format!("{what}: {ms:.1} ms")),
        ratio: compared.as_ref().map(|(_, ms)| value / ms),
        budget,
        ok: budget.is_none_or(|budget| value <= budget),
    };
    let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
    let mut figures = vec![figure("p50", at(0.5), Some(budget)), figure("p95", at(0.95), None)];
    let steps = [("compile", steps.compile), ("load", steps.load), ("cases", steps.cases), ("end", steps.end)];
    for (name, mut times) in steps {
        times.sort_by(f64::total_cmp);
        let step = Figure { compared_with: None, ratio: None, ..figure("", times[times.len() / 2], None) };
        figures.push(Figure { name: format!("grader {name} p50, {}", tools.device), ..step });
    }
    Ok(figures)
}

fn milliseconds(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64() * 1000.0
}

/// When each step of one judgement began.
async fn watch(
    mut events: tokio::sync::mpsc::UnboundedReceiver<GradeEvent>,
    begun: Instant,
) -> Vec<(GradeEvent, Duration)> {
    let mut seen = vec![];
    while let Some(event) = events.recv().await {
        seen.push((event, begun.elapsed()));
    }
    seen
}

/// Milliseconds of the steps of all judgements: until the image is there, until it is loaded and the oracle has
/// answered, all cases, and what comes after.
#[derive(Default)]
struct Steps {
    compile: Vec<f64>,
    load: Vec<f64>,
    cases: Vec<f64>,
    end: Vec<f64>,
}

impl Steps {
    fn note(&mut self, seen: Vec<(GradeEvent, Duration)>, elapsed: Duration) {
        let (mut compiled, mut values, mut last_case) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for (event, at) in seen {
            match event {
                GradeEvent::Compiled { .. } => compiled = at,
                GradeEvent::Stage { stage: Stage::Values } => values = at,
                GradeEvent::CaseDone { .. } => last_case = at,
                _ => {}
            }
        }
        self.compile.push(milliseconds(compiled));
        self.load.push(milliseconds(values.saturating_sub(compiled)));
        self.cases.push(milliseconds(last_case.saturating_sub(values)));
        self.end.push(milliseconds(elapsed.saturating_sub(last_case)));
    }
}

/// `nvcc -shared`, then a fresh process that loads and runs it: what a learner would wait for without us.
fn nvcc(exercise: &Exercise) -> anyhow::Result<Option<(String, f64)>> {
    let Some(nvcc) = ["/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"].into_iter().find(|path| Path::new(path).exists())
    else {
        return Ok(None);
    };
    let folder = std::env::temp_dir().join(format!("warpyard-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = nvcc_in(nvcc, &folder, exercise);
    std::fs::remove_dir_all(&folder)?;
    result.map(|ms| Some(("nvcc -shared + load + run".to_owned(), ms)))
}

fn nvcc_in(nvcc: &str, folder: &Path, exercise: &Exercise) -> anyhow::Result<f64> {
    let domain::exercise::Task::Kernel(task) = &exercise.task;
    let arguments = vec!["0"; task.params.len()];
    // A launch over no elements: the comparison is charged for compiling, loading and launching only.
    let source = format!(
        "{}\nextern \"C\" int run() {{ {}<<<1, 128>>>({}); return (int)cudaDeviceSynchronize(); }}\n",
        exercise.solution,
        task.entry,
        arguments.join(", ")
    );
    std::fs::write(folder.join("kernel.cu"), source)?;
    std::fs::write(folder.join("load.c"), LOADER)?;
    let run = |command: &mut Command| -> anyhow::Result<()> {
        let output = command.current_dir(folder).output()?;
        if !output.status.success() {
            bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    };
    run(Command::new("cc").args(["-O1", "-o", "load", "load.c", "-ldl"]))?;
    let mut times = vec![];
    for _ in 0..5 {
        let begun = Instant::now();
        run(Command::new(nvcc).args([
            "-shared",
            "-Xcompiler",
            "-fPIC",
            "-arch=native",
            "-o",
            "kernel.so",
            "kernel.cu",
        ]))?;
        run(&mut Command::new(folder.join("load")))?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

const LOADER: &str = r#"#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void* library = dlopen("./kernel.so", RTLD_NOW);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    int (*run)(void) = (int (*)(void))dlsym(library, "run");
    return run ? run() : 3;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_written_as_dev_bench_reads_it() {
        let whole = Figure {
            name: "grader source-to-verdict p50, simulator".to_owned(),
            value: 181.25,
            unit: "ms".to_owned(),
            compared_with: Some("nvcc -shared + load + run: 362.5 ms".to_owned()),
            ratio: Some(0.5),
            budget: Some(400.0),
            ok: true,
        };
        let bare = Figure {
            name: "grader compile p50, simulator".to_owned(),
            value: 60.5,
            unit: "ms".to_owned(),
            compared_with: None,
            ratio: None,
            budget: None,
            ok: false,
        };
        let lines: String = [whole, bare].iter().map(|figure| serde_json::to_string(figure).unwrap() + "\n").collect();
        assert_eq!(lines, include_str!("../../xtask/bench-rows.jsonl"));
    }
}
