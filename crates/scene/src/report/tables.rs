//! The tables of a report.

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_mesh::measure::{bounding_box, volume};
use pliant_mesh::{CellType, quality};
use pliant_model::Body;
use pliant_report::{Bars, Cell, Column, Html, Table};
use pliant_units::{count, duration, number, si};

use super::series::Series;
use super::words::extent;
use crate::build::simulation::Simulation;
use crate::run::history::quiet;
use crate::run::summary::Summary;
use crate::run::touching::ContactForces;
use crate::spec::time::Analysis;

/// Bodies and probes that are shown one by one; the others stand in tables only.
pub(super) const MOST: usize = 8;
const BINS: usize = 35;

/// Column of the history, name for people, and whether it is stored in the state.
pub(super) const ENERGIES: [(&str, &str, bool); 8] = [
    ("kinetic", "kinetic", true),
    ("elastic", "elastic", true),
    ("memory", "kept by memory", true),
    ("gravity", "gravity", true),
    ("other", "contact and attachments", true),
    ("external_work", "work from outside", false),
    ("dissipated", "dissipated", false),
    ("numerical_loss", "lost by the method", false),
];

/// The laws of a body.
pub(super) fn laws(body: &Body) -> String {
    let names = body.law_names();
    if names.is_empty() { "springs".into() } else { names.join(", ") }
}

/// One row a body.
pub(super) fn bodies(simulation: &Simulation) -> Html {
    let mut table = Table::new(vec![
        Column::text("body"),
        Column::text("element"),
        Column::number("vertices"),
        Column::number("cells"),
        Column::number("mass"),
        Column::number("volume"),
        Column::number("size"),
        Column::text("material"),
    ]);
    for body in &simulation.bodies {
        let litres = volume(&body.mesh) * 1e3;
        let springs = body.has_springs();
        table.row(vec![
            Cell::text(&body.name),
            Cell::text(if springs { "springs" } else { body.element.name() }),
            Cell::text(&count(body.mesh.vertex_count() as u64)),
            Cell::text(&count(body.mesh.cell_count() as u64)),
            Cell::text(&format!(
                "{}, {}",
                si(body.masses().iter().sum(), "kg"),
                body.mass_kind().name()
            )),
            Cell::text(&if litres < 1000.0 {
                si(litres * 1e3, "cm³")
            } else {
                si(litres / 1e3, "m³")
            }),
            Cell::text(&extent(bounding_box(&body.mesh).extent())),
            Cell::text(&laws(body)),
        ]);
    }
    table.html()
}

/// Energies at the start, at the end, and their extremes.
pub(super) fn energies(series: &Series, known: bool, moves: bool) -> Html {
    let mut table = Table::new(vec![
        Column::text("energy"),
        Column::number("start"),
        Column::number("end"),
        Column::number("least"),
        Column::number("most"),
    ]);
    // What is left of a rounding error beside the largest of all is nothing.
    let stored = ENERGIES.iter().flat_map(|e| series.column(e.0));
    let least = 1e-12 * stored.filter(|v| v.is_finite()).fold(0.0_f64, |m, v| m.max(v.abs()));
    let row = |name: &str, column: &[f64]| {
        let ends = column.iter().copied().filter(|v| v.is_finite());
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let of = [column[0], column[column.len() - 1], low, high];
        let mut cells = vec![Cell::text(name)];
        cells.extend(of.map(|v| match v {
            v if !v.is_finite() => Cell::text("not known"),
            v if v.abs() <= least => Cell::text("0 J"),
            v => Cell::text(&si(v, "J")),
        }));
        cells
    };
    for (column, name, _) in ENERGIES {
        let values = series.column(column);
        let told = moves || !["kinetic", "numerical_loss"].contains(&column);
        if told && !values.is_empty() {
            table.row(row(name, values));
        }
    }
    if known {
        let mut sum = vec![0.0; series.len()];
        for (column, _, _) in ENERGIES.iter().filter(|e| e.2 && (moves || e.0 != "kinetic")) {
            sum.iter_mut().zip(series.column(column)).for_each(|(s, v)| *s += v);
        }
        table.row(row("stored in all", &sum));
    }
    table.html()
}

/// A vector a row, with its length.
fn vectors(title: &str, unit: &str, rows: impl Iterator<Item = (String, Vec3)>) -> Html {
    let mut columns = vec![Column::text(title)];
    columns.extend(["x", "y", "z", "length"].map(Column::number));
    let mut table = Table::new(columns);
    for (name, v) in rows {
        let mut cells = vec![Cell::text(&name)];
        cells.extend([v[0], v[1], v[2], norm(v)].map(|c| Cell::text(&si(c, unit))));
        table.row(cells);
    }
    table.html()
}

fn last(series: &Series, name: &str) -> Option<Vec3> {
    let part = |axis: &str| series.column(&format!("{name}.{axis}")).last().copied();
    Some([part("x")?, part("y")?, part("z")?])
}

/// Where probes ended.
pub(super) fn probes(simulation: &Simulation, series: &Series) -> Html {
    let rows = simulation.probes.iter().filter_map(|probe| {
        let at = last(series, &format!("probe.{}", quiet(&probe.name)))?;
        Some((probe.name.clone(), sub(at, probe.rest)))
    });
    vectors("displacement at the end", "m", rows)
}

/// What holds bodies at the end.
pub(super) fn reactions(held: &[&str], series: &Series) -> Html {
    let rows = held.iter().filter_map(|name| {
        Some(((*name).to_owned(), last(series, &format!("reaction.{}", quiet(name)))?))
    });
    vectors("force at the end", "N", rows)
}

/// What bodies exert on each other at the end.
pub(super) fn contact_forces(forces: &ContactForces) -> Html {
    let rows = forces.pairs.iter().map(|pair| {
        let [on, by] = &pair.bodies;
        (format!("on {on} by {by}"), pair.force)
    });
    vectors("force at the end", "N", rows)
}

/// The torques of these forces.
pub(super) fn contact_torques(forces: &ContactForces) -> Html {
    let rows = forces.pairs.iter().map(|pair| {
        let [on, by] = &pair.bodies;
        (format!("on {on} by {by}"), pair.torque)
    });
    vectors("torque about the origin at the end", "N m", rows)
}

/// Counts and times.
pub(super) fn effort(summary: &Summary) -> Html {
    let (steps, wall) = (summary.steps, summary.wall_seconds);
    let mut table =
        Table::new(vec![Column::text(""), Column::number("all"), Column::number("each step")]);
    for (n, name) in [
        (summary.newton_iterations, "Newton iterations"),
        (summary.linear_iterations, "linear iterations"),
        (summary.factorizations, "factorisations"),
        (summary.force_evaluations, "force evaluations"),
        (summary.retries, "failed attempts, divided"),
    ] {
        if n > 0 {
            let each = number(n as f64 / steps.max(1) as f64);
            table.row(vec![Cell::text(name), Cell::text(&count(n)), Cell::text(&each)]);
        }
    }
    let since = steps - summary.resumed_at.unwrap_or(0).min(steps);
    let each = duration(wall / since.max(1) as f64);
    table.row(vec![Cell::text("time"), Cell::text(&duration(wall)), Cell::text(&each)]);
    let time = summary.simulated_seconds;
    if time > 0.0 && since == steps && summary.analysis == Analysis::Dynamic.name() {
        let text = format!("{} × real time", number(time / wall.max(1e-9)));
        table.row(vec![Cell::text("speed"), Cell::text(&text), Cell::text("")]);
    }
    table.html()
}

/// How good cells are, in numbers and as histograms.
pub(super) fn quality(simulation: &Simulation) -> (Html, Vec<Html>) {
    let mut table = Table::new(vec![
        Column::text("body"),
        Column::number("least angle"),
        Column::number("most"),
        Column::number("least radius ratio"),
        Column::number("least scaled Jacobian"),
        Column::number("edges from"),
        Column::number("to"),
    ]);
    let mut bars = Vec::new();
    for (k, body) in simulation.bodies.iter().enumerate() {
        let q = quality::summary(&body.mesh, BINS);
        table.row(vec![
            Cell::text(&body.name),
            Cell::text(&format!("{:.1}°", q.min_dihedral.min)),
            Cell::text(&format!("{:.1}°", q.max_dihedral.max)),
            Cell::text(&format!("{:.3}", q.radius_ratio.min)),
            Cell::text(&format!("{:.3}", q.scaled_jacobian.min)),
            Cell::text(&si(q.shortest_edge, "m")),
            Cell::text(&si(q.longest_edge, "m")),
        ]);
        if k >= MOST {
            continue;
        }
        let hex = body.mesh.cell_type.linear() == CellType::Hex8;
        let (range, label) = if hex {
            ([0.0, 1.0], "scaled Jacobian")
        } else {
            ([0.0, 75.0], "smallest dihedral angle of a cell, °")
        };
        let mut counts = vec![0; BINS];
        for cell in 0..body.mesh.cell_count() {
            let cell = quality::cell(&body.mesh, cell);
            let value = if hex { cell.scaled_jacobian } else { cell.min_dihedral };
            let t = (value - range[0]) / (range[1] - range[0]);
            counts[((t * BINS as f64).max(0.0) as usize).min(BINS - 1)] += 1;
        }
        bars.push(
            Bars {
                title: format!("Cells of {}", body.name),
                about: String::new(),
                label: label.into(),
                range,
                counts,
            }
            .html(),
        );
    }
    (table.html(), bars)
}
