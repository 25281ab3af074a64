//! A bar of rubber that is held at one end and falls under its weight; and its stiffness as a sparse matrix.
//!
//! ```text
//! $ cargo run --release -p pliant --example 01_hanging_bar
//! after 0.5 s the end is 32.8 cm lower; K has 1575 rows and 55053 entries
//! ```

use pliant::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shape = BoxShape { size: [1.0, 0.2, 0.2], cells: [20, 4, 4], ..BoxShape::default() };
    let rubber = Elastic::young("neo-hookean", 1e6, 0.45)?;
    let mut builder = WorldBuilder::new();
    let bar = builder.add(BodyBuilder::new("bar", shape.generate()?).material(rubber))?;
    builder.gravity([0.0, -9.81, 0.0]).fix(bar, "x-min")?;
    builder.probe("end", bar, [1.0, 0.1, 0.1])?;
    let mut world = builder.build()?;

    let mut integrator = IntegratorName::BackwardEuler.build(&Options::default())?;
    for _ in 0..50 {
        world.step(&mut *integrator, 0.01)?;
    }
    let k = world.stiffness()?;

    let fallen = 0.1 - world.watch("end").map_or(f64::NAN, |end| end[1]);
    let (rows, entries) = (k.rows(), k.entries());
    println!(
        "after 0.5 s the end is {:.1} cm lower; K has {rows} rows and {entries} entries",
        100.0 * fallen
    );
    Ok(())
}
