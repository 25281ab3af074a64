//! One element at a time, in plain numbers: for what is not worth packs.

use pliant_algebra::lanes::LANES;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::vec3::Vec3;
use pliant_elements::Element;
use pliant_materials::Tangent;
use pliant_materials::eight::MOST_PARAMETERS;
use pliant_materials::maxwell::Maxwell;

use super::Solid;
use super::chunk::Elements;
use crate::assembly::{Chunk, Rows, largest_ratio};
use crate::error::ForceError;
use crate::worst::{Search, Worst};

/// An element at one of its points.
pub(crate) struct PointOf<const N: usize> {
    /// Deformation gradient F.
    pub(crate) gradient: Mat3<f64>,
    /// Shape gradients ∇N_a, 1/m.
    pub(crate) shape: [[f64; 3]; N],
    /// Rest volume that the point stands for, m³, times the weight of the element.
    pub(crate) weight: f64,
    /// The law's parameters; those beyond its number are 0.
    pub(crate) parameters: [f64; MOST_PARAMETERS],
    /// The chunk, the element in it, and the point.
    pub(crate) place: [usize; 3],
}

/// F̄ = (J̄/J)^⅓ F at every point, with J̄ the mean over all; for laws of the linear strain F̄ = F + ⅓ (θ̄ − θ) I.
fn dilate<const N: usize>(points: &mut [PointOf<N>], linear: bool) {
    let volume: f64 = points.iter().map(|p| p.weight).sum();
    if linear {
        let sum: f64 = points.iter().map(|p| p.weight * p.gradient.trace()).sum();
        for point in points {
            let third = (sum / volume - point.gradient.trace()) / 3.0;
            point.gradient += Mat3::diagonal([third; 3]);
        }
        return;
    }
    let current: f64 = points.iter().map(|p| p.weight * p.gradient.determinant()).sum();
    for point in points {
        let s = Real::cbrt(current / volume / point.gradient.determinant());
        point.gradient = point.gradient.scale(s);
    }
}

impl<const N: usize> Elements<N> {
    /// Element `e` of the chunk at point `q`.
    pub(super) fn point<E: Element<3, N>>(
        &self,
        rows: &Rows,
        [c, e, q]: [usize; 3],
        x: &[Vec3],
    ) -> PointOf<N> {
        let point = &E::POINTS[q];
        let geometry = &self.geometry[e / LANES * E::POINTS.len() + q];
        let number = |k: usize| geometry[k].0[e % LANES];
        let inverse = Mat3::from_array(std::array::from_fn(number));
        let at = self.vertices(rows, e).map(|v| x[v as usize]);
        PointOf {
            gradient: Mat3(E::jacobian(point, &at)) * inverse,
            shape: E::physical_gradients(point, &inverse.0),
            weight: number(9),
            parameters: self.parameters_of(e, q),
            place: [c, e, q],
        }
    }

    /// The law's parameters of element `e` at point `q`.
    fn parameters_of(&self, e: usize, q: usize) -> [f64; MOST_PARAMETERS] {
        let mut p = [0.0; MOST_PARAMETERS];
        for (p, pack) in p.iter_mut().zip(&self.parameters[self.layout.at(e / LANES, q)]) {
            *p = pack.0[e % LANES];
        }
        p
    }
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Calls `visit(cell as the user numbers it, points)` for every element, with the F
    /// that the law sees (the dilated one where the element has a mean dilatation), until one fails.
    pub(crate) fn each_element(
        &self,
        x: &[Vec3],
        mut visit: impl FnMut(u32, &[PointOf<N>]) -> Result<(), ForceError>,
    ) -> Result<(), ForceError> {
        let n = self.parts.assembly.vertices();
        if x.len() != n {
            return Err(ForceError::Unsupported(format!("{} positions for {n} vertices", x.len())));
        }
        let mut points = Vec::with_capacity(E::POINTS.len());
        for (c, Chunk { rows, data: elements }) in self.parts.assembly.chunks().iter().enumerate() {
            for (e, &cell) in elements.cells.iter().enumerate() {
                points.clear();
                let point = |q| elements.point::<E>(rows, [c, e, q], x);
                points.extend((0..E::POINTS.len()).map(point));
                if E::MEAN_DILATATION {
                    dilate(&mut points, self.law().is_linear());
                }
                visit(cell, &points)?;
            }
        }
        Ok(())
    }

    /// See [`ForceModel::worst`](crate::ForceModel::worst).
    pub(super) fn worst_element(&self, x: &[Vec3]) -> Option<Worst> {
        let mut search = Search::default();
        let visited = self.each_element(x, |cell, points| {
            for point in points {
                search.see(cell as usize, point.gradient);
            }
            Ok(())
        });
        visited.ok()?;
        search.end()
    }

    /// Blocks by which branches stiffen a point at first: Σ g F 𝒞_ab Fᵀ, with the tangent at rest.
    fn stiffening(&self, point: &PointOf<N>) -> impl Fn([f64; 3], [f64; 3]) -> Mat3<f64> {
        let law = self.law();
        let strength = self.memory().map_or(1.0, Maxwell::instant) - 1.0;
        let rest = self.memory().map(|_| {
            let count = law.parameters().len();
            law.stress_and_tangent(&point.parameters[..count], &Mat3::identity(), false).1
        });
        let f = if law.is_linear() { Mat3::identity() } else { point.gradient };
        move |a, b| match &rest {
            None => Mat3::zero(),
            Some(rest) => {
                let block = rest.block(&rest.node(a), &rest.node(b));
                (f * block).mul_transpose(&f).scale(strength)
            }
        }
    }

    /// A step below 2/ω of the stiffest mode. Gershgorin's circles of M⁻¹K with the norms of element
    /// blocks bound ω² from above: ω² ≤ max_i Σ_e Σ_b ‖K^e_ib‖ / m_i.
    pub(super) fn safe_step(&self, x: &[Vec3], mass: &[f64]) -> f64 {
        let count = self.law().parameters().len();
        let mut sums = vec![0.0; x.len()];
        for Chunk { rows, data: elements } in self.parts.assembly.chunks() {
            for e in 0..elements.cells.len() {
                let nodes = elements.vertices(rows, e);
                for q in 0..E::POINTS.len() {
                    let point = elements.point::<E>(rows, [0, e, q], x);
                    let (_, tangent) = self.law().stress_and_tangent(
                        &point.parameters[..count],
                        &point.gradient,
                        false,
                    );
                    let prepared = point.shape.map(|g| tangent.node(g));
                    let more = self.stiffening(&point);
                    for a in 0..N {
                        for b in 0..N {
                            let block: Mat3<f64> = tangent.block(&prepared[a], &prepared[b]);
                            let more = more(point.shape[a], point.shape[b]).norm();
                            sums[nodes[a] as usize] += point.weight * (block.norm() + more);
                        }
                    }
                }
            }
        }
        let stiffest = largest_ratio(&sums, mass);
        if stiffest > 0.0 { 2.0 / stiffest.sqrt() } else { f64::INFINITY }
    }
}
