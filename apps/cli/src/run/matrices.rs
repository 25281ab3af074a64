//! `pliant matrices`: f, K, M and D of a scene as Matrix Market files.

use std::io::Write;
use std::path::Path;

use pliant::algebra::sparse::BlockMatrix;
use pliant::mesh::MeshError;
use pliant::mesh::io::write_file;
use pliant::scene::Simulation;
use serde_json::json;

use super::scene;
use crate::context::Context;
use crate::failure::Failure;

/// Writes the matrices of the state that a scene begins with.
pub fn matrices(
    name: Option<&str>,
    sets: Vec<String>,
    out: &Path,
    context: &Context,
) -> Result<(), Failure> {
    let scene = scene::load(&scene::origin(name, sets))?;
    let mut simulation = Simulation::build(&scene)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    // As users number vertices: body after body.
    let mut order = vec![0_u32; simulation.vertices()];
    for body in &simulation.bodies {
        for v in 0..body.mesh.vertex_count() as u32 {
            order[body.system_vertex(v) as usize] = body.range.start as u32 + v;
        }
    }
    let m = simulation.matrices()?;
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::Input(format!("cannot make {}: {e}", out.display())))?;
    let mut force = vec![[0.0; 3]; order.len()];
    for (&to, &f) in order.iter().zip(&m.force) {
        force[to as usize] = f;
    }
    write_file(&out.join("f.mtx"), |sink| vector(&force, sink))?;
    let mut entries = serde_json::Map::new();
    for (name, matrix) in [("K", &m.stiffness), ("M", &m.mass), ("D", &m.damping)] {
        let count =
            write_file(&out.join(format!("{name}.mtx")), |sink| write(matrix, &order, sink))?;
        entries.insert(name.to_owned(), count.into());
    }
    let rows = 3 * order.len();
    let result = json!({"output": out.display().to_string(), "rows": rows, "entries": entries});
    context.emit(&result, || {
        format!("f, K, M, D with {rows} rows are in {}; units N, N/m, kg, N s/m\n", out.display())
    })
}

fn vector(list: &[[f64; 3]], sink: &mut dyn Write) -> Result<(), MeshError> {
    writeln!(sink, "%%MatrixMarket matrix array real general\n{} 1", 3 * list.len())?;
    for number in list.as_flattened() {
        writeln!(sink, "{number:?}")?;
    }
    Ok(())
}

/// Entries that are not zero; of a symmetric matrix the lower triangle, as the format wants it.
fn write(matrix: &BlockMatrix, order: &[u32], sink: &mut dyn Write) -> Result<usize, MeshError> {
    let pattern = matrix.pattern();
    let symmetric = pattern.is_symmetric();
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    for row in 0..pattern.rows() {
        for (block, &column) in pattern.range(row).zip(pattern.row(row)) {
            let (i, j) = (order[row] as usize, order[column as usize] as usize);
            for (k, &value) in matrix.values[block].iter().enumerate() {
                let (r, c) = (3 * i + k / 3, 3 * j + k % 3);
                if value == 0.0 || (symmetric && row == column as usize && c > r) {
                    continue;
                }
                entries.push(if symmetric && c > r { (c, r, value) } else { (r, c, value) });
            }
        }
    }
    entries.sort_unstable_by_key(|&(r, c, _)| (r, c));
    let kind = if symmetric { "symmetric" } else { "general" };
    let rows = 3 * pattern.rows();
    writeln!(sink, "%%MatrixMarket matrix coordinate real {kind}")?;
    writeln!(sink, "{rows} {rows} {}", entries.len())?;
    for (r, c, value) in &entries {
        writeln!(sink, "{} {} {value:?}", r + 1, c + 1)?;
    }
    Ok(entries.len())
}
