//! [`Album`]: what the pictures of a report are made of: the surface and its stress at a few moments of a run.
//! It is kept beside the checkpoint, so that a run that goes on has the pictures of its beginning.

use std::path::Path;

use pliant_mesh::io::write_file;

use crate::error::SceneError;

const MAGIC: u64 = u64::from_le_bytes(*b"pliantA2");
/// Moments that are kept besides the last and that of the greatest stress.
const MOST: usize = 16;

/// The surface of all bodies at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Moment {
    /// Steps made.
    pub(crate) step: u64,
    /// s
    pub(crate) time: f64,
    /// The greatest von Mises stress of any cell, Pa; not a number if there is none.
    pub(crate) greatest: f64,
    /// The body and the cell that have it.
    pub(crate) at: [u32; 2],
    /// Of the vertices of the boundary of one body after the other, m.
    pub(crate) x: Vec<[f32; 3]>,
    /// Von Mises stress, mean of the cells around each of these vertices, Pa; not a number if there is none.
    pub(crate) mises: Vec<f32>,
    /// Pressure of contact at each of these vertices, Pa; empty where nothing can touch.
    pub(crate) pressure: Vec<f32>,
}

impl Moment {
    /// The greatest pressure of contact, Pa.
    pub(crate) fn greatest_pressure(&self) -> f32 {
        self.pressure.iter().copied().fold(0.0, f32::max)
    }
}

/// What is noted of every moment that was looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    /// Steps made.
    pub(crate) step: u64,
    /// s
    pub(crate) time: f64,
    /// The greatest von Mises stress of any cell, Pa; not a number if there is none.
    pub(crate) greatest: f64,
    /// Of all bodies, J.
    pub(crate) elastic: f64,
}

/// Moments of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Album {
    /// All moments that were looked at.
    pub(crate) seen: Vec<Look>,
    /// Some of these, evenly apart.
    pub(crate) kept: Vec<Moment>,
    /// Steps between those that are kept.
    stride: u64,
    /// That of the greatest stress.
    pub(crate) peak: Option<Moment>,
    /// That of the greatest pressure of contact, where there was some.
    pub(crate) pressed: Option<Moment>,
    /// The last one, which may be between those.
    pub(crate) last: Option<Moment>,
}

impl Album {
    /// An empty one, which begins by keeping a moment every so many steps.
    pub(crate) fn new(every: u64) -> Self {
        Self { stride: every.max(1), ..Self::default() }
    }

    /// Takes in a moment with its elastic energy. One that has none was looked at because the run stops: it is only
    /// the last one, so that a run that was stopped and resumed has the same album as one that was not.
    pub(crate) fn add(&mut self, moment: Moment, elastic: Option<f64>) {
        if let Some(elastic) = elastic {
            let Moment { step, time, greatest, .. } = moment;
            self.seen.push(Look { step, time, greatest, elastic });
            let known = self.peak.as_ref().map_or(f64::NEG_INFINITY, |p| p.greatest);
            if moment.greatest > known {
                self.peak = Some(moment.clone());
            }
            let known = self.pressed.as_ref().map_or(0.0, Moment::greatest_pressure);
            if moment.greatest_pressure() > known {
                self.pressed = Some(moment.clone());
            }
            if moment.step.is_multiple_of(self.stride) {
                self.kept.push(moment.clone());
            }
            while self.kept.len() > MOST {
                self.stride *= 2;
                self.kept.retain(|m| m.step.is_multiple_of(self.stride));
            }
        }
        self.last = Some(moment);
    }

    /// Forgets what lies after a step that a run goes on from. A peak that comes again may stay.
    pub(crate) fn go_back(&mut self, step: u64) {
        self.seen.retain(|s| s.step <= step);
        self.kept.retain(|m| m.step <= step);
        self.last = None;
    }

    /// The moment of the greatest stress: the last one may be it, where a run was stopped between two looks.
    pub(crate) fn greatest(&self) -> Option<&Moment> {
        let known = self.peak.as_ref().map_or(f64::NEG_INFINITY, |p| p.greatest);
        self.last.as_ref().filter(|last| last.greatest > known).or(self.peak.as_ref())
    }

    /// First, middle, last, and the one of the greatest stress, as far as there are such and they differ.
    pub(crate) fn chosen(&self) -> Vec<(&'static str, &Moment)> {
        let mut list: Vec<(&'static str, &Moment)> = Vec::new();
        let (peak, last) = (self.greatest(), self.last.as_ref());
        let is_peak = |m: &Moment| peak.is_some_and(|p| p.step == m.step);
        let named = |m, name, both| (if is_peak(m) { both } else { name }, m);
        if let Some(first) = self.kept.first().filter(|m| last.is_none_or(|l| l.step != m.step)) {
            list.push(named(first, "First", "First, of greatest stress"));
            let half = last.map_or(0, |l| first.step.midpoint(l.step));
            let inner = self.kept[1..].iter().filter(|m| last.is_none_or(|l| m.step < l.step));
            let middle = inner.min_by_key(|m| m.step.abs_diff(half));
            list.extend(middle.map(|m| named(m, "Middle", "Middle, of greatest stress")));
        }
        list.extend(last.map(|m| named(m, "Last", "Last, of greatest stress")));
        if !list.iter().any(|(_, m)| is_peak(m)) {
            list.extend(peak.map(|m| ("Greatest stress", m)));
        }
        list
    }

    /// Writes it, in place of an older one, in one step.
    pub(crate) fn write(&self, path: &Path) -> Result<(), SceneError> {
        let others = [&self.peak, &self.last, &self.pressed].into_iter().flatten();
        let moments: Vec<&Moment> = self.kept.iter().chain(others).collect();
        write_file(path, |sink| {
            let mut word = |w: u64| sink.write_all(&w.to_le_bytes());
            for w in [MAGIC, self.stride, self.seen.len() as u64, self.kept.len() as u64] {
                word(w)?;
            }
            let there = [&self.peak, &self.last, &self.pressed].map(|m| u64::from(m.is_some()));
            word(there[0] + 2 * there[1] + 4 * there[2])?;
            for look in &self.seen {
                word(look.step)?;
                for number in [look.time, look.greatest, look.elastic] {
                    word(number.to_bits())?;
                }
            }
            for m in moments {
                let at = u64::from(m.at[0]) << 32 | u64::from(m.at[1]);
                let (time, greatest) = (m.time.to_bits(), m.greatest.to_bits());
                let pressed = u64::from(!m.pressure.is_empty());
                for w in [m.step, time, greatest, at, m.x.len() as u64, pressed] {
                    sink.write_all(&w.to_le_bytes())?;
                }
                for c in m.x.as_flattened().iter().chain(&m.mises).chain(&m.pressure) {
                    sink.write_all(&c.to_le_bytes())?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Reads one; none if there is none, or none that can be understood, for a report can do without.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let mut words = Words(&bytes);
        let [magic, stride, seen, kept, more] = [(); 5].map(|()| words.next());
        if magic? != MAGIC || stride? == 0 {
            return None;
        }
        let mut album = Self { stride: stride?, ..Self::default() };
        for _ in 0..seen? {
            album.seen.push(Look {
                step: words.next()?,
                time: words.number()?,
                greatest: words.number()?,
                elastic: words.number()?,
            });
        }
        for _ in 0..kept? {
            album.kept.push(words.moment()?);
        }
        if more? & 1 > 0 {
            album.peak = Some(words.moment()?);
        }
        if more? & 2 > 0 {
            album.last = Some(words.moment()?);
        }
        if more? & 4 > 0 {
            album.pressed = Some(words.moment()?);
        }
        words.0.is_empty().then_some(album)
    }
}

/// What is left to be read.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn number(&mut self) -> Option<f64> {
        self.next().map(f64::from_bits)
    }

    fn moment(&mut self) -> Option<Moment> {
        let (step, time, greatest) = (self.next()?, self.number()?, self.number()?);
        let at = self.next()?;
        let count = usize::try_from(self.next()?).ok()?;
        let bytes = if self.next()? > 0 { 20 } else { 16 };
        let (numbers, rest) = self.0.split_at_checked(count.checked_mul(bytes)?)?;
        self.0 = rest;
        let numbers: Vec<f32> =
            numbers.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (x, rest) = numbers.split_at(3 * count);
        let (mises, pressure) = rest.split_at(count);
        let x = x.as_chunks::<3>().0.to_vec();
        let (mises, pressure) = (mises.to_vec(), pressure.to_vec());
        let at = [(at >> 32) as u32, at as u32];
        Some(Moment { step, time, greatest, at, x, mises, pressure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(step: u64) -> Moment {
        let greatest =
            [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0][step as usize % 8] + step as f64 * 1e-3;
        let x = vec![[step as f32, 1.0, 2.0]];
        let pressure = if step.is_multiple_of(3) { vec![step as f32] } else { Vec::new() };
        let (time, mises) = (step as f64 * 0.5, vec![f32::NAN]);
        Moment { step, time, greatest, at: [1, 7], x, mises, pressure }
    }

    #[test]
    fn few_moments_are_kept_of_many_and_the_peak_among_all() {
        let mut album = Album::new(2);
        (0..=102)
            .filter(|s| s % 2 == 0 || *s == 99)
            .for_each(|s| album.add(moment(s), (s % 2 == 0).then_some(1.0)));
        assert!(album.kept.len() <= MOST && album.kept.len() > MOST / 2);
        let chosen: Vec<(&str, u64)> = album.chosen().iter().map(|(n, m)| (*n, m.step)).collect();
        assert_eq!(chosen[0], ("First", 0));
        assert_eq!((chosen[1].0, chosen[2]), ("Middle", ("Last", 102)));
        assert!(chosen[1].1.abs_diff(51) <= 4, "{chosen:?}");
        // 4 + 0.1 is the most among even steps.
        assert_eq!(chosen[3], ("Greatest stress", 100));
    }

    #[test]
    fn an_album_is_read_back_and_a_spoilt_one_is_none() {
        let path = std::env::temp_dir().join(format!("pliant-album-{}", std::process::id()));
        let mut album = Album::new(1);
        (0..40).for_each(|s| album.add(moment(s), Some(1.0)));
        album.write(&path).unwrap();
        let back = Album::read(&path).unwrap();
        // NaN is not equal to itself: look at what was written.
        assert_eq!(format!("{back:?}"), format!("{album:?}"));
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 7, 8, 100, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(Album::read(&path).is_none(), "{cut}");
        }
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn an_album_that_goes_back_ends_as_if_it_had_not() {
        let (mut whole, mut cut) = (Album::new(3), Album::new(3));
        let feed = |album: &mut Album, steps: std::ops::RangeInclusive<u64>| {
            steps.filter(|s| s % 3 == 0).for_each(|s| album.add(moment(s), Some(1.0)));
        };
        feed(&mut whole, 0..=120);
        feed(&mut cut, 0..=70);
        cut.add(moment(71), None);
        cut.go_back(60);
        feed(&mut cut, 61..=120);
        assert_eq!(format!("{whole:?}"), format!("{cut:?}"));
    }
}
