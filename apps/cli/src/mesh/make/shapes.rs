//! The flags of `pliant mesh make`, shape by shape. A flag that is not given keeps the library's
//! default.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::arguments::{WriteFlags, angle, length};

/// Where the mesh goes and of what it is made.
#[derive(Debug, Args)]
pub struct Volume {
    /// The file to write (.veg .msh .vtu .vtk .mesh .ele)
    pub(super) out: PathBuf,
    /// The cells
    #[arg(long, default_value = "tet6")]
    pub(super) cell: Cell,
    /// Move inner vertices at random, by at most this part of their smallest cell (0 to 1)
    #[arg(long, value_name = "PART")]
    pub(super) jitter: Option<f64>,
    /// Chooses among the random displacements
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// How to write it
    #[command(flatten)]
    pub(super) write: WriteFlags,
}

/// Where the surface goes.
#[derive(Debug, Args)]
pub struct Surface {
    /// The file to write (.obj .stl .ply)
    pub(super) out: PathBuf,
    /// How to write it
    #[command(flatten)]
    pub(super) write: WriteFlags,
}

/// Kinds of cell.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Cell {
    /// Five tetrahedra for each hexahedron
    Tet5,
    /// Six tetrahedra for each hexahedron
    Tet6,
    /// Hexahedra
    Hex,
    /// Six tetrahedra with middle nodes for each hexahedron, on the sides of curved shapes
    Tet10,
    /// Hexahedra with middle nodes, on the sides of curved shapes
    Hex20,
}

/// The shapes.
#[derive(Debug, Subcommand)]
pub enum MakeCommand {
    /// A box from the origin, graded and jittered if asked for
    #[command(
        after_help = "Example:\n  pliant mesh make box --size 1 0.5 0.25 --cells 8 4 2 --cell hex box.veg"
    )]
    Box {
        /// Edge lengths
        #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], value_parser = length, allow_negative_numbers = true)]
        size: Option<Vec<f64>>,
        /// Cells along each axis
        #[arg(long, num_args = 3, value_names = ["NX", "NY", "NZ"])]
        cells: Option<Vec<usize>>,
        /// Length of the last cell over that of the first, along each axis
        #[arg(long, num_args = 3, value_names = ["GX", "GY", "GZ"])]
        grading: Option<Vec<f64>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A bar along x, with cells as near to cubes as fit
    #[command(
        after_help = "Example:\n  pliant mesh make bar --length \"30 cm\" --width 0.1 --height 0.1 --across 4 bar.msh"
    )]
    Bar {
        /// Length along x
        #[arg(long, value_parser = length)]
        length: Option<f64>,
        /// Width along y
        #[arg(long, value_parser = length)]
        width: Option<f64>,
        /// Height along z
        #[arg(long, value_parser = length)]
        height: Option<f64>,
        /// Cells across the smaller of width and height
        #[arg(long)]
        across: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A cylinder along z, without wedges at the axis
    #[command(
        after_help = "Example:\n  pliant mesh make cylinder --radius 0.1 --length 0.5 --layers 20 cylinder.vtu"
    )]
    Cylinder {
        /// Radius
        #[arg(long, value_parser = length)]
        radius: Option<f64>,
        /// Length along z
        #[arg(long, value_parser = length)]
        length: Option<f64>,
        /// Cells across the square in the middle
        #[arg(long)]
        core: Option<usize>,
        /// Rings around it
        #[arg(long)]
        rings: Option<usize>,
        /// Layers along z
        #[arg(long)]
        layers: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A hollow cylinder along z
    #[command(
        after_help = "Example:\n  pliant mesh make tube --inner 0.4 --outer 0.5 --around 48 tube.vtu"
    )]
    Tube {
        /// Inner radius
        #[arg(long, value_parser = length)]
        inner: Option<f64>,
        /// Outer radius
        #[arg(long, value_parser = length)]
        outer: Option<f64>,
        /// Length along z
        #[arg(long, value_parser = length)]
        length: Option<f64>,
        /// Cells through the wall
        #[arg(long)]
        radial: Option<usize>,
        /// Cells around
        #[arg(long)]
        around: Option<usize>,
        /// Layers along z
        #[arg(long)]
        layers: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A ball, without degenerate cells
    #[command(
        after_help = "Example:\n  pliant mesh make sphere --radius 0.5 --core 8 --rings 6 ball.vtu"
    )]
    Sphere {
        /// Radius
        #[arg(long, value_parser = length)]
        radius: Option<f64>,
        /// Cells across the cube in the middle
        #[arg(long)]
        core: Option<usize>,
        /// Shells around it
        #[arg(long)]
        rings: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A hollow sphere
    #[command(
        after_help = "Example:\n  pliant mesh make hollow-sphere --inner 1 --outer 2 shell.vtu"
    )]
    HollowSphere {
        /// Inner radius
        #[arg(long, value_parser = length)]
        inner: Option<f64>,
        /// Outer radius
        #[arg(long, value_parser = length)]
        outer: Option<f64>,
        /// Cells along the side of each of the six patches
        #[arg(long)]
        across: Option<usize>,
        /// Cells through the wall
        #[arg(long)]
        radial: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A solid torus about the z axis
    #[command(
        after_help = "Example:\n  pliant mesh make torus --major 1 --minor 0.3 --around 60 torus.vtu"
    )]
    Torus {
        /// Radius of the circle through the middle of the section
        #[arg(long, value_parser = length)]
        major: Option<f64>,
        /// Radius of the section
        #[arg(long, value_parser = length)]
        minor: Option<f64>,
        /// Cells across the square in the middle of the section
        #[arg(long)]
        core: Option<usize>,
        /// Rings around it
        #[arg(long)]
        rings: Option<usize>,
        /// Cells around the circle
        #[arg(long)]
        around: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// Two legs along x and y with a re-entrant edge
    #[command(
        after_help = "Example:\n  pliant mesh make l-shape --size 1 --width 0.5 --across 8 l.vtu"
    )]
    LShape {
        /// Length of both legs
        #[arg(long, value_parser = length)]
        size: Option<f64>,
        /// Width of the legs
        #[arg(long, value_parser = length)]
        width: Option<f64>,
        /// Thickness along z
        #[arg(long, value_parser = length)]
        thickness: Option<f64>,
        /// Cells across a leg
        #[arg(long)]
        across: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A bar along x with a rectangular notch on top
    #[command(
        after_help = "Example:\n  pliant mesh make notched-bar --notch-width 0.05 --notch-depth 0.1 notch.vtu"
    )]
    NotchedBar {
        /// Length along x
        #[arg(long, value_parser = length)]
        length: Option<f64>,
        /// Height along y
        #[arg(long, value_parser = length)]
        height: Option<f64>,
        /// Thickness along z
        #[arg(long, value_parser = length)]
        thickness: Option<f64>,
        /// Width of the notch
        #[arg(long, value_parser = length)]
        notch_width: Option<f64>,
        /// Depth of the notch
        #[arg(long, value_parser = length)]
        notch_depth: Option<f64>,
        /// Cells across the height
        #[arg(long)]
        across: Option<usize>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// Cook's tapered panel, 48 x 44/16
    #[command(after_help = "Example:\n  pliant mesh make cook --cells 16 16 1 --cell hex cook.vtu")]
    Cook {
        /// Length of one unit of the panel, such as "1 mm"
        #[arg(long, value_parser = length)]
        unit: Option<f64>,
        /// Thickness in units
        #[arg(long)]
        thickness: Option<f64>,
        /// Cells along the panel, across it, through it
        #[arg(long, num_args = 3, value_names = ["NX", "NY", "NZ"])]
        cells: Option<Vec<usize>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A quarter of a hollow cylinder
    #[command(
        after_help = "Example:\n  pliant mesh make quarter-ring --cells 8 12 1 --cell hex ring.vtu"
    )]
    QuarterRing {
        /// Inner radius
        #[arg(long, value_parser = length)]
        inner: Option<f64>,
        /// Outer radius
        #[arg(long, value_parser = length)]
        outer: Option<f64>,
        /// Thickness along z
        #[arg(long, value_parser = length)]
        thickness: Option<f64>,
        /// Cells through the wall, around, along z
        #[arg(long, num_args = 3, value_names = ["NR", "NT", "NZ"])]
        cells: Option<Vec<usize>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// The 45 degree bend
    #[command(
        after_help = "Example:\n  pliant mesh make curved-beam --radius 100 --angle \"45 deg\" bend.vtu"
    )]
    CurvedBeam {
        /// Radius of the middle line
        #[arg(long, value_parser = length)]
        radius: Option<f64>,
        /// Width in the plane of the bend
        #[arg(long, value_parser = length)]
        width: Option<f64>,
        /// Height out of the plane
        #[arg(long, value_parser = length)]
        height: Option<f64>,
        /// How far it bends
        #[arg(long, value_parser = angle)]
        angle: Option<f64>,
        /// Cells along the beam, and across
        #[arg(long, num_args = 3, value_names = ["NL", "NW", "NH"])]
        cells: Option<Vec<usize>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// A cantilever twisted by 90 degrees
    #[command(
        after_help = "Example:\n  pliant mesh make twisted-beam --twist \"90 deg\" twisted.vtu"
    )]
    TwistedBeam {
        /// Length along x
        #[arg(long, value_parser = length)]
        length: Option<f64>,
        /// Width
        #[arg(long, value_parser = length)]
        width: Option<f64>,
        /// Thickness
        #[arg(long, value_parser = length)]
        thickness: Option<f64>,
        /// How far it is twisted
        #[arg(long, value_parser = angle)]
        twist: Option<f64>,
        /// Cells along the beam, and across
        #[arg(long, num_args = 3, value_names = ["NL", "NW", "NT"])]
        cells: Option<Vec<usize>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// The quarter of an elliptic plate of NAFEMS LE1 and LE10
    #[command(
        after_help = "Example:\n  pliant mesh make elliptic-plate --thickness 0.6 --cells 8 12 4 le10.vtu"
    )]
    EllipticPlate {
        /// Half axes of the inner ellipse
        #[arg(long, num_args = 2, value_names = ["A", "B"], value_parser = length)]
        inner: Option<Vec<f64>>,
        /// Half axes of the outer ellipse
        #[arg(long, num_args = 2, value_names = ["A", "B"], value_parser = length)]
        outer: Option<Vec<f64>>,
        /// Thickness along z
        #[arg(long, value_parser = length)]
        thickness: Option<f64>,
        /// Cells from inside out, around, through
        #[arg(long, num_args = 3, value_names = ["NR", "NT", "NZ"])]
        cells: Option<Vec<usize>>,
        /// Where it goes and of what it is made
        #[command(flatten)]
        volume: Volume,
    },
    /// The surface of a ball
    #[command(
        after_help = "Example:\n  pliant mesh make ball-surface --radius 0.5 --levels 5 ball.obj"
    )]
    BallSurface {
        /// Radius
        #[arg(long, value_parser = length, default_value = "0.5")]
        radius: f64,
        /// How often the 20 triangles of an icosahedron are divided into four
        #[arg(long, default_value_t = 4)]
        levels: usize,
        /// Where it goes
        #[command(flatten)]
        surface: Surface,
    },
    /// The surface of a torus
    #[command(
        after_help = "Example:\n  pliant mesh make torus-surface --major 0.35 --minor 0.15 torus.stl"
    )]
    TorusSurface {
        /// Radius of the circle through the middle of the section
        #[arg(long, value_parser = length, default_value = "0.35")]
        major: f64,
        /// Radius of the section
        #[arg(long, value_parser = length, default_value = "0.15")]
        minor: f64,
        /// Cells around the circle
        #[arg(long, default_value_t = 96)]
        around: usize,
        /// Cells around the section
        #[arg(long, default_value_t = 40)]
        across: usize,
        /// Where it goes
        #[command(flatten)]
        surface: Surface,
    },
    /// A ball with smooth spikes
    #[command(after_help = "Example:\n  pliant mesh make star-surface --spikes 20 star.obj")]
    StarSurface {
        /// Radius of the ball
        #[arg(long, value_parser = length, default_value = "0.3")]
        radius: f64,
        /// How many spikes
        #[arg(long, default_value_t = 14)]
        spikes: usize,
        /// How far they reach out
        #[arg(long, value_parser = length, default_value = "0.25")]
        height: f64,
        /// 1 to 1000: slender spikes are sharp
        #[arg(long, default_value_t = 40.0)]
        sharpness: f64,
        /// How often the 20 triangles of an icosahedron are divided into four
        #[arg(long, default_value_t = 5)]
        levels: usize,
        /// Where it goes
        #[command(flatten)]
        surface: Surface,
    },
    /// The surface of a box
    #[command(
        after_help = "Example:\n  pliant mesh make box-surface --size 1 1 1 --cells 8 8 8 box.ply"
    )]
    BoxSurface {
        /// Edge lengths
        #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], value_parser = length, default_values = ["1", "1", "1"])]
        size: Vec<f64>,
        /// Squares along each axis
        #[arg(long, num_args = 3, value_names = ["NX", "NY", "NZ"], default_values_t = [4, 4, 4])]
        cells: Vec<usize>,
        /// Where it goes
        #[command(flatten)]
        surface: Surface,
    },
    /// The surface of a cylinder with round ends
    #[command(after_help = "Example:\n  pliant mesh make capsule-surface --length 0.6 capsule.obj")]
    CapsuleSurface {
        /// Radius
        #[arg(long, value_parser = length, default_value = "0.2")]
        radius: f64,
        /// Length of the straight part
        #[arg(long, value_parser = length, default_value = "0.6")]
        length: f64,
        /// Triangles around
        #[arg(long, default_value_t = 48)]
        around: usize,
        /// Bands on each end
        #[arg(long, default_value_t = 12)]
        rings: usize,
        /// Bands along the straight part
        #[arg(long, default_value_t = 24)]
        layers: usize,
        /// Where it goes
        #[command(flatten)]
        surface: Surface,
    },
}
