//! The verification as a page: what was expected, what came out, and what failed.

use pliant::report::{Cell, Column, Html, Page, Section, Table, Verdict, facts};
use pliant::units::{count, duration, number};
use pliant_verify::{Problem, Row};

/// A problem, and its rows or why it has none.
type Outcome = (&'static Problem, Result<Vec<Row>, String>);

/// What rows of three meshes end with.
const CONVERGENCE: &str = ": change from mesh to mesh";

/// The page.
pub(super) fn html(outcomes: &[Outcome], seconds: f64, command: &str) -> String {
    let rows = || outcomes.iter().filter_map(|(_, o)| o.as_ref().ok()).flatten();
    let (passed, all) = (rows().filter(|r| r.pass).count(), rows().count());
    let broken = outcomes.iter().filter(|(_, o)| o.is_err()).count();
    let failed = all - passed + broken;
    let mut page = Page::new("Verification");
    page.kind("Pliant");
    page.about("Problems with known answers, computed on this machine.");
    if failed == 0 {
        page.verdict(
            Verdict::Good,
            "Passed.",
            &format!("All {} comparisons are within their tolerances.", count(all as u64)),
        );
    } else {
        page.verdict(
            Verdict::Bad,
            "Failed.",
            &format!(
                "{} of {} comparisons are not within their tolerances; they are listed first.",
                count(failed as u64),
                count((all + broken) as u64)
            ),
        );
    }
    page.tile("problems", &count(outcomes.len() as u64));
    page.tile("comparisons", &count((all + broken) as u64));
    page.tile("failed", &count(failed as u64));
    page.tile("computed in", &duration(seconds));
    if failed > 0 {
        page.section(failures(outcomes));
    }
    page.section(overview(outcomes));
    if let Some(section) = convergence(outcomes) {
        page.section(section);
    }
    page.section(details(outcomes));
    let mut section = Section::new("Reproduction");
    section.push(Html::code(command));
    section.push(facts(&[
        ("Pliant".into(), env!("CARGO_PKG_VERSION").into()),
        ("Machine".into(), format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("Threads".into(), rayon::current_num_threads().to_string()),
    ]));
    page.section(section);
    page.footer(&format!("Made by Pliant {}.", env!("CARGO_PKG_VERSION")));
    page.html()
}

fn failures(outcomes: &[Outcome]) -> Section {
    let mut section = Section::new("Failures");
    let mut table = comparisons(true);
    for (problem, outcome) in outcomes {
        match outcome {
            Ok(rows) => {
                for row in rows.iter().filter(|r| !r.pass) {
                    table.row(cells(row, Some(problem)));
                }
            }
            Err(error) => {
                section.push(Html::list("warnings", &[format!("{}: {error}", problem.id)]));
            }
        }
    }
    if !table.is_empty() {
        section.push(table.html());
    }
    section
}

/// One row a problem.
fn overview(outcomes: &[Outcome]) -> Section {
    let mut section = Section::new("Problems");
    let mut table = Table::new(vec![
        Column::wide("problem"),
        Column::wide("source"),
        Column::number("comparisons"),
        Column::number("worst, of its tolerance"),
        Column::text(""),
    ]);
    for (problem, outcome) in outcomes {
        let rows = outcome.as_deref().unwrap_or_default();
        // Where nothing but the exact value passes there is no share of a tolerance.
        let shares = rows.iter().filter(|r| r.tolerance > 0.0).map(|r| r.error / r.tolerance);
        let worst = shares.fold(None, |m: Option<f64>, s| Some(m.map_or(s, |m| m.max(s))));
        let worst = worst.map_or_else(|| "exact".into(), |w| format!("{} %", number(100.0 * w)));
        let mut title = Html::text(problem.title);
        title.push(&Html::element("p", "note", &Html::text(problem.id)));
        table.row(vec![
            Cell::html(title),
            Cell::text(problem.source),
            Cell::text(&count(rows.len() as u64)),
            Cell::text(&worst),
            Cell::pass(outcome.is_ok() && rows.iter().all(|r| r.pass)),
        ]);
    }
    section.push(table.html());
    section
}

/// Values on three meshes, each twice as fine.
fn convergence(outcomes: &[Outcome]) -> Option<Section> {
    let mut table = Table::new(vec![
        Column::text("problem"),
        Column::wide("quantity"),
        Column::text("meshes"),
        Column::number("second change over first"),
        Column::number("order"),
        Column::text(""),
    ]);
    for (problem, rows) in outcomes.iter().filter_map(|(p, o)| Some((p, o.as_ref().ok()?))) {
        for row in rows {
            let Some(quantity) = row.quantity.strip_suffix(CONVERGENCE) else { continue };
            let order =
                if row.got > 0.0 { format!("{:.2}", -row.got.log2()) } else { "exact".into() };
            table.row(vec![
                Cell::text(problem.id),
                Cell::text(quantity),
                Cell::text(&row.mesh),
                Cell::text(&format!("{:.3}", row.got)),
                Cell::text(&order),
                Cell::pass(row.pass),
            ]);
        }
    }
    if table.is_empty() {
        return None;
    }
    let mut section = Section::new("Convergence on three meshes");
    section.push(Html::note("A value is computed on three meshes, each twice as fine as the one before. It must change less from the second to the third than from the first to the second; the order is that of the changes, −log₂ of their ratio."));
    section.push(table.html());
    Some(section)
}

fn comparisons(with_problem: bool) -> Table {
    let mut columns = if with_problem { vec![Column::text("problem")] } else { Vec::new() };
    columns.extend([Column::wide("quantity"), Column::text("computed with")]);
    columns
        .extend(["expected", "got", "|got − expected|", "error", "tolerance"].map(Column::number));
    columns.push(Column::text(""));
    Table::new(columns)
}

fn cells(row: &Row, problem: Option<&Problem>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = problem.iter().map(|p| Cell::text(p.id)).collect();
    cells.extend([
        Cell::text(&row.quantity),
        Cell::text(&row.mesh),
        Cell::text(&digits(row.expected)),
        Cell::text(&digits(row.got)),
        Cell::text(&number((row.got - row.expected).abs())),
        Cell::text(&number(row.error)),
        Cell::text(&number(row.tolerance)),
        Cell::pass(row.pass),
    ]);
    cells
}

/// Six digits: two numbers that are compared need more than three.
fn digits(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !(1e-3..1e6).contains(&size) {
        return number(value);
    }
    let after = (5 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.after$}").replace('-', "−")
}

/// All rows of all problems, folded.
fn details(outcomes: &[Outcome]) -> Section {
    let mut section = Section::new("All comparisons");
    for (problem, outcome) in outcomes {
        let mut inner = Html::note(&format!("{}. Source: {}.", problem.title, problem.source));
        match outcome {
            Ok(rows) => {
                let mut table = comparisons(false);
                for row in rows {
                    table.row(cells(row, None));
                }
                inner.push(&table.html());
            }
            Err(error) => inner.push(&Html::list("warnings", std::slice::from_ref(error))),
        }
        section.push(Html::folded(problem.id, &inner));
    }
    section.push(Html::note(
        "Errors are relative, or absolute where zero is expected or the quantity says so.",
    ));
    section
}
