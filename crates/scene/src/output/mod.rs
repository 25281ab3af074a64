//! Frames: when they are written, and in which formats.

pub(crate) mod formats;
pub(crate) mod frames;
