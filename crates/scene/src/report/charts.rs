//! The charts of a report.

use pliant_report::{Chart, Html, Line, shares};
use pliant_units::duration;

use super::album::Album;
use super::series::Series;
use super::tables::{ENERGIES, MOST};
use crate::build::simulation::Simulation;
use crate::run::history::quiet;
use crate::run::summary::PhaseSummary;

/// A chart over time.
fn over_time(title: &str, unit: &str, lines: Vec<Line>) -> Chart {
    Chart {
        title: title.to_owned(),
        x: ("time".into(), "s".into()),
        unit: unit.to_owned(),
        lines,
        ..Chart::default()
    }
}

/// The greatest stress of the moments that were looked at.
pub(super) fn stress(album: &Album) -> Html {
    let points = album.seen.iter().map(|s| [s.time, s.greatest]).collect();
    let line = Line { marks: true, ..Line::new("", points) };
    let mut chart = over_time("Greatest von Mises stress of any cell", "Pa", vec![line]);
    chart.from_zero = true;
    chart.html()
}

/// What is stored, and where the rest went.
pub(super) fn energies(series: &Series, known: bool, moves: bool) -> Vec<Html> {
    if series.len() < 3 {
        return Vec::new();
    }
    let is_there = |name: &str| {
        let counts = known || !["elastic", "dissipated", "numerical_loss"].contains(&name);
        let moving = moves || !["kinetic", "numerical_loss"].contains(&name);
        counts && moving && series.column(name).iter().any(|v| v.is_finite() && *v != 0.0)
    };
    let lines = |stored: bool| -> Vec<Line> {
        ENERGIES
            .iter()
            .filter(|e| e.2 == stored && is_there(e.0))
            .map(|e| Line::new(e.1, series.curve(e.0)))
            .collect()
    };
    let mut stored = lines(true);
    if known && stored.len() > 1 {
        let names: Vec<&str> =
            ENERGIES.iter().filter(|e| e.2 && (moves || e.0 != "kinetic")).map(|e| e.0).collect();
        let columns: Vec<&[f64]> = names.iter().map(|n| series.column(n)).collect();
        let sum = |k: usize| columns.iter().filter_map(|c| c.get(k)).sum::<f64>();
        let points = series.column("time").iter().enumerate().map(|(k, &t)| [t, sum(k)]).collect();
        stored.push(Line { dashed: true, ..Line::new("sum", points) });
    }
    let mut list = vec![over_time("Stored", "J", stored).html()];
    let other = lines(false);
    if !other.is_empty() {
        list.push(over_time("Put in, taken out and lost", "J", other).html());
    }
    list
}

fn three(series: &Series, name: &str) -> Vec<Line> {
    ["x", "y", "z"].map(|axis| Line::new(axis, series.curve(&format!("{name}.{axis}")))).into()
}

/// Linear and angular.
pub(super) fn momenta(series: &Series) -> Vec<Html> {
    [
        ("Linear momentum", "linear_momentum", "kg m/s"),
        ("Angular momentum", "angular_momentum", "kg m²/s"),
    ]
    .map(|(title, name, unit)| over_time(title, unit, three(series, name)).html())
    .into()
}

/// How probes moved.
pub(super) fn probes(simulation: &Simulation, series: &Series) -> Vec<Html> {
    if series.len() < 3 {
        return Vec::new();
    }
    let chart = |probe: &pliant_model::Probe| {
        let mut lines = three(series, &format!("probe.{}", quiet(&probe.name)));
        for (line, rest) in lines.iter_mut().zip(probe.rest) {
            line.points.iter_mut().for_each(|p| p[1] -= rest);
        }
        over_time(&format!("Displacement of {}", probe.name), "m", lines).html()
    };
    simulation.probes.iter().take(MOST).map(chart).collect()
}

/// Forces of supports.
pub(super) fn reactions(held: &[&str], series: &Series) -> Vec<Html> {
    if series.len() < 3 {
        return Vec::new();
    }
    let chart = |name: &&str| {
        let lines = three(series, &format!("reaction.{}", quiet(name)));
        over_time(&format!("Reaction of {name}"), "N", lines).html()
    };
    held.iter().take(MOST).map(chart).collect()
}

/// Iterations of each recorded step.
pub(super) fn iterations(series: &Series) -> Vec<Html> {
    if series.len() < 3 {
        return Vec::new();
    }
    let mut list = Vec::new();
    for (title, name) in [
        ("Newton iterations of a step", "newton_iterations"),
        ("Linear iterations of a step", "linear_iterations"),
    ] {
        if series.column(name).iter().any(|v| *v > 0.0) {
            let mut chart = over_time(title, "", vec![Line::new("", series.curve(name))]);
            chart.from_zero = true;
            list.push(chart.html());
        }
    }
    list
}

/// Where the time went.
pub(super) fn phases(phases: &PhaseSummary) -> Option<Html> {
    let spent = phases.entries().into_iter().filter(|(_, seconds)| *seconds > 0.0);
    let parts: Vec<(String, f64, String)> =
        spent.map(|(name, seconds)| (name.replace('_', " "), seconds, duration(seconds))).collect();
    (!parts.is_empty()).then(|| shares("Time by phase", &parts))
}
