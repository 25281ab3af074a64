//! [`PointLaw`]: a law chosen at run time, asked at one point or at eight.

use std::hint::black_box;

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::real::counted::Counted;

use crate::dense::DenseTangent;
use crate::eight::EightPoints;
use crate::law::{Law, Tangent};

/// A law behind a pointer. `p` as in [`Law`]. Every [`Law`] is one.
pub trait PointLaw: std::fmt::Debug + Send + Sync {
    /// The law's name in messages: the last part of its type's.
    fn name(&self) -> String;
    /// Names of the parameters in `p`.
    fn parameters(&self) -> &[&'static str];
    /// [`Law::HAS_ENERGY`]
    fn has_energy(&self) -> bool;
    /// [`Law::NEEDS_POSITIVE_J`]
    fn needs_positive_j(&self) -> bool;
    /// [`Law::TAKES_INVERSION`]
    fn takes_inversion(&self) -> bool;
    /// [`Law::HAS_FRAMES`]
    fn has_frames(&self) -> bool;
    /// [`Law::IS_LINEAR`]
    fn is_linear(&self) -> bool;
    /// Whether something in it carries tension only, so that its stiffness at rest jumps.
    fn stiffens_in_tension(&self, _p: &[f64]) -> bool {
        false
    }
    /// [`Law::frame`]
    fn frame(&self, p: &[f64], f: &Mat3<f64>) -> Option<Mat3<f64>>;
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
    /// All of it at eight points.
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>);
    /// Floating-point operations at that point, for those who compare with the limits of a machine.
    fn operations(&self, p: &[f64], f: &Mat3<f64>, project: bool) -> Operations;
}

/// Floating-point operations of a law at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations {
    /// Of W.
    pub energy: u64,
    /// Of P.
    pub stress: u64,
    /// Of P and ∂P/∂F before it meets shape gradients.
    pub tangent: u64,
    /// Of one gradient.
    pub node: u64,
    /// Of one block.
    pub block: u64,
}

impl<L: Law> PointLaw for L {
    fn name(&self) -> String {
        let name = std::any::type_name::<L>();
        let plain = name.split('<').next().unwrap_or(name);
        plain.rsplit("::").next().unwrap_or(plain).to_string()
    }
    fn parameters(&self) -> &[&'static str] {
        L::PARAMETERS
    }
    fn has_energy(&self) -> bool {
        L::HAS_ENERGY
    }
    fn needs_positive_j(&self) -> bool {
        L::NEEDS_POSITIVE_J
    }
    fn takes_inversion(&self) -> bool {
        L::TAKES_INVERSION
    }
    fn has_frames(&self) -> bool {
        L::HAS_FRAMES
    }
    fn is_linear(&self) -> bool {
        L::IS_LINEAR
    }
    fn frame(&self, p: &[f64], f: &Mat3<f64>) -> Option<Mat3<f64>> {
        Law::frame(self, p, f)
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
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        Law::evaluate(self, level, points);
    }
    fn operations(&self, p: &[f64], f: &Mat3<f64>, project: bool) -> Operations {
        let p: Vec<Counted> = p.iter().map(|&x| Counted(x)).collect();
        let f = Mat3(f.0.map(|row| row.map(Counted)));
        let a = [Counted(0.5), Counted(-0.25), Counted(2.0)];
        let prepared = tangent(self, &p, &f, project).1;
        let node = prepared.node(a);
        Operations {
            energy: Counted::operations(|| {
                if L::HAS_ENERGY {
                    let _ = black_box(Law::energy(self, &p, &f));
                }
            }),
            stress: Counted::operations(|| {
                let _ = black_box(Law::stress(self, &p, &f));
            }),
            tangent: Counted::operations(|| {
                let _ = black_box(tangent(self, &p, &f, project));
            }),
            node: Counted::operations(|| {
                let _ = black_box(prepared.node(a));
            }),
            block: Counted::operations(|| {
                let _ = black_box(prepared.block(&node, &node));
            }),
        }
    }
}

/// Out of line: a law's tangent is much code, and is compiled once here for each kind of number.
#[inline(never)]
fn tangent<L: Law, R: Real>(
    law: &L,
    p: &[R],
    f: &Mat3<R>,
    project: bool,
) -> (Mat3<R>, L::Tangent<R>) {
    law.stress_and_tangent(p, f, project)
}
