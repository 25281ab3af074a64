//! What crosses the border between the user's numbering and the system's.

use crate::common;

use common::{bar, rubber};
use pliant_algebra::vec3::Vec3;
use pliant_model::{BodyBuilder, BodyId, MassKind, ModelError, World, WorldBuilder};

/// Two bars of different length, the second one moved aside.
fn two() -> (World, [BodyId; 2]) {
    let mut builder = WorldBuilder::new();
    let short = BodyBuilder::new("short", bar([3, 2, 2])).material(rubber());
    let short = builder.add(short).unwrap();
    let mut mesh = bar([5, 1, 2]);
    mesh.vertices.iter_mut().for_each(|x| x[2] += 2.0);
    let long = builder.add(BodyBuilder::new("long", mesh).material(rubber())).unwrap();
    (builder.build().unwrap(), [short, long])
}

#[test]
fn lists_come_back_as_they_went() {
    let (world, _) = two();
    let numbering = world.numbering();
    let rest: Vec<Vec3> =
        world.bodies.iter().flat_map(|body| body.mesh.vertices.iter().copied()).collect();
    // The system has an order of its own, or this test says nothing.
    assert_ne!(world.state.x, rest);
    assert_eq!(numbering.user(&world.state.x).unwrap(), rest);
    assert_eq!(numbering.system(&rest).unwrap(), world.state.x);
    let second = numbering.range(1).unwrap();
    assert_eq!(rest[second.clone()], world.bodies[1].mesh.vertices[..]);
    for (user, &system) in numbering.to_system().iter().enumerate() {
        assert_eq!(numbering.to_user()[system as usize] as usize, user);
    }
    let error = numbering.user(&world.state.x[1..]).unwrap_err();
    assert!(matches!(error, ModelError::Count { needed, .. } if needed == rest.len()), "{error}");
}

#[test]
fn stiffness_is_the_derivative_of_the_forces_in_the_meshes_numbers() {
    let (mut world, ids) = two();
    let stretched = |x: &Vec3| [1.1 * x[0] + 0.05 * x[1], 0.95 * x[1], x[2] + 0.1 * x[0] * x[1]];
    let mut places: Vec<Vec<Vec3>> = Vec::new();
    for id in ids {
        let x: Vec<Vec3> = world.body(id).mesh.vertices.iter().map(stretched).collect();
        world.set_positions(id, &x).unwrap();
        assert_eq!(world.positions(id), x);
        places.push(x);
    }
    let k = world.stiffness().unwrap();
    let count = places[0].len();
    let h = 1e-6;
    for (body, vertex, axis) in [(0, 4, 0), (0, count - 1, 2), (1, 3, 1)] {
        let column = 3 * (vertex + body * count) + axis;
        let mut forces = |step: f64| -> Vec<Vec3> {
            let mut x = places[body].clone();
            x[vertex][axis] += step;
            world.set_positions(ids[body], &x).unwrap();
            let all = ids.iter().flat_map(|&id| world.forces(id).unwrap()).collect();
            world.set_positions(ids[body], &places[body]).unwrap();
            all
        };
        let (after, before) = (forces(h), forces(-h));
        let size = k.entry(column, column).abs();
        for (row, (a, b)) in after.as_flattened().iter().zip(before.as_flattened()).enumerate() {
            let difference = -(a - b) / (2.0 * h);
            let entry = k.entry(row, column);
            assert!(
                (difference - entry).abs() < 1e-6 * size,
                "{row} {column}: {difference} {entry}"
            );
        }
    }
}

#[test]
fn a_matrix_goes_out_and_comes_back() {
    let (mut world, _) = two();
    let numbering = world.numbering();
    let csr = world.stiffness().unwrap();
    let like = pliant_algebra::sparse::BlockMatrix::zero(world.system.pattern().clone());
    let blocks = numbering.blocks(&csr, &like).unwrap();
    assert!(blocks.values.iter().flatten().any(|v| *v != 0.0));
    assert_eq!(numbering.csr(&blocks).unwrap(), csr);
    // An entry that couples what nothing couples: the first vertex of one body with the last one of the other.
    let mut wrong = csr.clone();
    let last = (csr.rows() - 1) as u32;
    let end = wrong.offsets[1];
    wrong.columns.insert(end, last);
    wrong.values.insert(end, 1.0);
    wrong.offsets.iter_mut().skip(1).for_each(|offset| *offset += 1);
    let error = numbering.blocks(&wrong, &like).unwrap_err().to_string();
    assert!(error.contains(&format!("entry (0, {last})")), "{error}");
}

#[test]
fn a_mass_of_ones_own_is_the_one_that_moves() {
    let made = |kind: MassKind| {
        let mut builder = WorldBuilder::new();
        let body = BodyBuilder::new("bar", bar([3, 2, 2])).material(rubber()).mass(kind);
        builder.add(body).unwrap();
        builder
    };
    let expected = made(MassKind::Consistent).build().unwrap().matrices().unwrap().mass;
    let mut builder = made(MassKind::Lumped);
    builder.mass_matrix(expected.clone());
    let got = builder.build().unwrap().matrices().unwrap().mass;
    assert_eq!(got, expected);
    let lumped = made(MassKind::Lumped).build().unwrap().matrices().unwrap().mass;
    assert_ne!(lumped, expected);
}
