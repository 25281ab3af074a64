//! `pliant material fit`: relaxation times and moduli from a quality factor or from data, as a table, a picture, and lines
//! for a scene.

use std::f64::consts::TAU;
use std::path::Path;

use pliant::draw::{Axis, Curve, Plot, stacked};
use pliant::errors::six_digits;
use pliant::memory_fit::{
    Band, ConstantQ, DataFit, FitError, MOST_TERMS, Measured, QFit, Relaxation,
};
use pliant::scene::{Location, SceneError};
use pliant_units::si;
use serde_json::json;

use super::write;
use crate::arguments::FitFlags;
use crate::context::Context;
use crate::failure::Failure;

/// What was fitted, and how well.
struct Fit {
    /// In a line.
    title: String,
    relaxation: Relaxation,
    band: Band,
    rms: f64,
    max_modulus_error: f64,
    q: [f64; 2],
    target: Target,
}

/// What a fit is compared with.
enum Target {
    ConstantQ(ConstantQ),
    Data(Measured),
}

/// Runs it.
pub(super) fn run(flags: &FitFlags, context: &Context) -> Result<(), Failure> {
    let fit = match (&flags.data, flags.q, flags.modulus, flags.at) {
        (Some(path), ..) => of_data(path, flags)?,
        (None, Some(q), Some(modulus), Some(at)) => {
            constant_q(ConstantQ { q, modulus, at }, flags)?
        }
        _ => {
            let text = "either a table of data or --q, --modulus and --at are needed";
            return Err(Failure::Input(text.to_owned()));
        }
    };
    if let Some(path) = &flags.out {
        write(path, &picture(&fit))?;
    }
    let terms = fit.relaxation.terms.iter();
    let terms: Vec<_> = terms.map(|t| json!({"time": t.time, "modulus": t.modulus})).collect();
    let mut document = json!({
        "long_term": fit.relaxation.long_term,
        "terms": terms,
        "rms": fit.rms,
        "max_modulus_error": fit.max_modulus_error,
        "q_min": fit.q[0],
        // Without terms nothing is lost; JSON knows no infinity.
        "q_max": fit.q[1].is_finite().then_some(fit.q[1]),
    });
    if let Target::Data(data) = &fit.target {
        document["columns"] = data.kind().into();
        document["rows"] = data.rows().into();
    }
    context.emit(&document, || text(&fit, flags.out.as_deref()))
}

fn constant_q(material: ConstantQ, flags: &FitFlags) -> Result<Fit, Failure> {
    let band = Band { from: flags.from, to: flags.to };
    let terms = flags.terms.unwrap_or_else(|| ConstantQ::default_terms(band));
    let QFit { relaxation, rms, max_modulus_error, q_min, q_max, .. } =
        material.fit(band, terms)?;
    let title = format!(
        "constant Q {}, {} at {}",
        material.q,
        si(material.modulus, "Pa"),
        si(material.at, "Hz")
    );
    let q = [q_min, q_max];
    Ok(Fit {
        title,
        relaxation,
        band,
        rms,
        max_modulus_error,
        q,
        target: Target::ConstantQ(material),
    })
}

fn of_data(path: &Path, flags: &FitFlags) -> Result<Fit, Failure> {
    let most = flags.terms.unwrap_or(MOST_TERMS);
    if !(1..=MOST_TERMS).contains(&most) {
        return Err(Failure::Input(format!("--terms {most}: use 1 to {MOST_TERMS}")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Input(format!("{} cannot be read: {e}", path.display())))?;
    let located = |error: FitError| located(&error, path, &text);
    let data = Measured::read(&text).map_err(located)?;
    let fit = if flags.times.is_empty() { data.fit(most) } else { data.fit_times(&flags.times) };
    let DataFit { relaxation, rms, max_modulus_error, band, q_min, q_max } =
        fit.map_err(located)?;
    let title = format!("{}, {} rows of {}", path.display(), data.rows(), data.kind());
    let q = [q_min, q_max];
    Ok(Fit { title, relaxation, band, rms, max_modulus_error, q, target: Target::Data(data) })
}

/// With the file, and the line of it that is wrong.
fn located(error: &FitError, path: &Path, text: &str) -> Failure {
    let file = path.display().to_string();
    let location = match error {
        FitError::Cell { line, column, width, .. } => {
            let source = text.lines().nth(*line as usize - 1).unwrap_or_default().to_owned();
            Location {
                file,
                line: *line,
                column: *column,
                width: *width,
                source,
                ..Location::default()
            }
        }
        _ => Location { file, ..Location::default() },
    };
    SceneError::new(error.to_string()).at(&location).into()
}

fn text(fit: &Fit, out: Option<&Path>) -> String {
    let Fit { title, relaxation, band, .. } = fit;
    let mut text = format!("{title}\n\n{:>14}  {:>14}  {:>10}\n", "time", "modulus", "strength");
    for term in &relaxation.terms {
        let (time, modulus) = (si(term.time, "s"), si(term.modulus, "Pa"));
        text +=
            &format!("{time:>14}  {modulus:>14}  {:>10.4}\n", term.modulus / relaxation.long_term);
    }
    text += &format!("{:>14}  {:>14}\n\n", "long term", si(relaxation.long_term, "Pa"));
    let percent = |part: f64| format!("{} %", three_digits(100.0 * part));
    text += &match fit.target {
        Target::ConstantQ(_) => format!(
            "From {} to {}: error of compliance {} (root mean square), |M| within {}, Q {:.2} to {:.2}\n\n",
            si(band.from, "Hz"),
            si(band.to, "Hz"),
            percent(fit.rms),
            percent(fit.max_modulus_error),
            fit.q[0],
            fit.q[1],
        ),
        Target::Data(_) => format!(
            "Residual {} (root mean square), {} at most\n\n",
            percent(fit.rms),
            percent(fit.max_modulus_error),
        ),
    };
    text += &table(fit);
    if let Some(path) = out {
        text += &format!("\n{}: modulus and quality factor over frequency\n", path.display());
    }
    text + "\n" + &snippet(relaxation)
}

fn three_digits(value: f64) -> String {
    six_digits(format!("{value:.2e}").parse().unwrap_or(value))
}

/// Modulus and quality factor at three frequencies a decade.
fn table(fit: &Fit) -> String {
    let count = (3.0 * fit.band.decades()).round().max(1.0);
    let step = (fit.band.to / fit.band.from).ln() / count;
    let mut text = format!("{:>14}  {:>14}  {:>10}\n", "frequency", "|M|", "Q");
    for k in 0..=count as usize {
        let f = fit.band.from * (step * k as f64).exp();
        let m = fit.relaxation.complex(TAU * f);
        let (f, size) = (si(f, "Hz"), si(m.size(), "Pa"));
        text += &format!("{f:>14}  {size:>14}  {:>10.3}\n", m.re / m.im);
    }
    text
}

/// What is pasted into the material of a scene. Strengths are relative to the long-term modulus, whichever modulus was fitted.
fn snippet(relaxation: &Relaxation) -> String {
    let terms = relaxation.terms.iter().map(|t| {
        let strength = six_digits(t.modulus / relaxation.long_term);
        format!("  {{ time = \"{} s\", strength = {strength} }},\n", six_digits(t.time))
    });
    let terms: String = terms.collect();
    format!(
        "For the material of a scene, with a long-term modulus of {} Pa:\n\nmemory = {{ terms = [\n{terms}] }}\n",
        six_digits(relaxation.long_term)
    )
}

/// |M| and Q over frequency, with what was wanted.
fn picture(fit: &Fit) -> String {
    let frequencies = fit.band.frequencies();
    let of_fit = |value: &dyn Fn(f64) -> f64| {
        frequencies.iter().map(|&f| [f, value(TAU * f)]).collect::<Vec<_>>()
    };
    let solid = |name: &str, points| Curve { name: name.into(), points, ..Curve::default() };
    let dashed = |name: &str, points| Curve { dashed: true, ..solid(name, points) };
    let marked = |name: &str, points| Curve { marks: true, ..solid(name, points) };
    let mut sizes = vec![solid("fit", of_fit(&|w| fit.relaxation.complex(w).size() * 1e-3))];
    let mut qualities = vec![solid("fit", of_fit(&|w| fit.relaxation.q(w)))];
    match &fit.target {
        Target::ConstantQ(material) => {
            sizes.push(dashed("constant Q", of_fit(&|w| material.complex(w).size() * 1e-3)));
            qualities.push(dashed("constant Q", of_fit(&|_| material.q)));
        }
        Target::Data(Measured::Oscillation { frequency, storage, loss }) => {
            let of_data = |value: &dyn Fn(f64, f64) -> f64| {
                let rows = frequency.iter().zip(storage).zip(loss);
                rows.map(|((&f, &s), &l)| [f, value(s, l)]).collect::<Vec<_>>()
            };
            sizes.push(marked("measured", of_data(&|s, l| s.hypot(l) * 1e-3)));
            qualities.push(marked("measured", of_data(&|s, l| s / l)));
        }
        Target::Data(_) => {}
    }
    let frequency = Axis { label: "frequency, Hz".into(), log: true, range: None };
    let axis = |label: &str, log| Axis { label: label.into(), log, range: None };
    let plots = [
        Plot {
            title: fit.title.clone(),
            x: frequency.clone(),
            y: axis("|M|, kPa", true),
            curves: sizes,
        },
        Plot { title: String::new(), x: frequency, y: axis("Q", false), curves: qualities },
    ];
    stacked(&plots, 760.0, 320.0)
}
