//! `pliant matrices`: f, K, M and D of a scene.

use std::io::Write;
use std::path::{Path, PathBuf};

use pliant::algebra::sparse::Csr;
use pliant::mesh::MeshError;
use pliant::mesh::io::write_file;
use pliant::model::Matrices;
use pliant::scene::{Kept, Simulation};
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
    let scene = match (&flags.scene, run) {
        // The run knows its scene, and what was set on top of it.
        (None, Some(folder)) if flags.set.is_empty() => Kept::of(folder)?.load()?,
        (name, _) => scene::load(&scene::origin(name.as_deref(), flags.set))?,
    };
    let mut simulation = Simulation::build(&scene)?;
    if let Some(checkpoint) = &checkpoint {
        simulation.load_checkpoint(checkpoint, &scene)?;
    }
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let Matrices { force, stiffness, mass, damping, symmetric } = simulation.matrices()?;
    let out = &flags.out;
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::Input(format!("cannot make {}: {e}", out.display())))?;
    match flags.format {
        MatrixFormat::Mtx => write_file(&out.join("f.mtx"), |sink| vector(&force, sink))?,
        MatrixFormat::Npz => write_file(&out.join("f.npy"), |sink| {
            Ok(sink.write_all(&npz::array(force.as_flattened()))?)
        })?,
    }
    let mut entries = serde_json::Map::new();
    for (name, mut matrix) in [("K", stiffness), ("M", mass), ("D", damping)] {
        matrix.drop_zeros();
        let count = write(name, &matrix, symmetric, out, flags.format)?;
        entries.insert(name.to_owned(), count.into());
    }
    let rows = 3 * force.len();
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
            "f, K, M, D at t = {} s with {rows} rows are in {}; units N, N/m, kg, N s/m\n",
            pliant_units::number(time),
            out.display()
        )
    })
}

/// How many entries the file has.
fn write(
    name: &str,
    matrix: &Csr,
    symmetric: bool,
    out: &Path,
    format: MatrixFormat,
) -> Result<usize, Failure> {
    let mut count = matrix.entries();
    match format {
        MatrixFormat::Mtx => write_file(&out.join(format!("{name}.mtx")), |sink| {
            count = market(matrix, symmetric, sink)?;
            Ok(())
        })?,
        MatrixFormat::Npz => {
            let archive = npz::matrix(matrix).map_err(|why| {
                Failure::Input(format!("{name} is too large for .npz ({why}): take --format mtx"))
            })?;
            write_file(&out.join(format!("{name}.npz")), |sink| Ok(sink.write_all(&archive)?))?;
        }
    }
    Ok(count)
}

fn vector(list: &[[f64; 3]], sink: &mut dyn Write) -> Result<(), MeshError> {
    writeln!(sink, "%%MatrixMarket matrix array real general\n{} 1", 3 * list.len())?;
    for number in list.as_flattened() {
        writeln!(sink, "{number:?}")?;
    }
    Ok(())
}

/// Writes all entries, or of a symmetric matrix the lower triangle, and returns how many these are.
fn market(matrix: &Csr, symmetric: bool, sink: &mut dyn Write) -> Result<usize, MeshError> {
    let rows = matrix.rows();
    let listed = || {
        (0..rows).flat_map(|row| {
            let (columns, values) = matrix.row(row);
            let lower = move |column: u32| !symmetric || column as usize <= row;
            let all = columns.iter().zip(values).filter(move |(c, _)| lower(**c));
            all.map(move |(&column, &value)| (row, column, value))
        })
    };
    let count = listed().count();
    let kind = if symmetric { "symmetric" } else { "general" };
    writeln!(sink, "%%MatrixMarket matrix coordinate real {kind}")?;
    writeln!(sink, "{rows} {rows} {count}")?;
    for (row, column, value) in listed() {
        writeln!(sink, "{} {} {value:?}", row + 1, column + 1)?;
    }
    Ok(count)
}
