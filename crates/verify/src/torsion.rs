//! Torsion of a cylinder whose volume and length are kept: torque, and the axial force of Poynting's effect.

use pliant_dynamics::Motion;
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;
use pliant_materials::Constants;
use pliant_mesh::generate::{CellChoice, Cylinder};

use crate::body::{Body, Elastic};
use crate::{Progress, Row, VerifyError};

/// R = 0.5, one radian a metre, shear modulus 1, bulk modulus 1000: T = π/2 μ ψ R⁴ and N = −π/4 μ ψ² R⁴ for
/// Neo-Hooke, T = π ψ R⁴ (c10 + c01) and N = −π/2 ψ² R⁴ (c10 + 2 c01) for Mooney and Rivlin.
pub(crate) fn cylinder(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let r4 = 0.0625;
    let pi = std::f64::consts::PI;
    let (c10, c01) = (0.4, 0.1);
    let cases = [
        ("neo-hookean-isochoric", vec![0.5, 1000.0], [0.0981747704, -0.0490873852]),
        (
            "mooney-rivlin",
            vec![c10, c01, 500.0],
            [pi * r4 * (c10 + c01), -0.5 * pi * r4 * (c10 + 2.0 * c01)],
        ),
    ];
    let mut rows = Vec::new();
    for (law, constants, exact) in cases {
        let stuff = Elastic::new(law, &Constants::Own(constants))?;
        let mut values = [[0.0; 3]; 2];
        let mut mesh = String::new();
        for (k, n) in [1, 2, 4].into_iter().enumerate() {
            let (core, rings, layers) = (2 * n, n, 2 * n);
            let shape =
                Cylinder { core, rings, layers, cell: CellChoice::Hex, ..Default::default() };
            let element = ElementName::Hex8Bbar;
            let mut body = Body::new(shape.generate()?, element, &stuff)?;
            mesh = body.describe();
            progress(&format!("{law}, {mesh}"));
            let (bottom, top) = (body.set("bottom")?, body.set("top")?);
            body.fix(&bottom)?;
            let turn = Motion::Rotation {
                centre: [0.0; 3],
                axis: [0.0, 0.0, 1.0],
                curve: TimeCurve::Constant(1.0),
            };
            body.hold(&top, &crate::body::AXES, &turn)?;
            let mut built = body.build()?;
            built.solve()?;
            let (force, moment) = built.reaction(&top)?;
            (values[0][k], values[1][k]) = (moment[2], force[2]);
        }
        for (value, (what, exact)) in
            values.into_iter().zip(["torque", "axial force"].into_iter().zip(exact))
        {
            let what = format!("{what}, {law}");
            rows.push(Row::relative(&what, &mesh, exact, value[2], 2e-2));
            rows.push(Row::converges(&what, &mesh, None, value));
        }
    }
    Ok(rows)
}
