//! Peak memory of this process, where the system tells it.

use std::fs;

/// Resident bytes now.
pub(crate) fn resident() -> Option<u64> {
    field("VmRSS:")
}

/// Highest resident bytes since [`reset_peak`].
pub(crate) fn peak() -> Option<u64> {
    field("VmHWM:")
}

/// Starts a new measurement of the peak; false where the system has no such thing.
pub(crate) fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn field(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with(name))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}
