//! Small dense least squares: linear by Householder's reflections, nonlinear by Levenberg and Marquardt's method.

/// A matrix by columns, each a vector of its own.
pub(crate) type Columns = Vec<Vec<f64>>;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y += s x
fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// The x that makes |A x − b| least, by reflections, which leave the condition of A as it is (normal equations square it).
/// Columns that depend on those before them get 0. There are at least as many rows as columns.
pub(crate) fn solve(mut a: Columns, mut b: Vec<f64>) -> Vec<f64> {
    let n = a.len();
    let largest = a.iter().map(|c| dot(c, c)).fold(0.0, f64::max).sqrt();
    let mut diagonal = vec![0.0; n];
    for k in 0..n {
        let (left, right) = a.split_at_mut(k + 1);
        let column = &mut left[k][k..];
        let norm = dot(column, column).sqrt();
        if norm <= 1e-14 * largest {
            continue;
        }
        let r = if column[0] > 0.0 { -norm } else { norm };
        column[0] -= r;
        diagonal[k] = r;
        // H = I − 2 w wᵀ/(wᵀw), with w what is left in the column.
        let factor = -2.0 / dot(column, column);
        for other in right.iter_mut().map(|c| &mut c[k..]).chain([&mut b[k..]]) {
            let s = factor * dot(column, other);
            add_scaled(other, s, column);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        if diagonal[k] != 0.0 {
            let known: f64 = (k + 1..n).map(|j| a[j][k] * x[j]).sum();
            x[k] = (b[k] - known) / diagonal[k];
        }
    }
    x
}

/// Residuals r(q) and their derivatives.
pub(crate) trait Residuals {
    /// Number of residuals.
    fn len(&self) -> usize;
    /// Writes r.
    fn residuals(&self, q: &[f64], r: &mut [f64]);
    /// Writes ∂r/∂q, a column for each entry of q.
    fn jacobian(&self, q: &[f64], columns: &mut Columns);
}

/// Where a minimisation ended.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    /// The parameters.
    pub(crate) q: Vec<f64>,
    /// Σ r².
    pub(crate) sum: f64,
    /// Linear systems that were solved.
    pub(crate) iterations: usize,
}

/// Iterations after which the best that was found is returned.
const MOST_ITERATIONS: usize = 400;
/// A parameter, a logarithm here, goes no farther in one iteration.
const FARTHEST: f64 = 2.0;

/// The minimum of Σ r² near q, by Levenberg and Marquardt's method with Nielsen's choice of damping (Madsen, Nielsen, Tingleff:
/// Methods for non-linear least squares problems, 2004, algorithm 3.16); the damped equations are solved as a linear least
/// squares problem with the rows √μ I below the Jacobian.
pub(crate) fn minimise(problem: &impl Residuals, mut q: Vec<f64>) -> Minimum {
    let (rows, n) = (problem.len(), q.len());
    let mut r = vec![0.0; rows];
    let mut tried = vec![0.0; rows];
    let mut jacobian = vec![vec![0.0; rows]; n];
    problem.residuals(&q, &mut r);
    problem.jacobian(&q, &mut jacobian);
    let mut sum = dot(&r, &r);
    let mut damping = 1e-3 * jacobian.iter().map(|c| dot(c, c)).fold(0.0, f64::max);
    let mut growth = 2.0;
    let mut iterations = 0;
    while iterations < MOST_ITERATIONS {
        iterations += 1;
        let damped = |(k, c): (usize, &Vec<f64>)| {
            let mut c = c.clone();
            c.resize(rows + n, 0.0);
            c[rows + k] = damping.sqrt();
            c
        };
        let mut right: Vec<f64> = r.iter().map(|r| -r).collect();
        right.resize(rows + n, 0.0);
        let mut step = solve(jacobian.iter().enumerate().map(damped).collect(), right);
        let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        if longest > FARTHEST {
            for s in &mut step {
                *s *= FARTHEST / longest;
            }
        }
        if longest < 1e-13 {
            break;
        }
        let next: Vec<f64> = q.iter().zip(&step).map(|(q, s)| q + s).collect();
        problem.residuals(&next, &mut tried);
        let new = dot(&tried, &tried);
        // What the linear model promises: Σ r² − Σ (r + J s)².
        let mut linear = r.clone();
        for (column, s) in jacobian.iter().zip(&step) {
            add_scaled(&mut linear, *s, column);
        }
        let promised = sum - dot(&linear, &linear);
        if new < sum {
            let gain = ((sum - new) / promised).min(1.0);
            let fallen = (sum - new) / sum;
            (q, sum) = (next, new);
            std::mem::swap(&mut r, &mut tried);
            problem.jacobian(&q, &mut jacobian);
            damping *= (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
            if sum == 0.0 || (fallen < 1e-10 && longest < 1e-5) {
                break;
            }
        } else {
            // Rounding: nothing is left to gain.
            if promised <= 1e-15 * sum || !damping.is_finite() {
                break;
            }
            damping *= growth;
            growth *= 2.0;
        }
    }
    Minimum { q, sum, iterations }
}
