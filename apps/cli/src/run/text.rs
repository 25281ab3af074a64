//! What `pliant run` says to people.

use std::path::Path;

use pliant::scene::Summary;
use pliant::scene::run::Progress;

/// Beside the progress bar.
pub(super) fn progress(p: &Progress) -> String {
    let each = |count: u64| count as f64 / p.step.max(1) as f64;
    let mut text = format!("t = {:.3} s, {:.2}x real time", p.time, p.speed);
    if p.newton_iterations > 0 {
        text += &format!(", {:.1} Newton", each(p.newton_iterations));
    }
    if p.linear_iterations > 0 {
        text += &format!(", {:.0} linear", each(p.linear_iterations));
    }
    text + &format!(", energy drift {:+.1e}", p.drift)
}

/// At the end.
pub(super) fn summary(s: &Summary, folder: &Path) -> String {
    let number = |value: f64| {
        if value.is_finite() { format!("{value:.6e}") } else { "not known".to_owned() }
    };
    let mut text = format!(
        "{}: {} vertices, {} cells, {} steps to t = {:.6} s in {:.2} s\n",
        s.scene, s.vertices, s.cells, s.steps, s.simulated_seconds, s.wall_seconds,
    );
    for (name, count) in [
        ("newton iterations", s.newton_iterations),
        ("linear iterations", s.linear_iterations),
        ("factorizations", s.factorizations),
    ] {
        text += &format!("{name:<24}{count}\n");
    }
    if let Some(solver) = &s.solver {
        text += &format!("{:<24}{}\n", "linear solver", solver.text());
    }
    if s.divided_steps > 0 {
        let attempts = format!("{} after {} failed attempts", s.divided_steps, s.retries);
        text += &format!("{:<24}{attempts}\n", "divided steps");
    }
    for (key, value) in s.energy.entries() {
        let name = format!("energy {}", key.replace('_', " "));
        match value.filter(|value| value.is_finite()) {
            Some(value) => text += &format!("{name:<24}{value:.6e} J\n"),
            None => text += &format!("{name:<24}not known\n"),
        }
    }
    for body in &s.bodies {
        if let Some(depth) = body.depth.filter(|d| d.greatest > 0.0) {
            text += &format!(
                "{:<24}{} m, {:.2} % of {}, at t = {:.6} s; {} m at the end\n",
                "greatest depth",
                number(depth.greatest),
                100.0 * depth.part,
                body.name,
                depth.time,
                number(depth.end)
            );
        }
    }
    if let Some(j) = s.min_j {
        text += &format!("{:<24}{}\n", "smallest J", number(j));
        text += &format!("{:<24}{}\n", "inverted points", s.inverted_points);
    }
    if let Some(stability) = s.stability() {
        text += &format!("{:<24}{stability}\n", "state of rest");
    }
    for probe in &s.probes {
        let moved = probe.displacement.map(number).join(", ");
        text += &format!("{:<24}moved by {moved} m\n", format!("probe {}", probe.name));
    }
    let report = folder.join("report.html");
    if report.is_file() {
        text += &format!("the report is {}\n", report.display());
    }
    text + &format!("results are in {}\n", folder.display())
}
