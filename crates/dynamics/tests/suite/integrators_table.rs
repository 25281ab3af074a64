//! The table of all integrators in the book: what theory says, and what the code does.
//!
//! `PLIANT_WRITE_BOOK=1 cargo test -p pliant-dynamics --test suite integrators_table` writes it into the book;
//! without that, the book is compared with what is measured.

use crate::common;

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::Path;

use common::complex::{Complex, largest_root};
use common::point::Spring;
use common::spinning::{KEEP_ANGULAR_MOMENTUM, drift};
use common::strict;
use common::swinging::{Motions, PLAIN, observed, reference};
use pliant_dynamics::integrators::{
    AMF_RK32, DORMAND_PRINCE_5, DORMAND_PRINCE_853, EXPLICIT_MIDPOINT, FORWARD_EULER, RK4,
    ROSENBROCK2, ROSENBROCK4_GRK4A, ROSENBROCK4_GRK4T, ROSENBROCK4_LSTABLE, ROSENBROCK4_SHAMPINE,
    ROSENBROCK4_VELDHUIZEN_B, ROSENBROCK4_VELDHUIZEN_D, RosenbrockTable, THREE_EIGHTHS, Tableau,
};
use pliant_dynamics::{Acting, IntegratorName, Mass, NewtonSettings, Options, Role, State, System};

use IntegratorName as I;

/// Steps of the first run of five, such that errors are small but not lost in rounding.
fn first_steps(name: I) -> usize {
    match name {
        I::ForwardEuler => 800,
        I::SymplecticEuler | I::BackwardEuler | I::Bdf1 => 200,
        I::ExplicitNewmark => 120,
        I::ExplicitMidpoint | I::Rkc2 | I::Rock2 => 80,
        I::Rosenbrock4Grk4a => 50,
        I::Rk4 | I::ThreeEighths | I::Bdf4 | I::Bdf5 => 40,
        I::ImplicitMidpoint
        | I::Trapezoidal
        | I::Newmark
        | I::GeneralizedAlpha
        | I::Rosenbrock4Grk4t
        | I::Rosenbrock4VeldhuizenD => 30,
        I::DormandPrince5 => 16,
        I::Bdf6 => 15,
        I::DormandPrince853 => 4,
        _ => 60,
    }
}

/// The order seen over the last of four halvings; over the last but one where rounding hides the last.
fn order(name: I, reference: &Motions) -> f64 {
    let orders = observed(name, first_steps(name), PLAIN, reference);
    let last = if name == I::DormandPrince853 { 2 } else { 3 };
    let theory = name.build(&strict()).unwrap().order() as f64;
    assert!((orders[last] - theory).abs() < 0.1, "{}: {orders:.3?}", name.name());
    orders[last]
}

/// What theory knows of a vibration under steps of y = h ω: the polynomial whose roots multiply it in every
/// step, lowest coefficient first.
enum Theory {
    /// Its polynomial.
    Roots(Vec<Complex>),
    /// Every vibration grows.
    Grows,
    /// None grows, as the method cuts its steps.
    CutsItsSteps,
}

fn theory(name: I, y: f64) -> Theory {
    let real = |c: &[f64]| Theory::Roots(c.iter().map(|&c| Complex(c, 0.0)).collect());
    let bdf = |k: i32| {
        // Σⱼ (1 − 1/ζ)ʲ / j = i y, times ζᵏ.
        let mut sum = vec![Complex(0.0, 0.0); k as usize + 1];
        sum[k as usize].1 = -y;
        for j in 1..=k {
            for (i, c) in binomial(j).into_iter().enumerate() {
                sum[k as usize - i].0 += c * (-1.0_f64).powi(i as i32) / f64::from(j);
            }
        }
        Theory::Roots(sum)
    };
    match name {
        I::ForwardEuler => explicit(&FORWARD_EULER, y),
        I::ExplicitMidpoint => explicit(&EXPLICIT_MIDPOINT, y),
        I::Rk4 => explicit(&RK4, y),
        I::ThreeEighths => explicit(&THREE_EIGHTHS, y),
        I::DormandPrince5 => explicit(&DORMAND_PRINCE_5.method, y),
        I::DormandPrince853 => explicit(&DORMAND_PRINCE_853.method, y),
        // x₊ − 2x + x₋ = −y² x
        I::SymplecticEuler | I::Verlet | I::CentralDifferences => real(&[1.0, y * y - 2.0, 1.0]),
        // Order 2 with the shortest error term: see `imaginary_interval`.
        I::Rkc2 | I::Rock2 => Theory::Grows,
        I::ExplicitNewmark => Theory::CutsItsSteps,
        I::BackwardEuler | I::Bdf1 => bdf(1),
        I::Bdf2 => bdf(2),
        I::Bdf3 => bdf(3),
        I::Bdf4 => bdf(4),
        I::Bdf5 => bdf(5),
        I::Bdf6 => bdf(6),
        // ζ (1 − iy/2) = 1 + iy/2
        I::ImplicitMidpoint | I::Trapezoidal | I::Newmark => {
            Theory::Roots(vec![Complex(-1.0, -0.5 * y), Complex(1.0, -0.5 * y)])
        }
        I::GeneralizedAlpha => real(&generalized_alpha(Options::default().spectral_radius, y)),
        I::Rosenbrock2 => rosenbrock(&ROSENBROCK2, y),
        I::AmfRk32 => rosenbrock(&AMF_RK32, y),
        I::Rosenbrock4Lstable => rosenbrock(&ROSENBROCK4_LSTABLE, y),
        I::Rosenbrock4Shampine => rosenbrock(&ROSENBROCK4_SHAMPINE, y),
        I::Rosenbrock4Grk4t => rosenbrock(&ROSENBROCK4_GRK4T, y),
        I::Rosenbrock4Grk4a => rosenbrock(&ROSENBROCK4_GRK4A, y),
        I::Rosenbrock4VeldhuizenD => rosenbrock(&ROSENBROCK4_VELDHUIZEN_D, y),
        I::Rosenbrock4VeldhuizenB => rosenbrock(&ROSENBROCK4_VELDHUIZEN_B, y),
        I::QuasiStatic => unreachable!("knows no vibrations"),
    }
}

fn binomial(n: i32) -> Vec<f64> {
    let next = |c: &f64, k: i32| c * f64::from(n - k) / f64::from(k + 1);
    (0..n).fold(vec![1.0], |mut row, k| {
        row.push(next(&row[k as usize], k));
        row
    })
}

/// ζ = R(iy), the stability polynomial.
fn explicit(table: &Tableau, y: f64) -> Theory {
    let terms = table.stability_polynomial();
    let r = terms.iter().rev().fold(Complex(0.0, 0.0), |sum, &c| {
        let Complex(a, b) = sum;
        Complex(c - b * y, a * y)
    });
    Theory::Roots(vec![Complex(-r.0, -r.1), Complex(1.0, 0.0)])
}

/// ζ (1 − γz)ˢ = P(z) for order s with s stages, P the first terms of (1 − γz)ˢ eᶻ.
fn rosenbrock(table: &RosenbrockTable, y: f64) -> Theory {
    let s = table.order as i32;
    let choose = binomial(s);
    let factorial = |k: i32| (1..=k).map(f64::from).product::<f64>();
    let (mut p, mut q) = (Complex(0.0, 0.0), Complex(0.0, 0.0));
    let mut z = Complex(1.0, 0.0);
    for j in 0..=s {
        let term = |k: i32| choose[k as usize] * (-table.gamma).powi(k) / factorial(j - k);
        let own = choose[j as usize] * (-table.gamma).powi(j);
        let sum: f64 = (0..=j).map(term).sum();
        p = Complex(p.0 + sum * z.0, p.1 + sum * z.1);
        q = Complex(q.0 + own * z.0, q.1 + own * z.1);
        z = Complex(-y * z.1, y * z.0);
    }
    Theory::Roots(vec![Complex(-p.0, -p.1), q])
}

/// Chung and Hulbert's method on x″ = −y² x with steps of 1.
fn generalized_alpha(rho: f64, y: f64) -> [f64; 4] {
    let (am, af) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
    let gamma = 0.5 - am + af;
    let beta = 0.25 * (1.0 - am + af) * (1.0 - am + af);
    let product =
        |[a, b]: [f64; 2], [c, d, e]: [f64; 3]| [a * c, a * d + b * c, a * e + b * d, b * e];
    let inertia = product([am, 1.0 - am], [1.0, -2.0, 1.0]);
    let force = [0.5 + beta - gamma, 0.5 - 2.0 * beta + gamma, beta];
    let force = product([af, 1.0 - af], force);
    std::array::from_fn(|k| inertia[k] + y * y * force[k])
}

/// A vibration of a frequency along two axes, once from x = 1 and once from v = 1.
fn vibration(frequency: f64) -> (System, State) {
    let spring = Box::new(Spring::new([frequency * frequency; 3]));
    let system = System::new(&[[0.0; 3]], [Acting::new(Role::Elastic, spring)]).unwrap();
    let state = State::new(&[[1.0, 0.0, 0.0]], &[[0.0, 1.0, 0.0]], 0.0);
    (system.with_mass(Mass::Lumped(vec![1.0])).unwrap(), state)
}

/// One iteration of Newton is exact here, but for rounding, which grows with the square of h ω: positions
/// are summed up from predictions that are as much too large.
fn rounded_to(force_tolerance: f64) -> Options {
    let newton = NewtonSettings { force_tolerance, ..strict().newton };
    Options { newton, ..strict() }
}

/// Brings a state to size 1, which changes nothing where all is linear; the size it had.
fn rescale(state: &mut State) -> f64 {
    let size = state.x[0].iter().chain(&state.v[0]).fold(0.0, |m: f64, c| m.max(c.abs()));
    let past = state.past.iter_mut().flat_map(|p| p.x.iter_mut().chain(&mut p.v));
    for vector in state.x.iter_mut().chain(&mut state.v).chain(&mut state.a).chain(past) {
        *vector = vector.map(|c| c / size);
    }
    size
}

/// Whether a step depends on more than positions and velocities.
fn remembers(name: I) -> bool {
    name == I::GeneralizedAlpha || (name.name().starts_with("bdf") && name != I::Bdf1)
}

/// The matrix of one step for (x, v), once what is remembered has settled.
fn step_matrix(name: I, y: f64) -> [[f64; 2]; 2] {
    let (mut system, mut state) = vibration(1.0);
    let mut integrator = name.build(&rounded_to(1e-10)).unwrap();
    for _ in 0..if remembers(name) { 150 } else { 0 } {
        integrator.step(&mut system, &mut state, y).unwrap();
        rescale(&mut state);
    }
    let columns = |s: &State| [[s.x[0][0], s.x[0][1]], [s.v[0][0], s.v[0][1]]];
    let before = columns(&state);
    integrator.step(&mut system, &mut state, y).unwrap();
    let after = columns(&state);
    let [[a, b], [c, d]] = before;
    let determinant = a * d - b * c;
    let inverse = [[d, -b], [-c, a]].map(|row| row.map(|x| x / determinant));
    after.map(|row| [0, 1].map(|k| row[0] * inverse[0][k] + row[1] * inverse[1][k]))
}

/// By how much the larger of the two motions of a matrix grows.
fn radius([[a, b], [c, d]]: [[f64; 2]; 2]) -> f64 {
    let (half, determinant) = (0.5 * (a + d), a * d - b * c);
    let square = half * half - determinant;
    if square < 0.0 { determinant.sqrt() } else { half.abs() + square.sqrt() }
}

/// The steps y = h ω at which vibrations grow: from where to where.
fn grows(radius: impl Fn(f64) -> f64) -> String {
    let grows = |y: f64| radius(y) > 1.0 + 1e-9;
    let edge = |mut low: f64, mut high: f64| {
        let below = grows(low);
        for _ in 0..20 {
            let middle = (low * high).sqrt();
            if grows(middle) == below { low = middle } else { high = middle }
        }
        two_digits(low)
    };
    let steps: Vec<f64> = (0..70).map(|k| 0.2 * 1.1_f64.powi(k)).collect();
    let flags: Vec<bool> = steps.iter().map(|&y| grows(y)).collect();
    let edges: Vec<usize> = (1..70).filter(|&k| flags[k] != flags[k - 1]).collect();
    let at = |k: usize| edge(steps[k - 1], steps[k]);
    match (flags[0], edges.as_slice()) {
        (false, []) => "none".into(),
        (true, []) => "all".into(),
        (false, [from]) => format!("above {}", at(*from)),
        (true, [to]) => format!("below {}", at(*to)),
        (false, [from, to]) => format!("{} to {}", at(*from), at(*to)),
        _ => panic!("more than one range: {edges:?}"),
    }
}

/// The share by which fast vibrations are multiplied in a step; several roots may be of one size.
fn left_of_fast(name: I) -> f64 {
    let (mut system, mut state) = vibration(FAST);
    let mut integrator = name.build(&rounded_to(1e-6)).unwrap();
    let mut sum = 0.0;
    for step in 0..1000 {
        if let Err(error) = integrator.step(&mut system, &mut state, 1.0) {
            panic!("{} step {step}: {error}", name.name());
        }
        let size = rescale(&mut state);
        if size == 0.0 {
            return 0.0;
        }
        sum += if step < 500 { 0.0 } else { size.ln() };
    }
    (sum / 500.0).exp()
}

/// A frequency that steps of 1 s cannot resolve.
const FAST: f64 = 1e4;

/// Two digits, as people write them.
fn two_digits(x: f64) -> String {
    let digits = (1 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    format!("{x:.digits$}")
}

/// What becomes of the energy of a vibration over a period of 20 steps.
fn energy(name: I) -> String {
    let matrix = step_matrix(name, TAU / 20.0);
    let [[a, b], [c, d]] = matrix;
    let change = radius(matrix).powi(40) - 1.0;
    let turns = [a * a + c * c - 1.0, a * b + c * d, b * b + d * d - 1.0];
    let percent = 100.0 * change.abs();
    let percent = if percent < 1e-3 {
        format!("{percent:.0e} %")
    } else {
        format!("{} %", two_digits(percent))
    };
    if turns.iter().all(|t| t.abs() < 1e-13) {
        "kept".into()
    } else if change.abs() < 1e-12 {
        "kept on average".into()
    } else if change > 0.0 {
        format!("gains {percent}")
    } else {
        format!("loses {percent}")
    }
}

fn kind(name: I) -> &'static str {
    name.about().split(',').next().unwrap_or_default()
}

fn table() -> String {
    let reference = reference(PLAIN);
    let mut table = String::from(
        "| integrator | kind | order | seen | vibrations grow for hω | seen | left of hω = 10⁴ | seen | energy over a period of 20 steps | angular momentum over 100 steps |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    // A state of rest has neither order nor vibrations.
    for &name in I::ALL.iter().filter(|n| **n != I::QuasiStatic) {
        let order_seen = order(name, &reference);
        let theory_order = name.build(&strict()).unwrap().order();
        let expected = match theory(name, 1.0) {
            Theory::Grows => "all".into(),
            Theory::CutsItsSteps => "none".into(),
            Theory::Roots(_) => grows(|y| match theory(name, y) {
                Theory::Roots(p) => largest_root(&p),
                _ => unreachable!("is the same for every y"),
            }),
        };
        let seen = grows(|y| radius(step_matrix(name, y)));
        assert_eq!(expected, seen, "{}", name.name());
        let [fast, fast_seen] = if kind(name) == "explicit" {
            ["–".to_owned(), "–".to_owned()]
        } else {
            let Theory::Roots(p) = theory(name, FAST) else { unreachable!("explicit ones") };
            [largest_root(&p), left_of_fast(name)].map(|share| format!("{share:.2}"))
        };
        assert_eq!(fast, fast_seen, "{}", name.name());
        let (_, angular) = drift(name, 0.002, 100, false);
        let angular = if KEEP_ANGULAR_MOMENTUM.contains(&name) {
            assert!(angular < 1e-12, "{}: {angular}", name.name());
            "kept".into()
        } else if angular < 1e-12 {
            "off by less than 1e-12".into()
        } else {
            format!("off by {angular:.0e}")
        };
        writeln!(
            table,
            "| `{}` | {} | {theory_order} | {order_seen:.1} | {expected} | {seen} | {fast} | {fast_seen} | {} | {angular} |",
            name.name(),
            kind(name),
            energy(name),
        )
        .unwrap();
    }
    table
}

const BEGIN: &str = "<!-- made by crates/dynamics/tests/suite/integrators_table.rs -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_book_shows_the_integrators_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/dynamics.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page says where the table begins");
    let (shown, after) = rest.split_once(END).expect("the page says where the table ends");
    let made = format!("\n{}\n", table());
    if std::env::var_os("PLIANT_WRITE_BOOK").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
    } else {
        assert!(
            shown == made,
            "{} shows\n{shown}where the code gives\n{made}PLIANT_WRITE_BOOK=1 writes it anew",
            path.display()
        );
    }
}
