//! [`PointLaw`]: a law chosen at run time and asked at one point, for tools and tests. Element loops
//! use [`Material::dispatch`] instead.

use pliant_algebra::mat3::Mat3;

use crate::dense::DenseTangent;
use crate::law::{Law, Tangent};
use crate::material::{Material, Visitor};

/// A law at one point, behind a pointer. `p` as in [`Law`].
pub trait PointLaw: Send + Sync {
    /// Names of the parameters in `p`.
    fn parameters(&self) -> &'static [&'static str];
    /// [`Law::HAS_ENERGY`]
    fn has_energy(&self) -> bool;
    /// [`Law::NEEDS_POSITIVE_J`]
    fn needs_positive_j(&self) -> bool;
    /// W, J/m³
    fn energy(&self, p: &[f64], f: &Mat3<f64>) -> f64;
    /// P, Pa
    fn stress(&self, p: &[f64], f: &Mat3<f64>) -> Mat3<f64>;
    /// P and ∂P/∂F
    fn stress_and_tangent(
        &self,
        p: &[f64],
        f: &Mat3<f64>,
        project: bool,
    ) -> (Mat3<f64>, DenseTangent<f64>);
    /// The block that couples the gradients a and b, as elements compute it.
    fn block(&self, p: &[f64], f: &Mat3<f64>, project: bool, a: [f64; 3], b: [f64; 3])
    -> Mat3<f64>;
}

impl<L: Law> PointLaw for L {
    fn parameters(&self) -> &'static [&'static str] {
        L::PARAMETERS
    }
    fn has_energy(&self) -> bool {
        L::HAS_ENERGY
    }
    fn needs_positive_j(&self) -> bool {
        L::NEEDS_POSITIVE_J
    }
    fn energy(&self, p: &[f64], f: &Mat3<f64>) -> f64 {
        Law::energy(self, p, f)
    }
    fn stress(&self, p: &[f64], f: &Mat3<f64>) -> Mat3<f64> {
        Law::stress(self, p, f)
    }
    fn stress_and_tangent(
        &self,
        p: &[f64],
        f: &Mat3<f64>,
        project: bool,
    ) -> (Mat3<f64>, DenseTangent<f64>) {
        let (stress, tangent) = tangent(self, p, f, project);
        (stress, DenseTangent::from_tangent(&tangent))
    }
    fn block(
        &self,
        p: &[f64],
        f: &Mat3<f64>,
        project: bool,
        a: [f64; 3],
        b: [f64; 3],
    ) -> Mat3<f64> {
        let (_, tangent) = tangent(self, p, f, project);
        tangent.block(&tangent.node(a), &tangent.node(b))
    }
}

/// Out of line: a law's tangent is much code, and is compiled once here.
#[inline(never)]
fn tangent<L: Law>(
    law: &L,
    p: &[f64],
    f: &Mat3<f64>,
    project: bool,
) -> (Mat3<f64>, L::Tangent<f64>) {
    law.stress_and_tangent(p, f, project)
}

impl Material {
    /// The law behind a pointer, for single points.
    pub fn point(&self) -> Box<dyn PointLaw> {
        struct Point;
        impl Visitor for Point {
            type Output = Box<dyn PointLaw>;
            fn visit<L: Law>(self, law: L) -> Self::Output {
                Box::new(law)
            }
        }
        self.dispatch(Point)
    }
}
