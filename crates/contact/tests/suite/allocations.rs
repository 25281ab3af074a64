//! Nothing is allocated once buffers have grown.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_contact::broad::BroadPhase;
use pliant_contact::friction::{ContactFriction, Rubbing, Rubbings};
use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::overlap::OverlapTest;
use pliant_forces::{Ask, Configuration, ForceModel, Keyed, Memory, StepStart, Tried, Workspace};
use pliant_mesh::generate::surface_torus;
use pliant_test_support::{CountingAllocator, allocations_of_thread};

use crate::broad::surface;
use crate::common::Random;
use crate::normal::cube;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

#[test]
fn searches_allocate_nothing_once_buffers_have_grown() {
    let (surface, rest) = surface(&[surface_torus(1.0, 0.4, 40, 20).unwrap()]);
    let mut random = Random(71);
    let states: [Vec<Vec3>; 3] = std::array::from_fn(|_| {
        rest.iter().map(|&p| add(p, scale(random.point(), 0.05))).collect()
    });
    // One thread, so that all that is allocated is allocated on it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (warm, steady, found) = pool.install(|| {
        let (mut broad, mut overlap) = (BroadPhase::new(), OverlapTest::new());
        let mut y = Vec::new();
        let mut found = [0; 3];
        let mut run = |steps: usize| {
            let before = allocations_of_thread();
            for step in 0..steps {
                surface.follow(&states[step % 3], &mut y);
                broad.update(&surface, &y, None, 0.01);
                found[0] += broad.point_triangle(|_, _| true).len();
                found[1] += broad.edge_edge(|_, _| true).len();
                found[2] += overlap.find(&surface, &y, |_, _| true).len();
            }
            allocations_of_thread() - before
        };
        // More than 32 steps, so that trees are built anew within both runs.
        (run(66), run(66), found)
    });
    assert!(found.iter().all(|&n| n > 500), "{found:?}");
    assert!(warm > 0);
    assert_eq!(steady, 0);
}

#[test]
fn friction_allocates_nothing_in_steady_contact() {
    let meshes = [cube(4, [0.0; 3]), cube(3, [0.13, 1.02, 0.21])];
    let (surface, rest) = surface(&meshes);
    let kinds = vec![0; surface.vertex_count()];
    let touch = Touch { distance: 0.05, stiffness: 1e4 };
    let normal = NormalContact::new(surface, vec![touch; 2], false, 1.0).unwrap();
    let rubbing = |_, _| Rubbing { coefficient: 0.4, stick: 1e-3 };
    let rubbings = Rubbings::new(kinds, 1, rubbing).unwrap();
    let mut friction = ContactFriction::new(&normal, rubbings).unwrap();
    let mut random = Random(5);
    let states: [Vec<Vec3>; 3] = std::array::from_fn(|_| {
        rest.iter().map(|&p| add(p, scale(random.point(), 0.004))).collect()
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (warm, steady, kept) = pool.install(|| {
        let mut work = Workspace::new();
        let [mut old, mut new] = [0; 2].map(|_| {
            [Memory { numbers: vec![0.0], keyed: Keyed::new(friction.character().memory.keyed) }]
        });
        let mut gradient = vec![[0.0; 3]; rest.len()];
        let mut run = |steps: usize| {
            let before = allocations_of_thread();
            for step in 0..steps {
                let (x, end) = (&states[step % 3], &states[(step + 1) % 3]);
                let start = StepStart { x, v: x, time: 0.0, step: 0.01 };
                let at = Configuration {
                    start: Some(start),
                    memory: &old,
                    ..Configuration::new(end, end, 0.01)
                };
                friction.begin(&at).unwrap();
                let Memory { numbers, keyed } = &mut new[0];
                keyed.reset(friction.character().memory.keyed);
                let mut ask = Ask {
                    gradient: Some(&mut gradient),
                    memory: Some(Tried { numbers, keyed }),
                    ..Ask::default()
                };
                friction.evaluate(&at, &mut ask, &mut work).unwrap();
                std::mem::swap(&mut old, &mut new);
            }
            allocations_of_thread() - before
        };
        (run(66), run(66), old[0].keyed.len())
    });
    assert!(warm > 0 && kept > 50, "{warm} {kept}");
    assert_eq!(steady, 0);
}
