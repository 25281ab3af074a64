//! What must not allocate.

use pliant_test_support::{CountingAllocator, allocations_of_thread};

use super::*;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

#[test]
fn steps_of_a_simulation_allocate_nothing() {
    // All that a step of a scene does: damping, moving supports with their work, obstacles, the balance.
    let text = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
damping = { mass = "0.5 1/s", stiffness = "1 ms" }
load = { set = "x-max", force = [0, 0, "2 N"] }
[body.bar.moved]
set = "x-min"
oscillation = { by = [0, 0.01, 0], frequency = "5 Hz" }
[obstacle.floor]
shape = "plane"
point = [0, -0.1, 0]
normal = [0, 1, 0]
[time]
step = "5 ms"
steps = 100
"#;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let scene = Scene::parse(text, Path::new("bar.toml")).unwrap();
        let mut simulation = Simulation::build(&scene).unwrap();
        (0..20).for_each(|_| simulation.step().unwrap());
        let before = allocations_of_thread();
        (0..20).for_each(|_| simulation.step().unwrap());
        assert_eq!(allocations_of_thread() - before, 0);
    });
}

#[test]
fn moving_surfaces_allocates_nothing() {
    let t = Temporary::new("allocations");
    let mut simulation = Simulation::build(&t.scene(SCENE).unwrap()).unwrap();
    let mut made = || {
        let before = allocations_of_thread();
        let moved = simulation.surfaces().len();
        assert_eq!(moved, 2);
        allocations_of_thread() - before
    };
    // The first call wakes the threads of the pool.
    made();
    assert_eq!([made(), made(), made()], [0; 3]);
}
