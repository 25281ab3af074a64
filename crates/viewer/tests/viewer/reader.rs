//! What a page reads out of a frame, as `web/src/protocol.js` does.

use pliant_viewer::frame::{FRAME, GRAB, HEADER, Kind, PART, STEPS};

pub(crate) struct Part {
    pub(crate) what: u32,
    pub(crate) of: u32,
    pub(crate) count: usize,
    pub(crate) values: Vec<f32>,
    /// Between two numbers that can be told apart; 0 for single precision.
    pub(crate) step: Vec<f32>,
}

impl Part {
    pub(crate) fn is(&self, kind: Kind) -> bool {
        self.what == kind as u32
    }

    pub(crate) fn vector(&self, at: usize) -> [f64; 3] {
        std::array::from_fn(|k| f64::from(self.values[at + k]))
    }
}

pub(crate) struct Picture {
    pub(crate) words: [u32; 6],
    /// Time, energies, momenta.
    pub(crate) doubles: Vec<f64>,
    pub(crate) parts: Vec<Part>,
    /// Of the bytes, where grabs start.
    pub(crate) length: usize,
}

impl Picture {
    /// Reads all of it.
    ///
    /// # Panics
    /// If it is not a frame.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let single = |at: usize| f32::from_bits(word(at));
        let double = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let words: [u32; 6] = std::array::from_fn(|k| word(4 * k));
        assert_eq!(words[0], FRAME);
        let mut at = HEADER + GRAB * words[4] as usize;
        let mut parts = Vec::new();
        for _ in 0..words[2] {
            let [what, of, count, how] = [0, 4, 8, 12].map(|k| word(at + k));
            at += PART;
            let wide = match what {
                1 | 3 => 3,
                2 | 4 => 1,
                _ => 7,
            };
            let n = wide * count as usize;
            let (values, step) = if how == STEPS {
                let low: Vec<f32> = (0..wide).map(|k| single(at + 4 * k)).collect();
                let step: Vec<f32> = (0..wide).map(|k| single(at + 4 * (wide + k))).collect();
                at += 8 * wide;
                let steps =
                    |k: usize| u16::from_le_bytes(bytes[at + 2 * k..][..2].try_into().unwrap());
                let value = |k: usize| step[k % wide].mul_add(f32::from(steps(k)), low[k % wide]);
                let values = (0..n).map(value).collect();
                at += (2 * n).next_multiple_of(4);
                (values, step)
            } else {
                let values = (0..n).map(|k| single(at + 4 * k)).collect();
                at += 4 * n;
                (values, vec![0.0; wide])
            };
            parts.push(Part { what, of, count: count as usize, values, step });
        }
        assert_eq!(at, bytes.len(), "nothing is left over");
        let doubles = (0..13).map(|k| double(24 + 8 * k)).collect();
        Self { words, doubles, parts, length: bytes.len() }
    }

    pub(crate) fn part(&self, kind: Kind, of: u32) -> Option<&Part> {
        self.parts.iter().find(|part| part.is(kind) && part.of == of)
    }

    /// What in it is not a number, if anything.
    pub(crate) fn nonsense(&self) -> Option<String> {
        if let Some(k) = self.doubles.iter().position(|n| !n.is_finite()) {
            return Some(format!("number {k} of the header is {}", self.doubles[k]));
        }
        self.parts.iter().find_map(|part| {
            let wide = part.values.len().checked_div(part.count).unwrap_or(1);
            // The last of seven is a word.
            let mut numbers =
                part.values.iter().enumerate().filter(|(k, _)| wide != 7 || k % 7 != 6);
            let (k, value) = numbers.find(|(_, v)| !v.is_finite())?;
            Some(format!("number {k} of part {} of {} is {value}", part.what, part.of))
        })
    }
}
