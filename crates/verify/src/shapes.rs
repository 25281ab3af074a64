//! Bodies by mapping a block: the middle nodes of quadratic cells lie on the curved surface too.

use pliant_algebra::vec3::Vec3;
use pliant_forces::ElementName;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{CellChoice, mapped_block};

use crate::VerifyError;

/// The unit cube as a grid of cells for an element, every node moved by `map`. Vertex sets `u-min`, `u-max`, …
pub(crate) fn mapped(
    cells: [usize; 3],
    element: ElementName,
    map: impl Fn(Vec3) -> Vec3,
) -> Result<VolumeMesh, VerifyError> {
    let choice = match element {
        ElementName::Tet4 => CellChoice::Tet6,
        ElementName::Tet10 | ElementName::Tet10Bbar => CellChoice::Tet10,
        ElementName::Hex8 | ElementName::Hex8Bbar => CellChoice::Hex,
        ElementName::Hex20 => CellChoice::Hex20,
    };
    Ok(mapped_block(cells, choice, map)?)
}

/// A box from the origin.
pub(crate) fn block(
    size: Vec3,
    cells: [usize; 3],
    element: ElementName,
) -> Result<VolumeMesh, VerifyError> {
    mapped(cells, element, |p| std::array::from_fn(|k| p[k] * size[k]))
}

/// A quarter of a ring about z in the quadrant of positive x and y: u along the radius, v around, w along z.
pub(crate) fn ring(
    [inner, outer, thickness]: [f64; 3],
    cells: [usize; 3],
    element: ElementName,
) -> Result<VolumeMesh, VerifyError> {
    mapped(cells, element, |[u, v, w]| {
        let r = inner * (1.0 - u) + outer * u;
        let (sin, cos) = quarter_turn(v);
        [r * cos, r * sin, thickness * w]
    })
}

/// Sine and cosine of v quarter turns, exactly on the axes at the ends.
pub(crate) fn quarter_turn(v: f64) -> (f64, f64) {
    if v == 1.0 { (1.0, 0.0) } else { (std::f64::consts::FRAC_PI_2 * v).sin_cos() }
}

/// A part of a hollow sphere between the planes y = 0, z = 0, y = x and z = x: a 24th of it. u along the radius.
pub(crate) fn sphere_part(
    [inner, outer]: [f64; 2],
    cells: [usize; 3],
    element: ElementName,
) -> Result<VolumeMesh, VerifyError> {
    mapped(cells, element, |[u, v, w]| {
        let r = inner * (1.0 - u) + outer * u;
        // Equal angles; exactly on the planes at the ends.
        let slope = |t: f64| {
            if t == 1.0 { 1.0 } else { (std::f64::consts::FRAC_PI_4 * t).tan() }
        };
        let (y, z) = (slope(v), slope(w));
        let length = (1.0 + y * y + z * z).sqrt();
        [r / length, r * y / length, r * z / length]
    })
}
