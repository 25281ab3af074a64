//! Formats by file extension: one place that knows them all.

use std::path::Path;

use crate::error::{ErrorKind, MeshError, Note};
use crate::surface::SurfaceMesh;
use crate::volume::VolumeMesh;

use super::file::write_file;
use super::source::Source;
use super::{Imported, gmsh, medit, obj, ply, stl, tetgen, veg, vtk, vtu};

/// A format for volume meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VolumeFormat {
    /// Vega `.veg`
    Veg,
    /// Gmsh `.msh`
    Gmsh,
    /// VTK XML `.vtu`
    Vtu,
    /// Legacy `.vtk`
    Vtk,
    /// MEDIT `.mesh`
    Medit,
    /// TetGen `.node` + `.ele` + `.face`
    TetGen,
}

/// A format for surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurfaceFormat {
    /// Wavefront `.obj`
    Obj,
    /// `.stl`
    Stl,
    /// Stanford `.ply`
    Ply,
}

impl VolumeFormat {
    /// All of them.
    pub const ALL: [VolumeFormat; 6] = [
        VolumeFormat::Veg,
        VolumeFormat::Gmsh,
        VolumeFormat::Vtu,
        VolumeFormat::Vtk,
        VolumeFormat::Medit,
        VolumeFormat::TetGen,
    ];

    /// Its extensions; the first is the usual one.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            VolumeFormat::Veg => &["veg"],
            VolumeFormat::Gmsh => &["msh"],
            VolumeFormat::Vtu => &["vtu"],
            VolumeFormat::Vtk => &["vtk"],
            VolumeFormat::Medit => &["mesh"],
            VolumeFormat::TetGen => &["ele", "node", "face"],
        }
    }

    /// The format that a file's extension names.
    pub fn of(path: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|f| has_extension(path, f.extensions()))
    }
}

impl SurfaceFormat {
    /// All of them.
    pub const ALL: [SurfaceFormat; 3] =
        [SurfaceFormat::Obj, SurfaceFormat::Stl, SurfaceFormat::Ply];

    /// Its extensions.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            SurfaceFormat::Obj => &["obj"],
            SurfaceFormat::Stl => &["stl"],
            SurfaceFormat::Ply => &["ply"],
        }
    }

    /// The format that a file's extension names.
    pub fn of(path: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|f| has_extension(path, f.extensions()))
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| extensions.iter().any(|x| e.eq_ignore_ascii_case(x)))
}

/// How files are written, where a format leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// Numbers as text instead of binary (Gmsh, VTK, STL, PLY).
    pub ascii: bool,
    /// Whether binary `.vtu` arrays are compressed.
    pub compress: bool,
    /// Version of the `.msh` format.
    pub gmsh_version: gmsh::Version,
    /// First index of TetGen files, 0 or 1.
    pub tetgen_base: u8,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { ascii: false, compress: true, gmsh_version: gmsh::Version::V41, tetgen_base: 1 }
    }
}

/// Reads a volume mesh, in the format that its extension names. Inverted cells are turned round;
/// the notes say so.
pub fn read_volume(path: &Path) -> Result<Imported<VolumeMesh>, MeshError> {
    let format =
        VolumeFormat::of(path).ok_or_else(|| unknown(path, "volume mesh", volume_list()))?;
    let source = Source::open(path)?;
    match format {
        VolumeFormat::Veg => veg::read(source),
        VolumeFormat::Gmsh => gmsh::read(source),
        VolumeFormat::Vtu => vtu::read(source),
        VolumeFormat::Vtk => vtk::read(source),
        VolumeFormat::Medit => medit::read(source),
        VolumeFormat::TetGen => tetgen::read(source),
    }
    .map_err(|e| e.in_file(path.display().to_string()))
}

/// Writes a volume mesh, in the format that the extension names, and returns what that format
/// could not hold.
pub fn write_volume(
    path: &Path,
    mesh: &VolumeMesh,
    options: &WriteOptions,
) -> Result<Vec<Note>, MeshError> {
    let format =
        VolumeFormat::of(path).ok_or_else(|| unknown(path, "volume mesh", volume_list()))?;
    let binary = !options.ascii;
    match format {
        VolumeFormat::Veg => write_file(path, |sink| veg::write(mesh, sink)),
        VolumeFormat::Medit => write_file(path, |sink| medit::write(mesh, sink)),
        VolumeFormat::Vtk => {
            write_file(path, |sink| vtk::write(mesh, sink, &vtk::Options { binary }))
        }
        VolumeFormat::Gmsh => {
            let options = gmsh::Options { version: options.gmsh_version, binary };
            write_file(path, |sink| gmsh::write(mesh, sink, &options))
        }
        VolumeFormat::Vtu => {
            let encoding = match (options.ascii, options.compress) {
                (true, _) => vtu::Encoding::Ascii,
                (false, true) => vtu::Encoding::Zlib,
                (false, false) => vtu::Encoding::Base64,
            };
            write_file(path, |sink| vtu::write(mesh, sink, &vtu::Options { encoding }))
        }
        VolumeFormat::TetGen => {
            let options = tetgen::Options { first_number: options.tetgen_base.into() };
            tetgen::write(mesh, &path.with_extension(""), &options)
        }
    }
    .map_err(|e| e.in_file(path.display().to_string()))
}

/// Reads a surface, in the format that its extension names.
pub fn read_surface(path: &Path) -> Result<Imported<SurfaceMesh>, MeshError> {
    let format = SurfaceFormat::of(path).ok_or_else(|| unknown(path, "surface", surface_list()))?;
    let source = Source::open(path)?;
    match format {
        SurfaceFormat::Obj => obj::read(source),
        SurfaceFormat::Stl => stl::read(source),
        SurfaceFormat::Ply => ply::read(source),
    }
    .map_err(|e| e.in_file(path.display().to_string()))
}

/// Writes a surface, in the format that the extension names, and returns what that format could not
/// hold.
pub fn write_surface(
    path: &Path,
    surface: &SurfaceMesh,
    options: &WriteOptions,
) -> Result<Vec<Note>, MeshError> {
    let format = SurfaceFormat::of(path).ok_or_else(|| unknown(path, "surface", surface_list()))?;
    let binary = !options.ascii;
    write_file(path, |sink| match format {
        SurfaceFormat::Obj => obj::write(surface, sink),
        SurfaceFormat::Stl => stl::write(surface, sink, &stl::Options { binary }),
        SurfaceFormat::Ply => ply::write(surface, sink, &ply::Options { binary }),
    })
}

fn volume_list() -> Vec<&'static str> {
    VolumeFormat::ALL.iter().flat_map(|f| f.extensions()).copied().collect()
}

fn surface_list() -> Vec<&'static str> {
    SurfaceFormat::ALL.iter().flat_map(|f| f.extensions()).copied().collect()
}

fn unknown(path: &Path, what: &str, accepted: Vec<&str>) -> MeshError {
    let found = match path.extension().and_then(|e| e.to_str()) {
        Some(extension) => format!("'.{extension}' is not the extension of a {what} format"),
        None => format!("the name has no extension that says which {what} format it is"),
    };
    let list = accepted.into_iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ");
    MeshError::new(ErrorKind::Unsupported, found)
        .in_file(path.display().to_string())
        .hint(format!("use one of {list}"))
}
