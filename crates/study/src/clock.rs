//! The time that a thread has spent computing.

/// Of this thread, s; none where the system does not tell (it does on Linux, to a few milliseconds).
pub(crate) fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(1e-9 * nanoseconds)
}
