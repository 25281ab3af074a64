//! The static method `robust`: from tangled starts to the state of rest that a body comes to from its rest shape.

use std::time::Instant;

use pliant_algebra::vec3::{Vec3, distance, is_finite};
use pliant_dynamics::{NewtonSettings, RobustSettings, StaticMethod, StaticOptions};
use pliant_forces::ElementName;

use crate::body::{Body, Built, Elastic};
use crate::robustness::Spoilt;
use crate::{Progress, Row, VerifyError, shapes};

const HEX: ElementName = ElementName::Hex8;

/// Starts of each law and ratio.
const STARTS: [Spoilt; 9] = [
    Spoilt::Random(1),
    Spoilt::Random(2),
    Spoilt::Random(3),
    Spoilt::Random(4),
    Spoilt::Random(5),
    Spoilt::Plane,
    Spoilt::Line,
    Spoilt::Point,
    Spoilt::Mirror,
];

const RATIOS: [f64; 4] = [0.3, 0.45, 0.49, 0.495];

/// The budget of a cube of 8³ cells: explicit and implicit steps of all rounds together. Newton iterations come on top.
const STEPS: usize = 10_000;

/// A cube pinned at x = 0; where it is pulled, the opposite face is moved to 1.5 times the length and turned by 90°.
fn cube(stuff: &Elastic, cells: usize, pulled: bool) -> Result<Built, VerifyError> {
    let mut body = Body::new(shapes::block([1.0; 3], [cells; 3], HEX)?, HEX, stuff)?;
    body.prescribe(|x| {
        if x[0] == 0.0 {
            [Some(0.0); 3]
        } else if pulled && x[0] == 1.0 {
            let (y, z) = (x[1] - 0.5, x[2] - 0.5);
            [0.5, -z - y, y - z].map(Some)
        } else {
            [None; 3]
        }
    })?;
    body.build()
}

fn newton() -> NewtonSettings {
    NewtonSettings {
        force_tolerance: 1e-12,
        displacement_tolerance: 1e-10,
        max_iterations: 300,
        ..NewtonSettings::default()
    }
}

/// From the rest shape: nothing to do, or pulled step by step.
fn from_rest(stuff: &Elastic, cells: usize, pulled: bool) -> Result<Vec<Vec3>, VerifyError> {
    let mut built = cube(stuff, cells, pulled)?;
    if pulled {
        built.solve_gradually(12, newton(), &mut |_| {})?;
    }
    Ok(built.positions())
}

/// From a tangled start, by `robust`: the largest distance from `expected`, and how many steps and iterations it took.
fn from_tangle(
    (stuff, cells, pulled): (&Elastic, usize, bool),
    how: Spoilt,
    expected: &[Vec3],
) -> Result<(f64, usize), VerifyError> {
    let mut built = cube(stuff, cells, pulled)?;
    how.spoil(&mut built);
    let robust = RobustSettings { max_steps: STEPS, ..RobustSettings::default() };
    let options = StaticOptions { newton: newton(), robust, ..StaticOptions::default() };
    let mut statics = StaticMethod::Robust.statics(&options)?;
    let report = statics.solve(&mut built.system, &mut built.state)?;
    let mut off = 0.0_f64;
    for (x, &there) in built.positions().into_iter().zip(expected) {
        if !is_finite(x) {
            return Ok((f64::NAN, report.iterations));
        }
        off = off.max(distance(x, there));
    }
    Ok((off, report.iterations))
}

fn recovery(
    laws: &[(&str, bool)],
    ratios: &[f64],
    starts: &[Spoilt],
    cells: usize,
    progress: Progress<'_>,
) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for &(law, continued) in laws {
        for &poisson in ratios {
            let mut stuff = Elastic::young(law, 1e5, poisson)?;
            if continued {
                stuff = stuff.invertible(None)?;
            }
            for pulled in [false, true] {
                let expected = from_rest(&stuff, cells, pulled)?;
                for &how in starts {
                    let clock = Instant::now();
                    let found = from_tangle((&stuff, cells, pulled), how, &expected);
                    let way = if pulled { ", pulled and turned" } else { "" };
                    let what =
                        format!("{law}, Poisson {poisson}{way}, from {how:?}: |x − x of rest|");
                    let (off, steps) = match found {
                        Ok(found) => found,
                        Err(error) => {
                            progress(&format!("{what}: {error}"));
                            (f64::NAN, 0)
                        }
                    };
                    let seconds = clock.elapsed().as_secs_f64();
                    progress(&format!(
                        "{what} = {off:.1e} in {steps} steps and iterations, {seconds:.1} s"
                    ));
                    rows.push(Row::zero(what, format!("{cells}³ hex8, robust"), off, 1e-6));
                }
            }
        }
    }
    Ok(rows)
}

const LAWS: &[(&str, bool)] =
    &[("neo-hookean", true), ("stable-neo-hookean", false), ("corotational", false)];

/// A small cube and some of the starts.
pub(crate) fn small(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery(LAWS, &[0.3, 0.495], &[Spoilt::Random(1), Spoilt::Point, Spoilt::Mirror], 3, progress)
}

pub(crate) fn neo_hookean(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery(&LAWS[..1], &RATIOS, &STARTS, 8, progress)
}

pub(crate) fn stable(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery(&LAWS[1..2], &RATIOS, &STARTS, 8, progress)
}

pub(crate) fn corotational(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery(&LAWS[2..], &RATIOS, &STARTS, 8, progress)
}
