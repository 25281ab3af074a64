//! `pliant matrices`: f, K, M and D of a scene.

use std::io::Write;
use std::path::{Path, PathBuf};

use pliant::algebra::sparse::BlockMatrix;
use pliant::mesh::MeshError;
use pliant::mesh::io::write_file;
use pliant::scene::{Origin, Simulation};
use serde_json::json;

use super::flags::{MatricesFlags, MatrixFormat};
use super::{npz, scene};
use crate::context::Context;
use crate::failure::Failure;

/// Writes the matrices of the state that a scene begins with, or of one that a run has saved.
pub fn matrices(flags: MatricesFlags, context: &Context) -> Result<(), Failure> {
    if let Some(state) = flags.state.as_ref().filter(|state| !state.exists()) {
        let text = format!("--state {}: there is no such file or folder", state.display());
        return Err(Failure::Input(text));
    }
    let file_of = |state: &PathBuf| {
        if state.is_dir() { state.join("checkpoint.bin") } else { state.clone() }
    };
    let checkpoint = flags.state.as_ref().map(file_of);
    // The folder of a file that stands alone is "", which is here.
    let run = checkpoint.as_ref().and_then(|file| file.parent());
    let run = run.map(|run| if run.as_os_str().is_empty() { Path::new(".") } else { run });
    let origin = match (&flags.scene, run) {
        // The run knows its scene, and what was set on top of it.
        (None, Some(folder)) if flags.set.is_empty() => Origin::of(folder)?,
        (name, _) => scene::origin(name.as_deref(), flags.set),
    };
    let scene = scene::load(&origin)?;
    let mut simulation = Simulation::build(&scene)?;
    if let Some(checkpoint) = &checkpoint {
        simulation.load_checkpoint(checkpoint, &scene)?;
    }
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
    let out = &flags.out;
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::Input(format!("cannot make {}: {e}", out.display())))?;
    let mut force = vec![[0.0; 3]; order.len()];
    for (&to, &f) in order.iter().zip(&m.force) {
        force[to as usize] = f;
    }
    match flags.format {
        MatrixFormat::Mtx => write_file(&out.join("f.mtx"), |sink| vector(&force, sink))?,
        MatrixFormat::Npz => write_file(&out.join("f.npy"), |sink| {
            Ok(sink.write_all(&npz::array(force.as_flattened()))?)
        })?,
    }
    let mut entries = serde_json::Map::new();
    for (name, matrix) in [("K", &m.stiffness), ("M", &m.mass), ("D", &m.damping)] {
        let listed = Entries::of(matrix, &order);
        entries.insert(name.to_owned(), write(name, &listed, out, flags.format)?.into());
    }
    let rows = 3 * order.len();
    let state = simulation.state();
    let (time, steps) = (state.time, state.steps);
    let result = json!({
        "output": out.display().to_string(),
        "rows": rows,
        "entries": entries,
        "time": time,
        "steps": steps,
    });
    context.emit(&result, || {
        format!(
            "f, K, M, D at t = {time} s with {rows} rows are in {}; units N, N/m, kg, N s/m\n",
            out.display()
        )
    })
}

/// Entries that are not zero, row after row; of a symmetric matrix the lower triangle.
pub(super) struct Entries {
    pub(super) rows: usize,
    pub(super) symmetric: bool,
    pub(super) list: Vec<(usize, usize, f64)>,
}

impl Entries {
    fn of(matrix: &BlockMatrix, order: &[u32]) -> Self {
        let pattern = matrix.pattern();
        let symmetric = pattern.is_symmetric();
        let mut list: Vec<(usize, usize, f64)> = Vec::new();
        for row in 0..pattern.rows() {
            for (block, &column) in pattern.range(row).zip(pattern.row(row)) {
                let (i, j) = (order[row] as usize, order[column as usize] as usize);
                for (k, &value) in matrix.values[block].iter().enumerate() {
                    let (r, c) = (3 * i + k / 3, 3 * j + k % 3);
                    if value == 0.0 || (symmetric && row == column as usize && c > r) {
                        continue;
                    }
                    list.push(if symmetric && c > r { (c, r, value) } else { (r, c, value) });
                }
            }
        }
        list.sort_unstable_by_key(|&(r, c, _)| (r, c));
        Self { rows: 3 * pattern.rows(), symmetric, list }
    }
}

/// How many entries the file has.
fn write(
    name: &str,
    entries: &Entries,
    out: &Path,
    format: MatrixFormat,
) -> Result<usize, Failure> {
    Ok(match format {
        MatrixFormat::Mtx => {
            write_file(&out.join(format!("{name}.mtx")), |sink| market(entries, sink))?;
            entries.list.len()
        }
        MatrixFormat::Npz => {
            let (archive, count) = npz::matrix(entries).map_err(|why| {
                Failure::Input(format!("{name} is too large for .npz ({why}): take --format mtx"))
            })?;
            write_file(&out.join(format!("{name}.npz")), |sink| Ok(sink.write_all(&archive)?))?;
            count
        }
    })
}

fn vector(list: &[[f64; 3]], sink: &mut dyn Write) -> Result<(), MeshError> {
    writeln!(sink, "%%MatrixMarket matrix array real general\n{} 1", 3 * list.len())?;
    for number in list.as_flattened() {
        writeln!(sink, "{number:?}")?;
    }
    Ok(())
}

fn market(entries: &Entries, sink: &mut dyn Write) -> Result<(), MeshError> {
    let Entries { rows, symmetric, list } = entries;
    let kind = if *symmetric { "symmetric" } else { "general" };
    writeln!(sink, "%%MatrixMarket matrix coordinate real {kind}")?;
    writeln!(sink, "{rows} {rows} {}", list.len())?;
    for (r, c, value) in list {
        writeln!(sink, "{} {} {value:?}", r + 1, c + 1)?;
    }
    Ok(())
}
