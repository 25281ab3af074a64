//! A block that hangs or stands under its weight, with Poisson's ratio 0: one-dimensional, and known exactly.

use pliant_dynamics::{DynamicsError, StaticSettings};
use pliant_elements::gauss_legendre;
use pliant_forces::ElementName;
use pliant_materials::Constants;

use crate::body::{Body, Built, Elastic, strict};
use crate::{Progress, Row, VerifyError, shapes};

/// Length, Young's modulus, gravity; density is 1000 kg/m³.
#[derive(Clone, Copy)]
struct Case {
    length: f64,
    young: f64,
    gravity: f64,
}

const DENSITY: f64 = 1000.0;
const LONG: Case = Case { length: 1.0, young: 1e4, gravity: 9.81 };
const SHORT: Case = Case { length: 0.1, young: 2000.0, gravity: 10.0 };

impl Case {
    /// ρ g L / E
    fn load(self) -> f64 {
        DENSITY * self.gravity * self.length / self.young
    }

    /// Neo-Hooke: the stretch is s + √(s² + 1), s = ρ g (L − X) / E; below zero where it stands.
    fn neo_hookean(self, sign: f64) -> f64 {
        let s = sign * self.load();
        let sum = s * s / 2.0 + f64::midpoint(s * s.hypot(1.0), s.asinh()) - s;
        self.length / s * sum
    }

    /// St. Venant-Kirchhoff: E/2 l (l² − 1) = ρ g (L − X), by quadrature.
    fn st_venant(self, sign: f64) -> f64 {
        let stretch = |p: f64| {
            let mut l = 1.0_f64;
            for _ in 0..60 {
                l -= (0.5 * l * (l * l - 1.0) - p) / (1.5 * l * l - 0.5);
            }
            l
        };
        let sum: f64 = gauss_legendre(40)
            .into_iter()
            .map(|(a, w)| 0.5 * w * (stretch(sign * self.load() * 0.5 * (1.0 + a)) - 1.0))
            .sum();
        sum * self.length
    }

    /// A block of n hexahedra along z, clamped at the top (hanging) or at the bottom.
    fn block(self, law: &str, n: usize, hangs: bool) -> Result<Built, VerifyError> {
        let lame = Constants::Lame { lambda: 0.0, mu: 0.5 * self.young };
        // Wide enough not to buckle where it stands.
        let width = if hangs { 0.3 } else { 2.0 } * self.length;
        let hex = ElementName::Hex8;
        let mesh = shapes::block([width, width, self.length], [2, 2, n], hex)?;
        let mut body = Body::new(mesh, hex, &Elastic::new(law, &lame)?)?;
        let clamp = body.set(if hangs { "w-max" } else { "w-min" })?;
        body.fix(&clamp)?;
        body.gravity(DENSITY, [0.0, 0.0, -self.gravity])?;
        body.build()
    }
}

/// Displacement of the free end along its way, and the largest motion across.
fn ends(built: &Built, hangs: bool) -> Result<(f64, f64), VerifyError> {
    let name = if hangs { "w-min" } else { "w-max" };
    let free = built.mesh().vertex_set(name).map_or(&[][..], |s| &s.items);
    let Some(&tip) = free.first() else {
        return Err(VerifyError::SetUp("a block without an end".into()));
    };
    let across = (0..built.mesh().vertex_count() as u32)
        .flat_map(|v| built.displacement(v)[..2].to_vec())
        .fold(0.0_f64, |m, u| m.max(u.abs()));
    Ok((built.displacement(tip)[2], across))
}

/// The tip on three meshes.
fn tips(case: Case, law: &str, hangs: bool) -> Result<([f64; 3], f64), VerifyError> {
    let (mut tips, mut across) = ([0.0; 3], 0.0_f64);
    for (tip, n) in tips.iter_mut().zip(MESHES) {
        let mut built = case.block(law, n, hangs)?;
        built.solve()?;
        let (u, side) = ends(&built, hangs)?;
        *tip = u.abs();
        across = across.max(side);
    }
    Ok((tips, across))
}

const MESHES: [usize; 3] = [8, 16, 32];
const NAMES: [&str; 3] = ["2 x 2 x 8 hex8", "2 x 2 x 16 hex8", "2 x 2 x 32 hex8"];

pub(crate) fn hanging(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let discrete = |law: &str| match law {
        "neo-hookean" => Some([0.632815834408, 0.633151420510, 0.633235290189]),
        "st-venant-kirchhoff" => Some([0.301653040135, 0.301342542391, 0.301263867293]),
        _ => None,
    };
    for (case, text) in [(LONG, "1 m"), (SHORT, "0.1 m")] {
        for law in ["neo-hookean", "st-venant-kirchhoff", "linear", "corotational"] {
            progress(&format!("{law}, {text}"));
            let (tips, across) = tips(case, law, true)?;
            let what = format!("tip of a hanging block of {text}, {law}");
            let exact = match (law, case.length == 1.0) {
                ("neo-hookean", true) => 0.633263244361,
                ("neo-hookean", false) => 0.0290228819435,
                ("st-venant-kirchhoff", true) => 0.301237541207,
                ("st-venant-kirchhoff", false) => 0.0182257884495,
                (_, true) => 0.4905,
                (_, false) => 0.025,
            };
            if let Some(discrete) = discrete(law).filter(|_| case.length == 1.0) {
                for k in 0..3 {
                    let what = format!("{what}, discrete");
                    rows.push(Row::relative(what, NAMES[k], discrete[k], tips[k], 1e-10));
                }
            }
            // Straight-line elements are exact at their nodes where the law is linear.
            if matches!(law, "linear" | "corotational") {
                rows.push(Row::relative(&what, NAMES[2], exact, tips[2], 1e-9));
            } else {
                rows.push(Row::relative(&what, NAMES[2], exact, tips[2], 1e-3));
                rows.push(Row::converges(&what, "8, 16, 32 hex8", Some(2.0), tips));
            }
            if matches!(law, "neo-hookean" | "st-venant-kirchhoff") {
                let what = format!("motion across a hanging block of {text}, {law}");
                rows.push(Row::zero(what, NAMES[2], across, 1e-14));
            }
        }
        // The closed forms themselves against the numbers of the list.
        let own = [case.neo_hookean(1.0), case.st_venant(1.0)];
        let list = if case.length == 1.0 {
            [0.633263244361, 0.301237541207]
        } else {
            [0.0290228819435, 0.0182257884495]
        };
        for k in 0..2 {
            rows.push(Row::relative("closed form as evaluated here", text, list[k], own[k], 1e-10));
        }
    }
    Ok(rows)
}

pub(crate) fn standing(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for (case, text, exact) in [(LONG, "1 m", 0.347736755639), (SHORT, "0.1 m", 0.0209771180565)] {
        progress(text);
        let (tips, across) = tips(case, "neo-hookean", false)?;
        let what = format!("tip of a standing block of {text}, neo-hookean");
        rows.push(Row::relative(&what, NAMES[2], exact, tips[2], 1e-3));
        rows.push(Row::converges(&what, "8, 16, 32 hex8", Some(2.0), tips));
        rows.push(Row::relative("closed form", text, exact, -case.neo_hookean(-1.0), 1e-10));
        rows.push(Row::zero(format!("motion across, {text}"), NAMES[2], across, 1e-14));
    }
    Ok(rows)
}

/// ρ g L / E = 0.25 has no solution with J > 0 for St. Venant-Kirchhoff: the stress has its minimum
/// −E/(3√3) at the stretch 1/√3. The discrete limit is higher by 1 / (1 − 1/2n).
pub(crate) fn limit(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let light = Case { gravity: 1.5, ..LONG };
    progress("below the limit");
    let (tips, _) = tips(light, "st-venant-kirchhoff", false)?;
    let what = "tip of a standing block below the limit, st-venant-kirchhoff";
    rows.push(Row::relative(what, NAMES[2], -light.st_venant(-1.0), tips[2], 1e-3));
    rows.push(Row::converges(what, "8, 16, 32 hex8", Some(2.0), tips));
    let heavy = Case { gravity: 2.5, ..LONG };
    for (n, name) in MESHES.into_iter().zip(NAMES) {
        progress(&format!("beyond the limit, {name}"));
        let mut built = heavy.block("st-venant-kirchhoff", n, false)?;
        let expected = 1.0 / 27.0_f64.sqrt() / (1.0 - 0.5 / n as f64);
        let what = "load at which a standing block is refused, ρgL/E, st-venant-kirchhoff";
        let got = match built.solve_with(strict(), StaticSettings::default()) {
            Err(VerifyError::Dynamics(DynamicsError::Load { factor, .. })) => factor * heavy.load(),
            Err(other) => return Err(other),
            // Solved, so that something is inverted: unasked for.
            Ok(_) => f64::NAN,
        };
        if got.is_nan() {
            let least = built.stresses()?.iter().map(|s| s.jacobian).fold(1.0, f64::min);
            progress(&format!("solved, with a mean J of {least:.3} in some element"));
        }
        rows.push(Row::relative(what, name, expected, got, 1e-3));
    }
    Ok(rows)
}
