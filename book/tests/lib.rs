//! The book's code blocks as tests. Rust blocks are documentation tests of the modules below;
//! `console` blocks are run by `console.rs`; `pages.rs` checks that no block escapes both.

pub mod blocks;
pub mod session;

/// Declares one module for each chapter, with the chapter as its documentation.
macro_rules! chapters {
    ($($chapter:ident)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../src/", stringify!($chapter), ".md"))]
            mod $chapter {}
        )*
        /// The chapters whose Rust blocks are tested.
        pub const CHAPTERS: &[&str] = &[$(stringify!($chapter)),*];
    };
}

/// The README's Rust blocks.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

chapters! {
    introduction
    first_steps
    meshes
    formats
    generators
    filling
    doctor
    embedding
    materials
    memory_fit
    elements
    loads
    fields
    obstacles
    contact
    contact_modes
    solvers
    verification
    dynamics
    how_fast
    library
    extend_force
    scenes
    viewer
    comparing
    reading_a_report
    choosing
    gallery
    commands
    developers
    extend_element
    extend_law
    extend_integrator
}
