//! What solvers keep from matrix to matrix is written and read: the solver that reads it gives the bits of the one
//! that wrote it.

use crate::iterative_common;

use iterative_common::{Body, random_vector};
use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;
use pliant_solvers::direct::{Cholesky, CholeskySingle, Ldlt, Lu};
use pliant_solvers::iterative::{
    Bicgstab, Cg, EisenstatCg, Gmres, Minres, Multigrid, MultigridOptions, PreconditionerName,
    Settings,
};
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{Auto, BlockSolver, SolverError};

type Make<'a> = &'a dyn Fn() -> Box<dyn BlockSolver>;

fn solve(solver: &mut dyn BlockSolver, matrix: &BlockMatrix, seed: u64) -> (Vec<Vec3>, usize) {
    let b = random_vector(matrix.rows(), seed);
    let mut x = vec![[0.0; 3]; b.len()];
    let report = solver.solve(matrix, &b, &mut x).unwrap();
    (x, report.iterations)
}

/// All matrices but the last, a checkpoint, a solve with the last of these, and the last one. Returns the note at the
/// end.
fn check(name: &str, body: &Body, matrices: &[BlockMatrix], make: Make<'_>) -> Option<String> {
    let [before @ .., third] = matrices else { panic!("no matrix") };
    let second = before.last().unwrap();
    let mut solver = make();
    solver.analyze(&body.pattern, &body.layout()).unwrap();
    solver.set_tolerance(1e-6);
    for matrix in before {
        solver.factor(matrix).unwrap();
        solve(&mut *solver, matrix, 1);
    }
    let mut sections = Sections::new();
    solver.save(&mut sections);
    let sections = Sections::from_bytes(&sections.to_bytes()).unwrap();
    let note = solver.note();
    let again = solve(&mut *solver, second, 2);
    solver.factor(third).unwrap();
    let expected = solve(&mut *solver, third, 3);

    for kept in [Some(second), None] {
        let mut other = make();
        other.analyze(&body.pattern, &body.layout()).unwrap();
        other.load(&sections, kept).unwrap();
        if kept.is_some() {
            assert_eq!(other.note(), note, "{name}");
            assert!(solve(&mut *other, second, 2) == again, "{name}: with the factor of before");
        }
        other.factor(third).unwrap();
        assert!(solve(&mut *other, third, 3) == expected, "{name}: with the next matrix");
        assert_eq!(other.note(), solver.note(), "{name}");
        assert_eq!(other.chosen(), solver.chosen(), "{name}");
        assert_eq!(other.name(), solver.name());
    }
    solver.note()
}

/// Steps that grow: other solvers are chosen, other blocks kept and other vertices gathered from each of them.
fn growing(body: &Body) -> [BlockMatrix; 3] {
    [0.004, 0.02, 0.1].map(|h| body.implicit(h))
}

#[test]
fn every_preconditioner_goes_on() {
    let body = Body::box_of([8, 5, 5]);
    let matrices = growing(&body);
    for &name in PreconditionerName::ALL {
        check(name.name(), &body, &matrices, &|| name.cg(Settings::default()).unwrap());
    }
    let few = MultigridOptions { coarsest: 3, ..MultigridOptions::default() };
    let note = check("multigrid of many levels", &body, &matrices, &|| {
        Box::new(Cg::new(Box::new(Multigrid::new(few)), Settings::default()))
    });
    assert!(note.is_some_and(|note| note.matches(',').count() >= 2));
}

#[test]
fn every_solver_goes_on() {
    let body = Body::box_of([5, 3, 3]);
    let matrices = growing(&body);
    let settings = Settings::default();
    let near = || PreconditionerName::BlockDiagonal.build();
    let makes: [(&str, Make<'_>); 9] = [
        ("cholesky", &|| Box::new(Cholesky::new(OrderingName::Metis))),
        ("cholesky-single", &|| Box::new(CholeskySingle::new(OrderingName::Metis, 1e-9))),
        ("ldlt", &|| Box::new(Ldlt::new(OrderingName::Metis))),
        ("lu", &|| Box::new(Lu::new(OrderingName::Metis))),
        ("minres", &|| Box::new(Minres::new(near(), settings))),
        ("bicgstab", &|| Box::new(Bicgstab::new(near(), settings))),
        ("gmres", &|| Box::new(Gmres::new(near(), settings))),
        ("eisenstat", &|| Box::new(EisenstatCg::new(1.2, settings).unwrap())),
        ("auto", &|| Box::new(Auto::new(settings))),
    ];
    for (name, make) in makes {
        check(name, &body, &matrices, make);
    }
}

#[test]
fn what_auto_has_chosen_it_does_not_choose_again() {
    let body = Body::box_of([5, 3, 3]);
    let auto: Make<'_> = &|| Box::new(Auto::new(Settings::default()));
    let [short, _, long] = growing(&body);
    let note = check("short", &body, &[short.clone(), short.clone(), long.clone()], auto);
    let note = note.unwrap();
    // Of the first matrix; the last one alone would have another.
    let mut alone = auto();
    alone.analyze(&body.pattern, &body.layout()).unwrap();
    alone.factor(&long).unwrap();
    assert_ne!(alone.note(), Some(note.clone()), "{note}");
    let mut indefinite = long.clone();
    for (i, m) in body.mass.iter().enumerate() {
        let less = -50.0 * m;
        indefinite.add(i as u32, i as u32, &[less, 0.0, 0.0, 0.0, less, 0.0, 0.0, 0.0, less]);
    }
    // LDLᵀ for one indefinite matrix, the first choice for the next.
    let once = [short.clone(), indefinite.clone(), long.clone()];
    assert_eq!(check("once", &body, &once, auto), Some(note.clone()));
    // Where the first choice fails again at once, LDLᵀ is kept for two matrices before it returns.
    let mut twice = vec![short.clone(), indefinite.clone(), indefinite, long];
    let kept = check("twice", &body, &twice, auto).unwrap();
    assert!(kept.starts_with("ldlt: "), "{kept}");
    twice.push(short);
    assert_eq!(check("returned", &body, &twice, auto), Some(note.clone()));
    // The first choice, LDLᵀ where it failed and while it stood in, and the first choice again.
    let mut solver = auto();
    solver.analyze(&body.pattern, &body.layout()).unwrap();
    solver.set_tolerance(1e-6);
    for matrix in &twice {
        solver.factor(matrix).unwrap();
        solve(&mut *solver, matrix, 1);
    }
    let taken = solver.chosen().unwrap();
    let first = note.split(':').next().unwrap();
    assert_eq!((taken.method().as_str(), taken.changes), (first, 4), "{taken:?}");
    let ldlt = taken.matrices.iter().find(|(name, _)| name == "ldlt with metis").unwrap();
    assert_eq!(ldlt.1, 3, "{taken:?}");
    assert!(taken.text().contains("changed over 4 times"), "{}", taken.text());
}

/// What iterations have cost so far is kept: those of the run that goes on end with the same matrix.
#[test]
fn auto_ends_iterations_at_the_same_matrix_after_a_checkpoint() {
    let body = Body::box_of([60, 2, 2]);
    let (short, long) = (body.implicit(0.001), body.implicit(0.2));
    let matrices: Vec<_> = std::iter::once(&short).chain([&long; 8]).collect();
    let start = || {
        let mut solver = Auto::new(Settings::default());
        solver.analyze(&body.pattern, &body.layout()).unwrap();
        solver
    };
    let go_on = |solver: &mut Auto, matrices: &[&BlockMatrix]| -> Vec<(String, Vec<Vec3>)> {
        let each = |matrix: &&BlockMatrix| {
            solver.factor(matrix).unwrap();
            let (x, _) = solve(solver, matrix, 1);
            (solver.why().to_owned(), x)
        };
        matrices.iter().map(each).collect()
    };
    let mut solver = start();
    solver.set_tolerance(1e-6);
    let expected = go_on(&mut solver, &matrices);
    assert!(expected[1].0.starts_with("cg with"), "{}", expected[1].0);
    assert!(expected[8].0.starts_with("cg with stale-cholesky: iterations"), "{}", expected[8].0);
    for split in 1..matrices.len() {
        let mut first = start();
        first.set_tolerance(1e-6);
        go_on(&mut first, &matrices[..split]);
        let mut sections = Sections::new();
        first.save(&mut sections);
        let mut second = start();
        second.load(&sections, None).unwrap();
        assert!(go_on(&mut second, &matrices[split..]) == expected[split..], "split at {split}");
    }
}

/// Three matrices in a row that need more digits: numbers of four bytes are not tried again.
#[test]
fn cholesky_single_remembers_how_often_it_has_failed() {
    let body = Body::box_of([5, 3, 3]);
    let afloat = |mass: f64| {
        let mut matrix = body.stiffness.clone();
        for (i, m) in body.mass.iter().enumerate() {
            let m = mass * m;
            matrix.add(i as u32, i as u32, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
        }
        matrix
    };
    let make: Make<'_> = &|| Box::new(CholeskySingle::new(OrderingName::Metis, 1e-9));
    let hard = afloat(1e-3);
    let note = check("once", &body, &[hard.clone(), hard.clone(), afloat(1e5)], make);
    assert_eq!(note, None);
    let thrice = [hard.clone(), hard.clone(), hard, afloat(1e5)];
    let note = check("thrice", &body, &thrice, make);
    assert!(note.is_some_and(|note| note.contains("double")));
}

#[test]
fn sections_of_another_solver_are_refused() {
    let body = Body::box_of([2, 2, 2]);
    let settings = Settings::default();
    let mut solver = PreconditionerName::Multigrid.cg(settings).unwrap();
    solver.analyze(&body.pattern, &body.layout()).unwrap();
    solver.factor(&body.implicit(0.01)).unwrap();
    let mut sections = Sections::new();
    solver.save(&mut sections);
    for name in [PreconditionerName::Ict, PreconditionerName::StaleCholesky] {
        let mut other = name.cg(settings).unwrap();
        other.analyze(&body.pattern, &body.layout()).unwrap();
        let error = other.load(&sections, None).unwrap_err();
        assert!(matches!(error, SolverError::Checkpoint(_)), "{error}");
        assert!(error.to_string().contains(&format!("'{}' is missing", name.name())), "{error}");
    }
    // The same solver on another body.
    let larger = Body::box_of([3, 2, 2]);
    solver.analyze(&larger.pattern, &larger.layout()).unwrap();
    let error = solver.load(&sections, None).unwrap_err().to_string();
    assert!(error.contains("'multigrid' has the wrong length: 125 entries, 175 needed"), "{error}");
}
