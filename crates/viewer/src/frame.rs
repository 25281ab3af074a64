//! Frames and surfaces as bytes: little-endian, every field at a multiple of its size, so that a page reads them
//! in place. `web/src/protocol.js` is the other side.
//!
//! A frame is a header, the hands, and parts. Each part says what it is of: a page that has seen a part keeps it until
//! another comes, so that what does not change is not sent again ([`crate::parts`]).

use pliant_algebra::vec3::Vec3;

use crate::cut::Cut;
use crate::marks::{Arrow, Hold, Source};

/// The first word of a frame.
pub const FRAME: u32 = 1;
/// The first word of the surfaces of a scene.
pub const SURFACES: u32 = 2;
/// The first word of a cut.
pub const CUT: u32 = 3;
/// Bytes before the hands of a frame.
pub const HEADER: usize = 152;
/// Bytes of a hand.
pub const GRAB: usize = 40;
/// Bytes before what a part holds: what, of which, how many, and how they are written.
pub const PART: usize = 16;
/// Flag: the simulation stands.
pub const PAUSED: u32 = 1;
/// Flag: steps take longer than they last.
pub const BEHIND: u32 = 2;
/// The flags' bits from here on are the number of the colour, as [`crate::Colour::NAMES`] has them.
pub const COLOUR_SHIFT: u32 = 8;

/// A list longer than this is written with 16 bits a number: of the width of a screen that is a hundredth of a pixel.
pub const LONG: usize = 4096;
/// How a part is written: as single-precision numbers.
pub const SINGLE: u32 = 0;
/// How a part is written: as the lowest value and the step of each coordinate, and steps as 16-bit numbers.
pub const STEPS: u32 = 1;
/// The highest of those.
const MOST: f64 = 65535.0;

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Positions of the surface of a body.
    Positions = 1,
    /// Numbers on the surface of a body, shown as colours.
    Colours = 2,
    /// Positions of the points of a cut.
    CutPositions = 3,
    /// Numbers on the points of a cut.
    CutColours = 4,
    /// Vertices that are held.
    Holds = 5,
    /// Forces.
    Arrows = 6,
}

/// Numbers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// Which surfaces it belongs to.
    pub generation: u32,
    /// [`PAUSED`], [`BEHIND`], and the colour.
    pub flags: u32,
    /// Steps made.
    pub steps: u32,
    /// Simulated, s.
    pub time: f64,
    /// Kinetic, elastic, gravity, dissipated, work from outside, numerical loss: J.
    pub energies: [f64; 6],
    /// Linear (kg m/s) and angular about the origin (kg m²/s).
    pub momenta: [Vec3; 2],
    /// Wall time of the last step, ms.
    pub step_ms: f32,
    /// Simulated over wall time, of the last second.
    pub real_time: f32,
    /// Of the last step.
    pub newton_iterations: f32,
    /// The length of a step, ms.
    pub step_length_ms: f32,
    /// From the first command that this frame answers to the frame, ms; 0 if it answers none.
    pub answer_ms: f32,
}

/// A hand and what it pulls with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// As the page numbers them.
    pub id: u32,
    /// N
    pub force: Vec3,
    /// The point of the body, m.
    pub point: Vec3,
    /// The hand, m.
    pub target: Vec3,
}

/// Bytes being written.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn words(&mut self, list: &[u32]) {
        for word in list {
            self.0.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn doubles(&mut self, list: &[f64]) {
        for number in list {
            self.0.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn singles(&mut self, list: &[f32]) {
        for number in list {
            self.0.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn vectors(&mut self, list: &[Vec3]) {
        for number in list.as_flattened() {
            self.0.extend_from_slice(&(*number as f32).to_le_bytes());
        }
    }

    /// Lists of N numbers, in steps from the lowest to the highest of each of the N.
    fn steps<const N: usize>(&mut self, list: &[[f64; N]]) {
        let (mut low, mut high) = ([f64::INFINITY; N], [f64::NEG_INFINITY; N]);
        for entry in list {
            low = std::array::from_fn(|k| low[k].min(entry[k]));
            high = std::array::from_fn(|k| high[k].max(entry[k]));
        }
        // As the page will know them.
        let low = low.map(|l| f64::from(l as f32));
        let step: [f64; N] = std::array::from_fn(|k| f64::from(((high[k] - low[k]) / MOST) as f32));
        for numbers in [low, step] {
            self.singles(&numbers.map(|n| n as f32));
        }
        for entry in list {
            for k in 0..N {
                let steps = if step[k] > 0.0 { (entry[k] - low[k]) / step[k] } else { 0.0 };
                let steps = steps.round().clamp(0.0, MOST) as u16;
                self.0.extend_from_slice(&steps.to_le_bytes());
            }
        }
        while !self.0.len().is_multiple_of(4) {
            self.0.push(0);
        }
    }
}

/// Header and hands. The number of parts that follow is put in by [`with_parts`].
pub fn head(numbers: &Numbers, pulls: &[Pull]) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(HEADER + GRAB * pulls.len()));
    let n = numbers;
    out.words(&[FRAME, n.generation, 0, n.flags, pulls.len() as u32, n.steps]);
    out.doubles(&[n.time]);
    out.doubles(&n.energies);
    out.doubles(n.momenta.as_flattened());
    let rates = [n.step_ms, n.real_time, n.newton_iterations, n.step_length_ms, n.answer_ms];
    out.singles(&rates);
    // So that what follows stays at a multiple of eight.
    out.words(&[0]);
    for pull in pulls {
        out.words(&[pull.id]);
        out.vectors(&[pull.force, pull.point, pull.target]);
    }
    out.0
}

/// A frame of a head and parts.
pub fn with_parts<'a>(head: &[u8], parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = head.to_vec();
    let mut count = 0_u32;
    for part in parts {
        out.extend_from_slice(part);
        count += 1;
    }
    if let Some(place) = out.get_mut(8..12) {
        place.copy_from_slice(&count.to_le_bytes());
    }
    out
}

/// Positions of a body, or of a cut: no coordinate is finer than the largest is in single precision, so that what stands
/// still but for rounding stands still.
pub fn positions(kind: Kind, of: u32, list: &[Vec3]) -> Vec<u8> {
    let how = if list.len() > LONG { STEPS } else { SINGLE };
    let mut out = Writer(Vec::with_capacity(PART + 12 * list.len()));
    out.words(&[kind as u32, of, list.len() as u32, how]);
    let largest = list.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let unit = (largest.max(f64::MIN_POSITIVE).log2().floor() - 23.0).exp2();
    // Zero has no sign.
    let round = |x: f64| (x / unit).round() * unit + 0.0;
    let list: Vec<Vec3> = list.iter().map(|x| x.map(round)).collect();
    if how == STEPS {
        out.steps(&list);
    } else {
        out.vectors(&list);
    }
    out.0
}

/// A number for each vertex of a body, or point of a cut.
pub fn colours(kind: Kind, of: u32, list: impl ExactSizeIterator<Item = f64>) -> Vec<u8> {
    let how = if list.len() > LONG { STEPS } else { SINGLE };
    let mut out = Writer(Vec::with_capacity(PART + 4 * list.len()));
    out.words(&[kind as u32, of, list.len() as u32, how]);
    if how == STEPS {
        out.steps(&list.map(|n| [n]).collect::<Vec<_>>());
    } else {
        list.for_each(|n| out.singles(&[n as f32]));
    }
    out.0
}

/// Vertices that are held: place, axis, and how many directions.
pub fn holds(list: &[Hold]) -> Vec<u8> {
    let mut out = Writer::default();
    out.words(&[Kind::Holds as u32, 0, list.len() as u32, SINGLE]);
    for hold in list {
        out.vectors(&[hold.at, hold.axis]);
        out.words(&[hold.directions]);
    }
    out.0
}

/// Forces: place, force, and where it comes from.
pub fn arrows(list: &[Arrow]) -> Vec<u8> {
    let mut out = Writer::default();
    out.words(&[Kind::Arrows as u32, 0, list.len() as u32, SINGLE]);
    for arrow in list {
        out.vectors(&[arrow.at, arrow.force]);
        out.words(&[match arrow.source {
            Source::Load => 0,
            Source::Contact => 1,
            Source::Support => 2,
        }]);
    }
    out.0
}

/// The surfaces of a scene at rest: for each body the counts of vertices and triangles, then all triangles,
/// which number vertices over all bodies, then all positions.
pub fn surfaces(generation: u32, list: &[(&[[u32; 3]], &[Vec3])]) -> Vec<u8> {
    let mut out = Writer::default();
    out.words(&[SURFACES, generation, list.len() as u32]);
    for (triangles, positions) in list {
        out.words(&[positions.len() as u32, triangles.len() as u32]);
    }
    let mut first = 0;
    for (triangles, positions) in list {
        for triangle in *triangles {
            out.words(&triangle.map(|v| first + v));
        }
        first += positions.len() as u32;
    }
    for (_, positions) in list {
        out.vectors(positions);
    }
    out.0
}

/// A cut of a scene: its number, then for each body the counts of [`crate::cut::Share`], then all triangles, then all
/// points at rest. Without a cut there are no bodies.
pub fn cut(generation: u32, number: u32, cut: Option<(&Cut, &[Vec3])>) -> Vec<u8> {
    let mut out = Writer::default();
    let bodies = cut.map_or(0, |(cut, _)| cut.shares().len());
    out.words(&[CUT, generation, number, bodies as u32]);
    let Some((cut, rest)) = cut else { return out.0 };
    for s in cut.shares() {
        out.words(&[s.skin_points, s.skin_triangles, s.section_points, s.section_triangles]);
    }
    for triangle in cut.triangles() {
        out.words(triangle);
    }
    out.vectors(&cut.carry(rest));
    out.0
}
