//! The ledger of driven statics: what supports do is what a body stores.

use pliant_dynamics::{IntegratorName, Ledger, Motion, Options};
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;

use crate::body::{AXES, Body, Built, Elastic, strict};
use crate::{Progress, Row, VerifyError, shapes};

const HEX: ElementName = ElementName::Hex8;
/// One that is pulled, and one that is pressed and does not buckle: a bar clamped at both ends does at a strain of π²/3 (b/l)²
/// (Euler), which is 13 % for the first and 82 % for the second.
const SIZES: [[f64; 3]; 2] = [[0.5, 0.1, 0.1], [0.2, 0.1, 0.1]];
const YOUNG: f64 = 1e5;

/// A bar of Poisson's ratio 0 whose end is moved, over a time of 1 s, to a stretch.
fn bar(size: [f64; 3], stretch: f64) -> Result<Built, VerifyError> {
    let stuff = Elastic::young("neo-hookean", YOUNG, 0.0)?;
    let mut body = Body::new(shapes::block(size, [4, 1, 1], HEX)?, HEX, &stuff)?;
    let (start, end) = (body.set("u-min")?, body.set("u-max")?);
    body.fix(&start)?;
    let motion = Motion::Translation {
        direction: [size[0] * (stretch - 1.0), 0.0, 0.0],
        curve: TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 },
    };
    body.hold(&end, &AXES, &motion)?;
    body.build()
}

/// Without lateral strain, as Lamé's λ is 0: W = V (μ/2 (λ² − 1) − μ ln λ).
pub(crate) fn driven_statics(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let mu = 0.5 * YOUNG;
    for (size, stretch) in [(SIZES[0], 1.4_f64), (SIZES[1], 0.7)] {
        let exact =
            size.iter().product::<f64>() * mu * (0.5 * (stretch * stretch - 1.0) - stretch.ln());
        let mesh = "4 x 1 x 1 hex8";
        let mut built = bar(size, stretch)?;
        let mut ledger = Ledger::new(&mut built.system, &built.state)?;
        built.solve()?;
        let balance = ledger.record_rest(&mut built.system, &built.state)?;
        let what = |text: &str| format!("stretch {stretch}, {text}");
        rows.push(Row::relative(
            what("one static solve: energy stored"),
            mesh,
            exact,
            balance.energies.elastic,
            1e-9,
        ));
        rows.push(Row::relative(
            what("one static solve: work of the support"),
            mesh,
            exact,
            balance.external_work,
            1e-9,
        ));
        let quasi_static = |steps: usize| -> Result<f64, VerifyError> {
            let mut built = bar(size, stretch)?;
            built.state.time = 0.0;
            let options = Options { newton: strict(), ..Options::default() };
            let mut method = IntegratorName::QuasiStatic.build(&options)?;
            let mut ledger = Ledger::new(&mut built.system, &built.state)?
                .with_rule(IntegratorName::QuasiStatic.load_rule(&options));
            for _ in 0..steps {
                method.step(&mut built.system, &mut built.state, 1.0 / steps as f64)?;
                ledger.record(&mut built.system, &built.state)?;
            }
            Ok(ledger.balance().external_work)
        };
        let works = [quasi_static(10)?, quasi_static(20)?, quasi_static(40)?];
        rows.push(Row::relative(
            what("40 steps: work of the support"),
            mesh,
            exact,
            works[2],
            2e-4,
        ));
        rows.push(Row::converges(
            what("work of the support"),
            "10, 20, 40 steps",
            Some(2.0),
            works,
        ));
    }
    Ok(rows)
}
