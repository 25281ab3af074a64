//! The work-precision diagram of a comparison.

use pliant_draw::plot::{Axis, Curve, Plot};

use crate::axis::INTEGRATOR;
use crate::compare::{Comparison, Row};

impl Comparison {
    /// Error over seconds, one curve for all steps of a method: the lower left is where one wants to be.
    pub fn plot(&self) -> Plot {
        // The clock of the system ticks every few milliseconds: below that there is only the one on the wall.
        let seconds = |row: &Row| {
            let o = row.outcome.as_ref()?;
            Some(o.cpu_seconds.filter(|s| *s >= 0.01).unwrap_or(o.wall_seconds))
        };
        let mut curves: Vec<(Vec<&(String, String)>, Curve)> = Vec::new();
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.step.total_cmp(&a.step));
        // Curves in the order of the rows, points by step.
        for row in &self.rows {
            let series = row.series();
            if !curves.iter().any(|(known, _)| *known == series) {
                let points = rows.iter().filter(|r| r.series() == series && !r.is_lost());
                let points = points.filter_map(|r| Some([seconds(r)?, r.error?])).collect();
                let curve = Curve { name: name(row), points, marks: true, dashed: false };
                curves.push((series, curve));
            }
        }
        let log = |label: &str| Axis { label: label.into(), log: true, range: None };
        Plot {
            title: format!("Work and precision: {}", self.scene),
            x: log("time / s"),
            y: log(&format!("error of {} / m", self.error_by.name())),
            curves: curves.into_iter().map(|(_, c)| c).filter(|c| !c.points.is_empty()).collect(),
        }
    }
}

/// What tells a series from the others.
fn name(row: &Row) -> String {
    let others = row.series().into_iter().filter(|(key, _)| key != INTEGRATOR);
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let others = others.map(|(key, value)| format!("{} {value}", last(key)));
    std::iter::once(row.integrator.clone()).chain(others).collect::<Vec<_>>().join(", ")
}
