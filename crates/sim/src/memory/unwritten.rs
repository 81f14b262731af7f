//! What memory holds before anything is written.

/// Words of shared and local memory before anything is written: NaN as a float of 4 or 8 bytes, and nothing that a
/// small sum turns into 0.
const UNWRITTEN: [u8; 4] = 0xfff5_a5c3_u32.to_le_bytes();

/// Lengthens or cuts to `bytes`; what is new holds nothing.
pub(crate) fn extend_unwritten(room: &mut Vec<u8>, bytes: usize) {
    let from = room.len().min(bytes);
    room.resize(bytes, 0);
    for (at, byte) in room[from..].iter_mut().enumerate() {
        *byte = UNWRITTEN[(from + at) % UNWRITTEN.len()];
    }
}

pub(crate) fn fill_unwritten(room: &mut Vec<u8>, bytes: usize) {
    room.clear();
    extend_unwritten(room, bytes);
}
