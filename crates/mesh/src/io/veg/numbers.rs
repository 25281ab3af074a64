//! The number that each vertex or element of a file carries: usually just counting up from 0 or 1,
//! and stored only where it does not.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{Scanner, parse_u64};

/// The field that `scanner` took last, as an integer of 32 bits.
#[inline]
pub(in crate::io) fn last_index(scanner: &Scanner<'_>, what: &str) -> Result<u32, MeshError> {
    match parse_u64(scanner.last_field()) {
        Some(n) => u32::try_from(n).map_err(|_| {
            scanner.error(ErrorKind::Index, format!("{what} {n}: at most 2^32 − 1 is served"))
        }),
        None => Err(scanner.unexpected(what, "an integer")),
    }
}

/// The numbers of the items of a section, in file order.
#[derive(Default)]
pub(in crate::io) struct Numbers {
    first: u32,
    count: usize,
    /// All numbers, once they have stopped counting up by one; empty before.
    list: Vec<u32>,
}

/// What the numbers amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io) struct Numbering {
    /// The number of the first item: 0 or 1.
    pub(in crate::io) base: u32,
    /// For each item in file order its place from 0; `None` where that is file order.
    pub(in crate::io) places: Option<Vec<u32>>,
}

impl Numbers {
    /// The number of the next item.
    #[inline]
    pub(in crate::io) fn push(&mut self, number: u32) {
        if self.count == 0 {
            self.first = number;
        } else if self.list.is_empty() {
            if u64::from(number) != u64::from(self.first) + self.count as u64 {
                // So far they counted up without leaving 32 bits.
                self.list = (0..self.count as u32).map(|i| self.first.wrapping_add(i)).collect();
                self.list.push(number);
            }
        } else {
            self.list.push(number);
        }
        self.count += 1;
    }

    /// Checks that the numbers are 0.. or 1.. in some order. `what` names one item.
    pub(in crate::io) fn finish(self, what: &str) -> Result<Numbering, MeshError> {
        let error = |text: String| {
            Err(MeshError::new(ErrorKind::Index, text)
                .hint(format!("number every {what} once, from 0 or from 1, without gaps")))
        };
        if self.list.is_empty() {
            return match self.first {
                base @ (0 | 1) => Ok(Numbering { base, places: None }),
                first => error(format!("the first {what} has the number {first}, not 0 or 1")),
            };
        }
        let base = u32::from(!self.list.contains(&0));
        let mut places = self.list;
        let mut seen = vec![false; places.len()];
        for place in &mut places {
            let number = *place;
            *place -= base;
            // A number too large means that a smaller one is missing, which says more.
            if let Some(seen) = seen.get_mut(*place as usize)
                && std::mem::replace(seen, true)
            {
                return error(format!("{what} {number} appears twice"));
            }
        }
        match seen.iter().position(|s| !s) {
            Some(gap) => error(format!("there is no {what} {}", gap as u64 + u64::from(base))),
            None => Ok(Numbering { base, places: Some(places) }),
        }
    }
}

impl Numbering {
    /// Brings items of `width` entries each from file order to their places.
    pub(in crate::io) fn arrange<T: Copy>(&self, items: Vec<T>, width: usize) -> Vec<T> {
        let Some(places) = &self.places else { return items };
        let mut arranged = items.clone();
        for (item, &place) in items.chunks_exact(width).zip(places) {
            arranged[place as usize * width..][..width].copy_from_slice(item);
        }
        arranged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbering(list: &[u32]) -> Result<Numbering, String> {
        let mut numbers = Numbers::default();
        for &n in list {
            numbers.push(n);
        }
        numbers.finish("vertex").map_err(|e| e.details().message.clone())
    }

    #[test]
    fn numbers_count_up_from_0_or_1_or_say_where_an_item_goes() {
        assert_eq!(numbering(&[0, 1, 2]), Ok(Numbering { base: 0, places: None }));
        assert_eq!(numbering(&[1, 2, 3]), Ok(Numbering { base: 1, places: None }));
        let mixed = numbering(&[2, 3, 1]).unwrap();
        assert_eq!(mixed, Numbering { base: 1, places: Some(vec![1, 2, 0]) });
        assert_eq!(mixed.arrange(vec![20, 21, 30, 31, 10, 11], 2), [10, 11, 20, 21, 30, 31]);
        assert_eq!(numbering(&[1, 0]), Ok(Numbering { base: 0, places: Some(vec![1, 0]) }));
    }

    #[test]
    fn gaps_and_repetitions_are_refused() {
        assert_eq!(numbering(&[1, 2, 4]), Err("there is no vertex 3".into()));
        assert_eq!(numbering(&[1, 2, 2]), Err("vertex 2 appears twice".into()));
        assert_eq!(numbering(&[7, 8]), Err("the first vertex has the number 7, not 0 or 1".into()));
        assert_eq!(numbering(&[u32::MAX, 0]), Err("there is no vertex 1".into()));
        assert_eq!(numbering(&[u32::MAX, 1]), Err("there is no vertex 2".into()));
    }
}
