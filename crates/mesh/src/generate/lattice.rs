//! The cube [−1, 1]ᵈ as a lattice: its surface, and its maps to the ball.

use std::collections::HashMap;

/// Corners of the middle square (cube) lie at this fraction of the disc's (ball's) radius.
const CORE: f64 = 0.6;
/// How far the sides of the middle square (cube) bulge: 0 straight, 1 a disc (ball). Straight sides
/// leave angles near 180° where rings meet them at the corners, round ones inside the corners.
const BULGE: f64 = 0.5;

/// `cells` equal cells from −1 to 1.
pub(super) fn cell_lines(cells: usize) -> Vec<f64> {
    (0..=cells).map(|i| (2.0 * i as f64 - cells as f64) / cells as f64).collect()
}

/// From [−1, 1]ᵈ to the unit disc (d = 2) or ball (d = 3), smooth, the border to the border:
/// x √(1 − y²/2 − z²/2 + y²z²/3) and cyclic.
pub(super) fn on_ball<const D: usize>(p: [f64; D]) -> [f64; D] {
    std::array::from_fn(|i| {
        let y2 = p[(i + 1) % D].powi(2);
        let z2 = if D == 3 { p[(i + 2) % D].powi(2) } else { 0.0 };
        p[i] * (1.0 - 0.5 * (y2 + z2) + y2 * z2 / 3.0).sqrt()
    })
}

/// From [−1, 1]ᵈ to the bulged square or cube in the middle of the unit disc or ball.
pub(super) fn core_point<const D: usize>(p: [f64; D]) -> [f64; D] {
    let (round, straight) = (on_ball(p), (1.0 / D as f64).sqrt());
    std::array::from_fn(|i| CORE * (BULGE * round[i] + (1.0 - BULGE) * straight * p[i]))
}

/// The surface of a lattice of cells.
pub(super) struct LatticeSurface {
    /// Lattice coordinates of its points.
    pub(super) points: Vec<[usize; 3]>,
    /// Outward quadrilaterals, as indices of points.
    pub(super) quads: Vec<[u32; 4]>,
}

/// How many points the surface has.
pub(super) fn surface_point_count(cells: [usize; 3]) -> usize {
    let pair = |a: usize, b: usize| cells[a].saturating_mul(cells[b]);
    pair(0, 1)
        .saturating_add(pair(1, 2))
        .saturating_add(pair(2, 0))
        .saturating_mul(2)
        .saturating_add(2)
}

/// The surface of a lattice of `cells`, face by face; points are numbered as the faces meet them.
pub(super) fn lattice_surface(cells: [usize; 3]) -> LatticeSurface {
    let mut surface = LatticeSurface { points: Vec::new(), quads: Vec::new() };
    let mut index: HashMap<[usize; 3], u32> = HashMap::new();
    for axis in 0..3 {
        let (e, f) = ((axis + 1) % 3, (axis + 2) % 3);
        for high in [false, true] {
            for j in 0..cells[f] {
                for i in 0..cells[e] {
                    let mut corner = |di: usize, dj: usize| {
                        let mut p = [0; 3];
                        (p[axis], p[e], p[f]) =
                            (if high { cells[axis] } else { 0 }, i + di, j + dj);
                        *index.entry(p).or_insert_with(|| {
                            surface.points.push(p);
                            (surface.points.len() - 1) as u32
                        })
                    };
                    // Axes e, f, axis are right-handed: counter-clockwise seen from the high side.
                    let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let [a, b, c, d] = quad;
                    surface.quads.push(if high { quad } else { [a, d, c, b] });
                }
            }
        }
    }
    surface
}
