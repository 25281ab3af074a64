//! Frames and surfaces as bytes: little-endian, every field at a multiple of its size, so that a page reads them
//! in place. `web/src/protocol.js` is the other side.

use pliant_algebra::vec3::Vec3;

/// The first word of a frame.
pub const FRAME: u32 = 1;
/// The first word of the surfaces of a scene.
pub const SURFACES: u32 = 2;
/// Bytes before the grabs of a frame.
pub const HEADER: usize = 96;
/// Bytes of a grab.
pub const GRAB: usize = 40;
/// Flag: the simulation stands.
pub const PAUSED: u32 = 1;
/// Flag: steps take longer than they last.
pub const BEHIND: u32 = 2;
/// Flag: a number follows for each vertex, to be shown as a colour.
pub const COLOURED: u32 = 4;

/// Numbers of a frame besides positions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// Which surfaces it belongs to.
    pub generation: u32,
    /// [`PAUSED`], [`BEHIND`], [`COLOURED`].
    pub flags: u32,
    /// Steps made.
    pub steps: u32,
    /// Simulated, s.
    pub time: f64,
    /// Kinetic, elastic, gravity, dissipated, work from outside, numerical loss: J.
    pub energies: [f64; 6],
    /// Wall time of the last step, ms.
    pub step_ms: f32,
    /// Simulated over wall time, of the last second.
    pub real_time: f32,
    /// Of the last step.
    pub newton_iterations: f32,
    /// The length of a step, ms.
    pub step_length_ms: f32,
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

/// A frame being written.
pub struct Writer(Vec<u8>);

impl Writer {
    /// Numbers and grabs first.
    pub fn new(vertices: usize, numbers: &Numbers, pulls: &[Pull]) -> Self {
        let colours = usize::from(numbers.flags & COLOURED != 0) * 4 * vertices;
        let size = HEADER + GRAB * pulls.len() + 12 * vertices + colours;
        let mut out = Self(Vec::with_capacity(size));
        let n = numbers;
        out.words(&[FRAME, n.generation, vertices as u32, n.flags, pulls.len() as u32, n.steps]);
        for number in [n.time].iter().chain(&n.energies) {
            out.0.extend_from_slice(&number.to_le_bytes());
        }
        out.floats(&[n.step_ms, n.real_time, n.newton_iterations, n.step_length_ms]);
        for pull in pulls {
            out.words(&[pull.id]);
            out.vectors(&[pull.force, pull.point, pull.target]);
        }
        out
    }

    fn words(&mut self, list: &[u32]) {
        for word in list {
            self.0.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn floats(&mut self, list: &[f32]) {
        for number in list {
            self.0.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// Adds positions.
    pub fn vectors(&mut self, list: &[Vec3]) {
        for number in list.as_flattened() {
            self.0.extend_from_slice(&(*number as f32).to_le_bytes());
        }
    }

    /// Adds a number for each vertex.
    pub fn numbers(&mut self, list: impl Iterator<Item = f64>) {
        for number in list {
            self.0.extend_from_slice(&(number as f32).to_le_bytes());
        }
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The surfaces of a scene at rest: for each body the counts of vertices and triangles, then all triangles,
/// which number vertices over all bodies, then all positions.
pub fn surfaces(generation: u32, list: &[(&[[u32; 3]], &[Vec3])]) -> Vec<u8> {
    let mut out = Writer(Vec::new());
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
    out.finish()
}
