//! One type for each table of a scene file: values in SI units, checked as far as they can be without meshes.

pub(crate) mod attachment;
pub(crate) mod between;
pub(crate) mod body;
pub(crate) mod cell_quantity;
pub(crate) mod constraint;
pub(crate) mod contact;
pub(crate) mod copies;
pub(crate) mod curve;
pub(crate) mod energy;
pub(crate) mod fibres;
pub(crate) mod field;
pub(crate) mod load;
pub(crate) mod material;
pub(crate) mod memory;
pub(crate) mod mesh;
pub(crate) mod motion;
pub(crate) mod norm;
pub(crate) mod obstacle;
pub(crate) mod output;
pub(crate) mod probe;
pub(crate) mod scene;
pub(crate) mod scenery;
pub(crate) mod select;
pub(crate) mod stage;
pub(crate) mod table;
pub(crate) mod time;
