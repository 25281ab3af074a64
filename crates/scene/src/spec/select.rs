//! [`Selection`]: a part of a body, by name or by where it is. All rules of one selection must hold.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, normalized};
use pliant_mesh::io::{Source, bou};
use pliant_model::{self as model, Body, Select};
use pliant_units::{Dimension, number, si, vector};

use crate::error::{Location, SceneError};
use crate::file::expression::Expression;
use crate::file::table::Table;

/// Which vertices. Places are those of the body where the scene puts it, before it deforms.
#[derive(Debug, Clone)]
pub struct Selection {
    rules: Vec<Rule>,
    location: Location,
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

impl Selection {
    /// A set by its name.
    pub(crate) fn named(name: &str, location: Location) -> Self {
        Self { rules: vec![Rule::Named(name.to_owned())], location }
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
        Ok((!rules.is_empty()).then(|| Self { rules, location: t.location().clone() }))
    }

    /// Where it stands in the scene, if it goes by the numbers of vertices.
    pub(crate) fn by_number(&self) -> Option<&Location> {
        let numbers = |rule: &Rule| matches!(rule, Rule::File(..) | Rule::Vertices(_));
        self.rules.iter().any(numbers).then_some(&self.location)
    }

    /// The files it reads numbers of vertices from.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.rules.iter().filter_map(|rule| match rule {
            Rule::File(file, _) => Some(file.as_path()),
            _ => None,
        })
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

    /// The rules as a body takes them. Files are read.
    pub(crate) fn on(&self, body: &Body) -> Result<Select, SceneError> {
        let mut select = Select::all();
        for rule in &self.rules {
            select = select.and(self.rule(rule, body)?);
        }
        Ok(select)
    }

    /// The vertices, ascending, as the mesh numbers them. None at all is an error.
    pub(crate) fn vertices(&self, body: &Body) -> Result<Vec<u32>, SceneError> {
        body.select(&self.on(body)?).map_err(|e| SceneError::from(e).at(&self.location))
    }

    fn rule(&self, rule: &Rule, body: &Body) -> Result<model::Rule, SceneError> {
        Ok(match rule {
            Rule::Named(name) => model::Rule::Named(name.clone()),
            Rule::File(file, base) => {
                let list = Source::open(file).and_then(|s| bou::read_with_base(s, *base));
                let list = list.map_err(|e| SceneError::from(e).at(&self.location))?;
                model::Rule::Vertices(list.into_iter().map(|v| v as usize).collect())
            }
            Rule::Vertices(list) => model::Rule::Vertices(list.clone()),
            Rule::Box { min, max } => model::Rule::Box { min: *min, max: *max },
            Rule::Sphere { centre, radius } => {
                model::Rule::Sphere { centre: *centre, radius: *radius }
            }
            Rule::Plane { point, normal, within } => {
                model::Rule::Plane { point: *point, normal: *normal, within: *within }
            }
            Rule::Normal { direction, cosine } => {
                model::Rule::Normal { direction: *direction, cosine: *cosine }
            }
            Rule::Surface => model::Rule::Surface,
            Rule::Where(expression, _) => {
                let (expression, size) = (expression.clone(), body.size());
                if expression.uses_normal() {
                    model::Rule::WhereFace(Arc::new(move |p, n| expression.holds(p, n, size)))
                } else {
                    model::Rule::Where(Arc::new(move |p| expression.holds(p, [0.0; 3], size)))
                }
            }
        })
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
