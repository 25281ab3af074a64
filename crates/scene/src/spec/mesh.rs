//! Where the mesh of a body comes from: a file, a generator, or a surface that is filled.

use std::path::{Path, PathBuf};

use pliant_algebra::vec3::{Vec3, add, cross};
use pliant_forces::ElementName;
use pliant_mesh::fill::{FillOptions, fill};
use pliant_mesh::generate::{
    CellChoice, Shape, jittered, surface_box, surface_capsule, surface_icosphere, surface_star,
    surface_torus,
};
use pliant_mesh::io::{SurfaceFormat, read_surface, read_volume};
use pliant_mesh::memory;
use pliant_mesh::refine::{octasect_times, to_quadratic};
use pliant_mesh::spatial::Aabb;
use pliant_mesh::{CellType, MeshError, SurfaceMesh, VolumeMesh};
use pliant_units::{Dimension, si};

use crate::build::size;
use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::select::direction;

/// A mesh to be made.
#[derive(Debug, Clone)]
pub struct MeshSpec {
    from: From,
    element: Option<ElementName>,
    refine: usize,
    location: Location,
}

#[derive(Debug, Clone)]
enum From {
    File(PathBuf),
    Shape {
        shape: Shape,
        jitter: f64,
        seed: u64,
    },
    Fill {
        surface: Filled,
        size: Option<f64>,
        grading: u32,
    },
    /// As it was made before, where the body is put.
    Made(Box<VolumeMesh>),
}

#[derive(Debug, Clone)]
enum Filled {
    File(PathBuf),
    /// Closed surfaces that may overlap: what is inside of any is filled.
    Parts(SurfaceMesh),
}

impl MeshSpec {
    /// Reads `mesh` (and `element`) of a body.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let element = t.name("element")?;
        if !t.has("mesh") {
            return Err(t.missing("mesh", "\"file.veg\" or { shape = \"box\" }"));
        }
        let location = t.place_of("mesh");
        if !t.is_table("mesh") {
            let file = t.folder().join(t.text("mesh")?.unwrap_or_default());
            let from = if SurfaceFormat::of(&file).is_some() {
                From::Fill { surface: Filled::File(file), size: None, grading: 0 }
            } else {
                From::File(file)
            };
            return Ok(Self { from, element, refine: 0, location });
        }
        let Some(m) = t.table("mesh")? else { return Err(t.missing("mesh", "\"file.veg\"")) };
        let size = |m: &Table<'_>| m.positive("size", Dimension::LENGTH);
        let from = if let Some(file) = m.text("file")? {
            From::File(m.folder().join(file))
        } else if let Some(file) = m.text("surface")? {
            let grading = m.count("grading")?.unwrap_or(0) as u32;
            From::Fill { surface: Filled::File(m.folder().join(file)), size: size(&m)?, grading }
        } else if m.has("parts") {
            let parts = m.rows("parts", |_, _| None, |p| part(&p))?;
            let grading = m.count("grading")?.unwrap_or(0) as u32;
            From::Fill { surface: Filled::Parts(union(parts)), size: size(&m)?, grading }
        } else if let Some(name) = m.text("shape")? {
            let mut shape = Shape::by_name(name).map_err(|e| m.refused("shape", e))?;
            if let Some(cell) = m.name::<CellChoice>("cell")? {
                *shape.cell_mut() = cell;
            } else if let Some(element) = element
                && element.cell_type().linear() == CellType::Hex8
            {
                *shape.cell_mut() = CellChoice::Hex;
            }
            let jitter = m.quantity("jitter", Dimension::NONE)?.unwrap_or(0.0);
            let seed = m.count("seed")?.unwrap_or(0) as u64;
            parameters(&mut shape, &m)?;
            From::Shape { shape, jitter, seed }
        } else {
            return Err(m.missing_or("shape", "a mesh has one of file, shape, surface, parts"));
        };
        let refine = m.count("refine")?.unwrap_or(0);
        m.finish()?;
        Ok(Self { from, element, refine, location })
    }

    /// Returns true if its elements are, or may be, of second degree; that of a file is known when it is read.
    pub fn may_be_quadratic(&self) -> bool {
        match (self.element, &self.from) {
            (Some(element), _) => element.cell_type().is_quadratic(),
            (None, From::Shape { shape, .. }) => shape.cell().is_quadratic(),
            (None, from) => matches!(from, From::File(_)),
        }
    }

    /// Whether it is read from a file of volume cells.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.from, From::File(_))
    }

    /// The same mesh as it was made, and put where the body is: nothing is read or filled again.
    #[must_use]
    pub(crate) fn made(&self, mesh: &VolumeMesh, element: ElementName) -> Self {
        let from = From::Made(Box::new(mesh.clone()));
        Self { from, element: Some(element), refine: 0, location: self.location.clone() }
    }

    /// Whether it is where the body is put already.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self.from, From::Made(_))
    }

    /// The number in the file of the cell that a cell of the mesh is a part of: octasection puts the eight
    /// parts of a cell where it was.
    pub(crate) fn file_cell(&self, cell: usize) -> usize {
        (0..self.refine).fold(cell, |cell, _| cell / 8)
    }

    /// The same with cells of half the size, so many times.
    #[must_use]
    pub(crate) fn refined(&self, times: usize) -> Self {
        let mut spec = self.clone();
        for _ in 0..times {
            match &mut spec.from {
                // Parts of cells of a curved body would not come nearer to its sides.
                From::Shape { shape, jitter: 0.0, .. } if shape.is_curved() => shape.double(),
                _ => spec.refine += 1,
            }
        }
        spec
    }

    /// The file it is read from or filled from, if it is.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.from {
            From::File(file) | From::Fill { surface: Filled::File(file), .. } => Some(file),
            From::Shape { .. } | From::Fill { surface: Filled::Parts(_), .. } | From::Made(_) => {
                None
            }
        }
    }

    /// Where it comes from, in words.
    pub(crate) fn words(&self) -> String {
        let name = |file: &PathBuf| {
            file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
        };
        let mut text = match &self.from {
            From::File(file) => format!("from {}", name(file)),
            From::Made(_) => "made before".to_owned(),
            From::Shape { shape, jitter, .. } if *jitter == 0.0 => {
                format!("generated: {}", shape.name())
            }
            From::Shape { shape, jitter, seed } => {
                format!(
                    "generated: {}, vertices moved by up to {jitter} of an edge, seed {seed}",
                    shape.name()
                )
            }
            From::Fill { surface, size, .. } => {
                let of = match surface {
                    Filled::File(file) => name(file),
                    Filled::Parts(_) => "a union of shapes".into(),
                };
                let size = size.map_or(String::new(), |s| format!(", cells of {}", si(s, "m")));
                format!("{of}, filled with tetrahedra{size}")
            }
        };
        if self.refine > 0 {
            text += &format!(", refined {} times", self.refine);
        }
        text
    }

    /// Makes it, and says which elements stand on it, and what the reader noted.
    pub(crate) fn make(&self) -> Result<(VolumeMesh, ElementName, Vec<String>), SceneError> {
        let mut notes = Vec::new();
        let made = match &self.from {
            From::File(file) => read_volume(file).map(|read| {
                notes = read.notes.iter().map(|n| format!("{}: {n}", file.display())).collect();
                read.mesh
            }),
            From::Shape { shape, jitter, seed } => self.generate(shape, *jitter, *seed),
            From::Made(mesh) => Ok((**mesh).clone()),
            From::Fill { surface, size, grading } => (|| {
                let surface = match surface {
                    Filled::File(file) => read_surface(file)?.mesh,
                    Filled::Parts(surface) => surface.clone(),
                };
                let extent = Aabb::of(&surface.vertices).extent();
                let size = size.unwrap_or(extent.iter().copied().fold(0.0, f64::max) / 20.0);
                let options = FillOptions { size, grading: *grading, ..FillOptions::default() };
                fill(&surface, &options, &|_| true).map(|filled| filled.mesh)
            })(),
        };
        let at = |e| SceneError::from(e).at(&self.location);
        let mut mesh = made.map_err(at)?;
        // Cells are halved before they get middle nodes, unless their edges are curved: then along their map.
        if self.refine > 0 && !self.doubles() {
            mesh = octasect_times(&mesh, self.refine).map_err(at)?;
        }
        let wanted = self.element.map(ElementName::cell_type);
        if wanted != Some(mesh.cell_type) && wanted == Some(mesh.cell_type.quadratic()) {
            mesh = to_quadratic(&mesh).map_err(at)?;
        }
        let element = self.element.unwrap_or(ElementName::of(mesh.cell_type));
        if element.cell_type() != mesh.cell_type {
            let text = format!(
                "{} elements stand on {} cells, but the mesh has {}",
                element.name(),
                element.cell_type(),
                mesh.cell_type
            );
            return Err(SceneError::new(text).at(&self.location));
        }
        if mesh.cell_count() == 0 {
            return Err(SceneError::new("the mesh has no cells").at(&self.location));
        }
        size::check(element, mesh.vertex_count(), mesh.cell_count(), memory::available())
            .map_err(|e| e.at(&self.location))?;
        Ok((mesh, element, notes))
    }
}

impl MeshSpec {
    /// Whether cells of this shape are to have middle nodes.
    fn is_quadratic(&self, shape: &Shape) -> bool {
        shape.cell().is_quadratic() || self.element.is_some_and(|e| e.cell_type().is_quadratic())
    }

    /// Whether it is refined by making its shape of more cells: halves of quadratic cells would leave the curved sides.
    fn doubles(&self) -> bool {
        match &self.from {
            From::Shape { shape, jitter, .. } => {
                *jitter == 0.0 && shape.is_curved() && self.is_quadratic(shape)
            }
            _ => false,
        }
    }

    /// Makes the mesh of a shape. Cells of a curved one that are to have middle nodes get them here, on its sides.
    fn generate(&self, shape: &Shape, jitter: f64, seed: u64) -> Result<VolumeMesh, MeshError> {
        let quadratic = self.is_quadratic(shape);
        let mut linear = shape.clone();
        if self.doubles() {
            (0..self.refine).for_each(|_| linear.double());
        }
        *linear.cell_mut() = match shape.cell() {
            CellChoice::Tet10 => CellChoice::Tet6,
            CellChoice::Hex20 => CellChoice::Hex,
            other => other,
        };
        let mut mesh = linear.generate()?;
        if jitter > 0.0 {
            mesh = jittered(&mesh, jitter, seed)?;
        }
        if quadratic && (shape.is_curved() || shape.cell().is_quadratic()) {
            mesh = linear.quadratic(&mesh)?;
        }
        Ok(mesh)
    }
}

fn length(t: &Table<'_>, key: &'static str, slot: &mut f64) -> Result<(), SceneError> {
    if let Some(value) = t.positive(key, Dimension::LENGTH)? {
        *slot = value;
    }
    Ok(())
}

fn count(t: &Table<'_>, key: &'static str, slot: &mut usize) -> Result<(), SceneError> {
    if let Some(value) = t.count(key)? {
        *slot = value;
    }
    Ok(())
}

fn three(t: &Table<'_>, slot: &mut [usize; 3]) -> Result<(), SceneError> {
    let Some(list) = t.counts("cells")? else { return Ok(()) };
    let wrong = |_| t.error("cells", "three whole numbers are needed");
    *slot = <[usize; 3]>::try_from(list).map_err(wrong)?;
    Ok(())
}

/// The parameters of a generator by the names they have on the command line.
fn parameters(shape: &mut Shape, m: &Table<'_>) -> Result<(), SceneError> {
    let lengths = |list: &mut [(&'static str, &mut f64)]| {
        list.iter_mut().try_for_each(|(key, slot)| length(m, key, slot))
    };
    let counts = |list: &mut [(&'static str, &mut usize)]| {
        list.iter_mut().try_for_each(|(key, slot)| count(m, key, slot))
    };
    match shape {
        Shape::Box(s) => {
            if let Some(size) = m.vector("size", Dimension::LENGTH)? {
                s.size = size;
            }
            if let Some(grading) = m.vector("grading", Dimension::NONE)? {
                s.grading = grading;
            }
            three(m, &mut s.cells)
        }
        Shape::Bar(s) => {
            lengths(&mut [
                ("length", &mut s.length),
                ("width", &mut s.width),
                ("height", &mut s.height),
            ])?;
            count(m, "across", &mut s.across)
        }
        Shape::Cylinder(s) => {
            lengths(&mut [("radius", &mut s.radius), ("length", &mut s.length)])?;
            counts(&mut [("core", &mut s.core), ("rings", &mut s.rings), ("layers", &mut s.layers)])
        }
        Shape::Tube(s) => {
            lengths(&mut [
                ("inner", &mut s.inner),
                ("outer", &mut s.outer),
                ("length", &mut s.length),
            ])?;
            counts(&mut [
                ("radial", &mut s.radial),
                ("around", &mut s.around),
                ("layers", &mut s.layers),
            ])
        }
        Shape::Sphere(s) => {
            length(m, "radius", &mut s.radius)?;
            counts(&mut [("core", &mut s.core), ("rings", &mut s.rings)])
        }
        Shape::HollowSphere(s) => {
            lengths(&mut [("inner", &mut s.inner), ("outer", &mut s.outer)])?;
            counts(&mut [("across", &mut s.across), ("radial", &mut s.radial)])
        }
        Shape::Torus(s) => {
            lengths(&mut [("major", &mut s.major), ("minor", &mut s.minor)])?;
            counts(&mut [("core", &mut s.core), ("rings", &mut s.rings), ("around", &mut s.around)])
        }
        Shape::LShape(s) => {
            lengths(&mut [
                ("size", &mut s.size),
                ("width", &mut s.width),
                ("thickness", &mut s.thickness),
            ])?;
            count(m, "across", &mut s.across)
        }
        Shape::NotchedBar(s) => {
            lengths(&mut [
                ("length", &mut s.length),
                ("height", &mut s.height),
                ("thickness", &mut s.thickness),
                ("notch_width", &mut s.notch_width),
                ("notch_depth", &mut s.notch_depth),
            ])?;
            count(m, "across", &mut s.across)
        }
        Shape::Cook(s) => {
            lengths(&mut [("unit", &mut s.unit), ("thickness", &mut s.thickness)])?;
            three(m, &mut s.cells)
        }
        Shape::QuarterRing(s) => {
            lengths(&mut [
                ("inner", &mut s.inner),
                ("outer", &mut s.outer),
                ("thickness", &mut s.thickness),
            ])?;
            three(m, &mut s.cells)
        }
        Shape::CurvedBeam(s) => {
            lengths(&mut [
                ("radius", &mut s.radius),
                ("width", &mut s.width),
                ("height", &mut s.height),
            ])?;
            if let Some(angle) = m.quantity("angle", Dimension::ANGLE)? {
                s.angle = angle;
            }
            three(m, &mut s.cells)
        }
        Shape::TwistedBeam(s) => {
            lengths(&mut [
                ("length", &mut s.length),
                ("width", &mut s.width),
                ("thickness", &mut s.thickness),
            ])?;
            if let Some(twist) = m.quantity("twist", Dimension::ANGLE)? {
                s.twist = twist;
            }
            three(m, &mut s.cells)
        }
        Shape::EllipticPlate(s) => {
            length(m, "thickness", &mut s.thickness)?;
            three(m, &mut s.cells)
        }
    }
}

/// A closed surface, put somewhere.
fn part(t: &Table<'_>) -> Result<SurfaceMesh, SceneError> {
    let number = |key, default: f64| {
        Ok::<_, SceneError>(t.positive(key, Dimension::LENGTH)?.unwrap_or(default))
    };
    let shapes = [("sphere", 0), ("capsule", 1), ("torus", 2), ("box", 3), ("star", 4)];
    let Some(shape) = t.choice("shape", &shapes)? else {
        return Err(t.missing("shape", "\"sphere\""));
    };
    let surface = match shape {
        0 => surface_icosphere(number("radius", 0.5)?, 3),
        1 => surface_capsule(number("radius", 0.2)?, number("length", 1.0)?, 24, 8, 8),
        2 => surface_torus(number("major", 0.7)?, number("minor", 0.3)?, 48, 24),
        3 => surface_box(t.vector("size", Dimension::LENGTH)?.unwrap_or([1.0; 3]), [4, 4, 4]),
        _ => {
            let spikes = t.count("spikes")?.unwrap_or(12);
            let sharpness = t.quantity("sharpness", Dimension::NONE)?.unwrap_or(20.0);
            surface_star(number("radius", 0.5)?, number("height", 0.4)?, spikes, sharpness, 4)
        }
    };
    let mut surface = surface.map_err(|e| SceneError::from(e).at(t.location()))?;
    let stretch = t.vector("stretch", Dimension::NONE)?.unwrap_or([1.0; 3]);
    if stretch.iter().any(|s| *s <= 0.0) {
        return Err(t.error("stretch", "three factors above 0 are needed"));
    }
    let turn = Turn::read(t)?;
    let at = t.vector("at", Dimension::LENGTH)?.unwrap_or([0.0; 3]);
    t.finish()?;
    for p in &mut surface.vertices {
        *p = add(turn.apply([p[0] * stretch[0], p[1] * stretch[1], p[2] * stretch[2]]), at);
    }
    Ok(surface)
}

fn union(parts: Vec<SurfaceMesh>) -> SurfaceMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend(part.vertices);
        triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    SurfaceMesh::new(vertices, triangles)
}

/// A rotation, by Rodrigues' formula.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turn(Option<(Vec3, f64)>);

impl Turn {
    /// About an axis of unit length.
    pub(crate) fn about(axis: Vec3, angle: f64) -> Self {
        Self(Some((axis, angle)))
    }

    /// `rotation = { axis = [0, 0, 1], angle = "30 deg" }`
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let Some(r) = t.table("rotation")? else { return Ok(Self(None)) };
        let axis = direction(&r, "axis", "[0, 0, 1]")?;
        let angle = r.quantity("angle", Dimension::ANGLE)?;
        let angle = angle.ok_or_else(|| r.missing("angle", "\"30 deg\""))?;
        r.finish()?;
        Ok(Self(Some((axis, angle))))
    }

    /// The turned vector.
    pub(crate) fn apply(self, p: Vec3) -> Vec3 {
        let Some((n, angle)) = self.0 else { return p };
        let (s, c) = angle.sin_cos();
        let (side, along) = (cross(n, p), pliant_algebra::vec3::dot(n, p) * (1.0 - c));
        std::array::from_fn(|k| c * p[k] + s * side[k] + along * n[k])
    }
}
