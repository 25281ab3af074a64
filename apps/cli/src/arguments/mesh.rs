//! The command line of `pliant mesh`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::length;
use crate::mesh::make::MakeCommand;

/// `pliant mesh …`
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Counts, size, volume, regions and quality of a mesh
    #[command(after_help = "\
Examples:
  pliant mesh info turtle.veg
  pliant mesh info turtle.veg --json | jq .volume")]
    Info {
        /// Volume mesh (.veg .msh .vtu .vtk .mesh .node .ele) or surface (.obj .stl .ply)
        file: PathBuf,
    },
    /// Find what is wrong with a mesh, and repair what can be repaired safely
    #[command(after_help = "\
Exit status 0 if the mesh can be simulated, 1 if not; hints tell what to do.

Examples:
  pliant mesh check scan.stl
  pliant mesh check body.msh --fix body-fixed.msh")]
    Check {
        /// Volume mesh or surface
        file: PathBuf,
        /// Write a repaired mesh here
        #[arg(long, value_name = "OUT")]
        fix: Option<PathBuf>,
        /// Smallest dihedral angle, in degrees, below which a cell counts as a sliver
        #[arg(long, value_name = "DEGREES", default_value_t = 5.0)]
        sliver: f64,
    },
    /// Convert between formats, chosen by the files' extensions
    #[command(after_help = "\
Formats: .veg, .msh (Gmsh 2.2 and 4.1), .vtu, .vtk, .mesh (MEDIT), .node/.ele (TetGen); surfaces \
.obj, .stl, .ply; vertex lists .bou. What a format cannot hold is named in a warning.

Examples:
  pliant mesh convert turtle.veg turtle.vtu
  pliant mesh convert part.msh part.veg --scale 0.001        millimetres to metres
  pliant mesh convert brick.veg brick.msh --cells tet6 --format-version 2.2 --ascii
  pliant mesh convert body.msh fixed.bou --set clamp         a vertex set as Vega's list")]
    Convert {
        /// The mesh to read
        input: PathBuf,
        /// The file to write
        output: PathBuf,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
        /// Multiply all coordinates
        #[arg(long, value_name = "FACTOR")]
        scale: Option<f64>,
        /// Change the kind of cell: hexahedra into tetrahedra, or tetrahedra linear / quadratic
        #[arg(long, value_name = "KIND")]
        cells: Option<CellChange>,
        /// Renumber vertices and cells for locality
        #[arg(long, value_name = "ORDER")]
        reorder: Option<Reorder>,
        /// The vertex set to write, for a .bou output
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
        /// Add a vertex set from a .bou file
        #[arg(long, value_name = "NAME=FILE")]
        add_set: Vec<String>,
    },
    /// Make a mesh from a few numbers
    #[command(arg_required_else_help = true)]
    Make {
        /// The shape.
        #[command(subcommand)]
        shape: MakeCommand,
    },
    /// Fill a closed surface with tetrahedra
    #[command(after_help = "\
Isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice warped to the \
surface. Small holes, self-intersections and doubled or inverted patches are survived: a point is \
inside by its winding number.

Examples:
  pliant mesh fill dragon.obj --size 0.02 dragon.veg
  pliant mesh fill part.stl --size \"2 mm\" --grade part.msh")]
    Fill {
        /// The surface (.obj .stl .ply)
        surface: PathBuf,
        /// The volume mesh to write
        output: PathBuf,
        /// Edge length of the tetrahedra at the surface, in the surface's unit (default: longest extent / 30)
        #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
        size: Option<f64>,
        /// Let the tetrahedra grow towards the inside: how often their size may double
        #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "2", require_equals = true)]
        grade: Option<u32>,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// Split every cell into eight
    #[command(after_help = "Example:\n  pliant mesh refine coarse.veg fine.veg --levels 2")]
    Refine {
        /// The mesh to read
        input: PathBuf,
        /// The file to write
        output: PathBuf,
        /// How often
        #[arg(long, value_name = "N", default_value_t = 1)]
        levels: u32,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// The boundary of a volume mesh as a surface
    #[command(after_help = "Example:\n  pliant mesh surface turtle.veg turtle-boundary.obj")]
    Surface {
        /// The volume mesh
        input: PathBuf,
        /// The surface to write (.obj .stl .ply)
        output: PathBuf,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// Bind a surface to a volume mesh, for display: barycentric or trilinear weights
    #[command(after_help = "Example:\n  pliant mesh embed turtle.veg turtle.obj turtle.interp")]
    Embed {
        /// The volume mesh that is simulated
        volume: PathBuf,
        /// The surface that is shown
        surface: PathBuf,
        /// The weights to write (.interp)
        output: PathBuf,
    },
    /// Draw a mesh: surface, cut, quality
    #[command(after_help = "\
Examples:
  pliant mesh draw turtle.veg turtle.svg
  pliant mesh draw dragon.veg dragon.png --cut x=0.5 --colour quality --from 1,0.4,1")]
    Draw {
        /// Volume mesh or surface
        file: PathBuf,
        /// The picture (.svg with legend and histogram, .png without)
        output: PathBuf,
        /// Show only what lies below a plane, at a fraction of the extent: x=0.5, y=0.3, z=0.7
        #[arg(long, value_name = "AXIS=FRACTION")]
        cut: Option<String>,
        /// What the colours show
        #[arg(long, value_name = "WHAT", default_value = "plain")]
        colour: ColourBy,
        /// The side from which the camera looks
        #[arg(
            long,
            value_name = "X,Y,Z",
            default_value = "0.7,0.45,1",
            allow_hyphen_values = true
        )]
        from: String,
        /// Leave the mesh lines out and shade smoothly
        #[arg(long)]
        no_lines: bool,
        /// Width and height in pixels
        #[arg(long, num_args = 2, value_names = ["W", "H"], default_values_t = [900, 700])]
        pixels: Vec<usize>,
    },
}

/// Heading of the flags that say how a file is written.
const WRITTEN: &str = "The file written";

/// How a mesh file is written.
#[derive(Debug, Clone, Default, Args)]
pub struct WriteFlags {
    /// Numbers as text, where the format has both (.msh .vtu .vtk .stl .ply)
    #[arg(long, help_heading = WRITTEN, conflicts_with = "binary")]
    pub ascii: bool,
    /// Numbers in binary, where the format has both (the default)
    #[arg(long, help_heading = WRITTEN)]
    pub binary: bool,
    /// Version of the .msh format
    #[arg(long, help_heading = WRITTEN, value_name = "VERSION")]
    pub format_version: Option<GmshVersion>,
    /// Binary .vtu without zlib
    #[arg(long, help_heading = WRITTEN)]
    pub no_compress: bool,
    /// First index of TetGen files
    #[arg(long, help_heading = WRITTEN, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub base: u8,
}

/// Versions of the `.msh` format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GmshVersion {
    /// Read by everything
    #[value(name = "2.2")]
    V22,
    /// The current one, which keeps cell sets (the default)
    #[value(name = "4.1")]
    V41,
}

/// Changes of the kind of cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CellChange {
    /// Each hexahedron into five tetrahedra
    Tet5,
    /// Each hexahedron into six tetrahedra
    Tet6,
    /// Tetrahedra with middle nodes
    Tet10,
    /// Tetrahedra without middle nodes
    Tet4,
    /// Hexahedra with middle nodes
    Hex20,
    /// Hexahedra without middle nodes
    Hex8,
}

/// Orders of vertices and cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reorder {
    /// Along a Hilbert curve
    Hilbert,
    /// Reverse Cuthill-McKee: a small bandwidth
    Rcm,
}

/// What colours show in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// One colour
    Plain,
    /// Smallest dihedral angle of each cell (scaled Jacobian for hexahedra)
    Quality,
    /// The region of each cell
    Region,
}
