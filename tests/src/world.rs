//! Server, grader and database of one test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use lesson::{Course, Exercise};

use crate::visitor::Visitor;

/// Silence after which a grader's jobs go to another; short, so that tests of it are.
const DEAD_AFTER_SECONDS: &str = "3";
/// Most that one step of a test may take.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running product.
pub struct World {
    database_url: String,
    admin_url: String,
    address: String,
    server: Option<Child>,
    grader: Option<Child>,
    /// The shipped course.
    pub course: Course,
}

impl World {
    /// A product on a fresh database of the cluster that `DATABASE_URL` names.
    pub async fn start() -> anyhow::Result<Self> {
        let url = std::env::var("DATABASE_URL").context("DATABASE_URL names the test cluster; ./dev test sets it")?;
        Self::start_on(&url).await
    }

    /// A product on a fresh database of the cluster at `url`.
    pub async fn start_on(url: &str) -> anyhow::Result<Self> {
        let mut world = Self::without_grader(url).await?;
        world.start_grader()?;
        world.await_grader().await?;
        Ok(world)
    }

    /// A product in which nobody grades.
    pub async fn without_grader(url: &str) -> anyhow::Result<Self> {
        let database_url = db::scratch::create(url).await?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut world = Self {
            database_url,
            admin_url: url.to_owned(),
            address: format!("127.0.0.1:{port}"),
            server: None,
            grader: None,
            course: Course::load(&root().join("lessons")),
        };
        world.start_server().await?;
        Ok(world)
    }

    /// The first exercise of the course.
    pub fn exercise(&self) -> &Exercise {
        self.course.exercises().next().expect("the course has an exercise")
    }

    /// `http://…` of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A new browser.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(format!("http://{}", self.address))
    }

    /// The database's address, for looking behind the scenes.
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// Starts the server on its port.
    pub async fn start_server(&mut self) -> anyhow::Result<()> {
        let child = self.command("server")?.env("WARPYARD_ADDR", &self.address).spawn()?;
        self.server = Some(child);
        let begun = std::time::Instant::now();
        while begun.elapsed() < PATIENCE {
            if reqwest::get(self.url("/healthz")).await.is_ok_and(|response| response.status() == 200) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the server does not answer")
    }

    /// Starts a grader on the simulator.
    pub fn start_grader(&mut self) -> anyhow::Result<()> {
        let mut command = self.command("grader")?;
        command.args(["--device", "sim", "serve"]).env("WARPYARD_DEAD_AFTER_SECONDS", DEAD_AFTER_SECONDS);
        self.grader = Some(command.spawn()?);
        Ok(())
    }

    /// Until a grader is alive.
    pub async fn await_grader(&self) -> anyhow::Result<()> {
        let pool = db::connect(&self.database_url).await?;
        let begun = std::time::Instant::now();
        while begun.elapsed() < PATIENCE {
            if !db::graders::list_live(&pool).await?.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("no grader signs on")
    }

    /// `kill -9` of the grader.
    pub fn kill_grader(&mut self) -> anyhow::Result<()> {
        kill(&mut self.grader)
    }

    /// `kill -9` of the server.
    pub fn kill_server(&mut self) -> anyhow::Result<()> {
        kill(&mut self.server)
    }

    /// The grader's process id.
    pub fn grader_id(&self) -> Option<u32> {
        self.grader.as_ref().map(Child::id)
    }

    fn command(&self, name: &str) -> anyhow::Result<Command> {
        let mut command = Command::new(program(name)?);
        command
            .env("DATABASE_URL", &self.database_url)
            .env("WARPYARD_LESSONS", root().join("lessons"))
            .env("WARPYARD_SITE", root().join("target/site"))
            .env("WARPYARD_LOG", "warn")
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        Ok(command)
    }

    /// Ends everything and removes the database.
    pub async fn end(mut self) -> anyhow::Result<()> {
        self.kill_grader()?;
        self.kill_server()?;
        db::scratch::remove(&self.admin_url, &self.database_url).await?;
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        let _ = kill(&mut self.grader);
        let _ = kill(&mut self.server);
    }
}

fn kill(child: &mut Option<Child>) -> anyhow::Result<()> {
    if let Some(mut child) = child.take() {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

/// A program of the workspace, built beside this test.
pub fn program(name: &str) -> anyhow::Result<PathBuf> {
    std::env::current_exe()?
        .ancestors()
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
        .with_context(|| format!("{name} is not built; cargo build -p {name}"))
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository")
}

/// A wrong file of the exercise whose best verdict is `word`.
pub fn wrong_source(exercise: &Exercise, word: &str) -> String {
    let file = exercise.wrong.iter().find(|file| file.expect.first().is_some_and(|kind| kind.as_str() == word));
    file.map_or_else(|| panic!("no wrong file gets {word}"), |file| file.source.clone())
}

/// Where a path of the repository is.
pub fn path(relative: &str) -> PathBuf {
    root().join(relative)
}
