//! Every table of coefficients against the conditions of its order, for all rooted trees.
//!
//! Butcher: a method has order p if Σ bᵢ Φᵢ(t) = 1/γ(t) for all rooted trees t of up to p vertices, and dense
//! output has order p if Σ bᵢ(θ) Φᵢ(t) = θ^|t| / γ(t) (Hairer, Nørsett and Wanner, Solving ODEs I, II.2, II.6).

use pliant_dynamics::integrators::{
    DORMAND_PRINCE_5, DORMAND_PRINCE_853, EXPLICIT_MIDPOINT, EmbeddedTableau, FORWARD_EULER, RK4,
    THREE_EIGHTHS, Tableau,
};

/// A tree by its branches, as numbers of smaller trees.
struct Tree {
    branches: Vec<usize>,
    order: usize,
    density: f64,
}

/// All rooted trees of up to `order` vertices, smaller ones first.
fn trees(order: usize) -> Vec<Tree> {
    let mut all = vec![Tree { branches: Vec::new(), order: 1, density: 1.0 }];
    for n in 2..=order {
        let mut found = Vec::new();
        grow(&all, n - 1, all.len(), &mut Vec::new(), &mut found);
        for branches in found {
            let density = branches.iter().map(|&b| all[b].density).product::<f64>() * n as f64;
            all.push(Tree { branches, order: n, density });
        }
    }
    all
}

/// Ways to choose branches of `left` vertices in all, in falling order of their numbers.
fn grow(
    all: &[Tree],
    left: usize,
    below: usize,
    now: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if left == 0 {
        found.push(now.clone());
        return;
    }
    for b in (0..below).filter(|&b| all[b].order <= left) {
        now.push(b);
        grow(all, left - all[b].order, b + 1, now, found);
        now.pop();
    }
}

#[test]
fn there_are_as_many_trees_as_cayley_counted() {
    let all = trees(8);
    let counts: Vec<usize> = (1..=8).map(|n| all.iter().filter(|t| t.order == n).count()).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
}

/// Φᵢ of all trees, for the rows of a.
fn weights(a: &[&[f64]], trees: &[Tree]) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    for tree in trees {
        let stage = |row: &&[f64]| {
            let branch = |&b: &usize| row.iter().zip(&all[b]).map(|(a, w)| a * w).sum::<f64>();
            tree.branches.iter().map(branch).product::<f64>()
        };
        let own = a.iter().map(stage).collect();
        all.push(own);
    }
    all
}

/// The largest deviation from a condition of up to an order; θ = 1 at the end of the step.
fn deviation(a: &[&[f64]], b: &[f64], theta: f64, order: usize) -> f64 {
    let trees = trees(order);
    let weights = weights(a, &trees);
    let one = |(tree, w): (&Tree, &Vec<f64>)| {
        let sum: f64 = b.iter().zip(w).map(|(b, w)| b * w).sum();
        (sum - theta.powi(tree.order as i32) / tree.density).abs()
    };
    trees.iter().zip(&weights).map(one).fold(0.0, f64::max)
}

fn check(table: &Tableau) {
    for (row, c) in table.a.iter().zip(table.c) {
        assert!((row.iter().sum::<f64>() - c).abs() < 1e-13, "{}: c = {c}", table.name);
    }
    // Quadrature: ∫ tᵏ.
    for k in 0..table.order {
        let sum: f64 = table.b.iter().zip(table.c).map(|(b, c)| b * c.powi(k as i32)).sum();
        assert!((sum - 1.0 / (k + 1) as f64).abs() < 1e-14, "{}: t^{k}", table.name);
    }
    let at_order = deviation(table.a, table.b, 1.0, table.order);
    let beyond = deviation(table.a, table.b, 1.0, table.order + 1);
    println!("| {} | {} | {at_order:.1e} | {beyond:.1e} |", table.name, table.order);
    assert!(at_order < 1e-13, "{}: {at_order:e}", table.name);
    assert!(beyond > 1e-6, "{} has a higher order than it says", table.name);
}

#[test]
fn methods_satisfy_the_conditions_of_their_order_and_not_of_the_next() {
    for table in [
        &FORWARD_EULER,
        &EXPLICIT_MIDPOINT,
        &RK4,
        &THREE_EIGHTHS,
        &DORMAND_PRINCE_5.method,
        &DORMAND_PRINCE_853.method,
    ] {
        check(table);
    }
}

/// All rows: stages, the end of the step, extra stages.
fn rows(table: &EmbeddedTableau) -> Vec<&'static [f64]> {
    let mut rows = table.method.a.to_vec();
    rows.push(table.method.b);
    rows.extend(table.extra);
    rows
}

/// b − error.
fn embedded(table: &EmbeddedTableau, error: &[f64]) -> Vec<f64> {
    let b = table.method.b.iter().chain([&0.0]);
    let error = error.iter().chain(std::iter::repeat(&0.0));
    b.zip(error).map(|(b, e)| b - e).collect()
}

#[test]
fn error_estimates_are_those_of_methods_of_lower_order() {
    let five = &DORMAND_PRINCE_5;
    let eight = &DORMAND_PRINCE_853;
    let rough = eight.rough.unwrap();
    for (table, error, order) in [(five, five.error, 4), (eight, eight.error, 5), (eight, rough, 3)]
    {
        let (a, b) = (rows(table), embedded(table, error));
        let (at_order, beyond) = (deviation(&a, &b, 1.0, order), deviation(&a, &b, 1.0, order + 1));
        assert!(at_order < 1e-13, "{} {order}: {at_order:e}", table.method.name);
        assert!(beyond > 1e-5, "{} {order}: {beyond:e}", table.method.name);
    }
}

/// bᵢ(θ).
fn dense(table: &EmbeddedTableau, theta: f64) -> Vec<f64> {
    let last = table.method.b.len();
    let rest = 1.0 - theta;
    let mut b = vec![0.0; last + 1 + table.extra.len()];
    // The cubic through both ends: value and slope.
    let end = theta * theta * (3.0 - 2.0 * theta);
    for (b, own) in b.iter_mut().zip(table.method.b) {
        *b = end * own;
    }
    b[0] += theta * rest * rest;
    b[last] -= theta * theta * rest;
    for (k, row) in table.dense.iter().enumerate() {
        let factor = theta.powi(2 + (k as i32 + 1) / 2) * rest.powi(2 + k as i32 / 2);
        for (b, own) in b.iter_mut().zip(*row) {
            *b += factor * own;
        }
    }
    b
}

#[test]
fn dense_output_has_its_order_everywhere_in_the_step() {
    for table in [&DORMAND_PRINCE_5, &DORMAND_PRINCE_853] {
        let a = rows(table);
        for (row, c) in table.extra.iter().zip(table.extra_c) {
            assert!((row.iter().sum::<f64>() - c).abs() < 1e-13, "c = {c}");
        }
        let order = table.dense_order;
        for theta in [0.0, 0.1, 0.37, 0.5, 0.8, 1.0] {
            let b = dense(table, theta);
            let at_order = deviation(&a, &b, theta, order);
            assert!(at_order < 1e-13, "{} θ = {theta}: {at_order:e}", table.method.name);
        }
        let b = dense(table, 0.37);
        assert!(deviation(&a, &b, 0.37, order + 1) > 1e-6, "{}", table.method.name);
    }
}
