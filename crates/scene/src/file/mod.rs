//! The scene file: text to tables with locations, the schema, built-in scenes, other formats, and back to text.

pub mod builtin;
pub(crate) mod copies;
pub(crate) mod document;
pub(crate) mod expression;
pub(crate) mod key_log;
mod names;
pub(crate) mod save;
pub mod schema;
pub(crate) mod table;
pub mod vega;
