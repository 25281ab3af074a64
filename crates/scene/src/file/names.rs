//! Names that users give, and keys that they may have meant.

use pliant_errors::names::distance;

/// Characters of a name, at most: with a number and an extension it still is the name of a file.
pub(super) const LONGEST_NAME: usize = 60;

/// What is wrong with the name of a body, probe, …
pub(super) fn bad_name(name: &str) -> Option<String> {
    let length = name.chars().count();
    let start: String = name.chars().take(20).collect();
    if name.trim().is_empty() {
        Some("a name is empty".to_owned())
    } else if length > LONGEST_NAME {
        Some(format!("the name '{start}…' has {length} characters"))
    } else {
        name.chars()
            .find(|c| c.is_control())
            .map(|sign| format!("the name {start:?} holds the control character {sign:?}"))
    }
}

/// Whether a word is another one with a slip of the fingers. Short words that differ by two letters (min and
/// max, size and file) are different words.
pub(super) fn is_slip(typed: &str, meant: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    match distance(typed, meant) {
        1 => meant.len() > 2,
        2 => typed.len().min(meant.len()) > 5 || sorted(typed) == sorted(meant),
        _ => false,
    }
}
