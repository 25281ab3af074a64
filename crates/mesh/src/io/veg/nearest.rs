//! The accepted word that a misspelt one was probably meant to be.

/// The candidate with the fewest letters to insert, delete or change, if those are at most a third
/// of the word. Case does not count.
pub(in crate::io) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Nothing accepted is that long, and the work grows with the square of the length.
    if word.len() > 64 {
        return None;
    }
    let limit = word.len().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's edit distance, row by row.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let words = ["*VERTICES", "*ELEMENTS", "*SET"];
        assert_eq!(nearest("*VERTICIES", words), Some("*VERTICES"));
        assert_eq!(nearest("*element", words), Some("*ELEMENTS"));
        assert_eq!(nearest("*ST", words), Some("*SET"));
        assert_eq!(nearest("*NODES", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
    }
}
