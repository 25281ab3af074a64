//! [`Arguments`]: the flags and names that follow a chore.

use crate::process::{Failure, Outcome};

/// Words of the command line, taken one by one; [`Arguments::finish`] refuses what is left.
pub(crate) struct Arguments(Vec<String>);

impl Arguments {
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        Self(words.collect())
    }

    pub(crate) fn asks_for_help(&self) -> bool {
        self.0.iter().any(|word| word == "-h" || word == "--help")
    }

    /// Whether there are flags at most.
    pub(crate) fn names_nothing(&self) -> bool {
        self.0.iter().all(|word| word.starts_with('-'))
    }

    /// Takes `--name`; whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let found = self.0.iter().position(|word| word == name);
        found.map(|i| self.0.remove(i)).is_some()
    }

    /// Takes `--name N` or `--name=N`.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, Failure> {
        let prefix = format!("{name}=");
        let Some(i) = self.0.iter().position(|word| word == name || word.starts_with(&prefix))
        else {
            return Ok(None);
        };
        let word = self.0.remove(i);
        let value = match word.strip_prefix(&prefix) {
            Some(value) => value.to_owned(),
            None if i < self.0.len() => self.0.remove(i),
            None => return Err(Failure::usage(format!("{name} needs a number"))),
        };
        match value.replace('_', "").parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(Failure::usage(format!("{name} needs a positive number, not '{value}'"))),
        }
    }

    /// Takes the names among `known` that were given, in the order of `known`; all when none was.
    pub(crate) fn choose(mut self, known: &[&str]) -> Result<Vec<String>, Failure> {
        let chosen: Vec<_> = known.iter().filter(|name| self.flag(name)).copied().collect();
        self.finish(&format!("known here: {}", known.join(" ")))?;
        let names = if chosen.is_empty() { known.to_vec() } else { chosen };
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    /// Refuses words that nobody took.
    pub(crate) fn finish(self, hint: &str) -> Outcome {
        match self.0.first() {
            Some(word) => Err(Failure::usage(format!("'{word}' is not known ({hint})"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn names_come_in_the_known_order_and_unknown_ones_are_refused() {
        let known = ["lint", "rust", "book"];
        assert_eq!(arguments("book lint").choose(&known).unwrap(), ["lint", "book"]);
        assert_eq!(arguments("").choose(&known).unwrap(), known);
        assert!(arguments("rust bok").choose(&known).unwrap_err().message.contains("'bok'"));
    }

    #[test]
    fn numbers_are_taken_in_both_spellings_and_bad_ones_refused() {
        let mut given = arguments("a --n 10_000 b --m=3 --bad zero --last");
        assert_eq!(given.number("--n").unwrap(), Some(10_000));
        assert_eq!(given.number("--m").unwrap(), Some(3));
        assert_eq!(given.number("--absent").unwrap(), None);
        assert!(given.number("--bad").is_err());
        assert!(given.number("--last").is_err());
        assert_eq!(given.choose(&["a", "b"]).unwrap(), ["a", "b"]);
    }
}
