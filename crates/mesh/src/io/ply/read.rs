//! Reading `.ply`.

use crate::error::{ErrorKind, MeshError, Note};
use crate::io::obj::polygon::Polygons;
use crate::io::scanner::{Scanner, Syntax};
use crate::io::{Imported, Source};
use crate::surface::SurfaceMesh;

use super::TEXTURE;
use super::header::{self, Element, Encoding, Property};

/// The names under which the corners of faces are found.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads a surface.
pub fn read(source: Source<'_>) -> Result<Imported<SurfaceMesh>, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::PLAIN);
    let (encoding, elements) = header::read(&mut scanner)?;
    let vertices = elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count);
    let faces = elements.iter().find(|e| e.name == "face").map_or(0, |e| e.count);
    if vertices == 0 || faces == 0 {
        let text = format!("no surface here: {vertices} elements 'vertex', {faces} 'face'");
        let others: Vec<&str> = elements.iter().map(|e| e.name.as_str()).take(8).collect();
        let error = MeshError::new(ErrorKind::Geometry, text).in_file(&scanner.source().name);
        return Err(error.hint(format!("the file has elements: {}", others.join(", "))));
    }
    let mut reader = Reader {
        rows: Rows { scanner, encoding, bytes: Vec::new() },
        mesh: SurfaceMesh::default(),
        polygons: Polygons::default(),
        vertices,
        skipped: Vec::new(),
    };
    for element in &elements {
        match element.name.as_str() {
            "vertex" => reader.vertices(element)?,
            "face" => reader.faces(element)?,
            _ => reader.skip(element)?,
        }
    }
    reader.finish()
}

/// Takes numbers from the text or binary part.
struct Rows<'a> {
    scanner: Scanner<'a>,
    encoding: Encoding,
    bytes: Vec<u8>,
}

impl Rows<'_> {
    /// Starts the next instance of `element`, which in text is a line.
    fn start(&mut self, element: &Element) -> Result<(), MeshError> {
        if self.encoding == Encoding::Text && !self.scanner.next_content_line()? {
            return Err(self.scanner.truncated(&format!("a line of element '{}'", element.name)));
        }
        Ok(())
    }

    fn scalar(&mut self, scalar: header::Scalar, what: &str) -> Result<f64, MeshError> {
        if self.encoding == Encoding::Text {
            return self.scanner.f64_field(what);
        }
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..scalar.size()];
        self.scanner.read_exact(bytes, what)?;
        let value = scalar.value(bytes, self.encoding);
        if !value.is_finite() {
            let text = format!("{what} is {value}, not a finite number");
            return Err(self.scanner.error(ErrorKind::NotFinite, text));
        }
        Ok(value)
    }

    /// The count of a list.
    fn count(
        &mut self,
        count: header::Scalar,
        item: header::Scalar,
        what: &str,
    ) -> Result<usize, MeshError> {
        let value = self.scalar(count, what)?;
        if value < 0.0 || value.fract() != 0.0 {
            let text = format!("{what} is {value}, not a count");
            return Err(self.scanner.error(ErrorKind::Count, text));
        }
        let each = if self.encoding == Encoding::Text { 2 } else { item.size() as u64 };
        self.scanner.checked_count(value as u64, each, "items of a list")
    }

    /// Passes over a property, whatever it holds.
    fn skip(&mut self, property: &Property) -> Result<(), MeshError> {
        let items = match property.list {
            Some(count) => self.count(count, property.item, "the count of a list")?,
            None => 1,
        };
        if self.encoding == Encoding::Text {
            for _ in 0..items {
                if self.scanner.field().is_none() {
                    return Err(self.scanner.missing(&format!("property '{}'", property.name)));
                }
            }
        } else {
            self.bytes.resize(items * property.item.size(), 0);
            self.scanner.read_exact(&mut self.bytes, &property.name)?;
        }
        Ok(())
    }

    /// The items of a list.
    fn list(
        &mut self,
        count: header::Scalar,
        item: header::Scalar,
        items: &mut Vec<f64>,
    ) -> Result<(), MeshError> {
        items.clear();
        let n = self.count(count, item, "the number of corners of a face")?;
        if self.encoding == Encoding::Text {
            for _ in 0..n {
                items.push(self.scanner.f64_field("a vertex of a face")?);
            }
        } else {
            self.bytes.resize(n * item.size(), 0);
            self.scanner.read_exact(&mut self.bytes, "the vertices of a face")?;
            let bytes = self.bytes.chunks_exact(item.size());
            items.extend(bytes.map(|b| item.value(b, self.encoding)));
        }
        Ok(())
    }
}

struct Reader<'a> {
    rows: Rows<'a>,
    mesh: SurfaceMesh,
    polygons: Polygons,
    vertices: u64,
    skipped: Vec<String>,
}

impl Reader<'_> {
    fn checked_count(&self, element: &Element) -> Result<usize, MeshError> {
        let least = element.least_bytes(self.rows.encoding);
        let what = format!("elements '{}'", element.name);
        self.rows.scanner.checked_count(element.count, least, &what)
    }

    /// Notes the properties that are not kept.
    fn note_skipped(&mut self, element: &Element, kept: impl Fn(usize) -> bool) {
        let names = element.properties.iter().enumerate();
        let names: Vec<&str> =
            names.filter(|&(i, _)| !kept(i)).map(|(_, p)| p.name.as_str()).collect();
        if !names.is_empty() {
            let shown = names[..names.len().min(8)].join(", ");
            let dots = if names.len() > 8 { ", …" } else { "" };
            self.skipped.push(format!("{shown}{dots} of element '{}'", element.name));
        }
    }

    fn vertices(&mut self, element: &Element) -> Result<(), MeshError> {
        let Some(position) = element.find_all(["x", "y", "z"]) else {
            let text = "element 'vertex' lacks one of the properties x, y, z";
            return Err(self.rows.scanner.error(ErrorKind::Syntax, text));
        };
        let normal = element.find_all(["nx", "ny", "nz"]);
        let texture = TEXTURE.into_iter().find_map(|names| element.find_all(names));
        let count = self.checked_count(element)?;
        // Where each kept property goes among position, normal, texture.
        let mut slots = vec![None; element.properties.len()];
        let places = position.map(Some).into_iter();
        let places = places.chain(normal.map_or([None; 3], |n| n.map(Some)));
        let places = places.chain(texture.map_or([None; 2], |t| t.map(Some)));
        for (slot, place) in places.enumerate() {
            if let Some(place) = place {
                slots[place] = Some(slot);
            }
        }
        self.note_skipped(element, |i| slots[i].is_some());
        let mesh = &mut self.mesh;
        mesh.vertices.reserve_exact(count);
        for _ in 0..count {
            self.rows.start(element)?;
            let mut values = [0.0; 8];
            for (property, slot) in element.properties.iter().zip(&slots) {
                match slot {
                    Some(slot) => {
                        values[*slot] = self.rows.scalar(property.item, &property.name)?;
                    }
                    None => self.rows.skip(property)?,
                }
            }
            let [x, y, z, nx, ny, nz, u, v] = values;
            mesh.vertices.push([x, y, z]);
            if normal.is_some() {
                mesh.normals.push([nx, ny, nz]);
            }
            if texture.is_some() {
                mesh.texture.push([u, v]);
            }
        }
        Ok(())
    }

    fn faces(&mut self, element: &Element) -> Result<(), MeshError> {
        let corners = CORNERS.into_iter().find_map(|name| element.find(name));
        let Some((place, count_type)) =
            corners.and_then(|i| element.properties[i].list.map(|count| (i, count)))
        else {
            let text = "element 'face' lacks the list 'vertex_indices' or 'vertex_index'";
            return Err(self.rows.scanner.error(ErrorKind::Syntax, text));
        };
        let count = self.checked_count(element)?;
        self.note_skipped(element, |i| i == place);
        self.mesh.triangles.reserve(count);
        let mut items = Vec::new();
        for face in 0..count {
            self.rows.start(element)?;
            for (i, property) in element.properties.iter().enumerate() {
                if i == place {
                    self.rows.list(count_type, property.item, &mut items)?;
                    self.face(face, &items)?;
                } else {
                    self.rows.skip(property)?;
                }
            }
        }
        Ok(())
    }

    fn face(&mut self, face: usize, items: &[f64]) -> Result<(), MeshError> {
        let limit = self.vertices as f64;
        let good = |v: &f64| *v >= 0.0 && *v < limit && v.fract() == 0.0;
        if let Some(bad) = items.iter().find(|v| !good(v)) {
            let text = format!("face {face} names vertex {bad}, but there are {limit}");
            let error = self.rows.scanner.error(ErrorKind::Index, text);
            return Err(error.hint("vertices are counted from 0"));
        }
        if items.len() < 3 {
            let text = format!("face {face} has {} corners: it needs at least 3", items.len());
            return Err(self.rows.scanner.error(ErrorKind::Syntax, text));
        }
        let first = self.mesh.triangles.len();
        for triangle in self.polygons.fan(items.len(), first) {
            self.mesh.triangles.push(triangle.map(|i| items[i] as u32));
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), MeshError> {
        if element.properties.is_empty() || element.count == 0 {
            return Ok(());
        }
        self.skipped.push(format!("{} elements '{}'", element.count, element.name));
        for _ in 0..element.count {
            self.rows.start(element)?;
            for property in &element.properties {
                self.rows.skip(property)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Imported<SurfaceMesh>, MeshError> {
        let Reader { rows, mut mesh, polygons, skipped, .. } = self;
        let mut notes: Vec<Note> = polygons.finish(&mut mesh).into_iter().collect();
        if !mesh.normals.is_empty() {
            mesh.triangle_normals.clone_from(&mesh.triangles);
        }
        if !mesh.texture.is_empty() {
            mesh.triangle_texture.clone_from(&mesh.triangles);
        }
        mesh.validate().map_err(|e| e.in_file(&rows.scanner.source().name))?;
        if !skipped.is_empty() {
            notes.push(Note::Skipped(format!("not kept: {}", skipped.join("; "))));
        }
        Ok(Imported { mesh, notes })
    }
}
