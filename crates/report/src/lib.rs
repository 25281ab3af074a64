//! Pages of results: one HTML file that needs no network and no script, light or dark as the reader likes,
//! for a phone, a screen or paper.
//!
//! A [`Page`] has sections; a [`Section`] has paragraphs, [`Table`]s, [`Chart`]s, [`Bars`] and pictures. Whatever
//! a user has written goes through [`Html::text`], so that no name of a body can break the page.
//!
//! ```
//! use pliant_report::{Cell, Column, Page, Section, Table};
//! use pliant_units::si;
//! let mut table = Table::new(vec![Column::text("body"), Column::number("mass")]);
//! table.row(vec![Cell::text("<jelly>"), Cell::text(&si(1.728, "kg"))]);
//! let mut section = Section::new("Bodies");
//! section.push(table.html());
//! let mut page = Page::new("Jelly on the floor");
//! page.section(section);
//! assert!(page.html().contains("&lt;jelly&gt;"));
//! ```

mod bars;
mod chart;
mod html;
mod page;
mod picture;
mod table;
mod thin;

pub use bars::{Bars, shares};
pub use chart::{Chart, Line};
pub use html::Html;
pub use page::{Page, Section, Verdict};
pub use picture::{ColourBar, Drawing, Picture};
pub use table::{Cell, Column, Table, facts};
pub use thin::thin;
