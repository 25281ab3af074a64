//! [`LinearSolver`]: the seam between those who have a system in plain numbers and those who solve it.
//!
//! [`AnyMatrix`] looks at the kind of matrix once a call and hands on what it holds, without copies:
//!
//! | matrix | method |
//! |---|---|
//! | blocks | the [`BlockSolver`] that was chosen |
//! | dense | L Lᵀ where it is positive definite, else L U with row exchanges; conjugate gradients with `cg` |
//! | bordered | elimination: A by the direct block solver that was chosen (`cholesky` for `auto`), the border's Schur complement as a dense matrix; conjugate gradients on the whole with `cg` |
//!
//! `minres`, `bicgstab` and `gmres` serve blocks only and are refused by name for the other two, as is a border around
//! blocks that are singular by themselves.

mod bordered;
mod dense;

use crate::matrix::{Matrix, MatrixProduct, Shape};
use crate::sums;
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use self::bordered::Elimination;
use self::dense::DenseFactor;
use crate::choose::{Choice, SolverName};
use crate::iterative::{MatrixOperator, Operator, OperatorCg, Scaling};
use crate::{BlockSolver, Layout, Report, SolverError, SolverUse, StopReason};

/// A solver of A x = b for matrices of any kind. Not converging is an error, never a silent return.
pub trait LinearSolver: Send {
    /// The name users know it by.
    fn name(&self) -> &str;
    /// Returns true if it serves unsymmetric matrices of blocks.
    fn takes_unsymmetric(&self) -> bool;
    /// Looks at the shape, once for all matrices that have it. `positions` are those of the vertices that block rows
    /// stand for, where they stand for vertices, m.
    fn analyze(&mut self, shape: &Shape, positions: Option<&[Vec3]>) -> Result<(), SolverError>;
    /// Looks at the values, once for all right-hand sides.
    fn factor(&mut self, matrix: &Matrix) -> Result<(), SolverError>;
    /// Solves. On entry `x` holds a first guess, which direct solvers ignore.
    fn solve(&mut self, matrix: &Matrix, b: &[f64], x: &mut [f64]) -> Result<Report, SolverError>;
    /// As [`BlockSolver::wants_definite`].
    fn wants_definite(&mut self, yes: bool);
    /// As [`BlockSolver::set_tolerance`].
    fn set_tolerance(&mut self, relative: f64);
    /// As [`BlockSolver::save`].
    fn save(&self, to: &mut Sections);
    /// As [`BlockSolver::load`], after `analyze` of the same shape.
    fn load(&mut self, from: &Sections, matrix: Option<&Matrix>) -> Result<(), SolverError>;
    /// Bytes held.
    fn memory(&self) -> usize;
    /// Methods that were taken in place of the one that was given by name; none where that is the one that solves.
    fn chosen(&self) -> Option<SolverUse>;
    /// What the last set-up has to tell.
    fn note(&self) -> Option<String>;
}

/// A block solver that was chosen, and what takes its place for other matrices.
pub struct AnyMatrix {
    choice: Choice,
    blocks: Box<dyn BlockSolver>,
    dense: DenseFactor,
    elimination: Option<Elimination>,
    /// Conjugate gradients, with the inverse of the diagonal.
    cg: OperatorCg,
    diagonal: Scaling,
    /// For residuals of dense and bordered matrices.
    product: Option<MatrixProduct>,
    residual: Vec<f64>,
    definite: bool,
}

impl AnyMatrix {
    /// By a choice.
    pub fn new(choice: Choice) -> Result<Self, SolverError> {
        Ok(Self::around(choice.build()?, choice))
    }

    fn around(blocks: Box<dyn BlockSolver>, choice: Choice) -> Self {
        Self {
            choice,
            blocks,
            dense: DenseFactor::default(),
            elimination: None,
            cg: OperatorCg::new(choice.settings),
            diagonal: Scaling::default(),
            product: None,
            residual: Vec::new(),
            definite: false,
        }
    }

    fn is_cg(&self) -> bool {
        self.choice.solver == SolverName::Cg
    }

    /// ‖b − A x‖ / ‖b‖
    fn relative_residual(&mut self, matrix: &Matrix, b: &[f64], x: &[f64]) -> f64 {
        let Some(product) = &mut self.product else { return f64::NAN };
        self.residual.resize(b.len(), 0.0);
        product.apply(matrix, x, &mut self.residual);
        let size = sums::norm(b);
        let left = sums::subtract_from(&mut self.residual, b).sqrt();
        if size > 0.0 { left / size } else { left }
    }
}

impl From<Box<dyn BlockSolver>> for Box<dyn LinearSolver> {
    /// The solver for blocks, and direct methods for other matrices.
    fn from(blocks: Box<dyn BlockSolver>) -> Self {
        Box::new(AnyMatrix::around(blocks, Choice::default()))
    }
}

/// Fails where the lengths of a system do not agree.
fn check_lengths(matrix: &Matrix, b: &[f64], x: &[f64]) -> Result<(), SolverError> {
    let n = matrix.shape().size();
    if b.len() == n && x.len() == n {
        return Ok(());
    }
    let (b, x) = (b.len(), x.len());
    Err(SolverError::Usage(format!("{n} unknowns, but {b} entries in b and {x} in x")))
}

impl LinearSolver for AnyMatrix {
    fn name(&self) -> &str {
        self.blocks.name()
    }

    fn takes_unsymmetric(&self) -> bool {
        self.blocks.takes_unsymmetric()
    }

    fn analyze(&mut self, shape: &Shape, positions: Option<&[Vec3]>) -> Result<(), SolverError> {
        self.elimination = None;
        self.product = None;
        if let Shape::Blocks(pattern) = shape {
            return self.blocks.analyze(pattern, &Layout { positions, elements: None });
        }
        let only_blocks = [SolverName::Minres, SolverName::Bicgstab, SolverName::Gmres];
        if only_blocks.contains(&self.choice.solver) {
            return Err(SolverError::Usage(format!(
                "{} serves matrices of blocks, and this is {}, as reduced bodies have: take auto, cholesky, ldlt, lu or cg",
                self.choice.solver.name(),
                shape.kind()
            )));
        }
        if self.is_cg() && !shape.is_symmetric() {
            return Err(SolverError::Usage(
                "cg serves symmetric matrices: take auto or lu".to_owned(),
            ));
        }
        self.product = Some(MatrixProduct::new(shape));
        if let Shape::Bordered { pattern, border } = shape
            && !self.is_cg()
        {
            self.elimination = Some(Elimination::new(self.choice, pattern, *border)?);
        }
        Ok(())
    }

    fn factor(&mut self, matrix: &Matrix) -> Result<(), SolverError> {
        if let Matrix::Blocks(blocks) = matrix {
            return self.blocks.factor(blocks);
        }
        if self.is_cg() {
            self.diagonal.0.clear();
            return inverse_diagonal(matrix, &mut self.diagonal.0);
        }
        match (matrix, &mut self.elimination) {
            (Matrix::Dense(dense), _) => self.dense.factor(dense, self.definite),
            (Matrix::Bordered(bordered), Some(elimination)) => {
                elimination.factor(bordered, self.definite)
            }
            _ => Err(SolverError::Usage("analyze the shape of the matrix first".into())),
        }
    }

    fn solve(&mut self, matrix: &Matrix, b: &[f64], x: &mut [f64]) -> Result<Report, SolverError> {
        check_lengths(matrix, b, x)?;
        if let Matrix::Blocks(blocks) = matrix {
            return self.blocks.solve(blocks, b.as_chunks().0, x.as_chunks_mut().0);
        }
        if self.is_cg() {
            let Some(product) = &mut self.product else {
                return Err(SolverError::Usage("analyze the shape of the matrix first".into()));
            };
            let mut a = MatrixOperator { matrix, product };
            let diagonal: &mut dyn Operator = &mut self.diagonal;
            return self.cg.solve(&mut a, Some(diagonal), b, x);
        }
        if let (Matrix::Bordered(bordered), Some(elimination)) = (matrix, &mut self.elimination) {
            elimination.solve(bordered, b, x)?;
        } else {
            x.copy_from_slice(b);
            self.dense.solve(x);
        }
        let relative_residual = self.relative_residual(matrix, b, x);
        Ok(Report { iterations: 0, relative_residual, reason: StopReason::Direct })
    }

    fn wants_definite(&mut self, yes: bool) {
        self.definite = yes;
        self.blocks.wants_definite(yes);
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.cg.settings.tolerance = relative;
        self.blocks.set_tolerance(relative);
    }

    fn save(&self, to: &mut Sections) {
        self.blocks.save(to);
        if self.product.is_some() {
            to.write("linear solver of any matrix").number(self.cg.settings.tolerance);
        }
    }

    fn load(&mut self, from: &Sections, matrix: Option<&Matrix>) -> Result<(), SolverError> {
        if self.product.is_none() {
            return self.blocks.load(from, matrix.and_then(Matrix::blocks));
        }
        let mut section = from.read("linear solver of any matrix")?;
        self.cg.settings.tolerance = section.number()?;
        section.finish()?;
        matrix.map_or(Ok(()), |matrix| self.factor(matrix))
    }

    fn memory(&self) -> usize {
        let elimination = self.elimination.as_ref().map_or(0, Elimination::memory);
        self.blocks.memory() + self.dense.memory() + elimination
    }

    fn chosen(&self) -> Option<SolverUse> {
        let named = |linear: &str, why: &str| {
            Some(SolverUse { linear: linear.into(), why: why.into(), ..SolverUse::default() })
        };
        match (&self.product, &self.elimination) {
            (None, _) => self.blocks.chosen(),
            (Some(_), _) if self.is_cg() => Some(SolverUse {
                preconditioner: Some("diagonal".into()),
                ..named("cg", "given by name")?
            }),
            (Some(_), Some(elimination)) => Some(elimination.taken()),
            (Some(_), None) => named("dense factor", "few unknowns, all coupled with all"),
        }
    }

    fn note(&self) -> Option<String> {
        match (&self.product, &self.elimination) {
            (None, _) => self.blocks.note(),
            (Some(_), _) if self.is_cg() => Some("cg with diagonal on an operator".into()),
            (Some(_), Some(elimination)) => Some(elimination.note()),
            (Some(_), None) => Some("dense factor: few unknowns".into()),
        }
    }
}

/// 1/aᵢᵢ of a matrix that must be positive definite.
fn inverse_diagonal(matrix: &Matrix, to: &mut Vec<f64>) -> Result<(), SolverError> {
    if let Matrix::Bordered(a) = matrix {
        to.extend(a.blocks.diagonal().flat_map(|block| [block[0], block[4], block[8]]));
    }
    let dense = match matrix {
        Matrix::Dense(a) => a,
        Matrix::Bordered(a) => &a.corner,
        Matrix::Blocks(_) => return Ok(()),
    };
    to.extend((0..dense.size()).map(|i| dense.row(i)[i]));
    for (i, value) in to.iter_mut().enumerate() {
        if value.is_nan() || *value <= 0.0 {
            let (vertex, axis, pivot) = (i / 3, i % 3, *value);
            return Err(SolverError::NotPositiveDefinite { vertex, axis, pivot });
        }
        *value = 1.0 / *value;
    }
    Ok(())
}
