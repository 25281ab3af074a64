//! One input as several files.

/// The line between two files.
const MARK: &[u8] = b"\n%%\n";

/// Splits an input into at most `N` files; those that are missing are empty.
pub fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut rest = data;
    std::array::from_fn(|i| {
        let found = rest.windows(MARK.len()).position(|bytes| bytes == MARK);
        match found.filter(|_| i + 1 < N) {
            Some(at) => {
                let (part, after) = rest.split_at(at + 1);
                rest = &after[MARK.len() - 1..];
                part
            }
            None => std::mem::take(&mut rest),
        }
    })
}
