//! Reading and writing meshes for the commands: any kind, with notes as warnings.

use std::path::Path;

use pliant::mesh::io::{
    SurfaceFormat, VolumeFormat, WriteOptions, gmsh, read_surface, read_volume, write_surface,
    write_volume,
};
use pliant::mesh::{Note, SurfaceMesh, VolumeMesh};

use crate::arguments::{GmshVersion, WriteFlags};
use crate::context::Context;
use crate::failure::Failure;

/// A mesh of either kind.
pub(super) enum AnyMesh {
    Volume(VolumeMesh),
    Surface(SurfaceMesh),
}

/// Reads a file of any kind; its notes come back and are shown as warnings.
pub(super) fn any(path: &Path, context: &Context) -> Result<(AnyMesh, Vec<Note>), Failure> {
    if SurfaceFormat::of(path).is_some() {
        let read = read_surface(path)?;
        context.warn_notes(path, &read.notes);
        return Ok((AnyMesh::Surface(read.mesh), read.notes));
    }
    if VolumeFormat::of(path).is_none() {
        let all = extensions();
        let text =
            format!("{}: the extension names no mesh format (use one of {all})", path.display());
        return Err(Failure::Input(text));
    }
    let read = read_volume(path)?;
    context.warn_notes(path, &read.notes);
    Ok((AnyMesh::Volume(read.mesh), read.notes))
}

/// Reads a volume mesh.
pub(super) fn volume(path: &Path, context: &Context) -> Result<VolumeMesh, Failure> {
    if SurfaceFormat::of(path).is_some() {
        let text = format!(
            "{} is a surface, and a volume mesh is needed here: fill it first with 'pliant mesh fill'",
            path.display()
        );
        return Err(Failure::Input(text));
    }
    let read = read_volume(path)?;
    context.warn_notes(path, &read.notes);
    Ok(read.mesh)
}

/// Reads a surface.
pub(super) fn surface(path: &Path, context: &Context) -> Result<SurfaceMesh, Failure> {
    if VolumeFormat::of(path).is_some() {
        let text = format!(
            "{} is a volume mesh, and a surface is needed here: take its boundary with 'pliant mesh surface'",
            path.display()
        );
        return Err(Failure::Input(text));
    }
    let read = read_surface(path)?;
    context.warn_notes(path, &read.notes);
    Ok(read.mesh)
}

/// Writes a volume mesh and warns of what its format cannot hold.
pub(super) fn save_volume(
    path: &Path,
    mesh: &VolumeMesh,
    flags: &WriteFlags,
    context: &Context,
) -> Result<Vec<Note>, Failure> {
    let notes = write_volume(path, mesh, &options(flags))?;
    context.warn_notes(path, &notes);
    Ok(notes)
}

/// Writes a surface and warns of what its format cannot hold.
pub(super) fn save_surface(
    path: &Path,
    surface: &SurfaceMesh,
    flags: &WriteFlags,
    context: &Context,
) -> Result<Vec<Note>, Failure> {
    let notes = write_surface(path, surface, &options(flags))?;
    context.warn_notes(path, &notes);
    Ok(notes)
}

/// Notes for a JSON result.
pub(super) fn note_texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(Note::to_string).collect()
}

fn options(flags: &WriteFlags) -> WriteOptions {
    WriteOptions {
        ascii: flags.ascii,
        compress: !flags.no_compress,
        gmsh_version: match flags.format_version {
            Some(GmshVersion::V22) => gmsh::Version::V22,
            Some(GmshVersion::V41) | None => gmsh::Version::V41,
        },
        tetgen_base: flags.base,
    }
}

fn extensions() -> String {
    let volume = VolumeFormat::ALL.iter().flat_map(|f| f.extensions());
    let surface = SurfaceFormat::ALL.iter().flat_map(|f| f.extensions());
    volume.chain(surface).map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ")
}
