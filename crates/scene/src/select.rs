//! [`Selection`]: a part of a body, by name or by where it is. All rules of one selection must hold.

use std::path::PathBuf;

use pliant_algebra::vec3::{Vec3, cross, dot, norm, normalized, sub};
use pliant_errors::names::distance;
use pliant_mesh::io::{Source, bou};
use pliant_mesh::topology::Boundary;
use pliant_mesh::{NamedSet, VolumeMesh};
use pliant_units::{Dimension, number, si, vector};

use crate::error::{Place, SceneError};
use crate::expression::Expression;
use crate::table::Table;

/// Which vertices. Places are those of the body where the scene puts it, before it deforms.
#[derive(Debug, Clone)]
pub struct Selection {
    rules: Vec<Rule>,
    place: Place,
}

#[derive(Debug, Clone)]
enum Rule {
    /// A vertex set, cell set or region of the mesh.
    Named(String),
    File(PathBuf, u32),
    Vertices(Vec<usize>),
    Box {
        min: Vec3,
        max: Vec3,
    },
    Sphere {
        centre: Vec3,
        radius: f64,
    },
    Plane {
        point: Vec3,
        normal: Vec3,
        within: Option<f64>,
    },
    Normal {
        direction: Vec3,
        cosine: f64,
    },
    Surface,
    /// A condition on the place, and on the normal of a face of the surface.
    Where(Expression, String),
}

/// A body's mesh with its boundary, to select from.
pub(crate) struct Ground<'a> {
    pub(crate) name: &'a str,
    pub(crate) mesh: &'a VolumeMesh,
    pub(crate) boundary: &'a Boundary,
}

impl Selection {
    /// A set by its name.
    pub(crate) fn named(name: &str, place: Place) -> Self {
        Self { rules: vec![Rule::Named(name.to_owned())], place }
    }

    /// The keys of a table that select; none if there are none.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let mut rules = Vec::new();
        if let Some(name) = t.text("set")? {
            rules.push(Rule::Named(name.to_owned()));
        }
        if let Some(file) = t.text("file")? {
            let base = t.count("base")?.unwrap_or(1);
            rules.push(Rule::File(t.folder().join(file), base as u32));
        }
        if let Some(list) = t.counts("vertices")? {
            rules.push(Rule::Vertices(list));
        }
        if let Some(b) = t.table("box")? {
            let min = b.vector("min", Dimension::LENGTH)?.unwrap_or([f64::NEG_INFINITY; 3]);
            let max = b.vector("max", Dimension::LENGTH)?.unwrap_or([f64::INFINITY; 3]);
            b.finish()?;
            rules.push(Rule::Box { min, max });
        }
        if let Some(s) = t.table("sphere")? {
            let centre = s.vector("centre", Dimension::LENGTH)?;
            let centre = centre.ok_or_else(|| s.missing("centre", "[0, 0, 0]"))?;
            let radius = s.positive("radius", Dimension::LENGTH)?;
            let radius = radius.ok_or_else(|| s.missing("radius", "\"1 cm\""))?;
            s.finish()?;
            rules.push(Rule::Sphere { centre, radius });
        }
        if let Some(p) = t.table("plane")? {
            let point = p.vector("point", Dimension::LENGTH)?;
            let point = point.ok_or_else(|| p.missing("point", "[0, 0, 0]"))?;
            let normal = direction(&p, "normal", "[0, 1, 0]")?;
            let within = p.quantity("within", Dimension::LENGTH)?;
            p.finish()?;
            rules.push(Rule::Plane { point, normal, within });
        }
        if let Some(n) = t.table("normal")? {
            let direction = direction(&n, "direction", "[0, 1, 0]")?;
            let angle = n.quantity("angle", Dimension::ANGLE)?.unwrap_or(30_f64.to_radians());
            n.finish()?;
            rules.push(Rule::Normal { direction, cosine: angle.cos() });
        }
        if t.switch("surface")? == Some(true) {
            rules.push(Rule::Surface);
        }
        if let Some(text) = t.text("where")? {
            let expression =
                Expression::parse(text).map_err(|e| t.error_within("where", text, e))?;
            rules.push(Rule::Where(expression, text.to_owned()));
        }
        Ok((!rules.is_empty()).then(|| Self { rules, place: t.place().clone() }))
    }

    /// Where it stands in the scene, if it goes by the numbers of vertices.
    pub(crate) fn by_number(&self) -> Option<&Place> {
        let numbers = |rule: &Rule| matches!(rule, Rule::File(..) | Rule::Vertices(_));
        self.rules.iter().any(numbers).then_some(&self.place)
    }

    /// The name of the set, if that is all it is.
    pub(crate) fn set(&self) -> Option<&str> {
        match &self.rules[..] {
            [Rule::Named(name)] => Some(name),
            _ => None,
        }
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        let rule = |rule: &Rule| match rule {
            Rule::Named(name) => format!("set {name}"),
            Rule::File(file, _) => {
                let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
                format!("vertices of {}", name.unwrap_or_default())
            }
            Rule::Vertices(_) => "vertices by number".into(),
            Rule::Box { min, max } => {
                format!("within the box from {} to {}", vector(*min, "m"), vector(*max, "m"))
            }
            Rule::Sphere { centre, radius } => {
                format!("within {} of {}", si(*radius, "m"), vector(*centre, "m"))
            }
            Rule::Plane { point, normal, within } => {
                let near =
                    within.map_or("on".into(), |within| format!("within {} of", si(within, "m")));
                let (point, normal) = (vector(*point, "m"), vector(*normal, ""));
                format!("{near} the plane through {point} with normal {normal}")
            }
            Rule::Normal { direction, cosine } => {
                let angle = number(cosine.acos().to_degrees());
                format!("faces that look within {angle}° of {}", vector(*direction, ""))
            }
            Rule::Where(_, text) => format!("where {text}"),
            Rule::Surface => "the surface".into(),
        };
        self.rules.iter().map(rule).collect::<Vec<_>>().join(" and ")
    }

    /// The vertices, ascending, as the mesh numbers them. None at all is an error.
    pub(crate) fn vertices(&self, on: &Ground<'_>) -> Result<Vec<u32>, SceneError> {
        let mut kept = vec![true; on.mesh.vertex_count()];
        for rule in &self.rules {
            let chosen = self.rule(rule, on)?;
            for (kept, chosen) in kept.iter_mut().zip(chosen) {
                *kept &= chosen;
            }
        }
        let list: Vec<u32> = (0..kept.len() as u32).filter(|&v| kept[v as usize]).collect();
        if list.is_empty() { Err(self.empty(on, "no vertex")) } else { Ok(list) }
    }

    /// Triangles of the boundary whose corners are all selected, as the mesh numbers vertices. May be
    /// none.
    pub(crate) fn faces(&self, on: &Ground<'_>) -> Result<Vec<[u32; 3]>, SceneError> {
        let mut kept = vec![true; on.mesh.vertex_count()];
        for vertex in self.rules.iter().filter(|r| !r.is_of_faces()) {
            let chosen = self.rule(vertex, on)?;
            for (kept, chosen) in kept.iter_mut().zip(chosen) {
                *kept &= chosen;
            }
        }
        let size = size(on.mesh);
        let looks = |face: &[u32; 3]| {
            let of_faces = self.rules.iter().filter(|r| r.is_of_faces());
            of_faces.into_iter().all(|rule| {
                let at = |v: &u32| rule.holds_at(on, face, *v, size);
                face.iter().all(at)
            })
        };
        Ok(boundary_triangles(on)
            .filter(|face| face.iter().all(|&v| kept[v as usize]) && looks(face))
            .collect())
    }

    /// The error of a selection that is empty.
    pub(crate) fn empty(&self, on: &Ground<'_>, what: &str) -> SceneError {
        let Ground { name, mesh, .. } = on;
        let bounds = pliant_mesh::measure::bounding_box(mesh);
        let hint = format!(
            "the body lies between {:.4?} and {:.4?} m; its sets are {}",
            bounds.min,
            bounds.max,
            set_names(mesh)
        );
        SceneError::new(format!("this selects {what} of body '{name}'")).at(&self.place).hint(hint)
    }

    fn rule(&self, rule: &Rule, on: &Ground<'_>) -> Result<Vec<bool>, SceneError> {
        let mesh = on.mesh;
        let n = mesh.vertex_count();
        let of_list = |list: &mut dyn Iterator<Item = usize>| {
            let mut chosen = vec![false; n];
            for v in list {
                let slot = chosen.get_mut(v).ok_or_else(|| {
                    let text = format!(
                        "vertex {v} of body '{}', which has {n} vertices, numbered from 0",
                        on.name
                    );
                    SceneError::new(text).at(&self.place)
                })?;
                *slot = true;
            }
            Ok::<_, SceneError>(chosen)
        };
        let by_place =
            |test: &dyn Fn(Vec3) -> bool| mesh.vertices.iter().map(|&p| test(p)).collect();
        Ok(match rule {
            Rule::Named(name) => {
                let list = self.named_vertices(name, on)?;
                of_list(&mut list.into_iter())?
            }
            Rule::File(file, base) => {
                let list = Source::open(file).and_then(|s| bou::read_with_base(s, *base));
                let list = list.map_err(|e| SceneError::from(e).at(&self.place))?;
                of_list(&mut list.into_iter().map(|v| v as usize))?
            }
            Rule::Vertices(list) => of_list(&mut list.iter().copied())?,
            // What lies on the rim belongs to it, whatever rounding does.
            Rule::Box { min, max } => {
                let slack = 1e-9 * size(mesh);
                by_place(&|p| (0..3).all(|k| p[k] >= min[k] - slack && p[k] <= max[k] + slack))
            }
            Rule::Sphere { centre, radius } => {
                let slack = 1e-9 * size(mesh);
                by_place(&|p| norm(sub(p, *centre)) <= radius + slack)
            }
            Rule::Plane { point, normal, within } => {
                let within = within.unwrap_or(1e-6 * size(mesh));
                by_place(&|p| dot(sub(p, *point), *normal).abs() <= within)
            }
            Rule::Where(expression, _) if !expression.uses_normal() => {
                let size = size(mesh);
                by_place(&|p| expression.holds(p, [0.0; 3], size))
            }
            // Where it holds on one of the faces around a vertex.
            Rule::Normal { .. } | Rule::Where(..) => {
                let (mut chosen, size) = (vec![false; n], size(mesh));
                for face in boundary_triangles(on) {
                    for v in face {
                        chosen[v as usize] |= rule.holds_at(on, &face, v, size);
                    }
                }
                chosen
            }
            Rule::Surface => of_list(&mut on.boundary.vertex_map.iter().map(|&v| v as usize))?,
        })
    }

    fn named_vertices(&self, name: &str, on: &Ground<'_>) -> Result<Vec<usize>, SceneError> {
        let mesh = on.mesh;
        let as_usize = |set: &NamedSet| set.items.iter().map(|&v| v as usize).collect();
        if let Some(set) = mesh.vertex_set(name) {
            return Ok(as_usize(set));
        }
        let nodes = |cells: &[u32]| {
            let nodes = cells.iter().flat_map(|&c| mesh.cell(c as usize));
            nodes.map(|&v| v as usize).collect()
        };
        if let Some(set) = mesh.cell_sets.iter().find(|s| s.name == name) {
            return Ok(nodes(&set.items));
        }
        if let Some(region) = mesh.regions.iter().position(|r| r.name == name) {
            return Ok(nodes(&mesh.region_cells(region)));
        }
        let all = mesh.vertex_sets.iter().chain(&mesh.cell_sets).map(|s| s.name.as_str());
        let near = all.min_by_key(|n| distance(n, name));
        let mut hint = near.map_or(String::new(), |n| format!("did you mean '{n}'? "));
        hint += &format!("(there are {})", set_names(mesh));
        let text = format!("the mesh of body '{}' has no set '{name}'", on.name);
        Err(SceneError::new(text).at(&self.place).hint(hint))
    }
}

/// A direction of length 1.
pub(crate) fn direction(
    t: &Table<'_>,
    key: &'static str,
    example: &str,
) -> Result<Vec3, SceneError> {
    let given = t.vector(key, Dimension::NONE)?.ok_or_else(|| t.missing(key, example))?;
    normalized(given).ok_or_else(|| t.error(key, "a direction needs a length above 0"))
}

fn size(mesh: &VolumeMesh) -> f64 {
    let bounds = pliant_mesh::measure::bounding_box(mesh);
    norm(sub(bounds.max, bounds.min))
}

fn set_names(mesh: &VolumeMesh) -> String {
    let sets = mesh.vertex_sets.iter().chain(&mesh.cell_sets).map(|s| s.name.as_str());
    let names: Vec<&str> = sets.chain(mesh.regions.iter().map(|r| r.name.as_str())).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Outward, as the mesh numbers vertices.
pub(crate) fn boundary_triangles<'a>(on: &'a Ground<'_>) -> impl Iterator<Item = [u32; 3]> + 'a {
    let map = &on.boundary.vertex_map;
    on.boundary.surface.triangles.iter().map(|t| t.map(|v| map[v as usize]))
}

impl Rule {
    /// Whether it depends on which way faces look.
    fn is_of_faces(&self) -> bool {
        match self {
            Self::Normal { .. } => true,
            Self::Where(expression, _) => expression.uses_normal(),
            _ => false,
        }
    }

    /// Of such a rule: whether it holds at a corner of a face.
    fn holds_at(&self, on: &Ground<'_>, face: &[u32; 3], vertex: u32, size: f64) -> bool {
        let place = |v: u32| on.mesh.vertices[v as usize];
        let [a, b, c] = face.map(place);
        let Some(normal) = normalized(cross(sub(b, a), sub(c, a))) else { return false };
        match self {
            Self::Normal { direction, cosine } => dot(normal, *direction) >= cosine - 1e-9,
            Self::Where(expression, _) => expression.holds(place(vertex), normal, size),
            _ => true,
        }
    }
}
