//! A checksum of 64 bits over words of eight bytes.

/// Odd, so that a product with it can be undone: 2⁶⁴ over the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// The state before the first word.
const START: u64 = 0x5851_F42D_4C95_7F2D;

/// The checksum of bytes, of which there are whole words; what is left over counts as a word filled up with
/// zeros.
///
/// A word enters by exclusive or, and each of the operations that follow (product with an odd number, rotation,
/// exclusive or with a shift of itself) maps the 2⁶⁴ states one to one. So two files that differ in one word only
/// never have the same checksum; those that differ in more have it with a probability of 2⁻⁶⁴. It is
/// against accidents, not against forgers.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let rest = (!rest.is_empty()).then_some(&last);
    let mixed = words.iter().chain(rest).fold(START, |state, word| {
        ((state ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR)).rotate_left(29)
    });
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_and_the_order_of_words_count() {
        let bytes: Vec<u8> = (0..64).collect();
        let sum = checksum(&bytes);
        for bit in 0..8 * bytes.len() {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&other), sum, "bit {bit}");
        }
        let mut swapped = bytes.clone();
        swapped.rotate_left(8);
        assert_ne!(checksum(&swapped), sum);
    }
}
