//! Gmsh `.msh`: 2.2 and 4.1 written, 2.0 to 2.2, 4.0 and 4.1 read, text and binary, with physical
//! groups. Element data of one component on all cells is cell data.
//!
//! The format is described in the reference manual of Gmsh, chapter "Gmsh file formats".

#[cfg(test)]
mod bad_input;
mod combination;
mod element;
mod element_data;
mod elements;
mod groups;
mod input;
mod nodes;
mod output;
mod read;
mod write;

pub use read::read;
pub use write::{Options, Version, write};
