//! Addresses of functions.

/// Addresses of functions: nothing is loaded from there.
const CODE_WINDOW: u64 = 1 << 35;
/// Bytes between addresses of functions.
const CODE_STEP: u64 = 16;

/// Address of a function by its number.
pub(crate) fn code_address(number: usize) -> u64 {
    CODE_WINDOW + number as u64 * CODE_STEP
}

/// Number of the function at an address; 0 is a kernel, which nobody calls.
pub(crate) fn function_at(address: u64, functions: usize) -> Option<usize> {
    let number = address.checked_sub(CODE_WINDOW).filter(|at| at % CODE_STEP == 0)? / CODE_STEP;
    usize::try_from(number).ok().filter(|number| (1..functions).contains(number))
}
