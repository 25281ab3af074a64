//! The VirTis tables for people.

use serde_json::Value;

/// The rows for people: ours, then the paper's in the columns that end with a star.
pub(super) fn text(document: &Value) -> String {
    let mut text = String::from(
        "Hauth, Visual Simulation of Deformable Models, tables 3.3, 3.4 and 3.5; * marks the paper's columns\n",
    );
    for problem in list(&document["problems"]) {
        text += &format!(
            "\n{} ({}): {} unknowns, {} cells, {} entries (* {} unknowns, {} cells, {} entries)\n",
            name(&problem["problem"]),
            name(&problem["body"]),
            problem["unknowns"],
            problem["cells"],
            problem["nonzeros"],
            problem["paper_unknowns"],
            problem["paper_cells"],
            problem["paper_nonzeros"],
        );
        text += &head(&["entries L+U", "*", "Mflop", "*"]);
        for row in list(&problem["table_3_3"]) {
            let flops = |key: &str| row[key].as_f64().map_or(Value::Null, |f| (f / 1e6).into());
            let (ours, paper) = (flops("flops"), flops("paper_flops"));
            text += &line(row, &[&row["nonzeros"], &row["paper_nonzeros"], &ours, &paper]);
        }
        text += &head(&["iterations", "*", "set-up ms", "solve ms", "total/diag", "*"]);
        for row in list(&problem["table_3_4"]) {
            let keys = [
                "iterations",
                "paper_iterations",
                "setup_ms",
                "solve_ms",
                "total_ratio",
                "paper_total_ratio",
            ];
            text += &line(row, &keys.map(|key| &row[key]));
        }
        text += &head(&["set-up ms", "*", "solve ms", "*", "iterations", "*"]);
        for row in list(&problem["table_3_5"]) {
            let keys = [
                "setup_ms",
                "paper_setup_ms",
                "solve_ms",
                "paper_solve_ms",
                "iterations",
                "paper_iterations",
            ];
            text += &line(row, &keys.map(|key| &row[key]));
        }
    }
    text
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn name(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn head(columns: &[&str]) -> String {
    columns.iter().fold(format!("  {:14}{:24}", "*", "ours"), |line, c| line + &format!("{c:>17}"))
        + "\n"
}

fn line(row: &Value, values: &[&Value]) -> String {
    let names = format!("  {:14}{:24}", name(&row["paper_method"]), name(&row["ours"]));
    values.iter().fold(names, |line, v| line + &format!("{:>17}", cell(v))) + "\n"
}

/// Counts whole, others with three figures, several with strokes between.
fn cell(value: &Value) -> String {
    match value {
        Value::Number(n) if n.is_f64() => {
            let x = n.as_f64().unwrap_or(f64::NAN);
            let decimals = (2 - x.abs().max(1e-3).log10().floor() as i32).clamp(0, 4) as usize;
            format!("{x:.decimals$}")
        }
        Value::Array(several) => {
            several.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
        }
        Value::Null => "-".into(),
        other => other.to_string(),
    }
}
