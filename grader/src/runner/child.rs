//! The runner: one process for one submission, inside the sandbox.
//!
//! Order matters. It loads and warms its trusted library, then confines itself for good, then says `Ready`, and
//! only then reads the first byte of a learner. It never learns expected outputs, seeds or addresses.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use super::protocol::{Fault, FrameError, ImageKind, Ready, Request, Response, announced, decode, encode};
use crate::compile::Compiler;
use crate::device::Device;
use crate::device::gpu::Gpu;
use crate::device::sim::Sim;

/// What a runner is asked to be: `compiler LIBRARY_FOLDER INCLUDE_FOLDER…`, `sim`, `gpu` or `probe`.
enum Role {
    Compiler { libraries: PathBuf, includes: Vec<PathBuf> },
    Sim,
    Gpu,
}

/// The body of the `runner` program. Returns the exit code.
pub fn main() -> u8 {
    let mut arguments = std::env::args_os().skip(1);
    let word = arguments.next().unwrap_or_default();
    let role = match word.to_str() {
        Some("probe") => return sandbox::probe::child_main(),
        Some("compiler") => Role::Compiler {
            libraries: arguments.next().unwrap_or_default().into(),
            includes: arguments.map(PathBuf::from).collect(),
        },
        Some("sim") => Role::Sim,
        Some("gpu") => Role::Gpu,
        _ => {
            eprintln!("runner: this program is started by the grader");
            return 2;
        }
    };
    let mut channel = sandbox::channel();
    match serve(&role, &mut channel) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("runner: {error}");
            3
        }
    }
}

fn serve(role: &Role, channel: &mut UnixStream) -> Result<(), FrameError> {
    let mut handler: Box<dyn Handler> = match open(role) {
        Ok(handler) => handler,
        Err(reason) => return send(channel, &Response::Broken(reason)),
    };
    send(channel, &Response::Ready(handler.ready()))?;
    while let Some(request) = receive(channel)? {
        let response = handler.answer(request);
        let ends = matches!(response, Response::Stopped(_) | Response::Broken(_));
        send(channel, &response)?;
        if ends {
            break;
        }
    }
    Ok(())
}

/// Loads, warms, confines.
fn open(role: &Role) -> Result<Box<dyn Handler>, String> {
    let (handler, confinement): (Box<dyn Handler>, _) = match role {
        Role::Compiler { libraries, includes } => {
            let mut read = includes.clone();
            read.push(libraries.clone());
            sandbox::restrict_early(&read).map_err(|error| format!("cannot confine itself: {error}"))?;
            let compiler = Compiler::load(libraries, &["--gpu-architecture=compute_80".to_owned()])?;
            (Box::new(compiler), sandbox::Confinement { read: includes.clone(), kind: sandbox::Kind::Compiler })
        }
        Role::Sim => (
            Box::new(Running { device: Box::new(Sim::default()) }),
            sandbox::Confinement { read: vec![], kind: sandbox::Kind::Simulator },
        ),
        Role::Gpu => (
            Box::new(Running { device: Box::new(Gpu::open()?) }),
            sandbox::Confinement { read: vec![], kind: sandbox::Kind::Gpu },
        ),
    };
    sandbox::confine(&confinement).map_err(|error| format!("cannot confine itself: {error}"))?;
    Ok(handler)
}

/// What answers requests after the confinement.
trait Handler {
    fn ready(&self) -> Ready;
    fn answer(&mut self, request: Request) -> Response;
}

impl Handler for Compiler {
    fn ready(&self) -> Ready {
        Ready { name: self.version(), architecture: None }
    }

    fn answer(&mut self, request: Request) -> Response {
        match request {
            Request::Compile { source, options, image } => {
                let kind: ImageKind = image;
                self.compile(&source, &options, kind).unwrap_or_else(Response::Broken)
            }
            _ => Response::Broken("a compiler was asked to run".to_owned()),
        }
    }
}

struct Running {
    device: Box<dyn Device>,
}

impl Handler for Running {
    fn ready(&self) -> Ready {
        self.device.ready()
    }

    fn answer(&mut self, request: Request) -> Response {
        match request {
            Request::Compile { .. } => Response::Broken("a device was asked to compile".to_owned()),
            Request::Load { image, kernels } => match self.device.load(&image.0, &kernels) {
                Ok(parameters) => Response::Loaded { parameters },
                Err(reason) => Response::NotLoaded(reason),
            },
            Request::Run { run, look } => match self.device.run(Arc::unwrap_or_clone(run), look) {
                Ok(ran) => Response::Ran(ran),
                Err(stopped) => Response::Stopped(stopped),
            },
        }
    }
}

impl From<String> for Fault {
    fn from(reason: String) -> Self {
        Self::Device { reason }
    }
}

fn send(channel: &mut UnixStream, response: &Response) -> Result<(), FrameError> {
    channel.write_all(&encode(response)?)?;
    Ok(())
}

/// The next request; `None` when the grader hung up.
fn receive(channel: &mut UnixStream) -> Result<Option<Request>, FrameError> {
    let mut header = [0; 4];
    match channel.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let length = announced(header)?;
    let mut bytes = Vec::new();
    // Grows with what really comes, so that a header alone takes no memory.
    let got = Read::by_ref(channel).take(length as u64).read_to_end(&mut bytes)?;
    if got < length {
        return Ok(None);
    }
    decode(&bytes).map(Some)
}
