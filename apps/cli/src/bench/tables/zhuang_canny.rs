//! `pliant bench tables zhuang-canny`: orderings of hexahedral blocks.

use pliant::mesh::generate::{BoxShape, CellChoice};
use pliant::solvers::direct::Cholesky;
use pliant::solvers::ordering::{OrderingName, order};
use serde_json::{Value, json};

use super::counts::Counts;
use super::interrupted;
use super::zhuang_canny_paper::{COLUMNS, MODIFIED, TESTS, Test};
use crate::arguments::MaterialFlags;
use crate::bench::body::Body;
use crate::bench::solve::time;
use crate::bench::system::System;
use crate::context::Context;
use crate::failure::Failure;

/// Time step of the systems, s. Only times depend on values, and hardly.
const STEP: f64 = 0.01;

/// An ordering of ours, and the column of theirs that it answers.
struct Ours {
    name: &'static str,
    /// Above its columns.
    head: &'static str,
    /// None for a random one.
    ordering: Option<OrderingName>,
    column: Option<usize>,
}

const OURS: [Ours; 6] = [
    Ours { name: "random", head: "random", ordering: None, column: Some(0) },
    Ours { name: "amd", head: "amd", ordering: Some(OrderingName::Amd), column: Some(1) },
    Ours {
        name: "modified-nested-dissection",
        head: "modified",
        ordering: Some(OrderingName::ModifiedNestedDissection),
        column: Some(MODIFIED),
    },
    Ours {
        name: "nested-dissection",
        head: "nested",
        ordering: Some(OrderingName::NestedDissection),
        column: Some(3),
    },
    Ours {
        name: "vertex-nested-dissection",
        head: "vertex",
        ordering: Some(OrderingName::VertexNestedDissection),
        column: None,
    },
    Ours { name: "metis", head: "metis", ordering: Some(OrderingName::Metis), column: None },
];

pub(super) fn run(largest: usize, context: &Context) -> Result<Value, Failure> {
    let progress = context.progress("blocks");
    let mut rows = Vec::new();
    for (k, test) in TESTS.iter().enumerate() {
        let unknowns = 3 * test.vertices.iter().product::<usize>();
        if unknowns > largest {
            break;
        }
        progress.set_position((1000 * k / TESTS.len()) as u64);
        rows.push(row(k + 1, test, context)?);
        if context.interrupted() {
            return Err(interrupted());
        }
    }
    progress.finish_and_clear();
    if rows.is_empty() {
        return Err(Failure::Input(format!(
            "--largest {largest}: the smallest block has 192 unknowns"
        )));
    }
    Ok(json!({
        "source": "Zhuang and Canny, Real-time Global Deformations, tables 1 and 2",
        "compared": "fill, operations and time as parts of those of modified nested dissection",
        "paper_columns": COLUMNS,
        "rows": rows,
    }))
}

fn row(number: usize, test: &Test, context: &Context) -> Result<Value, Failure> {
    let cells = test.vertices.map(|v| v - 1);
    let size = cells.map(|c| c as f64);
    let block = BoxShape { size, cells, cell: CellChoice::Hex, ..BoxShape::default() };
    let flags = MaterialFlags {
        material: "neo-hookean".into(),
        young: 1e6,
        poisson: 0.45,
        invertible: false,
        memory: 0,
    };
    let body = Body::of(block.generate()?, &flags, None)?;
    let x = body.twisted();
    let system = System::of(&body, &x, STEP)?;
    let pattern = system.matrix.pattern();
    let mut found = Vec::new();
    for ours in &OURS {
        let order = match ours.ordering {
            Some(name) => order(name, pattern, &system.layout())?,
            None => shuffled(pattern.rows()),
        };
        let factor_ms = match ours.ordering {
            Some(name) => {
                let mut x = vec![[0.0; 3]; system.b.len()];
                Some(time(&mut Cholesky::new(name), &system, &mut x, context)?.0.factor)
            }
            None => None,
        };
        found.push((Counts::new(pattern, &order)?, factor_ms));
    }
    let (reference, reference_ms) = found[MODIFIED];
    let orderings: Vec<Value> = OURS
        .iter()
        .zip(&found)
        .map(|(ours, (counts, factor_ms))| {
            let paper = |k: usize| (test.fill[k].zip(test.fill[MODIFIED]), test.seconds[k]);
            let (fill, seconds) = ours.column.map_or((None, None), paper);
            let base = test.seconds[MODIFIED];
            json!({
                "ordering": ours.name,
                "paper_column": ours.column.map(|k| COLUMNS[k]),
                "fill": counts.fill,
                "paper_fill": fill.map(|f| f.0),
                "fill_ratio": counts.fill as f64 / reference.fill as f64,
                "paper_fill_ratio": fill.map(|(fill, base)| fill as f64 / base as f64),
                "flops": counts.flops,
                "flops_ratio": counts.flops / reference.flops,
                "factor_ms": factor_ms,
                "paper_seconds": seconds,
                "time_ratio": factor_ms.zip(reference_ms).map(|(t, base)| t / base),
                "paper_time_ratio": seconds.zip(base).map(|(t, base)| t / base),
            })
        })
        .collect();
    let off_diagonal = pattern.blocks() - pattern.rows();
    Ok(json!({
        "test": number,
        "vertices": test.vertices,
        "unknowns": 3 * pattern.rows(),
        "nonzeros": 9 * (pattern.rows() + 2 * off_diagonal),
        "paper_nonzeros": test.nonzeros,
        "orderings": orderings,
    }))
}

/// A permutation, the same on every run (Fisher and Yates).
fn shuffled(n: usize) -> Vec<u32> {
    let mut list: Vec<u32> = (0..n as u32).collect();
    let mut state = 1_u64;
    for k in (1..n).rev() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        list.swap(k, (state >> 33) as usize % (k + 1));
    }
    list
}

/// The rows for people.
pub(super) fn text(document: &Value) -> String {
    let mut text = String::from(
        "Zhuang and Canny, tables 1 and 2, on hexahedral blocks; modified nested dissection is 1\n",
    );
    text +=
        &table("fill (table 1)", document, &["paper", "ours"], &["paper_fill_ratio", "fill_ratio"]);
    text += &table(
        "work: their time of LU (table 2), our operations and time of Cholesky",
        document,
        &["paper", "flops", "time"],
        &["paper_time_ratio", "flops_ratio", "time_ratio"],
    );
    text
}

fn table(title: &str, document: &Value, heads: &[&str], keys: &[&str]) -> String {
    const WIDTH: usize = 8;
    let shown = || OURS.iter().enumerate().filter(|(k, _)| *k != MODIFIED);
    let mut text = format!("\n{title}\n{:4} {:>8}", "", "");
    // Columns that the paper has not are narrower.
    let columns = |ours: &Ours| usize::from(ours.column.is_none());
    for (_, ours) in shown() {
        let width = WIDTH * (keys.len() - columns(ours)) - 2;
        text += &format!("  {:>width$}", ours.head);
    }
    text += &format!("\n{:>4} {:>8}", "test", "unknowns");
    for (_, ours) in shown() {
        for head in &heads[columns(ours)..] {
            text += &format!("{head:>WIDTH$}");
        }
    }
    text += "\n";
    for row in document["rows"].as_array().into_iter().flatten() {
        let [test, unknowns] = ["test", "unknowns"].map(|key| row[key].to_string());
        text += &format!("{test:>4} {unknowns:>8}");
        for (k, ours) in shown() {
            for key in &keys[columns(ours)..] {
                let number = row["orderings"][k][key].as_f64();
                text += &number.map_or(format!("{:>WIDTH$}", "-"), |r| format!("{r:>WIDTH$.2}"));
            }
        }
        text += "\n";
    }
    text
}
