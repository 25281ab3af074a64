//! What is shown besides bodies and hands: colours, cuts, marks; and what of it is sent.

use pliant_algebra::vec3::{Vec3, add, cross, dot, norm, scale, sub};
use pliant_mesh::CellType;
use pliant_mesh::volume::{hex_volume, tet_volume};
use pliant_scene::{Origin, PairForce};
use pliant_viewer::cut::Cut;
use pliant_viewer::describe::{Clock, frame, next_frame};
use pliant_viewer::frame::{Kind, LONG};
use pliant_viewer::parts::Encoder;
use pliant_viewer::{Colour, Command, Marks, Plane, Session, Setting, marks};

use crate::reader::Picture;

fn session(scene: &str, sets: &[&str]) -> Session {
    let sets = sets.iter().map(|&set| set.to_owned()).collect();
    Session::new(Origin { scene: scene.into(), sets }).unwrap()
}

fn picture(session: &mut Session) -> Picture {
    Picture::read(&frame(session, Clock::default()))
}

#[test]
fn the_colour_of_volume_is_volume_over_volume_at_rest_for_elements_and_springs() {
    let mut session = session("springs-against-elements", &["gravity=[60, 0, 20]"]);
    session.apply(Command::Colour(Colour::Volume));
    (0..12).for_each(|_| session.step());
    let shown = picture(&mut session);
    let x = session.simulation().state().x.clone();
    for (b, body) in session.simulation().bodies.iter().enumerate() {
        let mut sums = vec![(0.0, 0.0); body.mesh.vertex_count()];
        for cell in 0..body.mesh.cell_count() {
            let corners = body.mesh.cell(cell);
            let at = |k: usize| x[body.system_vertex(corners[k]) as usize];
            let now = match body.mesh.cell_type {
                CellType::Hex8 => hex_volume(&std::array::from_fn(at)),
                _ => tet_volume(std::array::from_fn(at)),
            };
            for &v in corners {
                let (sum, count) = &mut sums[v as usize];
                *sum += now / body.mesh.cell_volume(cell);
                *count += 1.0;
            }
        }
        let list = &shown.part(Kind::Colours, b as u32).unwrap().values;
        let map = &body.boundary().vertex_map;
        assert_eq!(list.len(), map.len());
        let mut farthest = 0.0_f64;
        for (value, &v) in list.iter().zip(map) {
            let (sum, count) = sums[v as usize];
            assert!((f64::from(*value) - sum / count).abs() < 1e-6);
            farthest = farthest.max((f64::from(*value) - 1.0).abs());
        }
        assert!(farthest > 0.01, "something happened: {farthest}");
    }
}

/// σ of von Mises and ½ σ : ε of a linear tetrahedron (Young 100 kPa, Poisson 0.3), from its corners.
fn linear(rest: [Vec3; 4], now: [Vec3; 4]) -> [f64; 2] {
    let (young, poisson) = (1e5, 0.3);
    let mu = young / (2.0 * (1.0 + poisson));
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    // Rows of the inverse of the edges at rest: the gradients of the shape functions.
    let [a, b, c] = [1, 2, 3].map(|k| sub(rest[k], rest[0]));
    let volume = dot(a, cross(b, c));
    let gradients = [cross(b, c), cross(c, a), cross(a, b)].map(|g| scale(g, 1.0 / volume));
    let u = |k: usize| sub(sub(now[k], now[0]), sub(rest[k], rest[0]));
    let h = |i: usize, j: usize| (0..3).map(|k| u(k + 1)[i] * gradients[k][j]).sum::<f64>();
    let e = |i: usize, j: usize| 0.5 * (h(i, j) + h(j, i));
    let trace = e(0, 0) + e(1, 1) + e(2, 2);
    let s = |i: usize, j: usize| 2.0 * mu * e(i, j) + if i == j { lambda * trace } else { 0.0 };
    let apart = |i: usize, j: usize| (s(i, i) - s(j, j)).powi(2);
    let shear = s(0, 1).powi(2) + s(1, 2).powi(2) + s(2, 0).powi(2);
    let mises = (0.5 * (apart(0, 1) + apart(1, 2) + apart(2, 0)) + 3.0 * shear).sqrt();
    let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
    [mises, 0.5 * pairs.map(|(i, j)| s(i, j) * e(i, j)).sum::<f64>()]
}

#[test]
fn the_colours_of_stress_and_energy_are_those_of_linear_elasticity_at_small_strain() {
    let sets = [
        "body.bar.mesh.across=2",
        "body.bar.material.law=\"linear\"",
        "body.bar.material.poisson=0.3",
        "gravity=[0.02, -0.01, 0.003]",
    ];
    let mut session = session("bar", &sets);
    (0..20).for_each(|_| session.step());
    for (k, colour) in [Colour::VonMises, Colour::EnergyDensity].into_iter().enumerate() {
        session.apply(Command::Colour(colour));
        let shown = picture(&mut session);
        let rest = session.simulation().system().rest().to_vec();
        let x = session.simulation().state().x.clone();
        let body = &session.simulation().bodies[0];
        let mut sums = vec![(0.0, 0.0); body.mesh.vertex_count()];
        for cell in 0..body.mesh.cell_count() {
            let corners = body.mesh.cell(cell);
            let of =
                |x: &[Vec3]| std::array::from_fn(|k| x[body.system_vertex(corners[k]) as usize]);
            let value = linear(of(&rest), of(&x))[k];
            for &v in corners {
                let (sum, count) = &mut sums[v as usize];
                (*sum, *count) = (*sum + value, *count + 1.0);
            }
        }
        let list = &shown.part(Kind::Colours, 0).unwrap().values;
        let most = sums.iter().map(|(sum, count)| sum / count).fold(0.0, f64::max);
        assert!(most > 0.0);
        for (value, &v) in list.iter().zip(&body.boundary().vertex_map) {
            let (sum, count) = sums[v as usize];
            // Strains are some 1e-4, and what is second order in them is that much smaller.
            let off = (f64::from(*value) - sum / count).abs() / most;
            assert!(off < 1e-3, "{colour:?} of vertex {v}: {off:.1e}");
        }
    }
}

/// Volume and area vector of a closed surface.
fn enclosed(x: &[Vec3], triangles: &[[u32; 3]]) -> (f64, Vec3) {
    triangles.iter().fold((0.0, [0.0; 3]), |(volume, area), t| {
        let [a, b, c] = t.map(|v| x[v as usize]);
        let normal = scale(cross(sub(b, a), sub(c, a)), 0.5);
        (volume + dot(a, normal) / 3.0, add(area, normal))
    })
}

#[test]
fn a_cut_through_the_middle_leaves_half_of_a_cube_and_stays_closed_as_it_moves() {
    for element in ["tet4", "tet10", "hex8"] {
        let set = format!("body.jelly.element=\"{element}\"");
        let mut session = session("jelly", &["body.jelly.mesh.cells=[3, 3, 3]", &set]);
        let rest = session.simulation().system().rest().to_vec();
        let corners = session.simulation().bodies[0].mesh.vertices.clone();
        let [low, high] = [f64::min as fn(f64, f64) -> f64, f64::max].map(|pick| {
            let ends = |k: usize| corners.iter().map(move |x| x[k]).reduce(pick).unwrap();
            [ends(0), ends(1), ends(2)]
        });
        let centre = scale(add(low, high), 0.5);
        let normal = scale([0.3, 0.5, -0.2], 1.0 / norm([0.3, 0.5, -0.2]));
        let plane = Plane { normal, at: dot(normal, centre) };
        let cut = Cut::new(session.simulation(), plane);
        let places = cut.carry(&rest);
        let (volume, area) = enclosed(&places, cut.triangles());
        let whole = 0.12_f64.powi(3);
        assert!((volume - 0.5 * whole).abs() < 1e-12 * whole, "{element}: {volume}");
        assert!(norm(area) < 1e-14, "{element}: {area:?}");
        // The section is flat, looks at what is gone, and nothing is left beyond it.
        let share = cut.shares()[0];
        let (skin, section) = cut.triangles().split_at(share.skin_triangles as usize);
        assert!(!skin.is_empty() && section.len() == share.section_triangles as usize);
        assert!(places.iter().all(|&x| dot(x, normal) - plane.at < 1e-12));
        for t in section {
            assert!(t.iter().all(|&v| v >= share.skin_points));
            assert!(t.iter().all(|&v| (dot(places[v as usize], normal) - plane.at).abs() < 1e-12));
        }
        let along = dot(enclosed(&places, section).1, normal);
        assert!(along > 0.12 * 0.12, "{along}");
        (0..8).for_each(|_| session.step());
        let moved = cut.carry(&session.simulation().state().x);
        let (volume, area) = enclosed(&moved, cut.triangles());
        assert!(norm(area) < 1e-14 && volume > 0.4 * whole, "{element}: {area:?}");
    }
}

#[test]
fn a_cut_that_misses_leaves_all_or_nothing() {
    let mut session = session("jelly", &[]);
    let rest = session.simulation().system().rest().to_vec();
    let cut = |session: &mut Session, at: f64| {
        Cut::new(session.simulation(), Plane { normal: [0.0, 1.0, 0.0], at })
    };
    let all = cut(&mut session, 10.0);
    assert!((enclosed(&all.carry(&rest), all.triangles()).0 - 0.12_f64.powi(3)).abs() < 1e-15);
    assert_eq!(all.shares()[0].section_triangles, 0);
    assert!(cut(&mut session, -10.0).triangles().is_empty());
}

#[test]
fn cuts_come_with_frames_and_other_scenes_are_cut_anew() {
    let mut session = session("jelly", &[]);
    assert!(picture(&mut session).parts.iter().all(|part| part.is(Kind::Positions)));
    let plane = Plane { normal: [1.0, 0.0, 0.0], at: 0.06 };
    session.apply(Command::Cut(Some(plane)));
    session.apply(Command::Colour(Colour::VonMises));
    let told = pliant_viewer::describe::cut(&mut session);
    let word = |at: usize| u32::from_le_bytes(told[at..at + 4].try_into().unwrap());
    assert_eq!([word(0), word(4), word(8), word(12)], [3, 1, 1, 1]);
    let points = (word(16) + word(24)) as usize;
    assert_eq!(told.len(), 32 + 12 * (word(20) + word(28)) as usize + 12 * points);
    let shown = picture(&mut session);
    assert_eq!(shown.part(Kind::CutPositions, 1).unwrap().count, points);
    assert_eq!(shown.part(Kind::CutColours, 1).unwrap().count, points);
    session.apply(Command::Scene { name: "bar".into(), settings: Vec::new() });
    let shown = picture(&mut session);
    assert!(shown.part(Kind::CutPositions, 1).is_none() && shown.nonsense().is_none());
    assert!(shown.part(Kind::CutPositions, 2).is_some_and(|part| part.count != points));
    session.apply(Command::Cut(None));
    assert!(picture(&mut session).parts.iter().all(|part| part.what <= 2));
}

/// Damped so much that it hangs still.
fn hanging() -> Session {
    let mut session = session(
        "bar",
        &["body.bar.mesh.across=2", "body.bar.damping.mass=30", "solver.tolerance=1e-10"],
    );
    (0..300).for_each(|_| session.step());
    session
}

#[test]
fn supports_are_marked_where_they_are_and_carry_the_weight() {
    let mut session = hanging();
    session.apply(Command::Marks(Marks { holds: true, forces: true }));
    let shown = picture(&mut session);
    let holds = shown.part(Kind::Holds, 0).unwrap();
    assert_eq!(holds.count, 9, "a face of 2 x 2 squares");
    for k in 0..holds.count {
        assert_eq!((holds.values[7 * k], holds.values[7 * k + 6].to_bits()), (0.0, 3));
    }
    let arrows = shown.part(Kind::Arrows, 0).unwrap();
    let sum = (0..arrows.count).fold([0.0; 3], |sum, k| {
        assert_eq!(arrows.values[7 * k + 6].to_bits(), 2);
        add(sum, arrows.vector(7 * k + 3))
    });
    // 3 litres of water.
    let weight = 3.0 * 9.81;
    assert!(norm(sub(sum, [0.0, weight, 0.0])) < 0.01 * weight, "{sum:?}");
}

#[test]
fn arrows_are_loads_and_contacts_but_not_hands() {
    let mut session = session("bridge", &["time.analysis=\"dynamic\""]);
    let at = session.rest()[0].positions()[0];
    session.apply(Command::Grab {
        id: 1,
        body: 0,
        triangle: 0,
        weights: [1.0 / 3.0; 3],
        at: [at[0], at[1] + 1.0, at[2]],
        stiffness: Some(100.0),
    });
    // The load has come by then.
    (0..40).for_each(|_| session.step());
    let loads = session.scene().bodies.iter().map(|body| body.loads.len()).sum();
    let list = marks::arrows(session.simulation(), loads);
    let sum = |source| {
        let own = list.iter().filter(|arrow| arrow.source == source);
        own.fold([0.0; 3], |sum, arrow| add(sum, arrow.force))
    };
    assert!(norm(sub(sum(marks::Source::Load), [0.0, -3000.0, 0.0])) < 1e-6);
    // Attachments pull both sides alike.
    assert!(list.iter().any(|arrow| arrow.source == marks::Source::Contact));
    assert!(norm(sum(marks::Source::Contact)) < 30.0);
    assert!(sum(marks::Source::Support)[1] > 1000.0);
}

#[test]
fn what_does_not_move_is_not_sent_again() {
    let mut session = session("springs-against-elements", &["gravity=[0, 0, 0]"]);
    let mut encoder = Encoder::default();
    let clock = Clock::default();
    let first = next_frame(&mut session, clock, &mut encoder);
    assert_eq!(Picture::read(&first.since(0)).parts.len(), 2);
    let at = session.rest()[1].positions()[0];
    let (weights, at) = ([1.0 / 3.0; 3], [at[0], at[1] + 0.1, at[2]]);
    session.apply(Command::Grab { id: 1, body: 1, triangle: 90, weights, at, stiffness: None });
    session.step();
    let second = next_frame(&mut session, clock, &mut encoder);
    let news = Picture::read(&second.since(first.number));
    assert_eq!(news.parts.iter().map(|part| part.of).collect::<Vec<_>>(), [1]);
    // Who has seen nothing is sent everything, and so is who has missed a frame.
    assert_eq!(Picture::read(&second.since(0)).parts.len(), 2);
    let third = next_frame(&mut session, clock, &mut encoder);
    assert!(Picture::read(&third.since(second.number)).parts.is_empty());
    assert_eq!(Picture::read(&third.since(first.number)).parts[0].of, 1);
    // Other surfaces of the same places.
    session.apply(Command::Set("gravity".into(), Setting::Number(0.0)));
    let fourth = next_frame(&mut session, clock, &mut encoder);
    assert_eq!(Picture::read(&fourth.since(third.number)).parts.len(), 2);
}

#[test]
fn large_bodies_are_sent_in_steps_that_nobody_sees() {
    let mut session = session("jelly", &["body.jelly.mesh.cells=[50, 50, 1]"]);
    session.apply(Command::Colour(Colour::Volume));
    (0..2).for_each(|_| session.step());
    let shown = picture(&mut session);
    let now = session.simulation().surfaces()[0].positions().to_vec();
    assert!(now.len() > LONG);
    let part = shown.part(Kind::Positions, 0).unwrap();
    assert_eq!(part.count, now.len());
    let size = now.iter().fold(0.0_f64, |most, &x| most.max(norm(sub(x, now[0]))));
    for (v, &x) in now.iter().enumerate() {
        let off = sub(part.vector(3 * v), x);
        for k in 0..3 {
            // Half a step, and what single precision takes.
            let step = f64::from(part.step[k]);
            assert!(step < 2e-5 * size && off[k].abs() < 0.5 * step + 2e-7 * size, "{off:?}");
        }
    }
    let colours = shown.part(Kind::Colours, 0).unwrap();
    assert!(colours.values.iter().all(|j| (j - 1.0).abs() < 0.5) && colours.step[0] < 1e-3);
    // A half of what single precision would take.
    assert!(shown.length < 9 * now.len());
}

#[test]
fn momenta_of_a_fall_are_mass_times_velocity() {
    let mut session = session("jelly", &[]);
    (0..5).for_each(|_| session.step());
    let shown = picture(&mut session);
    let mass = 1000.0 * 0.12_f64.powi(3);
    assert!((shown.doubles[8] + mass * 9.81 * 0.05).abs() < 1e-3, "{:?}", shown.doubles);
}

/// Two bodies push each other, and the floor: arrows of both bodies are there, though they are opposite.
#[test]
fn arrows_and_colours_show_contact_between_bodies() {
    let mut session = session("stack", &["contact.mode=\"soft\""]);
    session.apply(Command::Marks(Marks { holds: false, forces: true }));
    session.apply(Command::Colour(Colour::ContactPressure));
    let pair = loop {
        assert!(session.simulation().state().time < 1.0);
        session.step();
        let pairs = session.simulation().contact_forces().pairs;
        let of = |p: &PairForce| p.bodies == ["middle", "upper"] && norm(p.force) > 1.0;
        if let Some(pair) = pairs.into_iter().find(of) {
            break pair;
        }
    };
    let arrows = marks::arrows(session.simulation(), 0);
    // Of the uppermost cube the sum of arrows is the force by the one below it.
    let x = session.simulation().state().x.clone();
    let upper = session.simulation().bodies[2].range.clone();
    let lowest = x[upper].iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    let own = arrows.iter().filter(|a| a.at[1] >= lowest - 1e-12 && a.force[1] > 0.0);
    let sum = own.fold([0.0; 3], |sum, arrow| add(sum, arrow.force));
    assert!(norm(add(sum, pair.force)) < 0.05 * norm(pair.force), "{sum:?} {pair:?} {arrows:?}");
    let shown = picture(&mut session);
    for body in 0..3 {
        let list = &shown.part(Kind::Colours, body).unwrap().values;
        let most = list.iter().copied().fold(0.0, f32::max);
        assert!(most > 10.0 && list.contains(&0.0), "{body}: {most} Pa");
    }
}
