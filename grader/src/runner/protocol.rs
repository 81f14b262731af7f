//! The pipe between the grader and a runner: length-prefixed postcard frames over one inherited socket.
//!
//! A frame is a little-endian `u32` length and that many bytes. Both ends hold the same bound per frame kind,
//! and check it before they allocate; a frame that is longer, shorter or not decodable ends the runner.
//! Nothing that arrives from a runner is trusted further than its type.

use std::sync::Arc;

use domain::counters::Counters;
use serde::{Deserialize, Serialize};

/// Largest frame in either direction: all buffers of a case and a little around them.
pub const FRAME_BYTES_MAX: usize = domain::limits::CASE_BYTES_MAX as usize + (16 << 20);

/// Bytes that postcard moves as one block instead of one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}

mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::to_string(value).map_err(S::Error::custom)?.serialize(serializer)
    }

    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// From the grader to a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// To a compiler: make an image of this source.
    Compile {
        /// The learner's text, named `kernel.cu` in messages.
        source: String,
        /// Options of the compiler.
        options: Vec<String>,
        /// PTX or machine code.
        image: ImageKind,
    },
    /// To a device: take this image and find these kernels.
    Load {
        /// PTX text or a cubin.
        image: Bytes,
        /// Kernels by name.
        kernels: Vec<String>,
    },
    /// To a device that has loaded: run one case. Shared, since a case goes to a reference and to a learner's kernel.
    Run {
        /// The case.
        run: Arc<Run>,
        /// What is looked for beside results.
        look: Look,
    },
}

/// What a device looks for beside results; a GPU for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Look {
    /// Nothing.
    Results,
    /// Mistakes that stop no kernel.
    Mistakes,
    /// The same, in a build for debugging: what takes long is left.
    Inspection,
    /// Instructions and requests by source line.
    Counters,
}

/// What a compiler makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageKind {
    /// PTX text.
    Ptx,
    /// Machine code of one GPU.
    Cubin,
}

/// One case for a device: buffers, arguments, launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Buffers with their first content.
    pub buffers: Vec<Buffer>,
    /// Arguments of every launch, in the order of the call.
    pub arguments: Vec<Argument>,
    /// Launches in order; `kernel` is an index into `Load::kernels`.
    pub launches: Vec<Launch>,
    /// Wall clock in milliseconds.
    pub run_ms: u64,
}

/// One buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Name in the signature.
    pub name: String,
    /// Bytes of one element.
    pub element_bytes: u32,
    /// What the content is.
    pub role: BufferRole,
    /// Content.
    pub bytes: Bytes,
}

/// What a buffer is to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BufferRole {
    /// Given, and must stand.
    Input,
    /// Given, and may change.
    InOut,
    /// Holds nothing before the kernel stores to it.
    Output,
    /// Room for intermediate values; holds nothing either.
    Scratch,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// Pointer to a buffer.
    Buffer(u32),
    /// A value, little-endian.
    Value(Vec<u8>),
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Index into `Load::kernels`.
    pub kernel: u32,
    /// Blocks along x, y, z; none is 0.
    pub grid: [u32; 3],
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared_bytes: u32,
}

/// From a runner to the grader. The first frame is `Ready` or `Broken`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// Warmed and confined; nothing of a learner has been read.
    Ready(Ready),
    /// Cannot work here; a sentence for the operator.
    Broken(String),
    /// An image.
    Compiled {
        /// PTX text or a cubin.
        image: Bytes,
        /// Warnings.
        log: String,
    },
    /// The compiler refused.
    Rejected {
        /// Its messages.
        log: String,
    },
    /// The compiler ran into a limit.
    CompilerLimit(CompilerLimit),
    /// Loaded; per kernel the (offset, size) of each parameter in bytes.
    Loaded {
        /// In the order of `Load::kernels`.
        parameters: Vec<Vec<(u32, u32)>>,
    },
    /// Not loaded.
    NotLoaded(NotLoaded),
    /// All launches ended.
    Ran(Ran),
    /// A launch was stopped; the process may be of no use any more.
    Stopped(Stopped),
}

/// What a runner is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// GPU name, `simulator`, or the compiler's version.
    pub name: String,
    /// Of a GPU: its architecture, `sm_90`.
    pub architecture: Option<String>,
}

/// A limit that shows inside the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompilerLimit {
    /// It ran out of memory.
    Memory,
    /// Its messages are too long.
    Log,
    /// Its result is too large.
    Image,
}

/// Why an image was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotLoaded {
    /// A kernel is missing; these are there.
    NoKernel {
        /// The missing one.
        wanted: String,
        /// The others.
        found: Vec<String>,
    },
    /// The simulator lacks something.
    Unsupported {
        /// The instruction.
        what: String,
        /// Line in the learner's source.
        line: Option<u32>,
    },
    /// More static shared memory than a block has.
    TooMuchShared {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The image asks for more than the device has.
    Resources {
        /// One sentence.
        reason: String,
    },
    /// The device refused it.
    Invalid {
        /// The device's reason.
        reason: String,
    },
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// All buffers, in the order they came.
    pub buffers: Vec<Left>,
    /// Damage beside buffers: (buffer, signed byte offset from its start).
    pub guard_damage: Vec<(u32, i64)>,
    /// What the device noticed while the kernel ran; the simulator only.
    pub noted: Vec<Noted>,
    /// The first printed bytes.
    pub printed: Bytes,
    /// Printed bytes in all.
    pub printed_bytes: u64,
    /// Wall clock of the launches in microseconds.
    pub elapsed_us: u64,
    /// More memory was touched than the simulator looks for mistakes in.
    pub detection_is_partial: bool,
    /// What was counted, all launches together; the simulator only, and only where it was asked for.
    pub counters: Option<Counters>,
}

/// What a launch left in a buffer. Inputs cross the pipe once, not twice.
///
/// A runner that lies here tells no more than one that sends the bytes it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Left {
    /// Byte for byte what came.
    AsSent,
    /// This.
    Changed(Bytes),
}

impl Left {
    /// The bytes, where `sent` is what came.
    pub fn bytes<'a>(&'a self, sent: &'a [u8]) -> &'a [u8] {
        match self {
            Self::AsSent => sent,
            Self::Changed(bytes) => &bytes.0,
        }
    }
}

/// A mistake that did not stop the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noted {
    /// Name of the verdict.
    pub kind: domain::verdict::VerdictKind,
    /// What is known; as JSON, since postcard has no tagged enumerations.
    #[serde(with = "as_json")]
    pub finding: domain::finding::Finding,
}

/// A run that was stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why.
    pub fault: Fault,
    /// What was noticed before.
    pub noted: Vec<Noted>,
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self { fault, noted: vec![] }
    }
}

/// Why a run was stopped. Lines and threads are known to the simulator only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// The finding is told as it is.
    Known {
        /// Name of the verdict.
        kind: domain::verdict::VerdictKind,
        /// What is known; as JSON, since postcard has no tagged enumerations.
        #[serde(with = "as_json")]
        finding: domain::finding::Finding,
    },
    /// Too much was printed.
    Flood {
        /// Bytes, at least.
        bytes: u64,
    },
    /// The time was over.
    Time {
        /// Where.
        line: Option<u32>,
        /// Somebody there.
        who: Option<domain::finding::Thread>,
        /// Warps there.
        warps: Option<u64>,
        /// Where the threads of its block are, and what they wait for.
        waiting: Vec<domain::finding::Waiting>,
    },
    /// The device itself is of no use: our fault.
    Device {
        /// For the operator.
        reason: String,
    },
}

/// Why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// Longer than the bound.
    #[error("a frame of {bytes} bytes; the bound is {FRAME_BYTES_MAX}")]
    TooLong {
        /// Announced or encoded length.
        bytes: usize,
    },
    /// Not a message.
    #[error("a frame that is no message")]
    Undecodable(#[from] postcard::Error),
    /// The pipe broke.
    #[error("the pipe broke")]
    Pipe(#[from] std::io::Error),
}

/// Encodes a message with its length in front.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let mut frame = postcard::to_extend(message, vec![0_u8; 4])?;
    let bytes = frame.len() - 4;
    let length = u32::try_from(bytes).ok().filter(|_| bytes <= FRAME_BYTES_MAX).ok_or(FrameError::TooLong { bytes })?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

/// The length that a frame announces, if it is within the bound.
pub fn announced(header: [u8; 4]) -> Result<usize, FrameError> {
    let bytes = u32::from_le_bytes(header) as usize;
    if bytes > FRAME_BYTES_MAX { Err(FrameError::TooLong { bytes }) } else { Ok(bytes) }
}

/// Decodes a frame's bytes; trailing bytes are an error.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, FrameError> {
    let (message, rest) = postcard::take_from_bytes(bytes)?;
    if rest.is_empty() { Ok(message) } else { Err(FrameError::Undecodable(postcard::Error::DeserializeBadEncoding)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Request {
        let run = Arc::new(Run {
            buffers: vec![Buffer {
                name: "a".into(),
                element_bytes: 4,
                role: BufferRole::Input,
                bytes: Bytes(vec![1, 2, 3, 4]),
            }],
            arguments: vec![Argument::Buffer(0), Argument::Value(vec![1, 0, 0, 0])],
            launches: vec![Launch { kernel: 0, grid: [1; 3], block: [128, 1, 1], shared_bytes: 0 }],
            run_ms: 2000,
        });
        Request::Run { run, look: Look::Mistakes }
    }

    #[test]
    fn frames_read_back() {
        let frame = encode(&run()).unwrap();
        assert_eq!(announced(frame[..4].try_into().unwrap()).unwrap(), frame.len() - 4);
        assert_eq!(decode::<Request>(&frame[4..]).unwrap(), run());
    }

    #[test]
    fn a_finding_survives_the_pipe() {
        let finding = domain::finding::Finding::CompileRefused { line: Some(3) };
        let fault = Fault::Known { kind: domain::verdict::VerdictKind::OobRead, finding };
        let stopped = Response::Stopped(fault.into());
        let frame = encode(&stopped).unwrap();
        assert_eq!(decode::<Response>(&frame[4..]).unwrap(), stopped);
    }

    #[test]
    fn a_broken_frame_is_an_error_and_takes_no_memory() {
        assert!(announced((FRAME_BYTES_MAX as u32).to_le_bytes()).is_ok());
        assert!(announced((FRAME_BYTES_MAX as u32 + 1).to_le_bytes()).is_err());
        assert!(announced([0xff; 4]).is_err());
        let frame = encode(&run()).unwrap();
        for cut in 4..frame.len() {
            assert!(decode::<Request>(&frame[4..cut]).is_err(), "{cut}");
        }
        let mut longer = frame[4..].to_vec();
        longer.push(0);
        assert!(decode::<Request>(&longer).is_err());
        // Every single-byte change decodes or fails; none panics or takes memory beyond the frame.
        for at in 4..frame.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bad = frame.clone();
                bad[at] = value;
                let _ = decode::<Request>(&bad[4..]);
                let _ = decode::<Response>(&bad[4..]);
            }
        }
    }
}
