//! Names that users type.

/// The name nearest to what was typed, by the number of letters to insert, remove or replace.
pub fn nearest(text: &str, names: impl IntoIterator<Item = &'static str>) -> &'static str {
    names.into_iter().min_by_key(|name| distance(name, text)).unwrap_or_default()
}

/// Levenshtein's distance.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters_and_the_nearest_name_has_the_least() {
        let pairs = [("", "", 0), ("amd", "", 3), ("kitten", "sitting", 3), ("größe", "grösse", 2)];
        for (a, b, expected) in pairs {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
        assert_eq!(nearest("cholseky", ["cg", "cholesky", "ldlt"]), "cholesky");
        assert_eq!(nearest("x", []), "");
    }
}
