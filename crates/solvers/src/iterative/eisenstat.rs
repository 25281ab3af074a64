//! [`EisenstatCg`]: conjugate gradients with SSOR at about the price of conjugate gradients without.

use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::block::{inverse_cholesky, lower, times_inverse_transposed};
use super::cg_iteration::EnergyEstimate;
use super::eisenstat_pass::{NONE, Pass, Vectors};
use super::precision::Precision;
use super::preconditioner::Preconditioner;
use super::shape::{Shape, Sources};
use super::ssor::check_omega;
use super::substitution::{PADDING, SIZE};
use super::system::{Settings, Stop, System};
use super::vectors::sweep;
use crate::{BlockSolver, Constraints, Layout, Report, SolverError, StopReason};

/// Vertices in a leaf: its rows of the matrix (about 0.5 kB each) are read twice in a row and should
/// still be in the cache the second time.
const LEAF: usize = 800;
/// Checks of b − A x without a restart.
const CHECKS: usize = 3;
/// Tolerances from which single precision is tried.
const LOOSE: f64 = 1e-4;
/// Matrices for which it is not tried after it has failed.
const DISTRUST: usize = 64;
/// Iterations in single precision: what takes more is not for it.
const MOST_SINGLE: usize = 1000;

/// Conjugate gradients on (D̂ + L)⁻¹ A (D̂ + L)⁻ᵀ with A = L + D + Lᵀ, D̂ = D/ω, which are those on A
/// with SSOR as preconditioner (Eisenstat 1981; VirTis 3.4.3).
///
/// The matrix is scaled first so that its diagonal blocks are the identity. Beside the direction p̂
/// of the transformed system the direction p = (D̂ + L)⁻ᵀ p̂ of the given one is kept: so
/// x is updated as usual, and constraints are filtered in the given coordinates, where their
/// directions have three entries (transformed they would be dense). An iteration walks down the tree
/// of branches with the backward substitution and up again with the forward one, so that in leaves
/// the matrix is read from memory once.
///
/// Where the tolerance is loose, as it is inside Newton's method, iterations are of single precision, with half the memory and a little
/// less time. Their answer is judged by b − A x in double, and where it does not stand that, the iteration goes on in double, and so do
/// those of the next matrices.
pub struct EisenstatCg {
    common: Common,
    single: Side<f32>,
    double: Side<f64>,
    /// What the present matrix was scaled in.
    in_single: bool,
    /// Matrices to come before single precision, which has failed, is tried again.
    distrusted: usize,
}

/// What the iterations of both precisions share.
struct Common {
    system: System,
    omega: f64,
    shape: Shape,
    sources: Sources,
    /// C_i⁻¹, where C_i C_iᵀ is the diagonal block.
    diagonal: Vec<[f64; 6]>,
    r: Vec<Vec3>,
    scratch: Vec<Vec3>,
    /// Of each row, which of the filters holds it.
    held: Vec<u32>,
    filters: Vec<Mat3<f64>>,
}

/// What an iteration has in its precision.
#[derive(Default)]
struct Side<T> {
    /// C_i⁻¹ A_ij C_j⁻ᵀ of the strict lower triangle, column after column.
    blocks: Vec<T>,
    vectors: Vectors<T>,
    /// What is added to x, scaled.
    step: Vec<[T; 4]>,
}

/// How an iteration ends that does not fail.
enum End {
    Solved(Report),
    /// Of single precision only: more digits are needed than it has. What it has reached so far.
    TooCoarse(Report),
}

/// Holds the place of a preconditioner in [`System`]: this iteration has its own inside.
struct Identity;

impl Preconditioner for Identity {
    fn name(&self) -> &'static str {
        "eisenstat"
    }
    fn analyze(&mut self, _: &Arc<Pattern>, _: &Layout<'_>) -> Result<(), SolverError> {
        Ok(())
    }
    fn factor(&mut self, _: &BlockMatrix) -> Result<(), SolverError> {
        Ok(())
    }
    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        z.copy_from_slice(r);
        Ok(())
    }
    /// Nothing: it has no numbers of its own.
    fn save(&self, _: &mut Sections) {}
    fn load(&mut self, _: &Sections, _: Option<&BlockMatrix>) -> Result<(), SolverError> {
        Ok(())
    }
    fn memory(&self) -> usize {
        0
    }
}

impl EisenstatCg {
    /// With relaxation ω, 0 < ω < 2.
    pub fn new(omega: f64, settings: Settings) -> Result<Self, SolverError> {
        check_omega(omega)?;
        let common = Common {
            system: System::new("cg", Box::new(Identity), settings),
            omega,
            shape: Shape::default(),
            sources: Sources::default(),
            diagonal: Vec::new(),
            r: Vec::new(),
            scratch: Vec::new(),
            held: Vec::new(),
            filters: Vec::new(),
        };
        let (single, double) = (Side::default(), Side::default());
        Ok(Self { common, single, double, in_single: false, distrusted: 0 })
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.common.system.settings
    }

    /// Constraints of the solves to come. The matrix stays as it is.
    pub fn set_constraints(&mut self, constraints: Option<Constraints>) {
        self.common.system.constraints = constraints;
    }

    fn factor_in(&mut self, single: bool, matrix: &BlockMatrix) -> Result<(), SolverError> {
        super::needs_positive_diagonal(matrix)?;
        self.common.system.factor(matrix)?;
        let order = &self.common.shape.tree.order;
        for (d, &vertex) in self.common.diagonal.iter_mut().zip(order) {
            let vertex = vertex as usize;
            let a = &matrix.values[matrix.pattern().range(vertex).start];
            *d = inverse_cholesky(&lower(a)).map_err(|(axis, pivot)| {
                SolverError::NotPositiveDefinite { vertex, axis, pivot }
            })?;
        }
        self.in_single = single;
        if single {
            self.common.scale(&mut self.single, matrix);
        } else {
            self.common.scale(&mut self.double, matrix);
        }
        Ok(())
    }
}

impl Common {
    /// The scaled matrix. Memory is made at first use.
    fn scale<T: Precision>(&self, side: &mut Side<T>, matrix: &BlockMatrix) {
        let (shape, sources, diagonal) = (&self.shape, &self.sources, &self.diagonal);
        let (n, size) = (diagonal.len(), SIZE * shape.columns.len() + PADDING);
        if side.blocks.len() != size || side.step.len() != n {
            side.blocks = vec![T::default(); size];
            side.vectors = Vectors::new(n);
            side.step = vec![[T::default(); 4]; n];
        }
        let rows = |from: usize, blocks: &mut [[T; SIZE]]| {
            // The row of the first block of this piece, then on.
            let mut i = shape.offsets.partition_point(|&o| o as usize <= from) - 1;
            for (block, k) in blocks.iter_mut().zip(from..) {
                while shape.offsets[i + 1] as usize <= k {
                    i += 1;
                }
                let d = &diagonal[shape.columns[k] as usize];
                let right = times_inverse_transposed(&sources.block(matrix, k), d);
                let turned: [f64; 9] = std::array::from_fn(|e| right[3 * (e % 3) + e / 3]);
                let both = times_inverse_transposed(&turned, &diagonal[i]);
                *block = std::array::from_fn(|e| T::of(both[3 * (e % 3) + e / 3]));
            }
        };
        in_pieces(0, side.blocks.as_chunks_mut().0, rayon::current_num_threads() > 1, &rows);
    }

    /// F = Cᵀ S C⁻ᵀ for each constrained vertex: S in scaled coordinates.
    fn prepare_filters(&mut self) {
        self.filters.clear();
        self.held.fill(NONE);
        let Some(constraints) = &self.system.constraints else { return };
        for c in constraints.vertices() {
            let row = self.shape.tree.inverse[c.vertex as usize] as usize;
            let d = &self.diagonal[row];
            let inverse = Mat3([[d[0], 0.0, 0.0], [d[1], d[2], 0.0], [d[3], d[4], d[5]]]);
            let factor = inverse.inverse();
            let filter = c.directions().fold(Mat3::identity(), |f, (n, _)| {
                f - Mat3::outer(factor.transpose_mul_vec(n), inverse.mul_vec(n))
            });
            self.held[row] = self.filters.len() as u32;
            // Exact where nothing is free.
            let free = c.directions().count() < 3;
            self.filters.push(if free { filter } else { Mat3::zero() });
        }
    }

    fn pass<'a, T: Precision>(&'a self, blocks: &'a [T]) -> Pass<'a, T> {
        let held = if self.filters.is_empty() { &[][..] } else { &self.held[..] };
        Pass::new(&self.shape, blocks, held, &self.filters, self.omega)
    }

    /// r̂ = (D̂ + L)⁻¹ C⁻¹ r / s, directions zero; |r̂|². The scale s keeps numbers of single precision in their range.
    fn start<T: Precision>(&self, side: &mut Side<T>, s: f64) -> f64 {
        let Side { blocks, vectors, .. } = side;
        for (i, &old) in self.shape.tree.order.iter().enumerate() {
            let (d, r) = (&self.diagonal[i], self.r[old as usize].map(|r| r / s));
            vectors.r[i] = [
                d[0] * r[0],
                d[1] * r[0] + d[2] * r[1],
                d[3] * r[0] + d[4] * r[1] + d[5] * r[2],
                0.0,
            ]
            .map(T::of);
        }
        self.pass(blocks).forward_only(&mut vectors.r);
        vectors.p.fill([T::default(); 4]);
        vectors.hat.fill([T::default(); 4]);
        let [square] = sweep([&vectors.r], [&mut vectors.w], &|[r], [w]| {
            w.copy_from_slice(r);
            [T::dot(r, r)]
        });
        square
    }

    /// x ← x + s C⁻ᵀ step, step ← 0.
    fn add_step<T: Precision>(&self, step: &mut [[T; 4]], s: f64, x: &mut [Vec3]) {
        for (x, &row) in x.iter_mut().zip(&self.shape.tree.inverse) {
            let t = std::mem::take(&mut step[row as usize]).map(|t| s * t.double());
            let d = &self.diagonal[row as usize];
            x[0] += d[0] * t[0] + d[1] * t[1] + d[3] * t[2];
            x[1] += d[2] * t[1] + d[4] * t[2];
            x[2] += d[5] * t[2];
        }
    }

    fn iterate<T: Precision>(
        &mut self,
        side: &mut Side<T>,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<End, SolverError> {
        self.system.begin(matrix, b, x)?;
        let reference = self.system.reference(matrix, b, [&mut self.scratch, &mut self.r]);
        if reference == 0.0 {
            return Ok(End::Solved(self.system.zero(x)));
        }
        self.prepare_filters();
        let Settings { tolerance, stop, max_iterations } = self.system.settings;
        let report = |iterations, relative_residual, reason| {
            Ok(End::Solved(Report { iterations, relative_residual, reason }))
        };
        let mut residual = self.system.residual(matrix, b, x, &mut self.r) / reference;
        if residual <= tolerance {
            return report(0, residual, StopReason::Residual);
        }
        let mut estimate = match stop {
            Stop::EnergyNorm { delay } => {
                let start = super::vectors::dot(b, x) + super::vectors::dot(&self.r, x);
                Some(EnergyEstimate::new(delay, start))
            }
            Stop::Residual => None,
        };
        side.step.fill([T::default(); 4]);
        let mut iterations = 0;
        let mut restarted_at = f64::INFINITY;
        'restart: loop {
            let scale = if T::SINGLE { residual * reference } else { 1.0 };
            let mut rho = self.start(side, scale);
            // r̂ is not the residual, but falls like it: how far it must fall is a guess at first.
            let mut goal = rho.sqrt() * 0.7 * tolerance / residual;
            let mut beta = 0.0;
            let mut checks = 0;
            loop {
                let curvature = self.pass(&side.blocks).round(beta, &mut side.vectors);
                if curvature.is_nan() || curvature <= 0.0 {
                    if T::SINGLE {
                        return Ok(End::TooCoarse(Report {
                            iterations,
                            relative_residual: residual,
                            reason: StopReason::Stagnation,
                        }));
                    }
                    let scratch: [&mut [Vec3]; 2] = [&mut self.scratch, &mut self.r];
                    let known = self.system.failure(matrix, iterations, residual, "", scratch);
                    return Err(match known {
                        SolverError::Singular { .. } => known,
                        _ => SolverError::Indefinite { solver: "cg", iterations, curvature },
                    });
                }
                let alpha = rho / curvature;
                let Vectors { r, p, w, .. } = &mut side.vectors;
                let [next] = sweep([&*p], [r, w, &mut side.step], &|[p], [r, w, x]| {
                    T::add_scaled(x, alpha, p);
                    T::add_scaled(w, 1.0, p);
                    T::add_scaled(r, -alpha, w);
                    w.copy_from_slice(r);
                    [T::dot(r, r)]
                });
                iterations += 1;
                let error = estimate.as_mut().and_then(|e| e.add(scale * scale * alpha * rho));
                (beta, rho) = (next / rho, next);
                let small_error = error.is_some_and(|e| e <= tolerance);
                let small = if estimate.is_some() { small_error } else { next.sqrt() <= goal };
                let last = iterations >= max_iterations || !next.is_finite();
                let hopeless = T::SINGLE && (!next.is_finite() || iterations == MOST_SINGLE);
                if !(small || last || hopeless) {
                    continue;
                }
                self.add_step(&mut side.step, scale, x);
                residual = self.system.residual(matrix, b, x, &mut self.r) / reference;
                if small_error {
                    return report(iterations, residual, StopReason::EnergyNorm);
                }
                if estimate.is_none() && residual <= tolerance {
                    return report(iterations, residual, StopReason::Residual);
                }
                checks += 1;
                if checks <= CHECKS && !last && !hopeless {
                    goal = next.sqrt() * 0.7 * tolerance / residual;
                    continue;
                }
                if hopeless || (T::SINGLE && !last) {
                    return Ok(End::TooCoarse(Report {
                        iterations,
                        relative_residual: residual,
                        reason: StopReason::Stagnation,
                    }));
                }
                let falls = residual < 0.5 * restarted_at;
                let stuck = !falls;
                if stuck && self.system.is_rounding(residual, x, reference) {
                    return report(iterations, residual, StopReason::Stagnation);
                }
                if last || stuck {
                    let hint = if last {
                        "allow more iterations, or take ic0 or multigrid"
                    } else {
                        "rounding keeps it there: loosen the tolerance, or take cholesky"
                    };
                    let scratch: [&mut [Vec3]; 2] = [&mut self.scratch, &mut self.r];
                    return Err(self.system.failure(matrix, iterations, residual, hint, scratch));
                }
                restarted_at = residual;
                continue 'restart;
            }
        }
    }
}

impl BlockSolver for EisenstatCg {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn takes_unsymmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        super::needs_symmetric_matrix(pattern, "cg with eisenstat")?;
        let n = pattern.rows();
        let common = &mut self.common;
        (common.shape, common.sources) = Shape::of_pattern(pattern, layout.positions, LEAF);
        common.diagonal = vec![[0.0; 6]; n];
        common.r = vec![[0.0; 3]; n];
        common.scratch = vec![[0.0; 3]; n];
        common.held = vec![NONE; n];
        (self.single, self.double) = (Side::default(), Side::default());
        self.distrusted = 0;
        common.system.analyze(pattern, layout)
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        let trusted = self.distrusted == 0;
        self.distrusted = self.distrusted.saturating_sub(1);
        self.factor_in(trusted && self.common.system.settings.tolerance >= LOOSE, matrix)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let mut before = 0;
        if self.in_single {
            match self.common.iterate(&mut self.single, matrix, b, x)? {
                End::Solved(report) => return Ok(report),
                End::TooCoarse(report) => before = report.iterations,
            }
            self.distrusted = DISTRUST;
            self.factor_in(false, matrix)?;
            if x.iter().flatten().any(|x| !x.is_finite()) {
                x.fill([0.0; 3]);
            }
        }
        let (End::Solved(report) | End::TooCoarse(report)) =
            self.common.iterate(&mut self.double, matrix, b, x)?;
        Ok(Report { iterations: report.iterations + before, ..report })
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.common.system.settings.tolerance = relative;
    }

    fn save(&self, to: &mut Sections) {
        self.common.system.save(to);
        to.write("eisenstat").flag(self.in_single).count(self.distrusted);
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        self.common.system.load(from, None)?;
        let mut section = from.read("eisenstat")?;
        let single = section.flag()?;
        self.distrusted = section.count()?;
        section.finish()?;
        matrix.map_or(Ok(()), |matrix| self.factor_in(single, matrix))
    }

    fn memory(&self) -> usize {
        let common = &self.common;
        let n = common.diagonal.len();
        common.shape.memory()
            + common.sources.memory()
            + 4 * (self.single.blocks.len() + 20 * self.single.step.len())
            + 8 * (self.double.blocks.len() + 20 * self.double.step.len())
            + (48 + 2 * 24 + 4) * n
    }
}

fn in_pieces<T: Send>(
    from: usize,
    blocks: &mut [[T; SIZE]],
    parallel: bool,
    work: &(impl Fn(usize, &mut [[T; SIZE]]) + Sync),
) {
    if blocks.len() <= 8192 || !parallel {
        work(from, blocks);
        return;
    }
    let half = blocks.len() / 2;
    let (low, high) = blocks.split_at_mut(half);
    rayon::join(
        || in_pieces(from, low, parallel, work),
        || in_pieces(from + half, high, parallel, work),
    );
}
