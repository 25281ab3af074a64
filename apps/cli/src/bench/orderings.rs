//! `pliant bench orderings`: all orderings of one Cholesky factor, as a table and as pictures of L.

use std::path::Path;

use pliant::draw::{Figure, Image};
use pliant::solvers::direct::{Cholesky, factor_pattern};
use pliant::solvers::ordering::OrderingName;
use serde_json::{Value, json};

use super::solve::time;
use super::system::System;
use crate::context::Context;
use crate::failure::Failure;

/// Pixels of a picture of L.
const SIDE: usize = 260;

pub(crate) fn run(
    system: &System,
    draw: Option<&Path>,
    context: &Context,
) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    let mut pictures = Vec::new();
    let progress = context.progress("orderings");
    for name in OrderingName::ALL {
        progress.set_message(name.name());
        let mut solver = Cholesky::new(name);
        let mut x = vec![[0.0; 3]; system.b.len()];
        let (times, report) = time(&mut solver, system, &mut x, context)?;
        let Some(cost) = solver.statistics() else { continue };
        rows.push(json!({
            "ordering": name.name(),
            "fill": cost.nonzeros,
            "flops": cost.flops,
            "analyze_ms": times.analyze,
            "factor_ms": times.factor,
            "solve_ms": times.solve,
            "relative_residual": report.relative_residual,
            "peak_bytes": cost.memory,
            "supernodes": cost.supernodes,
        }));
        if draw.is_some()
            && let Some(order) = solver.order()
        {
            let blocks = factor_pattern(system.matrix.pattern(), order)?;
            pictures.push((name.name(), cost.nonzeros, picture(&blocks, system.matrix.rows())));
        }
    }
    progress.finish_and_clear();
    if let Some(path) = draw {
        let svg = page(&pictures)?;
        std::fs::write(path, svg)
            .map_err(|e| Failure::Input(format!("{} cannot be written: {e}", path.display())))?;
    }
    Ok(json!({"vertices": system.matrix.rows(), "cells": system.cells, "rows": rows}))
}

/// The rows for people.
pub(crate) fn table(document: &Value) -> String {
    let mut text = format!(
        "{:28} {:>12} {:>11} {:>11} {:>10} {:>10}\n",
        "ordering", "entries of L", "operations", "analyze ms", "factor ms", "solve ms"
    );
    for row in document["rows"].as_array().into_iter().flatten() {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        text += &format!(
            "{:28} {:12} {:11.2e} {:11.2} {:10.2} {:10.2}\n",
            row["ordering"].as_str().unwrap_or_default(),
            number("fill"),
            number("flops"),
            number("analyze_ms"),
            number("factor_ms"),
            number("solve_ms")
        );
    }
    text
}

/// L as grey values: how full each square of it is.
fn picture(blocks: &[(u32, u32)], rows: usize) -> Image {
    // A vertex of a small system covers several pixels, those of a large one share them.
    let place = |v: u32| {
        let start = v as usize * SIDE / rows;
        start..((v as usize + 1) * SIDE / rows).max(start + 1)
    };
    let mut counts = vec![0_u32; SIDE * SIDE];
    for &(i, j) in blocks {
        for row in place(i) {
            for column in place(j) {
                counts[row * SIDE + column] += 1;
            }
        }
    }
    let per_pixel = (rows as f64 / SIDE as f64).max(1.0).powi(2);
    let pixel = |(at, &count): (usize, &u32)| {
        let (row, column) = (at / SIDE, at % SIDE);
        // Single entries stay visible.
        let full = (f64::from(count) / per_pixel).min(1.0);
        let ink = if count == 0 { 0.0 } else { 0.25 + 0.75 * full };
        let ground = if column > row { 0.96 } else { 1.0 };
        let shade = |dark: f64| ((ground + (dark - ground) * ink) * 255.0) as u8;
        [shade(0.12), shade(0.37), shade(0.66), 255]
    };
    Image { width: SIDE, height: SIDE, pixels: counts.iter().enumerate().map(pixel).collect() }
}

fn page(pictures: &[(&str, u64, Image)]) -> Result<String, Failure> {
    let (gap, columns) = (24.0, 4);
    let side = SIDE as f64;
    let lines = pictures.len().div_ceil(columns) as f64;
    let width = gap + (side + gap) * columns as f64;
    let mut figure = Figure::new(width, gap + (side + 2.0 * gap) * lines);
    for (k, (name, entries, image)) in pictures.iter().enumerate() {
        let x = gap + (side + gap) * (k % columns) as f64;
        let y = 1.5 * gap + (side + 2.0 * gap) * (k / columns) as f64;
        figure.text(x, y - 7.0, 11.0, "start", &format!("{name}: {entries} entries"));
        figure.picture(x, y, image).map_err(|e| Failure::Input(e.to_string()))?;
    }
    Ok(figure.svg())
}
