//! Bad input for readers, the same on every run.

/// Numbers without a pattern.
pub fn random(seed: u64) -> impl FnMut() -> usize {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    }
}

/// Bytes without a pattern.
pub fn garbage(length: usize) -> Vec<u8> {
    let mut random = random(7);
    (0..length).map(|_| random() as u8).collect()
}

/// Hands over `good` cut off at every byte, and with bytes changed at every place.
pub fn torture(good: &[u8], mut read: impl FnMut(&[u8])) {
    let mut random = random(1);
    for place in 0..good.len() {
        read(&good[..place]);
        for round in 0..12 {
            let mut bad = good.to_vec();
            bad[place] = if round == 0 { 0xff } else { random() as u8 };
            if round > 6 {
                bad[random() % good.len()] = b"\\/-09#\n \0"[random() % 9];
            }
            read(&bad);
        }
    }
}
