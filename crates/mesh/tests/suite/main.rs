//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod boxes;
mod cell_data;
mod common;
mod conformity;
mod doctor;
mod doctor_surface;
mod embed;
mod fill;
mod generate;
mod gmsh;
mod hostile;
mod medit;
mod obj;
mod ply;
mod quality;
mod refine;
mod reorder;
mod round_trips;
mod stl;
mod tetgen;
mod text_formats_bad_input;
mod topology;
mod veg;
mod vtk;
mod vtk_meshes;
mod vtu;
