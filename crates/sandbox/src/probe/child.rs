//! The probe's child: confines itself as one kind of runner does, tries everything, reports.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::Shutdown;
use std::path::Path;

use super::attempts::{self, Note, Seen};
use super::{CANARY_VARIABLE, END, KIND_VARIABLE, OLD_CALL_WORKED};
use crate::confine::{self, CHANNEL_FD, Confinement, Kind};

/// What a runner's environment may hold: bubblewrap adds the folder.
const KNOWN_VARIABLES: [&str; 3] = [CANARY_VARIABLE, KIND_VARIABLE, "PWD"];

/// The body of the probe child. Returns the exit code.
pub fn child_main() -> u8 {
    let mut channel = confine::channel();
    let kind = match std::env::var(KIND_VARIABLE).as_deref() {
        Ok("Simulator") => Kind::Simulator,
        Ok("Gpu") => Kind::Gpu,
        _ => Kind::Compiler,
    };
    let canary = std::env::var_os(CANARY_VARIABLE).unwrap_or_default();
    let read = vec![];
    if let Err(error) = confine::confine(&Confinement { read, kind }) {
        eprintln!("probe: {error}");
        return 3;
    }
    let report = report(kind, Path::new(&canary));
    let sent = channel.write_all(report.as_bytes()).and_then(|()| channel.shutdown(Shutdown::Write));
    if sent.is_err() {
        return 4;
    }
    // The last deed, since the filter may end the process for it.
    if attempts::old_call_works() {
        return OLD_CALL_WORKED;
    }
    0
}

/// One line per row: `ok` or `open`, what was tried, what is expected, what was seen.
fn report(kind: Kind, canary: &Path) -> String {
    let mut report = String::new();
    let mut note = |name: &str, expected: &str, seen: Seen| {
        let (word, text) = match seen {
            Seen::AsExpected(text) => ("ok", text),
            Seen::Open(text) => ("open", format!("OPEN {text}")),
        };
        let text = text.replace(['\t', '\n'], " ");
        // Writing to a String does not fail.
        let _ = writeln!(report, "{word}\t{name}\t{expected}\t{text}");
    };
    try_inheritance(&mut note);
    attempts::files(&mut note, kind, canary);
    attempts::sockets(&mut note);
    attempts::processes(&mut note);
    attempts::programs(&mut note);
    attempts::namespaces(&mut note);
    attempts::kernel(&mut note);
    attempts::rights(&mut note);
    report.push_str(END);
    report.push('\n');
    report
}

fn try_inheritance(note: &mut Note) {
    let strange: Vec<_> = std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| !KNOWN_VARIABLES.contains(&name.as_str()))
        .collect();
    note("strange variables", "none", Seen::none_of(&strange));
    // SAFETY: asking for flags of a number that may be no descriptor is harmless.
    let open = |descriptor: &i32| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0;
    let strange: Vec<_> = (CHANNEL_FD + 1..4096).filter(open).map(|descriptor| descriptor.to_string()).collect();
    note("descriptors beyond 0-3", "none", Seen::none_of(&strange));
}
