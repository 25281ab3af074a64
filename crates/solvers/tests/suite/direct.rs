//! Direct solvers: agreement with a dense reference, the same bits on any number of threads, and errors
//! that name what is wrong.

use crate::direct_common;

use std::sync::Arc;

use direct_common::{System, elasticity, hexahedra, random, random_vector, tetrahedra};
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{self, Vec3};
use pliant_solvers::direct::{Cholesky, Ldlt, Lu, factor_pattern};
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{BlockSolver, Layout, SolverError, StopReason};

/// Solves a dense system by elimination with exchange of rows.
fn dense_solve(matrix: &BlockMatrix, b: &[Vec3]) -> Vec<Vec3> {
    let n = 3 * b.len();
    let mut a = matrix.to_dense();
    let mut x: Vec<f64> = b.as_flattened().to_vec();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap();
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
        }
        x.swap(k, p);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            if f != 0.0 {
                for j in k..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
                x[i] -= f * x[k];
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k * n + k];
    }
    x.as_chunks::<3>().0.to_vec()
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let norm = |v: &mut dyn Iterator<Item = Vec3>| v.map(vec3::norm_squared).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(a, b)| vec3::sub(*a, *b))) / norm(&mut b.iter().copied())
}

fn solution(
    solver: &mut dyn BlockSolver,
    system: &System,
    matrix: &BlockMatrix,
    b: &[Vec3],
) -> Result<Vec<Vec3>, SolverError> {
    solver.analyze(matrix.pattern(), &system.layout())?;
    solver.factor(matrix)?;
    let mut x = vec![[f64::NAN; 3]; b.len()];
    let report = solver.solve(matrix, b, &mut x)?;
    assert_eq!(report.reason, StopReason::Direct);
    assert!(report.relative_residual < 2e-12, "{}: {report:?}", solver.name());
    Ok(x)
}

/// The same matrix shifted until some of its eigenvalues are negative.
fn indefinite(matrix: &BlockMatrix) -> BlockMatrix {
    let mut shifted = matrix.clone();
    let mean = matrix.diagonal().map(|b| b[0]).sum::<f64>() / matrix.rows() as f64;
    for i in 0..matrix.rows() as u32 {
        shifted.add(i, i, &[-0.3 * mean, 0.0, 0.0, 0.0, -0.3 * mean, 0.0, 0.0, 0.0, -0.3 * mean]);
    }
    shifted
}

/// Both triangles, with something added that is not symmetric.
fn unsymmetric(system: &System, matrix: &BlockMatrix) -> BlockMatrix {
    let pattern = Pattern::unsymmetric(matrix.rows(), |couple| {
        for element in system.elements.chunks_exact(system.nodes) {
            for &i in element {
                for &j in element {
                    couple(i, j);
                }
            }
        }
    })
    .unwrap();
    let mut full = BlockMatrix::zero(Arc::new(pattern));
    let scale = matrix.block(0, 0)[0];
    let mut r = random(11);
    let pattern = Arc::clone(full.pattern());
    for i in 0..matrix.rows() {
        for k in pattern.range(i) {
            let block = matrix.block(i, pattern.columns()[k] as usize);
            full.values[k] = block.map(|b| b + 0.1 * scale * r());
        }
    }
    full
}

#[test]
fn every_solver_in_every_order_agrees_with_dense_elimination() {
    for (seed, cells) in [(1, [4, 3, 5]), (2, [2, 2, 2]), (3, [9, 1, 2])] {
        let system = tetrahedra(cells, 0.01, 0.2, seed);
        let definite = elasticity(&system, 1.0, 1e-4);
        let shifted = indefinite(&definite);
        let general = unsymmetric(&system, &definite);
        let b = random_vector(definite.rows(), seed + 5);
        let exact = [&definite, &shifted, &general].map(|m| dense_solve(m, &b));
        for ordering in OrderingName::ALL {
            let check = |solver: &mut dyn BlockSolver, matrix, exact: &[Vec3]| {
                let x = solution(solver, &system, matrix, &b).unwrap();
                let error = distance(&x, exact);
                assert!(error < 1e-11, "{} with {ordering}: {error:.1e}", solver.name());
            };
            check(&mut Cholesky::new(ordering), &definite, &exact[0]);
            check(&mut Ldlt::new(ordering), &definite, &exact[0]);
            check(&mut Ldlt::new(ordering), &shifted, &exact[1]);
            check(&mut Lu::new(ordering), &definite, &exact[0]);
            check(&mut Lu::new(ordering), &shifted, &exact[1]);
            check(&mut Lu::new(ordering), &general, &exact[2]);
        }
    }
}

/// Negative eigenvalues of a symmetric matrix by its leading minors: pivots of an elimination in the given order.
fn negative_eigenvalues(matrix: &BlockMatrix) -> usize {
    let (n, mut a) = (3 * matrix.rows(), matrix.to_dense());
    for k in 0..n {
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= f * a[k * n + j];
            }
        }
    }
    (0..n).filter(|k| a[k * n + k] < 0.0).count()
}

#[test]
fn ldlt_counts_negative_eigenvalues() {
    for (seed, cells) in [(1, [4, 3, 5]), (2, [2, 2, 2]), (3, [9, 1, 2])] {
        let system = tetrahedra(cells, 0.01, 0.2, seed);
        let definite = elasticity(&system, 1.0, 1e-4);
        let shifted = indefinite(&definite);
        let expected = negative_eigenvalues(&shifted);
        assert!(expected > 0 && negative_eigenvalues(&definite) == 0);
        for ordering in OrderingName::ALL {
            let mut solver = Ldlt::new(ordering);
            solver.analyze(definite.pattern(), &system.layout()).unwrap();
            assert_eq!(solver.negative_pivots(), None);
            for (matrix, count) in [(&definite, 0), (&shifted, expected)] {
                solver.factor(matrix).unwrap();
                assert_eq!(solver.negative_pivots(), Some(count), "{ordering}");
            }
        }
    }
}

#[test]
fn a_new_matrix_of_the_same_pattern_needs_no_new_analysis() {
    let system = tetrahedra([5, 2, 2], 0.01, 0.1, 4);
    let (first, second) = (elasticity(&system, 1.0, 1e-4), elasticity(&system, 1.0, 1e-2));
    let b = random_vector(first.rows(), 1);
    let mut x = vec![[0.0; 3]; b.len()];
    let solvers: [&mut dyn BlockSolver; 3] = [
        &mut Cholesky::new(OrderingName::Metis),
        &mut Ldlt::new(OrderingName::Amd),
        &mut Lu::new(OrderingName::Amd),
    ];
    for solver in solvers {
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        for matrix in [&first, &second, &first] {
            solver.factor(matrix).unwrap();
            solver.solve(matrix, &b, &mut x).unwrap();
            let error = distance(&x, &dense_solve(matrix, &b));
            assert!(error < 1e-10, "{}: {error:.1e}", solver.name());
        }
    }
}

#[test]
fn several_right_hand_sides_at_once_give_the_bits_of_one_after_the_other() {
    let system = tetrahedra([6, 3, 3], 0.01, 0.1, 4);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let mut solver = Cholesky::new(OrderingName::Metis);
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    solver.factor(&matrix).unwrap();
    let b: Vec<Vec<Vec3>> = (0..19).map(|k| random_vector(matrix.rows(), k)).collect();
    let mut many = vec![vec![[0.0; 3]; matrix.rows()]; b.len()];
    let reports = solver.solve_many(&matrix, &b, &mut many).unwrap();
    assert_eq!(reports.len(), b.len());
    for (b, many) in b.iter().zip(&many) {
        let mut one = vec![[0.0; 3]; matrix.rows()];
        solver.solve(&matrix, b, &mut one).unwrap();
        assert_eq!(&one, many);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Large enough for several tasks and for a front of several tiles.
    let system = tetrahedra([13, 13, 13], 0.01, 0.1, 2);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let b = random_vector(matrix.rows(), 9);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solver = Cholesky::new(OrderingName::Metis);
            let x = solution(&mut solver, &system, &matrix, &b).unwrap();
            let statistics = solver.statistics().unwrap();
            assert!(statistics.tasks > 8 && statistics.widest > 520, "{statistics:?}");
            x
        })
    };
    let one = run(1);
    for threads in [2, 3, 7] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_pivot_that_is_not_positive_is_told_with_its_vertex_and_axis() {
    let system = tetrahedra([6, 2, 2], 0.01, 0.1, 4);
    let mut matrix = elasticity(&system, 1.0, 1e-4);
    let d = matrix.block(17, 17)[4];
    matrix.add(17, 17, &[0.0, 0.0, 0.0, 0.0, -3.0 * d, 0.0, 0.0, 0.0, 0.0]);
    for ordering in OrderingName::ALL {
        let mut solver = Cholesky::new(ordering);
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        match solver.factor(&matrix).unwrap_err() {
            SolverError::NotPositiveDefinite { vertex: 17, axis: 1, pivot } => {
                assert!(pivot < -d && pivot > -4.0 * d, "{ordering}: {pivot} beside {d}");
            }
            other => panic!("{ordering}: {other}"),
        }
        let mut x = vec![[0.0; 3]; matrix.rows()];
        let unsolved = solver.solve(&matrix, &vec![[1.0; 3]; matrix.rows()], &mut x).unwrap_err();
        assert!(unsolved.to_string().contains("factor the matrix first"), "{unsolved}");
    }
}

#[test]
fn a_floating_body_is_told_to_be_one() {
    let system = tetrahedra([6, 3, 3], 0.01, 0.1, 4);
    let matrix = elasticity(&system, 0.0, 1.0);
    let solvers: [&mut dyn BlockSolver; 3] = [
        &mut Cholesky::new(OrderingName::Metis),
        &mut Ldlt::new(OrderingName::Metis),
        &mut Lu::new(OrderingName::Metis),
    ];
    for solver in solvers {
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        let error = solver.factor(&matrix).unwrap_err();
        assert!(matches!(error, SolverError::Singular { .. }), "{}: {error}", solver.name());
        let told = error.to_string();
        assert!(told.contains("six rigid modes") && told.contains("fix three vertices"), "{told}");
    }
    // Without positions, from the translations alone.
    let mut solver = Cholesky::new(OrderingName::Amd);
    solver.analyze(&system.pattern, &Layout::default()).unwrap();
    assert!(solver.factor(&matrix).unwrap_err().to_string().contains("six rigid modes"));
}

#[test]
fn a_hinge_is_told_from_a_floating_body() {
    // Two vertices held: turning about the line through them stays free.
    let system = tetrahedra([4, 2, 2], 0.01, 0.0, 4);
    let mut matrix = elasticity(&system, 0.0, 1.0);
    let stiff = 1e3 * matrix.block(0, 0)[0];
    for v in [0, 1] {
        matrix.add(v, v, &[stiff, 0.0, 0.0, 0.0, stiff, 0.0, 0.0, 0.0, stiff]);
    }
    let mut solver = Cholesky::new(OrderingName::Amd);
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    let error = solver.factor(&matrix).unwrap_err();
    assert!(!error.to_string().contains("six rigid modes"), "{error}");
    assert!(
        matches!(error, SolverError::Singular { .. } | SolverError::NotPositiveDefinite { .. }),
        "{error}"
    );
}

#[test]
fn input_that_cannot_be_served_is_an_error_that_says_why() {
    let system = tetrahedra([2, 2, 2], 0.01, 0.1, 4);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let n = matrix.rows();
    let b = vec![[1.0; 3]; n];
    let mut x = b.clone();
    let solvers: [&mut dyn BlockSolver; 3] = [
        &mut Cholesky::new(OrderingName::Metis),
        &mut Ldlt::new(OrderingName::Metis),
        &mut Lu::new(OrderingName::Metis),
    ];
    for solver in solvers {
        let told = |r: Result<_, SolverError>| r.map(|_| ()).unwrap_err().to_string();
        assert!(told(solver.factor(&matrix).map(|()| 0)).contains("analyze the pattern first"));
        let empty = Arc::new(Pattern::symmetric(0, |_| {}).unwrap());
        let empty = solver.analyze(&empty, &Layout::default()).unwrap_err().to_string();
        assert!(empty.contains("empty"), "{empty}");
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        assert!(told(solver.solve(&matrix, &b, &mut x).map(|_| 0)).contains("factor"));

        let mut bad = matrix.clone();
        let slot = bad.pattern().range(7).start + 1;
        bad.values[slot][3] = f64::NAN;
        assert_eq!(
            solver.factor(&bad),
            Err(SolverError::NotFinite { what: "a matrix block", vertex: 7 })
        );
        let mut skew = matrix.clone();
        skew.add(5, 5, &[0.0, 0.5 * matrix.block(5, 5)[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let skew = solver.factor(&skew).unwrap_err().to_string();
        assert!(skew.contains("vertex 5 is not symmetric"), "{skew}");

        let mut zero = matrix.clone();
        for i in 0..n {
            for k in zero.pattern().range(i) {
                if i == 4 || zero.pattern().columns()[k] == 4 {
                    zero.values[k] = [0.0; 9];
                }
            }
        }
        let zero = solver.factor(&zero).unwrap_err();
        assert!(
            matches!(zero, SolverError::Singular { vertex: 4, .. }),
            "{}: {zero}",
            solver.name()
        );
        assert!(zero.to_string().contains("row is zero"), "{zero}");

        solver.factor(&matrix).unwrap();
        let short = told(solver.solve(&matrix, &b[1..], &mut x).map(|_| 0));
        assert!(short.contains(&format!("{}", n - 1)), "{short}");
        let mut nan = b.clone();
        nan[3][2] = f64::INFINITY;
        assert_eq!(
            solver.solve(&matrix, &nan, &mut x),
            Err(SolverError::NotFinite { what: "the right-hand side", vertex: 3 })
        );
        let other = elasticity(&tetrahedra([2, 2, 3], 0.01, 0.1, 4), 1.0, 1e-4);
        let other = solver.factor(&other).unwrap_err().to_string();
        assert!(other.contains("pattern that was analyzed"), "{other}");
        let report = {
            solver.factor(&matrix).unwrap();
            solver.solve(&matrix, &vec![[0.0; 3]; n], &mut x).unwrap()
        };
        assert_eq!(report.reason, StopReason::ZeroRightHandSide);
        assert!(x.iter().all(|x| *x == [0.0; 3]));
    }
}

#[test]
fn memory_is_known_before_it_is_taken() {
    let system = tetrahedra([4, 4, 4], 0.01, 0.1, 4);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let mut solver = Cholesky::new(OrderingName::Metis);
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    let statistics = solver.statistics().unwrap();
    solver.factor(&matrix).unwrap();
    assert_eq!(solver.memory() as u64, statistics.memory);
    let mut tight = Cholesky::new(OrderingName::Metis).with_memory_limit(statistics.memory - 1);
    assert_eq!(
        tight.analyze(&system.pattern, &system.layout()),
        Err(SolverError::Memory { needed: statistics.memory, available: statistics.memory - 1 })
    );
}

#[test]
fn pieces_that_are_not_connected_are_solved_together() {
    // Vertex 0 alone, two bars, and numbers that run across both.
    let bar = tetrahedra([5, 1, 1], 0.01, 0.1, 4);
    let m = bar.positions.len() as u32;
    let elements: Vec<u32> = bar
        .elements
        .chunks_exact(4)
        .flat_map(|t| [1, 2].map(|side| t.iter().map(move |v| 2 * v + side)))
        .flatten()
        .collect();
    let mut positions = vec![[1.0; 3]];
    for p in &bar.positions {
        positions.extend([*p, vec3::add(*p, [0.0, 1.0, 0.0])]);
    }
    let pattern = Pattern::symmetric(2 * m as usize + 1, |couple| {
        for t in elements.chunks_exact(4) {
            for (i, j) in t.iter().flat_map(|i| t.iter().map(move |j| (*i, *j))) {
                couple(i, j);
            }
        }
    });
    let system = System { positions, elements, nodes: 4, pattern: Arc::new(pattern.unwrap()) };
    let mut matrix = elasticity(&system, 1.0, 1e-4);
    matrix.add(0, 0, &[2.0, 0.5, 0.0, 0.5, 3.0, 0.0, 0.0, 0.0, 4.0]);
    let b = random_vector(matrix.rows(), 2);
    let exact = dense_solve(&matrix, &b);
    for ordering in OrderingName::ALL {
        let x = solution(&mut Cholesky::new(ordering), &system, &matrix, &b).unwrap();
        assert!(distance(&x, &exact) < 1e-11, "{ordering}");
    }
}

#[test]
fn statistics_count_the_entries_of_the_factor() {
    let system = hexahedra([5, 4, 3]);
    for ordering in OrderingName::ALL {
        let mut solver = Cholesky::new(ordering);
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        let statistics = solver.statistics().unwrap();
        let blocks = factor_pattern(&system.pattern, solver.order().unwrap()).unwrap();
        // By the definition of fill: eliminating a vertex couples all its later neighbours.
        let order = solver.order().unwrap();
        let n = order.len();
        let mut place = vec![0; n];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new;
        }
        let mut dense = vec![false; n * n];
        for i in 0..n {
            for &j in system.pattern.row(i) {
                let (a, b) = (place[i], place[j as usize]);
                dense[a.max(b) * n + a.min(b)] = true;
            }
        }
        for k in 0..n {
            for i in (k + 1..n).filter(|i| dense[i * n + k]).collect::<Vec<_>>() {
                for j in (k + 1..=i).filter(|j| dense[j * n + k]).collect::<Vec<_>>() {
                    dense[i * n + j] = true;
                }
            }
        }
        let expected: Vec<(u32, u32)> =
            (0..n * n).filter(|&k| dense[k]).map(|k| ((k / n) as u32, (k % n) as u32)).collect();
        assert_eq!(blocks, expected, "{ordering}");
        assert_eq!(statistics.nonzeros, (9 * blocks.len() - 3 * n) as u64, "{ordering}");
        assert!(statistics.stored >= statistics.nonzeros, "{ordering}: {statistics:?}");
    }
    let error = factor_pattern(&system.pattern, &[0, 0, 1]).unwrap_err();
    assert!(error.to_string().contains("no permutation"), "{error}");
}
