//! Stress and strain out: per element, and averaged to vertices.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_elements::Element;
use pliant_materials::measures;

use crate::assembly::Partition;
use crate::cells::Cells;
use crate::error::ForceError;
use crate::memory::Memory;
use crate::solid::Solid;

/// What is known of an element: means over its points with their rest volumes. What is not linear in
/// these (principal values, von Mises) is taken of the means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stress {
    /// Cauchy stress σ = P Fᵀ / J, Pa.
    pub cauchy: Mat3<f64>,
    /// First Piola-Kirchhoff stress P, Pa.
    pub piola: Mat3<f64>,
    /// Green strain E = ½ (FᵀF − I).
    pub green: Mat3<f64>,
    /// Energy density W, J/m³ of rest volume; zero for laws without energy.
    pub energy_density: f64,
    /// Volume ratio J = det F.
    pub jacobian: f64,
}

impl Stress {
    fn zero() -> Self {
        let zero = Mat3::zero();
        Self { cauchy: zero, piola: zero, green: zero, energy_density: 0.0, jacobian: 0.0 }
    }

    fn add(&mut self, other: &Self, weight: f64) {
        self.cauchy += other.cauchy.scale(weight);
        self.piola += other.piola.scale(weight);
        self.green += other.green.scale(weight);
        self.energy_density += other.energy_density * weight;
        self.jacobian += other.jacobian * weight;
    }

    /// Von Mises stress of σ, Pa.
    pub fn von_mises(&self) -> f64 {
        measures::von_mises(&self.cauchy)
    }

    /// Principal stresses of σ, Pa, largest first, and their directions.
    pub fn principal(&self) -> ([f64; 3], [Vec3; 3]) {
        let eigen = measures::principal(&self.cauchy.symmetric_part());
        (eigen.values, [0, 1, 2].map(|k| eigen.vectors.column(k)))
    }

    /// The six entries of a symmetric tensor in the order xx, yy, zz, xy, yz, xz.
    pub fn six(tensor: &Mat3<f64>) -> [f64; 6] {
        let t = &tensor.0;
        [t[0][0], t[1][1], t[2][2], t[0][1], t[1][2], t[0][2]]
    }
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Stress and strain of every element, with its number as the user counts cells and its rest
    /// volume (m³) times its weight, in that order. `x` in the numbering of the system.
    pub fn stresses(&self, x: &[Vec3]) -> Result<Vec<(u32, f64, Stress)>, ForceError> {
        let mut all = Vec::with_capacity(self.elements());
        self.each_stress(x, None, &mut |cell, volume, stress| all.push((cell, volume, *stress)))?;
        all.sort_unstable_by_key(|entry| entry.0);
        Ok(all)
    }

    /// Calls `visit(cell, volume, stress)` for every element, in the order of work: the same as
    /// [`Solid::stresses`] without room for all of them. What a solid remembers counts if it is given; without it the stress is that of
    /// the law, as after a long time. Ends at the first element that is outside of the
    /// law's domain.
    pub fn each_stress(
        &self,
        x: &[Vec3],
        memory: Option<&Memory>,
        visit: &mut dyn FnMut(u32, f64, &Stress),
    ) -> Result<(), ForceError> {
        let count = self.law().parameters().len();
        self.each_element(x, |cell, points| {
            let mut mean = Stress::zero();
            let mut volume = 0.0;
            for point in points {
                let (f, p) = (&point.gradient, &point.parameters[..count]);
                let jacobian = f.determinant();
                let outside =
                    if self.law().needs_positive_j() { jacobian <= 0.0 } else { jacobian == 0.0 };
                if outside || !jacobian.is_finite() {
                    return Err(ForceError::Inverted {
                        element: cell as usize,
                        jacobian,
                        law: self.law().name(),
                        first_vertex: 0,
                    });
                }
                let mut piola = self.law().stress(p, f);
                let mut kept = 0.0;
                if let Some((more, energy)) =
                    memory.and_then(|memory| self.remembered_stress(memory, point.place, f))
                {
                    piola += more;
                    kept = energy;
                }
                let here = Stress {
                    cauchy: measures::cauchy_stress(f, &piola),
                    piola,
                    green: measures::green_strain(f),
                    energy_density: if self.law().has_energy() {
                        self.law().energy(p, f) + kept
                    } else {
                        kept
                    },
                    jacobian,
                };
                mean.add(&here, point.weight);
                volume += point.weight;
            }
            let mut result = Stress::zero();
            result.add(&mean, 1.0 / volume);
            visit(cell, volume, &result);
            Ok(())
        })
    }

    /// Means over the elements around each vertex, weighted with their rest volumes, as the user
    /// counts vertices; `None` for vertices of no element.
    pub fn vertex_stresses<'a>(
        &self,
        x: &[Vec3],
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
    ) -> Result<Vec<Option<Stress>>, ForceError> {
        let cells = cells.into();
        if partition.vertices().len() != cells.vertex_count() || cells.per_cell() != N {
            return Err(ForceError::Unsupported("the mesh is not that of the model".into()));
        }
        let mut sums = vec![(0.0, Stress::zero()); cells.vertex_count()];
        for (cell, volume, stress) in self.stresses(x)? {
            for &v in cells.cell(cell as usize) {
                sums[v as usize].0 += volume;
                sums[v as usize].1.add(&stress, volume);
            }
        }
        Ok(sums
            .into_iter()
            .map(|(volume, sum)| {
                (volume > 0.0).then(|| {
                    let mut mean = Stress::zero();
                    mean.add(&sum, 1.0 / volume);
                    mean
                })
            })
            .collect())
    }
}
