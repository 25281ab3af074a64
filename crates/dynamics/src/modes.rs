//! Natural modes of a body about a state: K φ = ω² M φ on what is free.
//!
//! Block Lanczos with full reorthogonalisation in the inner product of M, on (K − σM)⁻¹ M with a shift
//! σ < 0: K − σM is positive definite even where the body is free, so that one factorisation by Cholesky
//! serves (Ericsson and Ruhe 1980; Grimes, Lewis and Simon 1994). Blocks find eigenvalues with their
//! multiplicity, as symmetric bodies have them. The rigid motions that nothing resists are known in closed
//! form: they are put in first, everything else is kept orthogonal to them, and their ω is exactly zero.

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::{Vec3, add, scale, sub};
use pliant_solvers::{BlockSolver, Choice, Layout, SolverError, SolverName};

use crate::rigid::free_motions;
use crate::symmetric::eigen;
use crate::vector::{add_scaled, check_finite, dot};
use crate::{DynamicsError, State, System, Weights};

/// Vectors of a block: as many equal eigenvalues are found for certain.
const BLOCK: usize = 6;
/// −σ relative to the ω² of a uniform stretch: near the lowest modes, and far enough from zero.
const SHIFT: f64 = 1e-3;
/// What is left of a vector after orthogonalisation counts as nothing below this part of it.
const NOTHING: f64 = 1e-12;

/// What modes are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeSettings {
    /// How many, the lowest first; rigid motions count.
    pub count: usize,
    /// The largest [`Mode::residual`].
    pub tolerance: f64,
    /// Dimensions of the space of trial vectors, at most; none for as many as are usual (10 count + 100).
    pub largest_subspace: Option<usize>,
    /// With the stiffness that materials which remember have after a long time, in place of that at an instant.
    pub long_term: bool,
}

impl Default for ModeSettings {
    fn default() -> Self {
        Self { count: 10, tolerance: 1e-8, largest_subspace: None, long_term: false }
    }
}

/// One natural mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// ω², rad²/s². Below zero where the state is not stable.
    pub square: f64,
    /// φ with φᵀ M φ = 1, its largest component positive; one entry a vertex, in the numbering of the system.
    pub shape: Vec<Vec3>,
    /// |φ − (ω² − σ)(K − σM)⁻¹ M φ| in the norm of M: ω² is wrong by at most this part of ω² − σ.
    pub residual: f64,
    /// Whether it is a rigid motion that nothing resists; ω is then exactly zero.
    pub rigid: bool,
}

impl Mode {
    /// ω, rad/s; zero where the state is not stable.
    pub fn angular(&self) -> f64 {
        self.square.max(0.0).sqrt()
    }

    /// ω / 2π, Hz.
    pub fn frequency(&self) -> f64 {
        self.angular() / std::f64::consts::TAU
    }
}

/// Modes, the lowest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// The modes: as many as were asked for, or all there are.
    pub modes: Vec<Mode>,
    /// Dimensions of the space they were found in.
    pub subspace: usize,
    /// σ, rad²/s².
    pub shift: f64,
}

impl System {
    /// The lowest natural modes about a state (that of rest, or one of equilibrium under loads). Velocities
    /// play no part; damping is left out. Fails for systems without mass, with an unsymmetric tangent, or in
    /// states that are unstable by more than the shift.
    pub fn modes(
        &mut self,
        state: &State,
        settings: &ModeSettings,
    ) -> Result<Modes, DynamicsError> {
        state.check(self.vertices())?;
        let ModeSettings { count, tolerance, .. } = *settings;
        let check = |what, found: f64, good: bool, accepted| {
            if good { Ok(()) } else { Err(DynamicsError::Setting { what, found, accepted }) }
        };
        check("number of modes", count as f64, count > 0, "at least 1")?;
        let inside = tolerance > 0.0 && tolerance < 1.0;
        check("tolerance of modes", tolerance, inside, "between 0 and 1")?;
        if !self.pattern().is_symmetric() {
            return Err(DynamicsError::Unsupported(
                "natural modes need a symmetric tangent: leave out pressure on open surfaces and the like".into(),
            ));
        }
        if self.is_massless() {
            return Err(DynamicsError::Unsupported(
                "natural modes need mass: give the body a density".into(),
            ));
        }
        let mut pencil = Pencil::new(self, state, settings.long_term)?;
        let rigid = free_motions(pencil.system, state)?;
        let mut basis = Basis::default();
        for motion in rigid {
            basis.push(&mut pencil, motion, None);
        }
        basis.rigid = basis.vectors.len();
        let largest = settings.largest_subspace.unwrap_or(10 * count + 100);
        let ritz =
            basis.grow(&mut pencil, count.saturating_sub(basis.rigid), tolerance, largest)?;
        let mut modes: Vec<Mode> = basis.vectors[..basis.rigid.min(count)]
            .iter()
            .map(|v| Mode { square: 0.0, shape: v.clone(), residual: 0.0, rigid: true })
            .collect();
        for mixture in ritz {
            modes.push(pencil.mode(basis.mix(&mixture))?);
        }
        modes[basis.rigid.min(count)..].sort_by(|a, b| a.square.total_cmp(&b.square));
        let inaccurate = |m: &Mode| m.residual.is_nan() || m.residual > tolerance;
        if let Some(found) = modes.iter().position(inaccurate) {
            let (wanted, subspace) = (count, basis.vectors.len());
            let residual = modes[found].residual;
            return Err(DynamicsError::Modes { found, wanted, subspace, residual });
        }
        for mode in &mut modes {
            orient(&mut mode.shape);
        }
        Ok(Modes { modes, subspace: basis.vectors.len(), shift: pencil.shift })
    }
}

/// K and M with K − σM factored.
struct Pencil<'a> {
    system: &'a mut System,
    stiffness: BlockMatrix,
    product: Product,
    shifted: BlockMatrix,
    solver: Box<dyn BlockSolver>,
    shift: f64,
    /// State of the sequence of start vectors.
    seed: u64,
}

impl<'a> Pencil<'a> {
    fn new(system: &'a mut System, state: &State, long_term: bool) -> Result<Self, DynamicsError> {
        let at = if long_term { state.after_long() } else { state.configuration() };
        let mut stiffness = BlockMatrix::zero(system.pattern().clone());
        let only_stiffness = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
        system.tangent(&at, only_stiffness, false, &mut stiffness)?;
        let mut product = Product::new(system.pattern());
        let shift = -SHIFT * stretch(system, state, &stiffness, &mut product);
        let mut shifted = BlockMatrix::zero(system.pattern().clone());
        let weights = Weights { mass: -shift, ..only_stiffness };
        system.tangent(&at, weights, false, &mut shifted)?;
        system.constraints().project(&mut shifted);
        let choice = Choice { solver: SolverName::Cholesky, ..Choice::default() };
        let mut solver = choice.build()?;
        let layout = Layout { positions: Some(system.rest()), elements: None };
        solver.analyze(system.pattern(), &layout)?;
        solver.factor(&shifted).map_err(|cause| match cause {
            SolverError::NotPositiveDefinite { vertex, .. } => {
                DynamicsError::Unsupported(format!(
                    "the state is not stable (its stiffness is not positive definite at vertex {vertex}): natural modes belong to a state of rest or of stable equilibrium"
                ))
            }
            other => other.into(),
        })?;
        Ok(Self { system, stiffness, product, shifted, solver, shift, seed: 0 })
    }

    /// M x
    fn mass(&mut self, x: &[Vec3]) -> Vec<Vec3> {
        let mut y = vec![[0.0; 3]; x.len()];
        self.system.multiply_mass(x, &mut y);
        self.system.constraints().filter(&mut y);
        y
    }

    /// (K − σM)⁻¹ f for f = M x.
    fn solve(&mut self, f: &[Vec3]) -> Result<Vec<Vec3>, DynamicsError> {
        let mut x = vec![[0.0; 3]; f.len()];
        self.solver.solve(&self.shifted, f, &mut x)?;
        self.system.constraints().filter(&mut x);
        check_finite("natural shape", &x)?;
        Ok(x)
    }

    /// The next start vector: the same on every run, without symmetry, and free of what has no mass.
    fn start(&mut self) -> Result<Vec<Vec3>, DynamicsError> {
        let mut number = || {
            // Steele, Lea and Flood 2014: the finaliser of SplitMix64.
            self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let n = self.system.vertices();
        let mut x: Vec<Vec3> = (0..n).map(|_| [number(), number(), number()]).collect();
        self.system.constraints().filter(&mut x);
        let f = self.mass(&x);
        self.solve(&f)
    }

    /// A shape with its Rayleigh quotient and how wrong that may be.
    fn mode(&mut self, mut shape: Vec<Vec3>) -> Result<Mode, DynamicsError> {
        let mut inertia = self.mass(&shape);
        let length = dot(&shape, &inertia).sqrt();
        for v in shape.iter_mut().chain(&mut inertia) {
            *v = scale(*v, 1.0 / length);
        }
        let mut force = vec![[0.0; 3]; shape.len()];
        self.product.apply(&self.stiffness.values, &shape, &mut force);
        let square = dot(&shape, &force);
        let mut error = self.solve(&inertia)?;
        for (e, &x) in error.iter_mut().zip(&shape) {
            *e = sub(x, scale(*e, square - self.shift));
        }
        let weighed = self.mass(&error);
        let residual = dot(&error, &weighed).max(0.0).sqrt();
        Ok(Mode { square, shape, residual, rigid: false })
    }
}

/// The smallest ω² = uᵀKu / uᵀMu of stretches along the axes, about the centre: the size of what low modes have.
fn stretch(
    system: &mut System,
    state: &State,
    stiffness: &BlockMatrix,
    product: &mut Product,
) -> f64 {
    let n = state.len();
    let sum = state.x.iter().fold([0.0; 3], |sum, &x| add(sum, x));
    let centre = scale(sum, 1.0 / n.max(1) as f64);
    let (mut force, mut inertia) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
    let mut smallest = f64::INFINITY;
    for k in 0..3 {
        let along = |x: &Vec3| {
            let mut u = [0.0; 3];
            u[k] = x[k] - centre[k];
            u
        };
        let u: Vec<Vec3> = state.x.iter().map(along).collect();
        product.apply(&stiffness.values, &u, &mut force);
        system.multiply_mass(&u, &mut inertia);
        let square = dot(&u, &force) / dot(&u, &inertia);
        if square > 0.0 && square < smallest {
            smallest = square;
        }
    }
    // Bodies that no stretch resists: springs in a plane, say, in another one.
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// Vectors that are orthonormal in the inner product of M.
#[derive(Default)]
struct Basis {
    vectors: Vec<Vec<Vec3>>,
    /// M times each.
    images: Vec<Vec<Vec3>>,
    /// How many of them, at the front, are rigid motions.
    rigid: usize,
    /// Column j: the components of (K − σM)⁻¹ M q along all vectors, q the j-th that is not rigid.
    columns: Vec<Vec<f64>>,
}

impl Basis {
    /// Takes out of `x` what is along the basis, adds what is left as a new vector, and writes its components
    /// to `column`. False where nothing is left.
    fn push(
        &mut self,
        pencil: &mut Pencil<'_>,
        mut x: Vec<Vec3>,
        column: Option<&mut Vec<f64>>,
    ) -> bool {
        let inertia = pencil.mass(&x);
        let before = dot(&x, &inertia).max(0.0).sqrt();
        let mut components = vec![0.0; self.vectors.len()];
        // Twice is enough (Kahan; Parlett 1998, 6.9).
        for _ in 0..2 {
            for (c, (q, image)) in components.iter_mut().zip(self.vectors.iter().zip(&self.images))
            {
                let along = dot(image, &x);
                add_scaled(&mut x, q, -along);
                *c += along;
            }
        }
        let mut image = pencil.mass(&x);
        let left = dot(&x, &image).max(0.0).sqrt();
        let is_new = left > NOTHING * before;
        if is_new {
            for v in x.iter_mut().chain(&mut image) {
                *v = scale(*v, 1.0 / left);
            }
            self.vectors.push(x);
            self.images.push(image);
            components.push(left);
        }
        if let Some(column) = column {
            *column = components;
        }
        is_new
    }

    /// Adds blocks until the `wanted` largest eigenvalues of (K − σM)⁻¹ M are known, or all there are.
    /// Returns their mixtures of the vectors that are not rigid.
    fn grow(
        &mut self,
        pencil: &mut Pencil<'_>,
        wanted: usize,
        tolerance: f64,
        largest: usize,
    ) -> Result<Vec<Vec<f64>>, DynamicsError> {
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let mut look = wanted + BLOCK;
        loop {
            let first = self.rigid + self.columns.len();
            // New directions where there are none left to follow.
            let mut tries = 0;
            while self.vectors.len() < first + BLOCK && tries < BLOCK + 2 {
                let x = pencil.start()?;
                self.push(pencil, x, None);
                tries += 1;
            }
            let exhausted = self.vectors.len() == first;
            for j in first..self.vectors.len() {
                let image = self.images[j].clone();
                let x = pencil.solve(&image)?;
                let mut column = Vec::new();
                self.push(pencil, x, Some(&mut column));
                self.columns.push(column);
            }
            let done = self.columns.len();
            if done < look && !exhausted {
                continue;
            }
            look = (done + BLOCK).max(done * 6 / 5);
            let (ritz, worst) = self.ritz(wanted);
            if exhausted || worst.is_none_or(|(_, residual)| residual <= 0.1 * tolerance) {
                return Ok(ritz);
            }
            if let Some((found, residual)) = worst
                && done > largest
            {
                let subspace = done + self.rigid;
                let (found, wanted) = (found + self.rigid, wanted + self.rigid);
                return Err(DynamicsError::Modes { found, wanted, subspace, residual });
            }
        }
    }

    /// The best mixtures, and the first one that is not yet known to 1e-9 with what is left of it outside of
    /// the space, relative.
    fn ritz(&self, wanted: usize) -> (Vec<Vec<f64>>, Option<(usize, f64)>) {
        let n = self.columns.len();
        let at = |i: usize, j: usize| self.columns[j].get(self.rigid + i).copied().unwrap_or(0.0);
        let mut t = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                // Both are the same but for rounding, and for columns that ended before this row was new.
                let both = if i + self.rigid < self.columns[j].len() {
                    0.5 * (at(i, j) + at(j, i))
                } else {
                    at(j, i)
                };
                (t[i * n + j], t[j * n + i]) = (both, both);
            }
        }
        let (mut best, mut worst) = (Vec::new(), None::<(usize, f64)>);
        for (k, (theta, y)) in eigen(&t, n).into_iter().rev().take(wanted).enumerate() {
            // Components along vectors that have no column yet.
            let outside: f64 = (n..self.vectors.len() - self.rigid)
                .map(|i| (0..n).map(|j| at(i, j) * y[j]).sum::<f64>().powi(2))
                .sum();
            let residual = outside.sqrt() / theta;
            if worst.is_none_or(|w| residual > w.1) {
                worst = Some((k, residual));
            }
            best.push(y);
        }
        (best, worst)
    }

    /// Σ yⱼ qⱼ over the vectors that are not rigid.
    fn mix(&self, y: &[f64]) -> Vec<Vec3> {
        let mut x = vec![[0.0; 3]; self.vectors.first().map_or(0, Vec::len)];
        for (&y, q) in y.iter().zip(&self.vectors[self.rigid..]) {
            add_scaled(&mut x, q, y);
        }
        x
    }
}

/// Turns a shape so that its largest component is positive.
fn orient(shape: &mut [Vec3]) {
    let largest = shape
        .as_flattened()
        .iter()
        .fold(0.0_f64, |m, c| if c.abs() > m.abs() * (1.0 + 1e-9) { *c } else { m });
    if largest < 0.0 {
        for v in shape {
            *v = scale(*v, -1.0);
        }
    }
}
