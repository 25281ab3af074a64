//! A comparison as CSV, as JSON and as a table for people.

use pliant_errors::Class;
use serde_json::{Map, Value, json};

use crate::axis::{INTEGRATOR, STEP};
use crate::compare::{Comparison, ReferenceRun, Row};

impl Comparison {
    /// Keys that varied besides integrator and step, which every row has anyway.
    fn other_keys(&self) -> Vec<&str> {
        let keys = self.keys.iter().map(String::as_str);
        keys.filter(|key| *key != INTEGRATOR && *key != STEP).collect()
    }

    /// As `results.csv`: one row a run, a header, SI units.
    pub fn csv(&self) -> String {
        let others = self.other_keys();
        let mut header = vec!["integrator", "step"];
        header.extend(&others);
        header.extend([
            "error",
            "order",
            "wall_seconds",
            "cpu_seconds",
            "steps",
            "newton_iterations",
            "linear_iterations",
            "factorizations",
            "force_evaluations",
            "vertices",
            "status",
            "reason",
        ]);
        let mut text = line(header.into_iter().map(str::to_owned));
        for row in &self.rows {
            let o = row.outcome.as_ref();
            let number = |v: Option<f64>| v.map_or(String::new(), |v| format!("{v:e}"));
            let count = |v: Option<u64>| v.map_or(String::new(), |v| v.to_string());
            let mut fields = vec![row.integrator.clone(), format!("{:?}", row.step)];
            fields.extend(others.iter().map(|key| row.value(key).to_owned()));
            fields.extend([
                number(row.error),
                row.order.map_or(String::new(), |p| format!("{p:.3}")),
                number(o.map(|o| o.wall_seconds)),
                number(o.and_then(|o| o.cpu_seconds)),
                count(o.map(|o| o.steps)),
                count(o.map(|o| o.tally.newton_iterations)),
                count(o.map(|o| o.tally.linear_iterations)),
                count(o.map(|o| o.tally.factorizations)),
                count(o.map(|o| o.tally.evaluations)),
                count(o.map(|o| o.vertices as u64)),
                row.status().name().to_owned(),
                o.and_then(|o| o.reason.clone()).unwrap_or_default(),
            ]);
            text += &line(fields.into_iter());
        }
        text
    }

    /// As `results.json` and for `--json`.
    pub fn json(&self) -> Value {
        json!({
            "scene": self.scene,
            "pliant": env!("CARGO_PKG_VERSION"),
            "keys": self.keys,
            "error_by": self.error_by.name(),
            "references": self.references.iter().map(reference).collect::<Vec<_>>(),
            "rows": self.rows.iter().map(row_json).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let others = self.other_keys();
        let mut header = vec!["integrator".to_owned(), "step / s".into()];
        header.extend(others.iter().map(|key| (*key).to_owned()));
        let titles =
            ["error / m", "order", "CPU / s", "wall / s", "steps", "Newton", "linear", "status"];
        header.extend(titles.map(str::to_owned));
        let mut table = vec![header];
        for row in &self.rows {
            let o = row.outcome.as_ref();
            let blank = String::new;
            let seconds = |v: Option<f64>| v.map_or(blank(), |v| format!("{v:.3}"));
            let count = |v: Option<u64>| v.map_or(blank(), |v| v.to_string());
            let mut cells = vec![row.integrator.clone(), format!("{:?}", row.step)];
            cells.extend(others.iter().map(|key| row.value(key).to_owned()));
            cells.extend([
                row.error.map_or(blank(), |e| format!("{e:.3e}")),
                row.order.map_or(blank(), |p| format!("{p:.2}")),
                seconds(o.and_then(|o| o.cpu_seconds)),
                seconds(o.map(|o| o.wall_seconds)),
                count(o.map(|o| o.steps)),
                count(o.map(|o| o.tally.newton_iterations)),
                count(o.map(|o| o.tally.linear_iterations)),
                match o.and_then(|o| o.reason.as_ref()) {
                    Some(reason) => format!("{}: {}", row.status().name(), shortened(reason)),
                    None => row.status().name().to_owned(),
                },
            ]);
            table.push(cells);
        }
        let mut text = aligned(&table);
        for note in &self.notes {
            text += &format!("{note}\n");
        }
        text
    }
}

impl Row {
    /// The value of a key that varied.
    pub fn value(&self, key: &str) -> &str {
        self.settings.iter().find(|(k, _)| k == key).map_or("", |(_, value)| value)
    }
}

fn reference(run: &ReferenceRun) -> Value {
    let o = run.outcome.as_ref();
    json!({
        "settings": settings(&run.settings),
        "method": run.reference.method,
        "step": run.reference.step,
        "tolerance": run.reference.tolerance,
        "why": run.reference.why,
        "status": o.map_or("missing", |o| o.status.name()),
        "reason": o.and_then(|o| o.reason.as_ref()),
        "class": o.and_then(|o| o.class).map(Class::name),
        "wall_seconds": o.map(|o| o.wall_seconds),
        "probes": o.map(probes),
    })
}

fn probes(o: &crate::Outcome) -> Value {
    let one = |(name, position, displacement): &(String, [f64; 3], [f64; 3])| {
        (name.clone(), json!({"position": position, "displacement": displacement}))
    };
    Value::Object(o.probes.iter().map(one).collect())
}

fn settings(list: &[(String, String)]) -> Value {
    Value::Object(list.iter().map(|(k, v)| (k.clone(), v.clone().into())).collect::<Map<_, _>>())
}

fn row_json(row: &Row) -> Value {
    let o = row.outcome.as_ref();
    json!({
        "integrator": row.integrator,
        "step": row.step,
        "settings": settings(&row.settings),
        "error": row.error,
        "order": row.order,
        "wall_seconds": o.map(|o| o.wall_seconds),
        "cpu_seconds": o.and_then(|o| o.cpu_seconds),
        "steps": o.map(|o| o.steps),
        "simulated_seconds": o.map(|o| o.simulated_seconds),
        "newton_iterations": o.map(|o| o.tally.newton_iterations),
        "linear_iterations": o.map(|o| o.tally.linear_iterations),
        "factorizations": o.map(|o| o.tally.factorizations),
        "force_evaluations": o.map(|o| o.tally.evaluations),
        "vertices": o.map(|o| o.vertices),
        "cells": o.map(|o| o.cells),
        "probes": o.map(probes),
        "status": row.status().name(),
        "reason": o.and_then(|o| o.reason.as_ref()),
        "class": o.and_then(|o| o.class).map(Class::name),
    })
}

/// Fields with commas, quotes or line breaks stand in quotes (RFC 4180).
fn line(fields: impl Iterator<Item = String>) -> String {
    let quoted = |field: String| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field
        }
    };
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// The first words of a long reason; files have all of it.
fn shortened(reason: &str) -> String {
    let mut text: String = reason.chars().take(70).collect();
    if text.len() < reason.len() {
        text += " …";
    }
    text
}

/// Columns side by side: the first and the last to the left, the others to the right.
pub(crate) fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| {
        table.iter().filter_map(|row| row.get(k)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in table {
        let cells = row.iter().enumerate().map(|(k, cell)| match k {
            0 => format!("{cell:<0$}", widths[k]),
            _ if k + 1 == columns => cell.clone(),
            _ => format!("{cell:>0$}", widths[k]),
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_are_quoted_and_columns_stand_in_line() {
        let fields = ["a,b", "c\"d", "e"].map(str::to_owned);
        assert_eq!(line(fields.into_iter()), "\"a,b\",\"c\"\"d\",e\n");
        let table = [["ab", "1", "x"], ["a", "100", "yy"]].map(|r| r.map(str::to_owned).to_vec());
        assert_eq!(aligned(&table), "ab    1  x\na   100  yy\n");
    }
}
