//! Inverted points and the smallest J of models with elements.

use pliant_algebra::vec3::Vec3;
use pliant_forces::corotated::{CorotatedLeast, FrameTangent};
use pliant_forces::solid::solid;
use pliant_forces::{
    ElementName, ForceModel, Inspection, Parameters, Partition, PolynomialStVenantKirchhoff,
    Workspace,
};
use pliant_materials::{LawName, Material};
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::refine::to_quadratic;

const LAME: [f64; 2] = [1.5, 1.0];

/// A block of a number of cells that fills no whole packs, in several chunks.
fn block(nodes: usize) -> (VolumeMesh, Partition, Vec<Vec3>) {
    let cell = if matches!(nodes, 8 | 20) { CellChoice::Hex } else { CellChoice::Tet6 };
    let shape = BoxShape { cells: [3, 3, 1], jitter: 0.2, seed: 3, cell, ..BoxShape::default() };
    let mesh = shape.generate().unwrap();
    let mesh = if nodes >= 10 { to_quadratic(&mesh).unwrap() } else { mesh };
    let partition = Partition::with_chunk_size(&mesh, 10).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    (mesh, partition, rest)
}

fn inspect(model: &dyn ForceModel, x: &[Vec3]) -> Inspection {
    model.inspect(x, &mut Workspace::new()).unwrap()
}

fn models(element: ElementName) -> (Vec<Box<dyn ForceModel>>, Vec<Vec3>, u64) {
    let (mesh, partition, rest) = block(element.cell_type().nodes());
    let law = |name| -> Box<dyn ForceModel> {
        let (law, p) = (Material::new(name).point(), Parameters::Uniform(&LAME));
        solid(&mesh, &partition, element, law, p, &|_| true).unwrap()
    };
    let mut list = vec![law(LawName::NEO_HOOKEAN), law(LawName::COROTATIONAL)];
    let points = match element {
        ElementName::Tet4 => 1,
        ElementName::Tet10 | ElementName::Tet10Bbar => 4,
        ElementName::Hex8 | ElementName::Hex8Bbar => 8,
        ElementName::Hex20 => 27,
    };
    if element == ElementName::Tet4 {
        let p = Parameters::Uniform(&LAME);
        list.push(Box::new(PolynomialStVenantKirchhoff::new(&mesh, &partition, p).unwrap()));
        let frame = FrameTangent::Exact;
        list.push(Box::new(CorotatedLeast::new(&mesh, &partition, p, frame, &|_| true).unwrap()));
    }
    (list, rest, points * mesh.cell_count() as u64)
}

#[test]
fn affine_maps_have_the_j_of_their_matrix_at_every_point() {
    for element in ElementName::ALL {
        let (list, rest, points) = models(element);
        for (factors, j) in [
            ([1.0; 3], 1.0),
            ([2.0, 0.5, 0.3], 0.3),
            ([-1.0, 1.0, 2.0], -2.0),
            ([1.0, 0.0, 1.0], 0.0),
        ] {
            let x: Vec<Vec3> =
                rest.iter().map(|x| std::array::from_fn(|k| factors[k] * x[k])).collect();
            for model in &list {
                let found = inspect(&**model, &x);
                let name = format!("{} on {element:?}, {factors:?}: {found:?}", model.name());
                assert!((found.min_j - j).abs() < 1e-13, "{name}");
                // Exactly flat ones may be rounded to either side.
                let expected = if j < 0.0 { points } else { 0 };
                assert!(j == 0.0 || found.inverted == expected, "{name}");
            }
        }
    }
}

#[test]
fn a_vertex_through_its_cells_inverts_only_theirs_and_one_that_is_no_number_is_told() {
    for element in ElementName::ALL {
        let (list, rest, points) = models(element);
        for model in &list {
            let mut x = rest.clone();
            x[0] = x[0].map(|c| c + 1.5);
            let found = inspect(&**model, &x);
            assert!(found.inverted > 0 && found.inverted < points / 2, "{found:?}");
            assert!(found.min_j < 0.0, "{found:?}");
            // The element named as the worst one has one of the points that are counted.
            let worst = model.worst(&x).unwrap();
            assert!(element != element.plain() || worst.jacobian >= found.min_j - 1e-12);
            x[0][1] = f64::NAN;
            let found = inspect(&**model, &x);
            assert!(found.min_j.is_nan() && found.inverted > 0, "{found:?}");
            assert!(model.inspect(&x[1..], &mut Workspace::new()).is_err());
        }
    }
}
