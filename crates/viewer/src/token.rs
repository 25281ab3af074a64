//! The secret in the address of the page: other users and pages of this machine cannot guess it.

use std::hash::{BuildHasher, RandomState};

/// Characters of a token at least.
const SHORTEST: usize = 16;

/// 128 bits, new for every call. The standard library keys its hash (SipHash) by the system's random numbers:
/// what it makes of anything cannot be told without that key.
pub(crate) fn random() -> String {
    let (a, b) = (RandomState::new(), RandomState::new());
    format!("{:016x}{:016x}", a.hash_one(1_u8), b.hash_one(2_u8))
}

/// Whether a token that a user chose can serve.
pub(crate) fn is_good(token: &str) -> bool {
    (SHORTEST..=128).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether two are the same, in a time that does not tell where they differ.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let pairs = a.bytes().zip(b.bytes());
    a.len() == b.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (a, b) = (random(), random());
        assert!(is_good(&a) && is_good(&b) && a.len() == 32);
        assert!(!same(&a, &b) && same(&a, &a.clone()) && !same(&a, &a[1..]));
        assert!(!is_good("short") && !is_good("../../../../etc/passwd"));
    }
}
