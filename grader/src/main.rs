//! `grader`: serve the queue, check content, measure, or probe the sandbox.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand};
use domain::job::Backend;
use domain::submission::SourceText;
use grader::config::{self, ToolArguments, Toolchain};
use grader::run::launched::Planned;
use grader::tools::Tools;
use grader::worker::{self, Options, Shared};
use grader::{bench, check, run};
use lesson::Course;

#[derive(Parser)]
#[command(about = "Claims jobs, judges kernels")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    tools: ToolArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Take jobs from the queue until SIGTERM.
    Serve {
        /// Where the queue is.
        #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
        database_url: String,
        /// The course.
        #[arg(long, env = "WARPYARD_LESSONS", default_value = "lessons")]
        lessons: PathBuf,
        /// Jobs at a time; 0 for half of the cores, at least 2.
        #[arg(long, env = "WARPYARD_CONCURRENCY", default_value_t = 0)]
        concurrency: usize,
        /// Silence in seconds after which a grader counts as dead and its jobs go to another.
        #[arg(long, env = "WARPYARD_DEAD_AFTER_SECONDS", default_value_t = 30)]
        dead_after_seconds: u64,
    },
    /// Prove every exercise of a course: what must be refused is, what must be accepted is.
    Check {
        /// The course.
        lessons: PathBuf,
        /// One JSON object instead of lines.
        #[arg(long)]
        json: bool,
    },
    /// Measure source to verdict.
    Bench {
        /// The course.
        #[arg(default_value = "lessons")]
        lessons: PathBuf,
        /// Judgements that are measured.
        #[arg(long, default_value_t = 30)]
        rounds: usize,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Judge one file on the simulator, against an exercise or in a launch of your own, and show what it does by line.
    ///
    /// Exit code 0 where it is right, 1 where it is wrong, 2 where it could not be judged.
    #[command(after_help = run::launch::HELP)]
    #[command(group = clap::ArgGroup::new("against").required(true).args(["exercise", "launch"]))]
    Run {
        /// The source.
        file: PathBuf,
        /// Folder of the exercise, in its course.
        #[arg(long, value_name = "DIR")]
        exercise: Option<PathBuf>,
        /// A launch, as in CUDA, with what each argument holds.
        #[arg(long, value_name = "TEXT")]
        launch: Option<String>,
    },
    /// Try the escapes themselves, and print what held.
    Probe,
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("WARPYARD_LOG").unwrap_or_else(|_| db::LOG_FILTER.into()),
        )
        .init();
    match execute(Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("grader: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn execute(arguments: Arguments) -> anyhow::Result<bool> {
    // What is wrong with the command is told before anything is started.
    let given = match &arguments.command {
        Command::Run { file, exercise, launch } => {
            let against = match (exercise, launch) {
                (Some(folder), _) => Against::Exercise(Box::new(run::exercise(folder)?)),
                (None, launch) => Against::Launch(Box::new(Planned::of(launch.as_deref().unwrap_or_default())?)),
            };
            Some((run::source(file)?, against))
        }
        _ => None,
    };
    let toolchain = Toolchain::find(&arguments.tools)?;
    let report = probe(&toolchain, arguments.tools.allow_degraded)?;
    let backend = config::backend(&arguments.tools.device);
    match arguments.command {
        Command::Probe => {
            println!("{report}");
            Ok(report.holds)
        }
        Command::Check { lessons, json } => {
            let tools = start(&toolchain, report.level, backend).await?;
            let checked = check::check(&lessons, &tools, !json).await?;
            print_check(&checked, json)?;
            Ok(checked.ok())
        }
        Command::Run { .. } => {
            let (source, against) = given.context("what to run")?;
            let tools = start(&toolchain, report.level, Backend::Sim).await?;
            run_one(&tools, &source, against).await
        }
        Command::Bench { lessons, rounds, json } => {
            let tools = start(&toolchain, report.level, backend).await?;
            let figures = bench::bench(&lessons, &tools, rounds.max(1)).await?;
            for figure in &figures {
                if json {
                    println!("{}", serde_json::to_string(figure)?);
                } else {
                    let compared = figure.compared_with.as_deref().unwrap_or("nothing to compare with here");
                    println!("{:50} {:9.1} {}   ({compared})", figure.name, figure.value, figure.unit);
                }
            }
            Ok(figures.iter().all(|figure| figure.ok))
        }
        Command::Serve { database_url, lessons, concurrency, dead_after_seconds } => {
            let tools = start(&toolchain, report.level, backend).await?;
            let course = Course::load(&lessons);
            for fault in &course.faults {
                tracing::error!(%fault, "left out of the course");
            }
            let pool = db::connect_patiently(&database_url).await.context("the database cannot be used")?;
            println!("grading on {} (sandbox level {:?})", tools.device, report.level);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let concurrency = if concurrency == 0 { (cores / 2).max(2) } else { concurrency };
            let options = Options { concurrency, dead_after: Duration::from_secs(dead_after_seconds.max(3)) };
            let shared = Arc::new(Shared { pool, tools, course });
            worker::serve(shared, options, &format!("{:?}", report.level), shutdown()).await;
            Ok(true)
        }
    }
}

/// What a file is run against.
enum Against {
    Exercise(Box<lesson::Exercise>),
    Launch(Box<Planned>),
}

/// Runs a file, prints what came of it, and says whether it is right.
async fn run_one(tools: &Tools, source: &SourceText, against: Against) -> anyhow::Result<bool> {
    let (text, is_ours, is_right) = match against {
        Against::Exercise(exercise) => {
            let ran = run::run(tools, &exercise, source).await?;
            (ran.text(source), ran.is_ours(), ran.is_right())
        }
        Against::Launch(planned) => {
            let ran = planned.run(tools, source).await?;
            (ran.text(source), ran.is_ours(), ran.is_right())
        }
    };
    print!("{text}");
    if is_ours {
        bail!("it could not be judged here");
    }
    Ok(is_right)
}

fn probe(toolchain: &Toolchain, allow_degraded: bool) -> anyhow::Result<sandbox::probe::ProbeReport> {
    sandbox::probe::pick_level(&toolchain.runner, allow_degraded).context("the sandbox does not hold on this machine")
}

async fn start(toolchain: &Toolchain, level: sandbox::Level, backend: Backend) -> anyhow::Result<Tools> {
    if level == sandbox::Level::C && backend == Backend::Gpu {
        bail!("a degraded sandbox never runs strangers' code on a GPU; use --device sim");
    }
    Tools::start(toolchain, level, backend, 2).await.context("the tools of grading")
}

async fn shutdown() {
    let mut terminate =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("signals can be watched");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

fn print_check(report: &check::Report, json: bool) -> anyhow::Result<()> {
    if json {
        println!("{}", serde_json::to_string(report)?);
        return Ok(());
    }
    for fault in &report.faults {
        println!("✗ {fault}");
    }
    for row in &report.rows {
        let mark = if row.ok { "✓" } else { "✗" };
        println!("{mark} {:20} {:28} {:18} wanted {}", row.exercise, row.subject, row.got, row.wanted);
        if !row.ok {
            println!("    {}", row.explanation);
        }
    }
    let failed = report.rows.iter().filter(|row| !row.ok).count() + report.faults.len();
    println!(
        "{} passed, {failed} failed, judged on {}",
        report.rows.len() - report.rows.iter().filter(|row| !row.ok).count(),
        report.device
    );
    Ok(())
}
