//! A comparison as a page.

use pliant_report::{Cell, Column, Drawing, Html, Page, Section, Table, Verdict, facts};
use pliant_units::{count, duration, number, si};

use crate::axis::{INTEGRATOR, STEP};
use crate::compare::{Comparison, Row};
use crate::outcome::{Outcome, Status};

impl Comparison {
    /// The page, in one file that needs no other. `command` is what makes it again.
    pub fn page(&self, command: &str) -> String {
        let with = |status: Status| self.rows.iter().filter(|r| r.status() == status).count();
        let (all, done, failed) = (self.rows.len(), with(Status::Done), with(Status::Failed));
        let mut page = Page::new(&self.scene);
        page.kind("Pliant compare");
        page.about(&format!("What varied: {}.", self.keys.join(", ")));
        let (verdict, word) = match (done, failed) {
            (0, _) => (Verdict::Bad, "No run came to its end."),
            (_, 0) if done == all => (Verdict::Good, "Finished."),
            _ => (Verdict::Bad, "Not all runs came to their end."),
        };
        page.verdict(verdict, word, &format!("{done} of {all} runs are done, {failed} failed."));
        page.tile("runs", &count(all as u64));
        if let Some((row, error)) = self.best() {
            page.tile("smallest error", &si(error, "m"));
            page.tile("by", &row.integrator);
        }
        let runs = || self.rows.iter().filter_map(|row| row.outcome.as_ref());
        page.tile("computed in, all runs", &duration(runs().map(|o| o.wall_seconds).sum()));
        if self.rows.iter().any(|row| row.error.is_some()) {
            page.section(self.diagram());
        }
        page.section(self.table());
        page.section(self.context());
        if let Some(section) = self.failures() {
            page.section(section);
        }
        let mut section = Section::new("Reproduction");
        section.push(Html::code(command));
        section.push(facts(&[
            ("Pliant".into(), env!("CARGO_PKG_VERSION").into()),
            ("Machine".into(), format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH)),
        ]));
        section.push(Html::note(
            "All numbers are in results.csv and results.json beside this page. Errors and counts are the same on every run; seconds are those of this machine.",
        ));
        page.section(section);
        page.footer(&format!("Made by Pliant {}.", env!("CARGO_PKG_VERSION")));
        page.html()
    }

    fn best(&self) -> Option<(&Row, f64)> {
        let known = self.rows.iter().filter_map(|row| Some((row, row.error?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn diagram(&self) -> Section {
        let size = [860.0, 560.0];
        let svg = self.plot().svg_with_labels(size[0], size[1]);
        let about = "Each mark is a run, each line a series of steps. Lower is more accurate, further left is cheaper. Time is that of the processor, or that on the wall where it is too short for that clock.";
        let mut section = Section::new("Work and precision");
        section.push(Drawing { svg: &svg, size, title: "Error over time", about }.html());
        section
    }

    fn table(&self) -> Section {
        let varied: Vec<&String> =
            self.keys.iter().filter(|k| *k != INTEGRATOR && *k != STEP).collect();
        let mut columns = vec![Column::text("integrator"), Column::number("step")];
        columns.extend(varied.iter().map(|key| Column::text(key)));
        let counts = ["error", "order", "CPU / s", "wall / s", "steps", "Newton", "linear"];
        columns.extend(counts.map(Column::number));
        columns.push(Column::text(""));
        let mut table = Table::new(columns);
        for row in &self.rows {
            let missing = || "–".to_owned();
            let of =
                |get: &dyn Fn(&Outcome) -> String| row.outcome.as_ref().map_or_else(missing, get);
            let mut cells = vec![Cell::text(&row.integrator), Cell::text(&si(row.step, "s"))];
            for key in &varied {
                let value = row.settings.iter().find(|(k, _)| k == *key);
                cells.push(Cell::text(value.map_or("–", |(_, v)| v)));
            }
            cells.extend([
                Cell::text(&row.error.map_or_else(missing, |e| si(e, "m"))),
                Cell::text(&row.order.map_or_else(missing, |p| format!("{p:.2}"))),
                Cell::text(&of(&|o| o.cpu_seconds.map_or_else(missing, number))),
                Cell::text(&of(&|o| number(o.wall_seconds))),
                Cell::text(&of(&|o| count(o.steps))),
                Cell::text(&of(&|o| count(o.tally.newton_iterations))),
                Cell::text(&of(&|o| count(o.tally.linear_iterations))),
                Cell::text(match row.status() {
                    Status::Done if row.is_lost() => "lost",
                    status => status.name(),
                }),
            ]);
            table.row(cells);
        }
        let mut section = Section::new("Runs");
        section.push(table.html());
        section.push(Html::note(&format!(
            "Errors are the root mean square over the coordinates of all {} at the end. The order is that seen from the run with the next longer step.",
            match self.error_by.name() { "positions" => "vertices", other => other }
        )));
        section
    }

    /// What errors are measured against, and what to know.
    fn context(&self) -> Section {
        let mut section = Section::new("Reference and notes");
        let mut lines = self.notes.clone();
        lines.extend(self.warnings().into_iter().map(str::to_owned));
        section.push(Html::list("notes", &lines));
        section
    }

    fn failures(&self) -> Option<Section> {
        let lines: Vec<String> = self
            .rows
            .iter()
            .filter_map(|row| {
                let reason = row.outcome.as_ref()?.reason.as_ref()?;
                Some(format!("{}, step {}: {reason}", row.integrator, si(row.step, "s")))
            })
            .collect();
        (!lines.is_empty()).then(|| {
            let mut section = Section::new("Runs that failed");
            section.push(Html::list("warnings", &lines));
            section
        })
    }
}
