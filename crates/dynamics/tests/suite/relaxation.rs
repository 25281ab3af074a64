//! Dynamic relaxation on the rod of Nienhuys: the damping that it finds, against a scan (his table 4.4).

#[path = "../../examples/relaxation/rod.rs"]
mod rod;

use pliant_dynamics::{
    Damper, DynamicRelaxation, DynamicRelaxationSettings, NonlinearCg, NonlinearCgSettings,
    NonlinearSolver,
};
use rod::{LAWS, Law, Rest, Rod, mesh};

/// Steps to |r| = 10⁻⁴ of the weight, and the damping at the end, 1/s.
fn steps(law: Law, damper: Damper) -> (usize, f64) {
    let mut rod = Rod::new(&mesh([2, 1, 5]).unwrap(), law, 2e4).unwrap();
    let settings = DynamicRelaxationSettings {
        damper,
        masses: Some(rod.masses.clone()),
        force_tolerance: 1e-4,
        absolute_force: 0.0,
        max_iterations: 5000,
    };
    let mut solver = DynamicRelaxation::new(settings).unwrap();
    let mut x = rod.system.rest().to_vec();
    let report = solver.solve(&mut Rest::new(&mut rod, None), x.as_flattened_mut());
    (report.map_or(usize::MAX, |r| r.iterations), solver.damping())
}

#[test]
fn the_damping_that_is_found_is_near_the_best_of_a_scan() {
    for law in LAWS {
        let scan: Vec<(usize, f64)> = (0..13)
            .map(|k| 25.0 * 1.12_f64.powi(k))
            .map(|eta| (steps(law, Damper::Fixed(eta)).0, eta))
            .collect();
        let &(best, eta) = scan.iter().min_by_key(|s| s.0).unwrap();
        let (found, damping) = steps(law, Damper::Automatic);
        println!("{}: best {eta:.1}/s in {best}, found {damping:.1}/s in {found}", law.name);
        println!("    {scan:.1?}");
        assert!((damping / eta - 1.0).abs() < 0.3, "{}: {damping} for {eta}", law.name);
        assert!((found as f64) < 1.3 * best as f64, "{}: {found} for {best}", law.name);
    }
}

#[test]
fn kinetic_damping_needs_no_number_and_ends() {
    // Stops feed no fast mode: on the rod itself it takes no more than some times the steps of the best
    // damping.
    for law in LAWS {
        let (stops, _) = steps(law, Damper::Kinetic);
        let (found, _) = steps(law, Damper::Automatic);
        println!("{}: {stops} with stops, {found} with damping", law.name);
        assert!(stops < 4 * found, "{}: {stops} for {found}", law.name);
    }
}

#[test]
fn the_record_counts_operations_as_nienhuys_does() {
    let law = LAWS[2];
    let mut rod = Rod::new(&mesh([2, 1, 3]).unwrap(), law, 1e4).unwrap();
    let tets = rod.tets as f64;
    let mut x = rod.system.rest().to_vec();
    let mut problem = Rest::new(&mut rod, None);
    let settings = NonlinearCgSettings { force_tolerance: 1e-6, ..NonlinearCgSettings::default() };
    let mut solver = NonlinearCg::new(settings).unwrap();
    solver.solve(&mut problem, x.as_flattened_mut()).unwrap();
    let mut exact = problem.exact_at(x).unwrap();
    let mut x = rod.system.rest().to_vec();
    let mut problem = Rest::new(&mut rod, Some(&mut exact));
    let before = solver.counters().residuals;
    solver.solve(&mut problem, x.as_flattened_mut()).unwrap();
    let made = solver.counters().residuals - before;
    let last = problem.trace.last().unwrap();
    assert_eq!(problem.trace.len(), made);
    assert_eq!(last.flops, made as f64 * tets * law.force_flops);
    assert!(last.energy_error < 1e-9 * problem.trace[0].energy_error, "{last:?}");
}
