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
            Self::Unsupported { text, hint } => (text.clone(), Some((*hint).to_owned())),
            other => (other.to_string(), None),
        }
    }
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
