//! Pictures without a display: a small software rasteriser for shaded surfaces, colour maps, and SVG
//! figures that put pictures, colour bars and histograms on one page.
//!
//! It knows positions, triangles and colours only; meshes and simulations come to it as arrays.

pub mod camera;
pub mod colour;
pub mod figure;
pub mod image;
pub mod plot;
pub mod raster;

pub use camera::Camera;
pub use colour::{Colour, ColourMap};
pub use figure::Figure;
pub use image::Image;
pub use plot::{Axis, Curve, Plot, stacked};
pub use raster::{Paint, Shape, render};
