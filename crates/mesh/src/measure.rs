//! Measures: volume, centre of mass, inertia tensor, bounding box.

use pliant_algebra::vec3::{Vec3, add, add_scaled, scale, sub};

use crate::cell::{CellType, HEX_CORNERS};
use crate::isoparametric::{Hex20, Quadratic, Shape, Tet10, gauss};
use crate::spatial::Aabb;
use crate::volume::{VolumeMesh, hex_jacobian, tet_volume};

/// The bounding box of all vertices, referenced or not.
pub fn bounding_box(mesh: &VolumeMesh) -> Aabb {
    Aabb::of(&mesh.vertices)
}

/// The axis along which the mesh is longest: 0, 1 or 2.
pub fn longest_axis(mesh: &VolumeMesh) -> usize {
    bounding_box(mesh).longest_axis()
}

/// Volume, centre and inertia of a body of unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume, m³. Inverted cells count negatively.
    pub volume: f64,
    /// Centre of mass, m; the centre of the bounding box where there is no volume.
    pub centre: Vec3,
    /// Inertia tensor about the centre of mass for a density of 1 kg/m³, kg m².
    pub inertia: [[f64; 3]; 3],
}

/// Volume, m³: that of the trilinear map of a hex8 and of the quadratic map of a tet10 or hex20, so that
/// curved sides count.
pub fn volume(mesh: &VolumeMesh) -> f64 {
    mass_properties(mesh).volume
}

/// Centre of mass at uniform density, m.
pub fn centre_of_mass(mesh: &VolumeMesh) -> Vec3 {
    mass_properties(mesh).centre
}

/// Inertia tensor ∫ (|r|² 1 − r rᵀ) about the centre of mass, for a density of 1 kg/m³.
pub fn inertia(mesh: &VolumeMesh) -> [[f64; 3]; 3] {
    mass_properties(mesh).inertia
}

/// All three in one pass. Each integral is exact for the cell's own map, up to rounding.
pub fn mass_properties(mesh: &VolumeMesh) -> MassProperties {
    // Moments about the middle of the body: about a distant origin they would cancel.
    let origin = bounding_box(mesh).centre();
    let mut m = Moments::default();
    let at = |cell: &[u32], i: usize| sub(mesh.vertices[cell[i] as usize], origin);
    match mesh.cell_type {
        CellType::Tet4 => {
            for cell in mesh.cells() {
                m.add_tet(std::array::from_fn(|i| at(cell, i)));
            }
        }
        CellType::Hex8 => {
            // x xᵀ det J has degree 4 in each coordinate, and three points serve 5.
            let rule = gauss(3);
            for cell in mesh.cells() {
                m.add_hex(&std::array::from_fn(|i| at(cell, i)), &rule);
            }
        }
        CellType::Tet10 => {
            let rule = tet10_rule();
            for cell in mesh.cells() {
                m.add_quadratic(&std::array::from_fn(|i| at(cell, i)), &rule);
            }
        }
        CellType::Hex20 => {
            // x xᵀ has degree 4 in each coordinate and det J degree 5 at most.
            let rule: ShapeRule<20> =
                gauss(5).into_iter().map(|(xi, weight)| (Hex20::shape(xi), weight)).collect();
            for cell in mesh.cells() {
                m.add_quadratic(&std::array::from_fn(|i| at(cell, i)), &rule);
            }
        }
    }
    m.about(origin)
}

/// ∫ 1, ∫ x and ∫ x xᵀ, the last in the order xx, yy, zz, xy, yz, xz.
#[derive(Default)]
struct Moments {
    volume: f64,
    first: Vec3,
    second: [f64; 6],
}

impl Moments {
    fn add(&mut self, x: Vec3, weight: f64) {
        self.volume += weight;
        self.first = add_scaled(self.first, x, weight);
        for (sum, [i, j]) in self.second.iter_mut().zip(PAIRS) {
            *sum += weight * x[i] * x[j];
        }
    }

    /// ∫ x xᵀ = V/20 (Σ xᵢ xᵢᵀ + s sᵀ) with s = Σ xᵢ = 4 c: a rule of the corners with weight
    /// V/20 and the centroid c with 16 V/20, which is also right for the lower moments.
    fn add_tet(&mut self, x: [Vec3; 4]) {
        let v = tet_volume(x) / 20.0;
        let sum = add(add(x[0], x[1]), add(x[2], x[3]));
        for p in x {
            self.add(p, v);
        }
        self.add(scale(sum, 0.25), 16.0 * v);
    }

    fn add_hex(&mut self, corners: &[Vec3; 8], rule: &[(Vec3, f64)]) {
        for &(xi, weight) in rule {
            let mut x = [0.0; 3];
            for (c, s) in corners.iter().zip(&HEX_CORNERS) {
                let n = (1.0 + s[0] * xi[0]) * (1.0 + s[1] * xi[1]) * (1.0 + s[2] * xi[2]);
                x = add_scaled(x, *c, 0.125 * n);
            }
            self.add(x, weight * hex_jacobian(corners, xi));
        }
    }

    fn add_quadratic<const N: usize>(&mut self, nodes: &[Vec3; N], rule: &[(Shape<N>, f64)]) {
        for (shape, weight) in rule {
            self.add(shape.point(nodes), weight * shape.jacobian(nodes));
        }
    }

    fn about(self, origin: Vec3) -> MassProperties {
        let Self { volume, first, second } = self;
        if volume == 0.0 || !volume.is_finite() {
            return MassProperties { volume, centre: origin, inertia: [[0.0; 3]; 3] };
        }
        let c = scale(first, 1.0 / volume);
        let mut covariance = [[0.0; 3]; 3];
        for (sum, [i, j]) in second.iter().zip(PAIRS) {
            covariance[i][j] = sum - first[i] * c[j];
            covariance[j][i] = covariance[i][j];
        }
        let trace = covariance[0][0] + covariance[1][1] + covariance[2][2];
        let mut inertia = covariance.map(|row| row.map(|x| -x));
        (0..3).for_each(|i| inertia[i][i] += trace);
        MassProperties { volume, centre: add(origin, c), inertia }
    }
}

const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];

/// Shape functions of N nodes at points, with weights.
type ShapeRule<const N: usize> = Vec<(Shape<N>, f64)>;

/// Grundmann and Möller's rule of degree 7 (SIAM J. Numer. Anal. 15, 1978, eq. 4.1 with n = 3,
/// s = 3): x xᵀ is of degree 4 and det J of degree 3 in a quadratic tetrahedron.
fn tet10_rule() -> ShapeRule<10> {
    const FACTORIAL: [f64; 11] =
        [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0, 3628800.0];
    let mut rule = Vec::with_capacity(35);
    for i in 0..=3 {
        let spread = (10 - 2 * i) as f64;
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let weight = sign * spread.powi(7) / (64.0 * FACTORIAL[i] * FACTORIAL[10 - i]);
        let total = 3 - i;
        for a in 0..=total {
            for b in 0..=total - a {
                for c in 0..=total - a - b {
                    let xi = [a, b, c].map(|k| (2 * k + 1) as f64 / spread);
                    rule.push((Tet10::shape(xi), weight));
                }
            }
        }
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::TET_EDGES;
    use pliant_algebra::vec3::lerp;

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * b.abs().max(1.0)
    }

    fn cuboid(size: Vec3, at: Vec3) -> VolumeMesh {
        let corners = HEX_CORNERS.map(|s| {
            let t: Vec3 = std::array::from_fn(|i| 0.5 * (s[i] + 1.0) * size[i]);
            add(at, t)
        });
        VolumeMesh::new(CellType::Hex8, corners.to_vec(), (0..8).collect())
    }

    #[test]
    fn cuboid_far_away_has_the_inertia_of_the_text_book() {
        let [a, b, c] = [1.0, 2.0, 3.0];
        let p = mass_properties(&cuboid([a, b, c], [1e6, -2e6, 3e6]));
        assert!(close(p.volume, 6.0, 1e-9));
        for (x, y) in p.centre.into_iter().zip([1e6 + 0.5, -2e6 + 1.0, 3e6 + 1.5]) {
            assert!((x - y).abs() < 1e-8);
        }
        let expected = [b * b + c * c, a * a + c * c, a * a + b * b].map(|s| s * 6.0 / 12.0);
        for i in 0..3 {
            for j in 0..3 {
                let wanted = if i == j { expected[i] } else { 0.0 };
                assert!((p.inertia[i][j] - wanted).abs() < 1e-8, "{:?}", p.inertia);
            }
        }
    }

    #[test]
    fn tetrahedron_has_its_known_products_of_inertia() {
        // Unit corner tetrahedron: ∫x² = 1/60, ∫xy = 1/120, centre 1/4, volume 1/6.
        let x = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let p = mass_properties(&VolumeMesh::new(CellType::Tet4, x, vec![0, 1, 2, 3]));
        let (square, product) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
        assert!(close(p.volume, 1.0 / 6.0, 1e-16));
        for i in 0..3 {
            assert!(close(p.centre[i], 0.25, 1e-15));
            for j in 0..3 {
                let wanted = if i == j { 2.0 * square } else { -product };
                assert!((p.inertia[i][j] - wanted).abs() < 1e-16, "{:?}", p.inertia);
            }
        }
    }

    #[test]
    fn bent_hexahedron_is_integrated_exactly() {
        // Top face z = 1 + t x y: V = 1 + t/4, ∫z = ∫∫ z²/2 = 1/2 + t/4 + t²/18, and
        // ∫x² = 1/3 + t/8.
        let t = 0.4;
        let mut mesh = cuboid([1.0; 3], [0.0; 3]);
        mesh.vertices[6][2] += t;
        let p = mass_properties(&mesh);
        let v = 1.0 + t / 4.0;
        assert!(close(p.volume, v, 1e-15));
        assert!(close(p.centre[2], (0.5 + t / 4.0 + t * t / 18.0) / v, 1e-15));
        let cx = (0.5 + t / 6.0) / v;
        assert!(close(p.centre[0], cx, 1e-15));
        // xx of the covariance is (I_yy + I_zz − I_xx) / 2.
        let xx = 0.5 * (p.inertia[1][1] + p.inertia[2][2] - p.inertia[0][0]);
        assert!(close(xx, 1.0 / 3.0 + t / 8.0 - v * cx * cx, 1e-14));
    }

    fn tet10(mut bend: impl FnMut(Vec3) -> Vec3) -> VolumeMesh {
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut x = corner.to_vec();
        x.extend(TET_EDGES.map(|[a, b]| lerp(corner[a], corner[b], 0.5)));
        let x = x.into_iter().map(&mut bend).collect();
        VolumeMesh::new(CellType::Tet10, x, (0..10).collect())
    }

    #[test]
    fn straight_tet10_equals_its_tet4() {
        let shear = |[x, y, z]: Vec3| [x + 0.3 * y, 2.0 * y, z - 0.1 * x];
        let quadratic = tet10(shear);
        let linear =
            VolumeMesh::new(CellType::Tet4, quadratic.vertices[..4].to_vec(), vec![0, 1, 2, 3]);
        let (p, q) = (mass_properties(&quadratic), mass_properties(&linear));
        assert!(close(p.volume, q.volume, 1e-14));
        for i in 0..3 {
            assert!(close(p.centre[i], q.centre[i], 1e-14));
            for j in 0..3 {
                assert!((p.inertia[i][j] - q.inertia[i][j]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn curved_tet10_is_integrated_exactly() {
        // The map (x, y, z + x²) has determinant 1 and is held exactly by quadratic shapes:
        // volume 1/6, ∫z = 1/24 + 1/60, ∫z² = 1/60 + 2 ∫z x² + ∫x⁴ = 1/60 + 2/360 + 4!/7!,
        // by ∫ xᵃ yᵇ zᶜ = a! b! c! / (a + b + c + 3)!.
        let p = mass_properties(&tet10(|[x, y, z]| [x, y, z + x * x]));
        assert!(close(p.volume, 1.0 / 6.0, 1e-14));
        let first = 1.0 / 24.0 + 1.0 / 60.0;
        assert!(close(p.centre[2], 6.0 * first, 1e-14));
        let zz = 0.5 * (p.inertia[0][0] + p.inertia[1][1] - p.inertia[2][2]);
        let second = 1.0 / 60.0 + 2.0 * 2.0 / 720.0 + 24.0 / 5040.0;
        assert!((zz - (second - 6.0 * first * first)).abs() < 1e-15);
        // And it is not what the corners alone would say.
        assert!((p.centre[2] - 0.25).abs() > 0.05);
    }

    #[test]
    fn boxes_measure_and_survive_any_numbers() {
        let b = Aabb::of(&[[1.0, 2.0, 3.0], [-1.0, 5.0, 4.0]]);
        assert_eq!(b.extent(), [2.0, 3.0, 1.0]);
        assert_eq!(b.longest_axis(), 1);
        assert!(close(b.diagonal(), 14f64.sqrt(), 1e-15));
        assert_eq!(Aabb::of(&[]).diagonal(), 0.0);
        assert_eq!(Aabb::of(&[[f64::NAN; 3]]).extent(), [0.0; 3]);
        let huge = Aabb::of(&[[1e308; 3], [5e307; 3]]);
        assert!(huge.diagonal().is_finite());
        let empty = VolumeMesh::new(CellType::Hex8, vec![], vec![]);
        assert_eq!(mass_properties(&empty).volume, 0.0);
    }
}
