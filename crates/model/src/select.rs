//! [`Select`]: which vertices and faces of a body are meant.

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, dot, norm, sub};
use pliant_errors::names::distance;
use pliant_mesh::VolumeMesh;
use pliant_mesh::measure::bounding_box;

use crate::body::size;
use crate::{Body, CellFaces, ModelError};

/// Vertices this near a side of the box around a body, of its largest extent, are on it.
const ON_SIDE: f64 = 1e-6;
/// Where a side has no face on it, vertices this near, in sizes of a cell, are.
const NEAR_SIDE: f64 = 0.5;

/// A condition on a rest position, m.
pub type PlaceTest = Arc<dyn Fn(Vec3) -> bool + Send + Sync>;

/// A condition on a rest position, m, and the outward normal of a face there, of length 1.
pub type FaceTest = Arc<dyn Fn(Vec3, Vec3) -> bool + Send + Sync>;

/// Which vertices or faces of a body are meant, by their places at rest. Several rules hold together.
#[derive(Clone, Default)]
pub struct Select {
    rules: Vec<Rule>,
}

/// A rule of a [`Select`].
#[derive(Clone)]
pub enum Rule {
    /// A vertex set, cell set or region of the mesh; or a side of the box around it: `x-min`, `x-max`, `y-min`,
    /// …
    Named(String),
    /// By the mesh's numbers.
    Vertices(Vec<usize>),
    /// Between two corners, m. What lies on the rim belongs to it, whatever rounding does.
    Box {
        /// m
        min: Vec3,
        /// m
        max: Vec3,
    },
    /// Within a distance of a point, m.
    Sphere {
        /// m
        centre: Vec3,
        /// m
        radius: f64,
    },
    /// Within a distance of a plane.
    Plane {
        /// m
        point: Vec3,
        /// Of length 1.
        normal: Vec3,
        /// m; a millionth of the body's size if none.
        within: Option<f64>,
    },
    /// Faces of the boundary whose mean normal has at least this cosine with a direction.
    Normal {
        /// Of length 1.
        direction: Vec3,
        /// Of the largest angle.
        cosine: f64,
    },
    /// The whole boundary.
    Surface,
    /// Where a condition holds.
    Where(PlaceTest),
    /// Where a condition on a face of the boundary holds; for vertices, on one of the faces around them.
    WhereFace(FaceTest),
}

impl Select {
    /// Everything, to which rules may be added.
    pub fn all() -> Self {
        Self::default()
    }

    /// A set of the mesh, or a side of the box around it, by name.
    pub fn named(name: &str) -> Self {
        Self::all().and(Rule::Named(name.to_owned()))
    }

    /// Vertices by the mesh's numbers.
    pub fn vertices(list: &[u32]) -> Self {
        Self::all().and(Rule::Vertices(list.iter().map(|&v| v as usize).collect()))
    }

    /// Vertices for whose rest positions a condition holds.
    pub fn at(test: impl Fn(Vec3) -> bool + Send + Sync + 'static) -> Self {
        Self::all().and(Rule::Where(Arc::new(test)))
    }

    /// The boundary.
    pub fn surface() -> Self {
        Self::all().and(Rule::Surface)
    }

    /// Adds a rule, which must hold as well.
    #[must_use]
    pub fn and(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The name of the set, if that is all it is.
    pub fn set(&self) -> Option<&str> {
        match &self.rules[..] {
            [Rule::Named(name)] => Some(name),
            _ => None,
        }
    }
}

impl From<&str> for Select {
    fn from(name: &str) -> Self {
        Self::named(name)
    }
}

impl From<&[u32]> for Select {
    fn from(list: &[u32]) -> Self {
        Self::vertices(list)
    }
}

impl From<&Vec<u32>> for Select {
    fn from(list: &Vec<u32>) -> Self {
        Self::vertices(list)
    }
}

impl From<&Select> for Select {
    fn from(select: &Select) -> Self {
        select.clone()
    }
}

impl Body {
    /// Returns the selected vertices, ascending, in the user's numbering. None at all is an error.
    pub fn select(&self, select: &Select) -> Result<Vec<u32>, ModelError> {
        let mut kept = vec![true; self.mesh.vertex_count()];
        for rule in &select.rules {
            let chosen = self.rule(rule)?;
            for (kept, chosen) in kept.iter_mut().zip(chosen) {
                *kept &= chosen;
            }
        }
        let list: Vec<u32> = (0..kept.len() as u32).filter(|&v| kept[v as usize]).collect();
        if list.is_empty() { Err(self.selects_nothing("no vertex")) } else { Ok(list) }
    }

    /// Returns the faces of the boundary all of whose nodes are selected, whole faces of cells, outward, in the user's
    /// numbering. May be none.
    pub fn select_faces(&self, select: &Select) -> Result<CellFaces, ModelError> {
        let mut kept = vec![true; self.mesh.vertex_count()];
        for rule in select.rules.iter().filter(|r| !r.is_of_faces()) {
            let chosen = self.rule(rule)?;
            for (kept, chosen) in kept.iter_mut().zip(chosen) {
                *kept &= chosen;
            }
        }
        let all = self.boundary_faces();
        let rules: Vec<&Rule> = select.rules.iter().filter(|r| r.is_of_faces()).collect();
        let normals = if rules.is_empty() { Vec::new() } else { self.face_normals()? };
        let looks = |face: usize, v: u32| {
            rules.iter().all(|rule| rule.holds_at(self, normals.get(face).copied().flatten(), v))
        };
        let chosen = all
            .iter()
            .enumerate()
            .filter(|(f, nodes)| nodes.iter().all(|&v| kept[v as usize] && looks(*f, v)));
        let nodes = chosen.flat_map(|(_, nodes)| nodes).copied().collect();
        Ok(CellFaces { nodes_per_face: all.nodes_per_face, nodes })
    }

    /// The error of a selection that leaves `what`, such as "no vertex".
    pub fn selects_nothing(&self, what: &'static str) -> ModelError {
        let bounds = bounding_box(&self.mesh);
        let (min, max, body) = (bounds.min, bounds.max, self.name.clone());
        ModelError::Empty { body, what, min, max, sets: set_names(&self.mesh) }
    }

    fn rule(&self, rule: &Rule) -> Result<Vec<bool>, ModelError> {
        let mesh = &self.mesh;
        let n = mesh.vertex_count();
        let of_list = |list: &mut dyn Iterator<Item = usize>| {
            let mut chosen = vec![false; n];
            for vertex in list {
                let slot = chosen.get_mut(vertex).ok_or_else(|| ModelError::NoVertex {
                    body: self.name.clone(),
                    vertex,
                    count: n,
                })?;
                *slot = true;
            }
            Ok::<_, ModelError>(chosen)
        };
        let by_place =
            |test: &dyn Fn(Vec3) -> bool| mesh.vertices.iter().map(|&p| test(p)).collect();
        Ok(match rule {
            Rule::Named(name) => of_list(&mut self.named(name)?.into_iter().map(|v| v as usize))?,
            Rule::Vertices(list) => of_list(&mut list.iter().copied())?,
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
            Rule::Where(test) => by_place(&**test),
            Rule::Normal { .. } | Rule::WhereFace(_) => {
                let mut chosen = vec![false; n];
                for (face, normal) in self.boundary_faces().iter().zip(self.face_normals()?) {
                    for &v in face {
                        chosen[v as usize] |= rule.holds_at(self, normal, v);
                    }
                }
                chosen
            }
            Rule::Surface => of_list(&mut self.boundary().vertex_map.iter().map(|&v| v as usize))?,
        })
    }

    /// Vertices on a side of the box around the body; none where the name is not that of a side. A side that is not flat has
    /// those within half a cell of it.
    fn side(&self, name: &str) -> Result<Option<Vec<u32>>, ModelError> {
        let axes = ["x", "y", "z"];
        let Some((axis, end)) = name.split_once('-') else { return Ok(None) };
        let Some(axis) = axes.iter().position(|a| *a == axis) else { return Ok(None) };
        let bounds = bounding_box(&self.mesh);
        let at = match end {
            "min" => bounds.min[axis],
            "max" => bounds.max[axis],
            _ => return Ok(None),
        };
        let extent = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        let mut on = vec![false; self.mesh.vertex_count()];
        let mut found = 0;
        let nearest = ON_SIDE * extent;
        let farthest = NEAR_SIDE * self.cell_size();
        for within in [nearest, farthest.max(nearest)] {
            for (on, x) in on.iter_mut().zip(&self.mesh.vertices) {
                *on = (x[axis] - at).abs() <= within;
            }
            found = on.iter().filter(|on| **on).count();
            if self.boundary_triangles().any(|face| face.iter().all(|&v| on[v as usize])) {
                return Ok(Some((0..on.len() as u32).filter(|&v| on[v as usize]).collect()));
            }
        }
        Err(ModelError::NoSide {
            body: self.name.clone(),
            side: name.to_owned(),
            axis: axes[axis],
            at,
            found,
            within: farthest.max(nearest),
        })
    }

    /// The vertices of a set, a region or a side.
    fn named(&self, name: &str) -> Result<Vec<u32>, ModelError> {
        let mesh = &self.mesh;
        if let Some(set) = mesh.vertex_set(name) {
            return Ok(set.items.clone());
        }
        let nodes = |cells: &[u32]| -> Vec<u32> {
            cells.iter().flat_map(|&c| mesh.cell(c as usize)).copied().collect()
        };
        if let Some(set) = mesh.cell_sets.iter().find(|s| s.name == name) {
            return Ok(nodes(&set.items));
        }
        if let Some(region) = mesh.regions.iter().position(|r| r.name == name) {
            return Ok(nodes(&mesh.region_cells(region)));
        }
        if let Some(side) = self.side(name)? {
            return Ok(side);
        }
        let all = mesh.vertex_sets.iter().chain(&mesh.cell_sets).map(|s| s.name.as_str());
        Err(ModelError::UnknownSet {
            body: self.name.clone(),
            set: name.to_owned(),
            near: all.min_by_key(|n| distance(n, name)).map(str::to_owned),
            known: set_names(mesh),
        })
    }
}

fn set_names(mesh: &VolumeMesh) -> Vec<String> {
    let sets = mesh.vertex_sets.iter().chain(&mesh.cell_sets).map(|s| s.name.clone());
    sets.chain(mesh.regions.iter().map(|r| r.name.clone())).collect()
}

impl Rule {
    /// Whether it depends on which way faces look.
    fn is_of_faces(&self) -> bool {
        matches!(self, Self::Normal { .. } | Self::WhereFace(_))
    }

    /// Of such a rule: whether it holds at a node of a face with this normal; not where it has none.
    fn holds_at(&self, body: &Body, normal: Option<Vec3>, vertex: u32) -> bool {
        let Some(normal) = normal else { return false };
        match self {
            Self::Normal { direction, cosine } => dot(normal, *direction) >= cosine - 1e-9,
            Self::WhereFace(test) => test(body.mesh.vertices[vertex as usize], normal),
            _ => true,
        }
    }
}
