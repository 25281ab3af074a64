//! Mass matrices.

use crate::common;

use common::laws::PlainStVK;
use common::{irregular_box, pattern_of};
use pliant_elements::{Element, Hex8, Hex20, Tet4, Tet10};
use pliant_forces::{ForceError, Parameters, Partition, Solid, mass};

#[test]
fn masses_add_up_and_rigid_motion_has_its_kinetic_energy() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let mesh = irregular_box(N, [3, 2, 2]);
        let partition = Partition::with_chunk_size(&mesh, 6).unwrap();
        let model = Solid::new(
            &mesh,
            &partition,
            element,
            Box::new(PlainStVK),
            Parameters::Uniform(&[1.0, 1.0]),
        )
        .unwrap();
        let rest = partition.vertices().apply(&mesh.vertices);
        let pattern = pattern_of(&model, rest.len());
        let density = |cell: usize| if cell.is_multiple_of(2) { 3.0 } else { 5.0 };
        let exact: f64 = (0..mesh.cell_count()).map(|c| density(c) * mesh.cell_volume(c)).sum();
        let lumped = mass::lumped(&mesh, &partition, element, &density).unwrap();
        assert!((lumped.iter().sum::<f64>() - exact).abs() < 1e-14 * exact);
        let matrix = mass::consistent(&mesh, &partition, element, &density, &pattern).unwrap();
        let dense = matrix.to_dense();
        let n = 3 * rest.len();
        // ½ vᵀ M v of v = 1 + x along one axis, against the integral of ½ ρ v², which tet4, tet10 and
        // hex8 hold exactly: ∫ (1 + x)² by a rule of the same exactness on each cell.
        let rule = E::mass_rule();
        let v: Vec<f64> = rest.iter().map(|p| 1.0 + p[0]).collect();
        let energy: f64 = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| {
                        if i % 3 == 0 && j % 3 == 0 {
                            v[i / 3] * dense[i * n + j] * v[j / 3]
                        } else {
                            0.0
                        }
                    })
                    .sum::<f64>()
            })
            .sum();
        let mut integral = 0.0;
        for c in 0..mesh.cell_count() {
            let x: [[f64; 3]; N] = std::array::from_fn(|a| mesh.vertices[mesh.cell(c)[a] as usize]);
            for &(at, weight) in &rule {
                let point = pliant_elements::Point {
                    at,
                    weight,
                    values: E::values(at),
                    gradients: E::gradients(at),
                };
                let j = pliant_algebra::mat3::Mat3(E::jacobian(&point, &x));
                let speed: f64 = (0..N).map(|a| point.values[a] * (1.0 + x[a][0])).sum();
                integral += density(c) * weight * j.determinant() * speed * speed;
            }
        }
        assert!((energy - integral).abs() < 1e-13 * integral, "{energy} {integral}");
        // Each axis apart from the others.
        assert!((0..n).all(|i| (0..n).all(|j| i % 3 == j % 3 || dense[i * n + j] == 0.0)));
    }
    check(Tet4);
    check(Tet10);
    check(Hex8);
    check(Hex20);
}

#[test]
fn a_density_that_is_none_is_refused() {
    let mesh = irregular_box(4, [1, 1, 1]);
    let partition = Partition::new(&mesh).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = mass::lumped(&mesh, &partition, Tet4, &|_| bad).unwrap_err();
        assert!(matches!(error, ForceError::Parameter { .. }));
        assert!(error.to_string().contains("density of element"));
    }
}
