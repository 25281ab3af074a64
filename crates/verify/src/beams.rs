//! Beams: deflections and natural frequencies.

use std::f64::consts::{PI, TAU};

use pliant_dynamics::ModeSettings;
use pliant_forces::ElementName;

use crate::body::{Body, Built, Elastic};
use crate::{Progress, Row, VerifyError, loads, shapes};

const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;

/// Quadratic tetrahedra along x, L = 1; clamped at x = 0 if told.
fn beam(height: f64, poisson: f64, cells: [usize; 3], clamped: bool) -> Result<Body, VerifyError> {
    let element = ElementName::Tet10;
    let mesh = shapes::block([1.0, height, height], cells, element)?;
    let mut body = Body::new(mesh, element, &Elastic::young("linear", YOUNG, poisson)?)?;
    if clamped {
        let clamp = body.set("u-min")?;
        body.fix(&clamp)?;
    }
    Ok(body)
}

/// P L³/3EI + P L/kGA and q L⁴/8EI + q L²/2kGA with k = 10(1 + ν)/(12 + 11ν).
pub(crate) fn cantilever(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (h, poisson) = (0.05, 0.3);
    let (area, inertia) = (h * h, h * h * h * h / 12.0);
    let k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let shear = k * YOUNG / (2.0 * (1.0 + poisson)) * area;
    let (p, q) = (1.0, 1.0);
    let exact =
        [p / (3.0 * YOUNG * inertia) + p / shear, q / (8.0 * YOUNG * inertia) + q / (2.0 * shear)];
    let mut values = [[0.0; 3]; 2];
    let mut mesh = String::new();
    for (m, cells) in [[10, 1, 1], [20, 1, 1], [40, 2, 2]].into_iter().enumerate() {
        for (case, values) in values.iter_mut().enumerate() {
            let mut body = beam(h, poisson, cells, true)?;
            mesh = body.describe();
            progress(&mesh);
            if case == 0 {
                let end = body.set("u-max")?;
                let forces = loads::traction(body.mesh(), &end, |_, _| [0.0, p / area, 0.0])?;
                body.forces(&forces)?;
            } else {
                body.body_force([0.0, q / area, 0.0])?;
            }
            let tip = body.nearest([1.0, 0.5 * h, 0.5 * h]);
            let mut built = body.build()?;
            built.solve()?;
            values[m] = built.displacement(tip)[1];
        }
    }
    let mut rows = Vec::new();
    for (value, (what, exact)) in values
        .into_iter()
        .zip(["tip under an end load", "tip under its weight"].into_iter().zip(exact))
    {
        rows.push(Row::relative(what, &mesh, exact, value[2], 1e-2));
        rows.push(Row::converges(what, &mesh, None, value));
    }
    Ok(rows)
}

fn frequencies(built: &mut Built, count: usize) -> Result<Vec<f64>, VerifyError> {
    let settings = ModeSettings { count, ..ModeSettings::default() };
    let modes = built.system.modes(&built.state, &settings)?;
    Ok(modes.modes.iter().map(pliant_dynamics::Mode::frequency).collect())
}

/// f = (βL)²/(2πL²) √(EI/ρA), both ways of a square section.
pub(crate) fn bending_modes(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let h = 0.02;
    let unit = (YOUNG / DENSITY * h * h / 12.0).sqrt() / TAU;
    let clamped = [1.8751041, 4.6940911, 7.8547574];
    let free = [4.7300407, 7.8532046, 10.995608];
    let mut rows = Vec::new();
    for (is_clamped, roots, text) in [(true, clamped, "clamped"), (false, free, "free")] {
        let rigid = if is_clamped { 0 } else { 6 };
        let mut all = Vec::new();
        let mut mesh = String::new();
        for cells in [[12, 1, 1], [25, 1, 1], [50, 1, 1]] {
            let body = beam(h, 0.0, cells, is_clamped)?;
            mesh = body.describe();
            progress(&format!("{text}, {mesh}"));
            let mut built = body.build_consistent(DENSITY)?;
            all.push(frequencies(&mut built, rigid + 6)?);
        }
        let zero = all[2].iter().filter(|f| **f == 0.0).count();
        let what = format!("rigid modes of a {text} beam");
        rows.push(Row::absolute(what, &mesh, rigid as f64, zero as f64, 0.0));
        for (n, root) in roots.into_iter().enumerate() {
            for way in 0..2 {
                let at = rigid + 2 * n + way;
                let what = format!("{text} beam, bending mode {}, way {}", n + 1, way + 1);
                let exact = root * root * unit;
                rows.push(Row::relative(&what, &mesh, exact, all[2][at], 2e-2));
                let three = [0, 1, 2].map(|k| all[k][at]);
                rows.push(Row::converges(&what, &mesh, None, three));
            }
        }
    }
    Ok(rows)
}

/// An axial bar with ν = 0, fixed at one end: exact in three dimensions, and its discrete equation is known too.
pub(crate) fn axial_modes(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (hex, n) = (ElementName::Hex8, 20);
    let (c, h) = ((YOUNG / DENSITY).sqrt(), 1.0 / n as f64);
    let mut rows = Vec::new();
    for lumped in [true, false] {
        let stuff = Elastic::young("neo-hookean", YOUNG, 0.0)?;
        let mut body = Body::new(shapes::block([1.0, 0.05, 0.05], [n, 1, 1], hex)?, hex, &stuff)?;
        let all = body.select(|_| true);
        body.hold(&all, &crate::body::AXES[1..], &pliant_dynamics::Motion::Still)?;
        let end = body.set("u-min")?;
        body.roll(&end, 0)?;
        let mut built =
            if lumped { body.build_lumped(DENSITY)? } else { body.build_consistent(DENSITY)? };
        let found = frequencies(&mut built, 3)?;
        for (k, &f) in found.iter().enumerate() {
            let number = 0.5 * PI * (2 * k + 1) as f64;
            let s = (0.5 * number * h).sin();
            let consistent = if lumped { 0.0 } else { 2.0 / 3.0 };
            let exact = 2.0 * c / h * s / (1.0 - consistent * s * s).sqrt() / TAU;
            let kind = if lumped { "lumped" } else { "consistent" };
            let what = format!("axial mode {}, {kind} mass, discrete", k + 1);
            rows.push(Row::relative(what, "20 x 1 x 1 hex8", exact, f, 1e-10));
            if k == 0 {
                let what = format!("axial mode 1, {kind} mass");
                let exact = 0.25 * c;
                rows.push(Row::relative(what, "20 x 1 x 1 hex8", exact, f, 1e-3));
            }
        }
    }
    Ok(rows)
}

/// Plate of 0.2 × 0.02 m in plane strain: ω = 24.73379 rad/s for a thin one; a real one swings 1 to 3 % slower.
pub(crate) fn oscillating_plate(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let element = ElementName::Tet10;
    let mut periods = [0.0; 3];
    let mut mesh = String::new();
    for (k, cells) in [[10, 1, 1], [20, 2, 1], [40, 4, 1]].into_iter().enumerate() {
        let stuff = Elastic::young("neo-hookean", 2e6, 0.3975)?;
        let mut body =
            Body::new(shapes::block([0.2, 0.02, 0.005], cells, element)?, element, &stuff)?;
        mesh = body.describe();
        progress(&mesh);
        let all = body.select(|_| true);
        body.roll(&all, 2)?;
        let clamp = body.set("u-min")?;
        body.fix(&clamp)?;
        let mut built = body.build_consistent(1000.0)?;
        periods[k] = 1.0 / frequencies(&mut built, 1)?[0];
    }
    let what = "period, s; up to 3 % longer than that of a thin plate";
    let thin = 0.2540325;
    let mut rows = vec![Row::relative(what, &mesh, thin * 1.015, periods[2], 1.5e-2)];
    rows.push(Row::converges(what, &mesh, None, periods));
    Ok(rows)
}
