//! Nothing is allocated once buffers have grown.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_contact::broad::BroadPhase;
use pliant_contact::overlap::OverlapTest;
use pliant_mesh::generate::surface_torus;
use pliant_test_support::{CountingAllocator, allocations_of_thread};

use crate::broad::surface;
use crate::common::Random;

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
