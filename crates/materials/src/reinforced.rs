//! [`Reinforced`]: a matrix law with families of [fibres](crate::fibres) in it.

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;

use crate::dense::DenseTangent;
use crate::eight::EightPoints;
use crate::fibres::{FAMILY, Fibres, MOST_FAMILIES, NAMES, add_family};
use crate::law::Law;
use crate::point::{Operations, PointLaw};

/// W = W(matrix) + Σ W(family). Its parameters are those of the matrix, then those of each family.
///
/// Each of the two is compiled for itself, so that fibres serve in every law. A projected tangent is the projected one of
/// the matrix with that of the fibres, which is positive semi-definite as it is.
#[derive(Debug)]
pub struct Reinforced {
    matrix: Box<dyn PointLaw>,
    families: usize,
    names: Vec<&'static str>,
}

impl Reinforced {
    /// The law with so many families of fibres, at most [`MOST_FAMILIES`].
    pub fn new(matrix: Box<dyn PointLaw>, families: usize) -> Self {
        let families = families.min(MOST_FAMILIES);
        let of_fibres = NAMES[..families].iter().copied().flatten();
        let names = matrix.parameters().iter().chain(of_fibres).copied().collect();
        Self { matrix, families, names }
    }

    /// Parameters of the matrix, and of each family.
    fn split<'p>(&self, p: &'p [f64]) -> (&'p [f64], impl Iterator<Item = &'p [f64]>) {
        let (matrix, fibres) = p.split_at(self.matrix.parameters().len().min(p.len()));
        (matrix, fibres.chunks_exact(FAMILY).take(self.families))
    }
}

impl PointLaw for Reinforced {
    fn name(&self) -> String {
        format!("{} with fibres", self.matrix.name())
    }
    fn parameters(&self) -> &[&'static str] {
        &self.names
    }
    fn has_energy(&self) -> bool {
        self.matrix.has_energy()
    }
    fn needs_positive_j(&self) -> bool {
        self.matrix.needs_positive_j()
    }
    fn takes_inversion(&self) -> bool {
        self.matrix.takes_inversion()
    }
    /// In held frames a law is that of Hooke, without fibres.
    fn has_frames(&self) -> bool {
        false
    }
    fn is_linear(&self) -> bool {
        false
    }
    fn stiffens_in_tension(&self, p: &[f64]) -> bool {
        self.split(p).1.any(|family| family[0] > 0.0)
    }
    fn frame(&self, _p: &[f64], _f: &Mat3<f64>) -> Option<Mat3<f64>> {
        None
    }
    fn energy(&self, p: &[f64], f: &Mat3<f64>) -> f64 {
        let (matrix, families) = self.split(p);
        self.matrix.energy(matrix, f) + families.map(|p| Law::energy(&Fibres, p, f)).sum::<f64>()
    }
    fn stress(&self, p: &[f64], f: &Mat3<f64>) -> Mat3<f64> {
        let (matrix, families) = self.split(p);
        let of_matrix = self.matrix.stress(matrix, f);
        families.fold(of_matrix, |sum, p| sum + Law::stress(&Fibres, p, f))
    }
    fn stress_and_tangent(
        &self,
        p: &[f64],
        f: &Mat3<f64>,
        project: bool,
    ) -> (Mat3<f64>, DenseTangent<f64>) {
        let (matrix, families) = self.split(p);
        let (mut stress, mut tangent) = self.matrix.stress_and_tangent(matrix, f, project);
        for p in families {
            let (more, of_fibres) = PointLaw::stress_and_tangent(&Fibres, p, f, project);
            stress += more;
            let pairs = tangent.columns.iter_mut().flatten();
            for (sum, part) in pairs.zip(of_fibres.columns.iter().flatten()) {
                *sum += *part;
            }
        }
        (stress, tangent)
    }
    fn block(
        &self,
        p: &[f64],
        f: &Mat3<f64>,
        project: bool,
        a: [f64; 3],
        b: [f64; 3],
    ) -> Mat3<f64> {
        let (matrix, families) = self.split(p);
        let of_matrix = self.matrix.block(matrix, f, project, a, b);
        families.fold(of_matrix, |sum, p| sum + PointLaw::block(&Fibres, p, f, project, a, b))
    }
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        self.matrix.evaluate(level, points);
        let first = self.matrix.parameters().len();
        for family in 0..self.families {
            add_family(first + family * FAMILY, level, points);
        }
    }
    fn operations(&self, p: &[f64], f: &Mat3<f64>, project: bool) -> Operations {
        let (matrix, families) = self.split(p);
        families.map(|p| PointLaw::operations(&Fibres, p, f, project)).fold(
            self.matrix.operations(matrix, f, project),
            |sum, part| Operations {
                energy: sum.energy + part.energy,
                stress: sum.stress + part.stress,
                tangent: sum.tangent + part.tangent,
                node: sum.node + part.node,
                block: sum.block + part.block,
            },
        )
    }
}
