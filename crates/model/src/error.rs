//! [`ModelError`]: why a body or a world could not be made.

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::DynamicsError;
use pliant_errors::Class;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;

/// Why a body or a world could not be made, or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A mesh is wrong, or points could not be bound to it.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// Constants of a material are wrong.
    #[error("{0}")]
    Material(#[from] MaterialError),
    /// A force model could not be made or evaluated.
    #[error("{0}")]
    Force(#[from] ForceError),
    /// The system could not be made, or a step failed.
    #[error("{0}")]
    Dynamics(#[from] DynamicsError),
    /// A body has no set of that name.
    #[error("the mesh of body '{body}' has no set '{set}'; {}", known_sets(.near.as_deref(), .known))]
    UnknownSet {
        /// The body.
        body: String,
        /// The name that was asked for.
        set: String,
        /// The most similar name there is.
        near: Option<String>,
        /// All names there are.
        known: Vec<String>,
    },
    /// A side of the box around a body has no face of its surface on it or near it.
    #[error("{}; {}", no_side(.body, .side, .axis, *.at, *.found, *.within), BY_PLACE)]
    NoSide {
        /// The body.
        body: String,
        /// The name of the side.
        side: String,
        /// The axis that it is at an end of.
        axis: &'static str,
        /// The coordinate of that end, m.
        at: f64,
        /// How many vertices are near it.
        found: usize,
        /// How near, m.
        within: f64,
    },
    /// A selection leaves nothing.
    #[error("this selects {what} of body '{body}'; {}", where_it_is(.min, .max, .sets))]
    Empty {
        /// The body.
        body: String,
        /// "no vertex" or the like.
        what: &'static str,
        /// Corner of the box around the body, m.
        min: Vec3,
        /// Opposite corner, m.
        max: Vec3,
        /// Names of its sets.
        sets: Vec<String>,
    },
    /// A selection names a vertex that the body does not have.
    #[error("vertex {vertex} of body '{body}', which has {count} vertices, numbered from 0")]
    NoVertex {
        /// The body.
        body: String,
        /// The vertex.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// A probe is not inside its body.
    #[error("probe '{probe}' at {at:?} is {distance:.3e} m outside of body '{body}'")]
    ProbeOutside {
        /// The probe.
        probe: String,
        /// Where it should be, m.
        at: Vec3,
        /// Distance to the body, m.
        distance: f64,
        /// The body.
        body: String,
    },
    /// Two bodies are not as near as an attachment needs.
    #[error("no vertex of '{body}' is within {within} m of '{other}'")]
    NotNear {
        /// The body whose vertices were to be joined.
        body: String,
        /// The other body.
        other: String,
        /// The distance asked for, m.
        within: f64,
    },
    /// Two holds of a vertex differ along a direction.
    #[error(
        "vertex {vertex} of body '{body}' at {at:?} is held twice along {direction:?}, by holds {first} and {second}, whose motions differ: hold it once, or along orthogonal directions"
    )]
    HeldTwice {
        /// The body.
        body: String,
        /// The vertex, in the user's numbering.
        vertex: u32,
        /// Its position at rest, m.
        at: Vec3,
        /// The direction that both hold, or have a part in.
        direction: Vec3,
        /// The number of the hold that was made first, from 0.
        first: usize,
        /// The number of the other one.
        second: usize,
    },
    /// A field has no finite value at a vertex.
    #[error("the {what} of vertex {vertex} of body '{body}' at {at:?} is {value:?}")]
    NotFinite {
        /// What the field is of.
        what: &'static str,
        /// The body.
        body: String,
        /// The vertex, in the user's numbering.
        vertex: usize,
        /// Its position at rest, m.
        at: Vec3,
        /// What was found.
        value: Vec3,
    },
    /// A list has another length than there are vertices or cells.
    #[error("{what}: {found} values, {needed} needed, one for each")]
    Count {
        /// What is listed.
        what: String,
        /// Length of the list.
        found: usize,
        /// Length needed.
        needed: usize,
    },
    /// A combination that there is no model for.
    #[error("{text}; {hint}")]
    Unsupported {
        /// What was asked for.
        text: String,
        /// What to do instead.
        hint: &'static str,
    },
}

impl ModelError {
    /// Returns its class: that of what could not be made or moved; all else is a wrong call.
    pub fn class(&self) -> Class {
        match self {
            Self::Mesh(error) => error.class(),
            Self::Material(error) => error.class(),
            Self::Force(error) => error.class(),
            Self::Dynamics(error) => error.class(),
            Self::UnknownSet { .. }
            | Self::Empty { .. }
            | Self::NoVertex { .. }
            | Self::ProbeOutside { .. }
            | Self::NotNear { .. }
            | Self::NoSide { .. }
            | Self::HeldTwice { .. }
            | Self::NotFinite { .. }
            | Self::Count { .. }
            | Self::Unsupported { .. } => Class::Input,
        }
    }

    /// The error without its remedy, and the remedy, as [`Display`](std::fmt::Display) joins them.
    pub fn parts(&self) -> (String, Option<String>) {
        match self {
            Self::UnknownSet { body, set, near, known } => {
                let text = format!("the mesh of body '{body}' has no set '{set}'");
                (text, Some(known_sets(near.as_deref(), known)))
            }
            Self::Empty { body, what, min, max, sets } => {
                let text = format!("this selects {what} of body '{body}'");
                (text, Some(where_it_is(min, max, sets)))
            }
            Self::NoSide { body, side, axis, at, found, within } => {
                let text = no_side(body, side, axis, *at, *found, *within);
                (text, Some(BY_PLACE.to_owned()))
            }
            Self::Unsupported { text, hint } => (text.clone(), Some((*hint).to_owned())),
            other => (other.to_string(), None),
        }
    }
}

/// What to do about a side that has no face.
const BY_PLACE: &str = "select by where, box or sphere what is meant";

fn no_side(body: &str, side: &str, axis: &str, at: f64, found: usize, within: f64) -> String {
    let vertices = if found == 1 { "1 vertex lies" } else { &format!("{found} vertices lie") };
    format!(
        "body '{body}' has no face at its side '{side}', {axis} = {at:.6} m: {vertices} within {within:.3e} m of it, half a cell, and no face of the surface"
    )
}

fn known_sets(near: Option<&str>, known: &[String]) -> String {
    let near = near.map_or(String::new(), |n| format!("did you mean '{n}'? "));
    format!("{near}(there are {})", listed(known))
}

fn where_it_is(min: &Vec3, max: &Vec3, sets: &[String]) -> String {
    format!("the body lies between {min:.4?} and {max:.4?} m; its sets are {}", listed(sets))
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
