//! `pliant mesh draw`: a shaded picture of a mesh, whole or cut open, with a legend.

use std::collections::HashSet;
use std::path::Path;

use pliant::algebra::vec3::{Vec3, add, scale};
use pliant::draw::{Camera, Colour, ColourMap, Figure, Image, Paint, Shape, render};
use pliant::mesh::io::write_file;
use pliant::mesh::topology::boundary;
use pliant::mesh::{CellType, SurfaceMesh, VolumeMesh, quality};
use serde_json::json;

use super::load::{self, AnyMesh};
use crate::arguments::ColourBy;
use crate::context::Context;
use crate::failure::Failure;

/// How the picture looks.
pub(super) struct Look {
    pub(super) cut: Option<String>,
    pub(super) colour: ColourBy,
    pub(super) from: String,
    pub(super) lines: bool,
    pub(super) pixels: Vec<usize>,
}

/// Skin outside, flesh where a cut opens the body.
const OUTSIDE: Colour = [0.36, 0.61, 0.72];
const INSIDE: Colour = [0.95, 0.69, 0.38];
const INK: Colour = [0.08, 0.12, 0.16];
const REGIONS: [Colour; 8] = [
    [0.30, 0.58, 0.74],
    [0.94, 0.62, 0.31],
    [0.42, 0.69, 0.45],
    [0.80, 0.40, 0.42],
    [0.58, 0.47, 0.71],
    [0.66, 0.55, 0.40],
    [0.86, 0.56, 0.74],
    [0.60, 0.60, 0.60],
];

/// Triangles with a colour each, and which of their edges are edges of cells.
struct Painted {
    surface: SurfaceMesh,
    colours: Vec<Colour>,
    line_mask: Vec<u8>,
    legend: Option<Legend>,
}

/// The scale of a quality measure, and how the whole mesh (not only what is seen) is spread over it.
struct Legend {
    map: ColourMap,
    range: [f64; 2],
    title: &'static str,
    counts: Vec<u64>,
}

const BINS: usize = 35;
const HISTOGRAM: f64 = 150.0;

pub(super) fn run(
    file: &Path,
    output: &Path,
    look: &Look,
    context: &Context,
) -> Result<(), Failure> {
    let extension = output.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    if !matches!(extension.as_str(), "svg" | "png") {
        let text = format!("{}: pictures are written as .svg or .png", output.display());
        return Err(Failure::Input(text));
    }
    let [width, height] = look.pixels[..] else {
        return Err(Failure::Input("--pixels takes a width and a height".into()));
    };
    if !(16..=8192).contains(&width) || !(16..=8192).contains(&height) {
        return Err(Failure::Input(format!("--pixels {width} {height}: use 16 to 8192 each")));
    }
    let from = direction(&look.from)?;
    let (mesh, _) = load::any(file, context)?;
    let (painted, caption) = match &mesh {
        AnyMesh::Volume(mesh) => {
            let painted = paint_volume(mesh, look)?;
            (
                painted,
                format!(
                    "{} vertices, {} {} cells",
                    mesh.vertex_count(),
                    mesh.cell_count(),
                    mesh.cell_type
                ),
            )
        }
        AnyMesh::Surface(surface) => {
            if look.cut.is_some() || look.colour != ColourBy::Plain {
                let text = "--cut and --colour are for volume meshes: fill the surface first";
                return Err(Failure::Input(text.into()));
            }
            let n = surface.triangles.len();
            let painted = Painted {
                surface: surface.clone(),
                colours: vec![OUTSIDE; n],
                line_mask: Vec::new(),
                legend: None,
            };
            (painted, format!("{} vertices, {n} triangles", surface.vertices.len()))
        }
    };
    let with_legend = extension == "svg" && painted.legend.is_some();
    let bar = if with_legend { 110 } else { 0 };
    let image = picture(&painted, from, look.lines, width.saturating_sub(bar).max(16), height);
    let png_failed = |e| Failure::Input(format!("{}: {e}", output.display()));
    let bytes = if extension == "png" {
        image.png().map_err(png_failed)?
    } else {
        let below = if painted.legend.is_some() { HISTOGRAM } else { 0.0 };
        let (w, h) = (width as f64, height as f64);
        let mut figure = Figure::new(w, h + 28.0 + below);
        figure.picture(0.0, 0.0, &image).map_err(png_failed)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        figure.text(16.0, h + 12.0, 13.0, "start", &format!("{name}: {caption}"));
        if let Some(Legend { map, range, title, counts }) = &painted.legend {
            figure.colour_bar(w - 100.0, 0.2 * h, 0.6 * h, map, *range, title);
            let place = [40.0, h + 56.0, w - 80.0, HISTOGRAM - 58.0];
            figure.histogram(place, counts, *range, map, &format!("cells by {title}"));
        }
        figure.svg().into_bytes()
    };
    write_file(output, |sink| Ok(sink.write_all(&bytes)?))?;
    let drawn = painted.surface.triangles.len();
    let result = json!({"output": output.display().to_string(), "triangles": drawn});
    context.emit(&result, || format!("{}: {drawn} triangles drawn\n", output.display()))
}

fn picture(painted: &Painted, from: Vec3, lines: bool, width: usize, height: usize) -> Image {
    let points = painted.surface.vertices.iter().copied();
    let camera = Camera::fit(points, from, [0.0, 1.0, 0.0], width as f64 / height as f64);
    // Without its lines a surface looks as it is meant to look: smooth.
    let normals = if lines { Vec::new() } else { painted.surface.vertex_normals() };
    let shape = Shape {
        positions: &painted.surface.vertices,
        triangles: &painted.surface.triangles,
        normals: &normals,
        paint: Paint::Triangles(&painted.colours),
        lines: lines.then_some((INK, 1.0)),
        line_mask: &painted.line_mask,
    };
    render(&[shape], &camera, width, height)
}

/// The boundary of what the cut leaves, coloured.
fn paint_volume(mesh: &VolumeMesh, look: &Look) -> Result<Painted, Failure> {
    let whole = boundary(mesh);
    let kept = match &look.cut {
        Some(cut) => Some(below(mesh, cut)?),
        None => None,
    };
    let (part, cells) = match &kept {
        Some(cells) => (&keep(mesh, cells), cells.as_slice()),
        None => (mesh, &[][..]),
    };
    let shown = boundary(part);
    let skin: HashSet<[u32; 3]> = whole
        .surface
        .triangles
        .iter()
        .map(|t| sorted(t.map(|v| whole.vertex_map[v as usize])))
        .collect();
    let measure = |cell: usize| match mesh.cell_type {
        CellType::Hex8 | CellType::Hex20 => quality::cell(mesh, cell).scaled_jacobian,
        _ => quality::cell(mesh, cell).min_dihedral,
    };
    let (range, title) = match mesh.cell_type {
        CellType::Hex8 | CellType::Hex20 => ([0.0, 1.0], "scaled Jacobian"),
        // A regular tetrahedron has 70.5 degrees.
        _ => ([0.0, 70.0], "smallest angle, °"),
    };
    let (mut colours, mut line_mask) = (Vec::new(), Vec::new());
    for (triangle, &cell) in shown.surface.triangles.iter().zip(&shown.cell) {
        let nodes = triangle.map(|v| shown.vertex_map[v as usize]);
        let original = cells.get(cell as usize).copied().unwrap_or(cell) as usize;
        colours.push(match look.colour {
            ColourBy::Plain if skin.contains(&sorted(nodes)) => OUTSIDE,
            ColourBy::Plain => INSIDE,
            ColourBy::Region => {
                mesh.region_of(original).map_or([0.75; 3], |r| REGIONS[r % REGIONS.len()])
            }
            ColourBy::Quality => {
                let t = (measure(original) - range[0]) / (range[1] - range[0]);
                ColourMap::QUALITY.at(t)
            }
        });
        line_mask.push(edges_of_cell(part, cell as usize, nodes));
    }
    let legend = (look.colour == ColourBy::Quality).then(|| {
        let mut counts = vec![0; BINS];
        for cell in 0..mesh.cell_count() {
            let t = (measure(cell) - range[0]) / (range[1] - range[0]);
            counts[((t * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        Legend { map: ColourMap::QUALITY, range, title, counts }
    });
    Ok(Painted { surface: shown.surface, colours, line_mask, legend })
}

/// Which edges of the triangle are edges of the cell (bit k: the one opposite corner k): the
/// diagonals of quadrilaterals and the inner edges of quadratic faces are not.
fn edges_of_cell(mesh: &VolumeMesh, cell: usize, [a, b, c]: [u32; 3]) -> u8 {
    let nodes = mesh.cell(cell);
    let corner = |v: u32| nodes.iter().take(mesh.cell_type.corners()).position(|&n| n == v);
    let is_edge = |u: u32, v: u32| match (corner(u), corner(v)) {
        (Some(i), Some(j)) => mesh.cell_type.edges().iter().any(|e| *e == [i, j] || *e == [j, i]),
        (None, None) => false,
        _ => true,
    };
    u8::from(is_edge(b, c)) | u8::from(is_edge(c, a)) << 1 | u8::from(is_edge(a, b)) << 2
}

fn sorted(mut triangle: [u32; 3]) -> [u32; 3] {
    triangle.sort_unstable();
    triangle
}

/// The cells whose centre lies below the plane.
fn below(mesh: &VolumeMesh, cut: &str) -> Result<Vec<u32>, Failure> {
    let bad = || Failure::Input(format!("--cut {cut}: use an axis and a fraction, such as x=0.5"));
    let (axis, fraction) = cut.split_once('=').ok_or_else(bad)?;
    let axis = ["x", "y", "z"].iter().position(|a| *a == axis.trim()).ok_or_else(bad)?;
    let fraction: f64 = fraction.trim().parse().map_err(|_| bad())?;
    let (low, high) = mesh
        .vertices
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[axis]), h.max(p[axis])));
    let plane = low + fraction * (high - low);
    let centre = |cell: &[u32]| {
        let sum = cell.iter().fold([0.0; 3], |s, &v| add(s, mesh.vertices[v as usize]));
        scale(sum, 1.0 / cell.len() as f64)[axis]
    };
    let cells: Vec<u32> = mesh
        .cells()
        .enumerate()
        .filter(|(_, c)| centre(c) <= plane)
        .map(|(i, _)| i as u32)
        .collect();
    if cells.is_empty() {
        return Err(Failure::Input(format!("--cut {cut} leaves nothing of the mesh")));
    }
    Ok(cells)
}

fn keep(mesh: &VolumeMesh, cells: &[u32]) -> VolumeMesh {
    let nodes = cells.iter().flat_map(|&c| mesh.cell(c as usize)).copied().collect();
    VolumeMesh::new(mesh.cell_type, mesh.vertices.clone(), nodes)
}

fn direction(text: &str) -> Result<Vec3, Failure> {
    let numbers: Vec<f64> = text.split(',').filter_map(|t| t.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z]
            if [x, y, z].iter().any(|c| *c != 0.0) && [x, y, z].iter().all(|c| c.is_finite()) =>
        {
            Ok([x, y, z])
        }
        _ => Err(Failure::Input(format!("--from {text}: use three numbers, such as 1,0.5,1"))),
    }
}
