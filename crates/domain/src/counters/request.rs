//! What one warp-wide memory request costs: sectors, wavefronts and turns of an atomic.
//!
//! Rules: simulator design, sections 6.1 and 6.2. A request is one execution of a memory instruction
//! by the active lanes of a warp. There is no cache here and no time. Nothing allocates: the
//! interpreter calls these functions for every request.

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Bytes of a sector, the unit in which global memory moves (simulator design, section 6.1).
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of all banks side by side: 32 banks of 4 bytes (simulator design, section 6.2).
pub const BANK_ROW_BYTES: u32 = 128;
/// Bytes that one lane accesses at most, a 256-bit vector (PTX ISA 9.0, `ld`); more is taken as this.
pub const ACCESS_BYTES_MAX: u32 = 32;

/// What one request asks of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Distinct aligned blocks of 32 bytes that are touched.
    pub requested: u32,
    /// Sectors that would do if the same bytes were packed: `bytes / 32`, rounded up.
    pub ideal: u32,
    /// Distinct bytes that are touched.
    pub bytes: u32,
}

/// What one request asks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Passes over the banks: the distinct words of the fullest bank, summed over the phases.
    pub requested: u32,
    /// Passes without conflicts: one a phase with active lanes.
    pub ideal: u32,
}

/// How the lanes of one atomic request meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atomics {
    /// Distinct addresses.
    pub distinct: u32,
    /// Lanes on the fullest address, which take turns.
    pub most: u32,
}

impl Atomics {
    /// Turns beyond the first.
    pub const fn conflicts(self) -> u32 {
        self.most.saturating_sub(1)
    }
}

/// Sectors of one request: `addresses` in bytes, one a lane; bit `i` of `active` is lane `i`; `bytes`
/// is the size of one lane's access. Accesses may straddle sectors. Simulator design, section 6.1.
pub fn sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> Sectors {
    let bytes = u64::from(bytes.min(ACCESS_BYTES_MAX));
    if active == 0 || bytes == 0 {
        return Sectors::default();
    }
    if active == u32::MAX && is_dense(addresses, bytes) {
        return dense(addresses[0], bytes * LANES as u64);
    }
    let lanes = Lanes::ascending(addresses, active);
    let (requested, bytes) = if is_aligned(&lanes.addresses, bytes) {
        count_aligned(&lanes, bytes)
    } else {
        count_straddling(&lanes, bytes)
    };
    Sectors { requested, ideal: bytes.div_ceil(SECTOR_BYTES as u32), bytes }
}

/// Lane `i` accesses the element beside that of lane `i - 1`: the commonest request. All lanes are
/// looked at, without an early exit, so that the loop becomes vector code.
fn is_dense(addresses: &[u64; LANES], bytes: u64) -> bool {
    let first = addresses[0];
    let differences = (0u64..).zip(addresses).map(|(lane, &at)| at ^ first.wrapping_add(lane * bytes));
    first.checked_add(bytes * LANES as u64).is_some() && differences.fold(0, |all, one| all | one) == 0
}

fn dense(first: u64, bytes: u64) -> Sectors {
    let requested = (first + bytes).div_ceil(SECTOR_BYTES) - first / SECTOR_BYTES;
    Sectors { requested: requested as u32, ideal: bytes.div_ceil(SECTOR_BYTES) as u32, bytes: bytes as u32 }
}

fn is_aligned(addresses: &[u64; LANES], bytes: u64) -> bool {
    bytes.is_power_of_two() && addresses.iter().fold(0, |all, &address| all | address) & (bytes - 1) == 0
}

/// Sectors and bytes of accesses within one sector each, again as vector code.
fn count_aligned(lanes: &Lanes, bytes: u64) -> (u32, u32) {
    let (mut sectors, mut elements) = (1, 1);
    for pair in lanes.addresses.windows(2) {
        sectors += u32::from(pair[0] / SECTOR_BYTES != pair[1] / SECTOR_BYTES);
        elements += u32::from(pair[0] != pair[1]);
    }
    (sectors, elements * bytes as u32)
}

fn count_straddling(lanes: &Lanes, bytes: u64) -> (u32, u32) {
    let (mut sectors, mut touched) = (0, 0);
    let (mut free_byte, mut free_sector) = (0, 0);
    for &address in lanes.as_slice() {
        let end = address.saturating_add(bytes);
        let past = end.div_ceil(SECTOR_BYTES);
        touched += end.saturating_sub(address.max(free_byte)) as u32;
        sectors += past.saturating_sub((address / SECTOR_BYTES).max(free_sector)) as u32;
        (free_byte, free_sector) = (end, past);
    }
    (sectors, touched)
}

/// Wavefronts of one request to shared memory; parameters as for [`sectors`].
///
/// The 32 banks are 4 bytes wide. Lanes in one word are one. Lanes of up to 4 bytes go in one phase,
/// of 8 bytes in two phases of half a warp, of 16 bytes in four of a quarter. Simulator design, 6.2.
pub fn wavefronts(addresses: &[u64; LANES], active: u32, bytes: u32) -> Wavefronts {
    let bytes = bytes.min(ACCESS_BYTES_MAX);
    if active == 0 || bytes == 0 {
        return Wavefronts::default();
    }
    let is_whole = active == u32::MAX && addresses[0].is_multiple_of(4);
    if is_whole && bytes >= 4 && bytes.is_power_of_two() && is_dense(addresses, u64::from(bytes)) {
        let phases = LANES as u32 * bytes / BANK_ROW_BYTES;
        return Wavefronts { requested: phases, ideal: phases };
    }
    let lanes_per_phase = (BANK_ROW_BYTES / bytes.next_power_of_two()).min(LANES as u32);
    let mask = u32::MAX >> (LANES as u32 - lanes_per_phase);
    let mut found = Wavefronts::default();
    for first in (0..LANES as u32).step_by(lanes_per_phase as usize) {
        let phase = active & (mask << first);
        if phase != 0 {
            found.requested += passes(addresses, phase, u64::from(bytes));
            found.ideal += 1;
        }
    }
    found
}

/// The distinct words of the fullest bank.
fn passes(addresses: &[u64; LANES], phase: u32, bytes: u64) -> u32 {
    // Words of one window as wide as the banks lie in different banks, whatever their order.
    let (mut first, mut end) = (u64::MAX, 0);
    for lane in lanes(phase) {
        let of_lane = words(addresses[lane], bytes);
        first = first.min(of_lane.start);
        end = end.max(of_lane.end);
    }
    if end.saturating_sub(first) <= LANES as u64 {
        return 1;
    }
    let mut counts = [0u32; LANES];
    let mut free_word = 0;
    for &address in Lanes::ascending(addresses, phase).as_slice() {
        let of_lane = words(address, bytes);
        for word in of_lane.start.max(free_word)..of_lane.end {
            counts[(word % LANES as u64) as usize] += 1;
        }
        free_word = of_lane.end;
    }
    counts.into_iter().fold(1, u32::max)
}

fn words(address: u64, bytes: u64) -> std::ops::Range<u64> {
    address / 4..address.saturating_add(bytes).div_ceil(4)
}

/// How many addresses an atomic request has, and how many lanes share the fullest; parameters as for
/// [`sectors`]. Simulator design, sections 6.1 (last counts) and 6.2 (atomics).
pub fn atomics(addresses: &[u64; LANES], active: u32) -> Atomics {
    let mut found = Atomics::default();
    let (mut last, mut run) = (None, 0);
    for &address in Lanes::ascending(addresses, active).as_slice() {
        if last != Some(address) {
            found.distinct += 1;
            (last, run) = (Some(address), 0);
        }
        run += 1;
        found.most = found.most.max(run);
    }
    found
}

fn lanes(active: u32) -> impl Iterator<Item = usize> {
    let mut rest = active;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The addresses of active lanes in ascending order, then the last one again up to 32.
struct Lanes {
    addresses: [u64; LANES],
    count: usize,
}

impl Lanes {
    fn ascending(addresses: &[u64; LANES], active: u32) -> Self {
        let mut all = Self { addresses: *addresses, count: active.count_ones() as usize };
        if active != u32::MAX {
            let mut last = 0;
            for (slot, lane) in all.addresses.iter_mut().zip(lanes(active)) {
                last = addresses[lane];
                *slot = last;
            }
            all.addresses[all.count..].fill(last);
        }
        let descents = all.addresses.windows(2).fold(0, |all, pair| all | u32::from(pair[0] > pair[1]));
        if descents != 0 {
            all.addresses[..all.count].sort_unstable();
            let last = all.addresses[all.count - 1];
            all.addresses[all.count..].fill(last);
        }
        all
    }

    fn as_slice(&self) -> &[u64] {
        &self.addresses[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn at(address_of: impl Fn(u64) -> u64) -> [u64; LANES] {
        std::array::from_fn(|lane| address_of(lane as u64))
    }

    fn check_sectors(addresses: [u64; LANES], active: u32, bytes: u32, expected: (u32, u32, u32)) {
        let found = sectors(&addresses, active, bytes);
        assert_eq!((found.requested, found.ideal, found.bytes), expected, "{bytes} bytes at {addresses:?}");
    }

    #[test]
    fn known_global_requests() {
        const ALL: u32 = u32::MAX;
        for (bytes, expected) in [(1, (1, 1, 32)), (4, (4, 4, 128)), (8, (8, 8, 256)), (16, (16, 16, 512))] {
            check_sectors(at(|lane| 4096 + lane * u64::from(bytes)), ALL, bytes, expected);
            check_sectors(at(|lane| 4096 + (31 - lane) * u64::from(bytes)), ALL, bytes, expected);
        }
        // Starts 4 bytes off a sector; one column of a matrix; one element for all; nobody; nothing.
        check_sectors(at(|lane| 4100 + lane * 4), ALL, 4, (5, 4, 128));
        check_sectors(at(|lane| 4096 + lane * 4096), ALL, 4, (32, 4, 128));
        check_sectors(at(|_| 4096), ALL, 4, (1, 1, 4));
        check_sectors(at(|lane| lane), 0, 4, (0, 0, 0));
        check_sectors(at(|lane| lane), ALL, 0, (0, 0, 0));
        // One access over the edge of a sector; half a warp; past the last address, which no buffer has.
        check_sectors(at(|_| 30), 1, 4, (2, 1, 4));
        check_sectors(at(|lane| 4096 + lane * 4), 0xffff, 4, (2, 2, 64));
        check_sectors(at(|_| u64::MAX), ALL, u32::MAX, (1, 0, 0));
    }

    #[test]
    fn known_shared_requests() {
        let check = |addresses: [u64; LANES], active, bytes, expected| {
            let found = wavefronts(&addresses, active, bytes);
            assert_eq!((found.requested, found.ideal), expected, "{bytes} bytes at {addresses:?}");
        };
        check(at(|lane| lane * 4), u32::MAX, 4, (1, 1));
        check(at(|lane| lane), u32::MAX, 1, (1, 1));
        check(at(|_| 64), u32::MAX, 4, (1, 1));
        // A column of `[..][32]`, the same padded to 33, a stride of two, and half a warp.
        check(at(|lane| lane * 128), u32::MAX, 4, (32, 1));
        check(at(|lane| lane * 132), u32::MAX, 4, (1, 1));
        check(at(|lane| lane * 8), u32::MAX, 4, (2, 1));
        check(at(|lane| lane * 128), 0xffff, 4, (16, 1));
        // Phases: all lanes of `double` and `float4`, then those of the first phase alone.
        check(at(|lane| lane * 8), u32::MAX, 8, (2, 2));
        check(at(|lane| lane * 16), u32::MAX, 16, (4, 4));
        check(at(|lane| lane * 16), 0xff, 16, (1, 1));
        check(at(|lane| lane * 128), u32::MAX, 16, (32, 4));
        check(at(|lane| lane * 4), 0, 4, (0, 0));
    }

    #[test]
    fn lanes_on_one_address_take_turns() {
        assert_eq!(atomics(&at(|_| 8), u32::MAX), Atomics { distinct: 1, most: 32 });
        assert_eq!(atomics(&at(|lane| lane % 4 * 4), u32::MAX), Atomics { distinct: 4, most: 8 });
        assert_eq!(atomics(&at(|lane| lane * 4), u32::MAX).conflicts(), 0);
        assert_eq!(atomics(&at(|_| 8), 0), Atomics::default());
        assert_eq!(Atomics::default().conflicts(), 0);
    }

    /// SplitMix64, seeded: the same inputs in every run.
    struct Generator(u64);

    impl Generator {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }

        fn addresses(&mut self, bytes: u32) -> [u64; LANES] {
            let (base, span) = (self.next() % 4096, 1 + ((self.next() % 4096) >> (self.next() % 12)));
            let stride = [u64::from(bytes), 4, 8, 128, 132, span][self.next() as usize % 6];
            match self.next() % 4 {
                0 => at(|lane| base + lane * stride),
                1 => at(|lane| base + (lane ^ (span % 32)) * stride),
                2 => std::array::from_fn(|_| base + self.next() % span),
                _ => std::array::from_fn(|_| base + self.next() % span * u64::from(bytes)),
            }
        }
    }

    fn naive_sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> Sectors {
        let touched: BTreeSet<u64> =
            lanes(active).flat_map(|lane| addresses[lane]..addresses[lane] + u64::from(bytes)).collect();
        let blocks: BTreeSet<u64> = touched.iter().map(|byte| byte / 32).collect();
        let bytes = touched.len() as u32;
        Sectors { requested: blocks.len() as u32, ideal: bytes.div_ceil(32), bytes }
    }

    fn naive_wavefronts(addresses: &[u64; LANES], active: u32, bytes: u32) -> Wavefronts {
        let per_phase = if bytes <= 4 { LANES } else { 128 / bytes as usize };
        let mut phases: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for lane in lanes(active) {
            let touched = (addresses[lane]..addresses[lane] + u64::from(bytes)).map(|byte| byte / 4);
            phases.entry(lane / per_phase).or_default().extend(touched);
        }
        let fullest = |words: &BTreeSet<u64>| {
            (0..32).map(|bank| words.iter().filter(|&word| word % 32 == bank).count()).max().unwrap() as u32
        };
        Wavefronts { requested: phases.values().map(fullest).sum(), ideal: phases.len() as u32 }
    }

    fn naive_atomics(addresses: &[u64; LANES], active: u32) -> Atomics {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        lanes(active).for_each(|lane| *counts.entry(addresses[lane]).or_default() += 1);
        Atomics { distinct: counts.len() as u32, most: counts.into_values().max().unwrap_or(0) }
    }

    #[test]
    fn fast_paths_agree_with_sets() {
        let mut generator = Generator(7);
        for _ in 0..20_000 {
            let bytes = 1 << (generator.next() % 5);
            let addresses = generator.addresses(bytes);
            let active = if generator.next().is_multiple_of(2) {
                u32::MAX
            } else {
                (generator.next() & generator.next()) as u32
            };
            let input = (bytes, active, addresses);
            assert_eq!(sectors(&addresses, active, bytes), naive_sectors(&addresses, active, bytes), "{input:?}");
            assert_eq!(wavefronts(&addresses, active, bytes), naive_wavefronts(&addresses, active, bytes), "{input:?}");
            assert_eq!(atomics(&addresses, active), naive_atomics(&addresses, active), "{input:?}");
        }
    }
}
