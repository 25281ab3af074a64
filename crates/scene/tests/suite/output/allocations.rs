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

/// Allocations in 20 steps of two cubes on each other, of such a pile and another one far away, once all are at rest.
fn allocations_of_piles(contact: &str) -> [usize; 2] {
    let cube = |name: &str, x: f64, y: f64| {
        format!(
            "[body.{name}]\nmesh = {{ shape = \"box\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\nposition = [{x}, {y}, 0]\nmaterial = {{ law = \"stable-neo-hookean\", young = \"300 kPa\", poisson = 0.4 }}\ndamping = {{ mass = \"20 1/s\", stiffness = \"2 ms\" }}\n"
        )
    };
    let head = format!(
        "[time]\nstep = \"10 ms\"\nsteps = 100\n[obstacle.floor]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\nfriction = 0.3\n{contact}"
    );
    let one = head + &cube("a", 0.0, 0.0003) + &cube("b", 0.01, 0.1006);
    let two = one.clone() + &cube("c", 1.0, 0.0003) + &cube("d", 1.01, 0.1006);
    [one, two].map(|text| {
        let scene = Scene::parse(&text, Path::new("islands.toml")).unwrap();
        let mut simulation = Simulation::build(&scene).unwrap();
        (0..60).for_each(|_| simulation.step().unwrap());
        let islands = simulation.islands();
        let before = allocations_of_thread();
        (0..20).for_each(|_| simulation.step().unwrap());
        assert_eq!(simulation.islands(), islands);
        allocations_of_thread() - before
    })
}

#[test]
fn steps_of_islands_allocate_nothing_of_their_own() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let off = "[contact]\nmode = \"off\"\n";
        assert_eq!(allocations_of_piles(off), [0, 0]);
        let [one, two] = allocations_of_piles("[contact]\nfriction = 0.3\n");
        assert!(two <= 2 * one, "{one} {two}");
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
