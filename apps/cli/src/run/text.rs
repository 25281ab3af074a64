//! What `pliant run` says to people.

use std::path::Path;

use pliant::scene::run::Progress;
use serde_json::Value;

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
pub(super) fn summary(s: &Value, folder: &Path) -> String {
    let number = |value: &Value| value.as_f64().map_or("not known".into(), |v| format!("{v:.6e}"));
    let mut text = format!(
        "{}: {} vertices, {} cells, {} steps to t = {:.6} s in {:.2} s\n",
        s["scene"].as_str().unwrap_or(""),
        s["vertices"],
        s["cells"],
        s["steps"],
        s["simulated_seconds"].as_f64().unwrap_or(0.0),
        s["wall_seconds"].as_f64().unwrap_or(0.0),
    );
    let iterations = ["newton_iterations", "linear_iterations", "factorizations"];
    for key in iterations {
        text += &format!("{:<24}{}\n", key.replace('_', " "), s[key]);
    }
    for (key, value) in s["energy"].as_object().into_iter().flatten() {
        text +=
            &format!("{:<24}{} J\n", format!("energy {}", key.replace('_', " ")), number(value));
    }
    for (name, probe) in s["probes"].as_object().into_iter().flatten() {
        let u = &probe["displacement"];
        let u: Vec<String> = (0..3).map(|k| number(&u[k])).collect();
        text += &format!("{:<24}moved by {} m\n", format!("probe {name}"), u.join(", "));
    }
    let report = folder.join("report.html");
    if report.is_file() {
        text += &format!("the report is {}\n", report.display());
    }
    text + &format!("results are in {}\n", folder.display())
}
