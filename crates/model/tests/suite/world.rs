//! Bodies in a world: what holds, pushes and watches them.

use crate::common;

use common::{bar, rubber};
use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::{IntegratorName, Motion, Options, StaticMethod, StaticOptions};
use pliant_forces::obstacles::Shape;
use pliant_forces::springs::Stiffness;
use pliant_materials::{Constants, Material};
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_model::{
    Barrier, BodyBuilder, BodyId, CellConstants, CollisionSurface, Damping, Elastic, Initial,
    Joint, Load, LoadKind, MassKind, ModelError, Rule, Select, SpringNetwork, Weight, World,
    WorldBuilder,
};

const GRAVITY: Vec3 = [0.0, -9.81, 0.0];

fn with_bar(body: BodyBuilder) -> (WorldBuilder, BodyId) {
    let mut builder = WorldBuilder::new();
    let id = builder.add(body).unwrap();
    (builder, id)
}

fn plain() -> BodyBuilder {
    BodyBuilder::new("bar", bar([6, 2, 2])).material(rubber())
}

fn settle(world: &mut World) {
    let mut statics = StaticMethod::Newton.statics(&StaticOptions::default()).unwrap();
    world.settle(&mut statics).unwrap();
}

fn run(world: &mut World, steps: usize) {
    let mut integrator = IntegratorName::BackwardEuler.build(&Options::default()).unwrap();
    for _ in 0..steps {
        world.step(&mut *integrator, 0.01).unwrap();
    }
}

#[test]
fn supports_carry_the_weight_and_have_names() {
    let (mut builder, id) = with_bar(plain().density(1200.0));
    builder.gravity(GRAVITY).fix(id, "x-min").unwrap().fix(id, "x-max").unwrap();
    let mut world = builder.build().unwrap();
    settle(&mut world);
    let names: Vec<&str> = world.supports.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["bar.x-min", "bar.x-max"]);
    let [all, left, right] = world.reactions().unwrap()[..] else {
        panic!("one body, two supports")
    };
    let weight = 1200.0 * 0.04 * 9.81;
    assert!((all[1] - weight).abs() < 1e-5 * weight, "{all:?}");
    assert!((left[1] + right[1] - all[1]).abs() < 1e-9 * weight);
    // The two ends pull against each other.
    assert!(left[0] < 0.0 && right[0] > 0.0);
    for (x, rest) in world.positions(id).iter().zip(&world.body(id).mesh.vertices) {
        if rest[0] == 0.0 || rest[0] == 1.0 {
            assert_eq!(x, rest);
        }
    }
    let lowest = world.displacements(id).iter().map(|u| u[1]).fold(0.0, f64::min);
    assert!(lowest < -1e-3, "{lowest}");
}

#[test]
fn sets_are_found_by_name_side_number_and_condition() {
    let mut mesh = bar([6, 2, 2]);
    // Sides are found where the mesh names none.
    mesh.vertex_sets.clear();
    let (builder, id) = with_bar(BodyBuilder::new("bar", mesh).material(rubber()));
    let body = builder.body(id);
    let of = |select: Select| body.select(&select).unwrap();
    let side = of("x-max".into());
    assert_eq!(side.len(), 9);
    assert_eq!(side, of(Select::at(|x| x[0] > 1.0 - 1e-9)));
    assert_eq!(side, of((&side).into()));
    let edge = of(Select::named("x-max").and(Rule::Named("y-min".into())));
    assert_eq!(edge, of(Select::at(|x| x[0] > 0.999 && x[1] < 1e-9)));
    let faces = body.select_faces(&Select::named("x-max")).unwrap();
    assert_eq!((faces.len(), faces.nodes_per_face), (8, 3));
    assert!((faces.area(&body.mesh.vertices).unwrap() - 0.04).abs() < 1e-14);
    let near = Rule::Sphere { centre: [1.0, 0.0, 0.0], radius: 1e-3 };
    assert_eq!(of(Select::all().and(near)), [body.nearest([1.0, 0.0, 0.0])]);
    assert_eq!(of(Select::surface()).len(), body.boundary().vertex_map.len());
    let up = Rule::Normal { direction: [0.0, 1.0, 0.0], cosine: 0.9 };
    assert_eq!(of(Select::all().and(up)), of("y-max".into()));
}

#[test]
fn wrong_calls_name_the_body_and_what_to_do() {
    let (mut builder, id) = with_bar(plain());
    let text = |error: Result<&mut WorldBuilder, ModelError>| error.err().unwrap().to_string();
    let error = text(builder.fix(id, "x-mix"));
    assert!(error.contains("'bar'") && error.contains("did you mean 'x-min'"), "{error}");
    let error = text(builder.fix(id, Select::at(|x| x[0] > 7.0)));
    assert!(error.contains("no vertex of body 'bar'") && error.contains("lies between"), "{error}");
    let error = text(builder.fix(id, &vec![3, 4711]));
    assert!(error.contains("vertex 4711 of body 'bar'"), "{error}");
    let error = text(builder.probe("tip", id, [1.5, 0.1, 0.1]));
    assert!(error.contains("probe 'tip'") && error.contains("outside of body 'bar'"), "{error}");
    let error = text(builder.attach(id, Some(id), &Joint::default()));
    assert!(error.contains("joined to itself"), "{error}");
    let network = SpringNetwork { stiffness: Stiffness::VanGelder(vec![1e4]), damping: 0.0.into() };
    let error = builder.add(plain().springs(network.clone())).unwrap_err().to_string();
    assert!(error.contains("both springs and elements"), "{error}");
    let springs = BodyBuilder::new("net", bar([2, 1, 1])).springs(network);
    assert!(builder.add(springs.mass(MassKind::Consistent)).is_err());
    assert!(builder.add(plain().density(-1.0)).unwrap_err().to_string().contains("density"));
    let error = builder.add(plain().densities(vec![1.0; 3])).unwrap_err().to_string();
    assert!(error.contains("densities of body 'bar'"), "{error}");
    // What failed has left nothing behind.
    assert_eq!(builder.bodies().len(), 1);
    assert!(builder.build().unwrap().supports.is_empty());
}

#[test]
fn a_law_of_ones_own_and_constants_by_cell_or_point_move_as_the_plain_ones_do() {
    let end = |body: BodyBuilder| {
        let (mut builder, id) = with_bar(body);
        builder.gravity(GRAVITY).fix(id, "x-min").unwrap();
        let mut world = builder.build().unwrap();
        run(&mut world, 10);
        world.positions(id)
    };
    let mesh = || bar([6, 2, 2]);
    let plain = end(plain());
    let Elastic { material, constants, .. } = rubber();
    let law = BodyBuilder::new("bar", mesh()).law(material.point(), constants.of(0));
    assert_eq!(end(law), plain);
    let cells = mesh().cell_count();
    let all = vec![Constants::YoungPoisson { young: 1e5, poisson: 0.4 }; cells];
    let per_cell = Elastic::per_cell(material, &all).unwrap();
    assert_eq!(end(BodyBuilder::new("bar", mesh()).material(per_cell)), plain);
    // Hexahedra have eight points.
    let hexes = || {
        let cell = CellChoice::Hex;
        let shape =
            BoxShape { size: [1.0, 0.2, 0.2], cells: [5, 2, 2], cell, ..BoxShape::default() };
        BodyBuilder::new("bar", shape.generate().unwrap())
    };
    let values = constants.of(0).repeat(8 * 20);
    let (count, points) = (constants.of(0).len(), 8);
    let mut per_point = rubber();
    per_point.constants = CellConstants::Each { count, points, values };
    let even = end(hexes().material(rubber()));
    assert_eq!(end(hexes().material(per_point.clone())), even);
    // One point of one cell is stiffer: another body.
    let mut list = constants.of(0).repeat(8);
    list[5 * count] *= 10.0;
    per_point.constants.set(3, &list, 20);
    assert_ne!(end(hexes().material(per_point)), even);
    // Half of the cells each, of the same material: the same body up to the order of sums.
    let half = |odd: usize| rubber().on_cells(cells, move |cell| cell % 2 == odd);
    let halves = BodyBuilder::new("bar", mesh()).material(half(0)).material(half(1));
    let far = |(a, b): (&Vec3, &Vec3)| norm(sub(*a, *b));
    let off = end(halves).iter().zip(&plain).map(far).fold(0.0, f64::max);
    // To the tolerance of Newton's method.
    assert!(off < 1e-7, "{off}");
    // And a stiffer end is another body.
    let stiff: Vec<Constants> = (0..cells)
        .map(|c| Constants::YoungPoisson { young: if c < 9 { 1e7 } else { 1e5 }, poisson: 0.4 })
        .collect();
    let graded = Elastic::per_cell(Material::by_name("neo-hookean").unwrap(), &stiff).unwrap();
    assert_eq!(graded.modulus, 1e7);
    assert_ne!(end(BodyBuilder::new("bar", mesh()).material(graded)), plain);
}

#[test]
fn loads_push_as_much_as_they_say() {
    let pushed = |load: Load| {
        let (mut builder, id) = with_bar(plain());
        builder.load(id, &load).unwrap();
        let mut world = builder.build().unwrap();
        let forces = world.forces(id).unwrap();
        forces.iter().fold([0.0; 3], |s, f| std::array::from_fn(|k| s[k] + f[k]))
    };
    let close = |got: Vec3, expected: Vec3| {
        assert!(norm(sub(got, expected)) < 1e-12, "{got:?} {expected:?}");
    };
    close(pushed(Load::new(LoadKind::Total([0.0, 2.0, 1.0])).on("x-max")), [0.0, 2.0, 1.0]);
    close(pushed(Load::new(LoadKind::Traction([3.0, 0.0, 0.0])).on("x-max")), [0.12, 0.0, 0.0]);
    close(pushed(Load::new(LoadKind::Pressure(5.0)).on("x-max")), [-0.2, 0.0, 0.0]);
    close(
        pushed(Load::new(LoadKind::Pressure(5.0)).on("x-max").following(false)),
        [-0.2, 0.0, 0.0],
    );
    close(pushed(Load::new(LoadKind::Pressure(5.0))), [0.0; 3]);
    close(pushed(Load::new(LoadKind::Each([0.0, 0.0, 1.0])).on("x-max")), [0.0, 0.0, 9.0]);
    close(pushed(Load::new(LoadKind::Body([0.0, -100.0, 0.0]))), [0.0, -4.0, 0.0]);
    let (mut builder, id) = with_bar(plain());
    let inside = Load::new(LoadKind::Pressure(1.0)).on(Select::at(|x| x[0] > 0.1 && x[0] < 0.2));
    let error = builder.load(id, &inside).err().unwrap().to_string();
    assert!(error.contains("no face of the surface"), "{error}");
}

#[test]
fn bodies_that_are_added_after_a_load_do_not_feel_it() {
    let mut builder = WorldBuilder::new();
    let first = builder.add(plain()).unwrap();
    builder.load(first, &Load::new(LoadKind::Each([0.0, 1.0, 0.0]))).unwrap();
    let second = builder.add(plain()).unwrap();
    let mut world = builder.build().unwrap();
    // But for the rounding of elements at rest.
    let mut all = |id, expected: Vec3| {
        world.forces(id).unwrap().iter().all(|&f| norm(sub(f, expected)) < 1e-9)
    };
    assert!(all(first, [0.0, 1.0, 0.0]) && all(second, [0.0; 3]));
}

#[test]
fn masses_add_up_whatever_their_kind() {
    let total = |kinds: [MassKind; 2]| {
        let mut builder = WorldBuilder::new();
        for kind in kinds {
            builder.add(plain().mass(kind).density(500.0)).unwrap();
        }
        let mass = builder.build().unwrap().matrices().unwrap().mass;
        mass.values.iter().sum::<f64>() / 3.0
    };
    use MassKind::{Consistent, Lumped, None};
    for (kinds, expected) in [
        ([Lumped, Lumped], 40.0),
        ([Consistent, Lumped], 40.0),
        ([Lumped, Consistent], 40.0),
        ([Consistent, Consistent], 40.0),
        ([None, Consistent], 20.0),
    ] {
        let got = total(kinds);
        assert!((got - expected).abs() < 1e-10, "{kinds:?}: {got}");
    }
    // Of two bodies, each has the matrix that it has alone.
    let alone = {
        let (builder, _) = with_bar(plain().mass(Consistent));
        builder.build().unwrap().matrices().unwrap().mass
    };
    let mut builder = WorldBuilder::new();
    builder.add(plain().mass(Lumped)).unwrap();
    builder.add(plain().mass(Consistent)).unwrap();
    let both = builder.build().unwrap().matrices().unwrap().mass;
    let first = alone.rows();
    for row in 0..first {
        for (&column, &value) in alone.row(row).0.iter().zip(alone.row(row).1) {
            let got = both.entry(first + row, first + column as usize);
            assert!((got - value).abs() <= 1e-14 * value.abs(), "{got} {value}");
        }
    }
}

#[test]
fn joints_obstacles_probes_and_starts_do_their_work() {
    let mut builder = WorldBuilder::new();
    builder.gravity(GRAVITY);
    let top = builder.add(BodyBuilder::new("top", bar([6, 2, 2])).material(rubber())).unwrap();
    let mut mesh = bar([6, 2, 2]);
    mesh.vertices.iter_mut().for_each(|x| x[1] -= 0.2);
    let low = builder.add(BodyBuilder::new("low", mesh).material(rubber())).unwrap();
    builder.fix(top, "y-max").unwrap();
    let joint = Joint { within: Some(1e-6), ..Joint::default() };
    builder.attach(low, Some(top), &joint).unwrap();
    builder.probe("tip", low, [1.0, -0.1, 0.1]).unwrap();
    builder.probe_mean("sole", low, "y-min").unwrap();
    let mut world = builder.build().unwrap();
    assert_eq!(world.watch("tip").unwrap().map(|c| (c * 1e9).round()), [1e9, -1e8, 1e8]);
    run(&mut world, 40);
    let sole = world.watch("sole").unwrap()[1];
    assert!(sole < -0.2 && sole > -0.25, "glued: {sole}");
    assert!(world.watch("nothing").is_none());

    let (mut builder, id) = with_bar(plain());
    builder.gravity(GRAVITY);
    builder.obstacle(&Barrier::new(Shape::floor(-0.05)), &[id]).unwrap();
    builder.start(id, &Initial { velocity: [0.0, -1.0, 0.0], ..Initial::default() });
    let mut world = builder.build().unwrap();
    assert!(world.velocities(id).iter().all(|v| *v == [0.0, -1.0, 0.0]));
    run(&mut world, 60);
    let lowest = world.positions(id).iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!(lowest > -0.07 && lowest < 0.0, "stopped by the floor: {lowest}");
}

#[test]
fn supports_that_move_take_their_vertices_along() {
    let (mut builder, id) = with_bar(plain().damping(Damping { mass: 5.0, ..Damping::default() }));
    let curve = pliant_forces::loads::TimeCurve::Ramp { start: 0.0, end: 0.1, from: 0.0, to: 1.0 };
    let motion = Motion::Translation { direction: [0.2, 0.0, 0.0], curve };
    builder.hold(id, "x-min", &pliant_model::AXES, motion, None).unwrap();
    let mut world = builder.build().unwrap();
    assert!(world.supports.is_empty());
    run(&mut world, 10);
    for (x, rest) in world.positions(id).iter().zip(&world.body(id).mesh.vertices) {
        if rest[0] == 0.0 {
            assert!(norm(sub(*x, [0.2, rest[1], rest[2]])) < 1e-15);
        }
    }
}

#[test]
fn surfaces_are_combinations_of_vertices() {
    let (builder, id) = with_bar(plain());
    let world = builder.build().unwrap();
    let body = world.body(id);
    let affine = |p: Vec3| [1.2 * p[0] + 0.1 * p[2], p[1] - 0.3 * p[0], 0.9 * p[2] + 1.0];
    let x: Vec<Vec3> = world.state.x.iter().map(|&p| affine(p)).collect();
    let boundary = CollisionSurface::boundary(body);
    let mut y = vec![[0.0; 3]; boundary.vertices()];
    boundary.carry(&x, &mut y);
    let at = |v: u32| affine(body.mesh.vertices[v as usize]);
    assert!(y.iter().zip(&body.boundary().vertex_map).all(|(&y, &v)| y == at(v)));
    // A finer box inside, and a little outside, of the bar.
    let shape = BoxShape { size: [0.9, 0.22, 0.1], cells: [7, 3, 3], ..BoxShape::default() };
    let mut inner = pliant_mesh::topology::boundary(&shape.generate().unwrap()).surface;
    inner.vertices.iter_mut().for_each(|p| *p = [p[0] + 0.05, p[1] - 0.01, p[2] + 0.05]);
    let (surface, outside) = CollisionSurface::embedded(body, &inner).unwrap();
    assert!((outside.largest - 0.01).abs() < 1e-12);
    let mut y = vec![[0.0; 3]; surface.vertices()];
    surface.carry(&x, &mut y);
    for (y, &p) in y.iter().zip(&inner.vertices) {
        assert!(norm(sub(*y, affine(p))) < 1e-12);
    }
    // A point of a triangle, by its weights, is where the triangle has it.
    let weights = [0.2, 0.3, 0.5];
    let corners = surface.triangles()[5].map(|v| y[v as usize]);
    let expected: Vec3 = std::array::from_fn(|k| (0..3).map(|c| weights[c] * corners[c][k]).sum());
    let carried = surface.point(5, weights).unwrap();
    let got: Vec3 =
        std::array::from_fn(|k| carried.iter().map(|&(v, w)| w * x[v as usize][k]).sum());
    assert!(norm(sub(got, expected)) < 1e-12);
    assert!(surface.point(usize::MAX / 2, weights).is_none());
    let row: f64 = surface.vertex(3).iter().map(|(_, w)| w).sum();
    assert!((row - 1.0).abs() < 1e-12);
}

#[test]
fn springs_make_a_body_too() {
    let network = SpringNetwork { stiffness: Stiffness::VanGelder(vec![1e5]), damping: 0.1.into() };
    let body = BodyBuilder::new("net", bar([4, 2, 2])).springs(network);
    let (mut builder, id) = with_bar(body);
    builder.gravity(GRAVITY).fix(id, "x-min").unwrap();
    let mut world = builder.build().unwrap();
    assert!(world.body(id).has_springs() && world.body(id).law_names().is_empty());
    assert_eq!(world.body(id).modulus(), 1e5);
    assert!(world.stresses(id).iter().all(Option::is_none));
    run(&mut world, 5);
    assert!(world.displacements(id).iter().any(|u| u[1] < -1e-3));
}

#[test]
fn a_world_moves_with_the_same_bits_on_any_number_of_threads() {
    let moved = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut builder, id) = with_bar(plain());
            builder.gravity(GRAVITY).fix(id, "x-min").unwrap();
            let mut world = builder.build().unwrap();
            run(&mut world, 5);
            (world.positions(id), world.stiffness().unwrap())
        })
    };
    let one = moved(1);
    for threads in [2, 3, 7] {
        assert_eq!(moved(threads), one);
    }
}

/// A ten-node body that came to rest under M g does not move when it is let go; under ∫ ρ g N dV, which is another load on
/// lumped masses, it starts to swing.
#[test]
fn a_body_released_from_rest_stays() {
    let speed = |weight: Weight, mass: MassKind| {
        let mesh = pliant_mesh::refine::to_quadratic(&bar([4, 1, 1])).unwrap();
        let body = BodyBuilder::new("bar", mesh).material(rubber()).mass(mass);
        let (mut builder, id) = with_bar(body);
        builder.gravity(GRAVITY).weight(Weight::OfMass).fix(id, "x-min").unwrap();
        let mut at_rest = builder.build().unwrap();
        let options = StaticOptions::default().with_force_tolerance(1e-12);
        at_rest.settle(&mut StaticMethod::Newton.statics(&options).unwrap()).unwrap();
        let mesh = at_rest.body(id).mesh.clone();
        let (mut builder, id) =
            with_bar(BodyBuilder::new("bar", mesh).material(rubber()).mass(mass));
        builder.gravity(GRAVITY).weight(weight).fix(id, "x-min").unwrap();
        let mut world = builder.build().unwrap();
        world.set_positions(id, &at_rest.positions(id)).unwrap();
        let mut integrator = IntegratorName::Newmark.build(&Options::default()).unwrap();
        for _ in 0..5 {
            world.step(&mut *integrator, 1e-3).unwrap();
        }
        world.velocities(id).iter().map(|&v| norm(v)).fold(0.0, f64::max)
    };
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        let still = speed(Weight::OfMass, mass);
        assert!(still < 1e-8, "{mass:?}: {still} m/s");
    }
    let kicked = speed(Weight::BodyForce, MassKind::Lumped);
    assert!(kicked > 1e-3, "{kicked} m/s");
    // Of a consistent mass both are the same.
    let still = speed(Weight::BodyForce, MassKind::Consistent);
    assert!(still < 1e-8, "{still} m/s");
}

/// Free vertices of a massless scene have no weight, and a mass matrix of the user's own is what weighs.
#[test]
fn weight_is_that_of_the_mass_of_the_run() {
    let total = |builder: WorldBuilder, id: BodyId| {
        let mut world = builder.build().unwrap();
        world.forces(id).unwrap().iter().fold(0.0, |sum, f| sum + f[1])
    };
    let of = |weight: Weight, mass: MassKind| {
        let mesh = pliant_mesh::refine::to_quadratic(&bar([2, 1, 1])).unwrap();
        let (mut builder, id) =
            with_bar(BodyBuilder::new("bar", mesh).material(rubber()).mass(mass));
        builder.gravity(GRAVITY).weight(weight);
        (builder, id)
    };
    for weight in [Weight::OfMass, Weight::BodyForce] {
        for mass in [MassKind::Lumped, MassKind::Consistent] {
            let (builder, id) = of(weight, mass);
            assert!((total(builder, id) + 392.4).abs() < 1e-10);
        }
        let (builder, id) = of(weight, MassKind::None);
        assert!(total(builder, id).abs() < 1e-20);
    }
    let (builder, _) = of(Weight::OfMass, MassKind::Consistent);
    let mut mass = builder.build().unwrap().matrices().unwrap().mass;
    mass.values.iter_mut().for_each(|m| *m *= 2.0);
    let (mut builder, id) = of(Weight::OfMass, MassKind::Lumped);
    builder.mass_matrix(mass);
    assert!((total(builder, id) + 784.8).abs() < 1e-10);
}

#[test]
fn areas_of_vertices_are_those_of_their_faces() {
    for (cell, quadratic) in
        [(CellChoice::Hex, false), (CellChoice::Tet5, false), (CellChoice::Tet5, true)]
    {
        let shape =
            BoxShape { size: [1.0, 0.2, 0.2], cells: [3, 2, 2], cell, ..BoxShape::default() };
        let mut mesh = shape.generate().unwrap();
        if quadratic {
            mesh = pliant_mesh::refine::to_quadratic(&mesh).unwrap();
        }
        let (builder, id) = with_bar(BodyBuilder::new("bar", mesh).material(rubber()));
        let body = builder.body(id);
        let (exact, weights) = (body.face_integrals().unwrap(), body.face_weights().unwrap());
        for list in [&exact, &weights] {
            assert!((list.iter().sum::<f64>() - 0.88).abs() < 1e-14);
        }
        let on_surface = body.select(&Select::surface()).unwrap();
        for v in 0..weights.len() as u32 {
            let on = on_surface.contains(&v);
            assert_eq!(weights[v as usize] > 0.0, on, "{v}");
            let same = (exact[v as usize] - weights[v as usize]).abs() < 1e-15;
            assert!(same || quadratic, "{v}");
        }
        // Corners of the box belong to flat quadratic triangles alone, whose corners have no share of a pressure.
        let corner = body.nearest([0.0; 3]) as usize;
        assert_eq!(exact[corner].abs() < 1e-15, quadratic);
    }
}

/// Sides of meshes without sets: flat ones to rounding, curved ones within half a cell, pointed ones not at all.
#[test]
fn sides_are_found_on_any_mesh() {
    use pliant_mesh::generate::Sphere;
    use pliant_mesh::{CellType, VolumeMesh};
    let shape = BoxShape { size: [1.0, 0.5, 0.5], cells: [4, 2, 2], ..BoxShape::default() };
    let mut mesh = shape.generate().unwrap();
    let named: Vec<u32> = mesh.vertex_set("x-min").unwrap().items.clone();
    mesh.vertex_sets.clear();
    let mut builder = WorldBuilder::new();
    let add = |builder: &mut WorldBuilder, name: &str, mesh| {
        builder
            .add(BodyBuilder::new(name, mesh).material(Elastic::young("linear", 1e5, 0.3).unwrap()))
            .unwrap()
    };
    let bar = add(&mut builder, "bar", mesh);
    assert_eq!(builder.body(bar).select(&Select::named("x-min")).unwrap(), named);
    let ball = add(&mut builder, "ball", Sphere::default().generate().unwrap());
    let body = builder.body(ball);
    let cap = body.select(&Select::named("y-max")).unwrap();
    let top = body.mesh.vertices.iter().fold(f64::MIN, |m, x| m.max(x[1]));
    assert!(cap.len() >= 3);
    for v in 0..body.mesh.vertex_count() as u32 {
        let near = top - body.mesh.vertices[v as usize][1] <= 0.5 * body.cell_size();
        assert_eq!(cap.contains(&v), near, "vertex {v}");
    }
    assert!(!body.select_faces(&Select::named("y-max")).unwrap().is_empty());
    let corner = VolumeMesh::new(
        CellType::Tet4,
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        vec![0, 1, 2, 3],
    );
    let tet = add(&mut builder, "tet", corner);
    assert_eq!(builder.body(tet).select(&Select::named("x-min")).unwrap(), [0, 2, 3]);
    let error = builder.body(tet).select(&Select::named("x-max")).unwrap_err().to_string();
    assert!(
        error.contains("no face at its side 'x-max', x = 1.0") && error.contains("1 vertex lies"),
        "{error}"
    );
}
