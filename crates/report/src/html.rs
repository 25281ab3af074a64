//! [`Html`]: pieces of a page that are safe to put together.

use std::fmt::Write as _;

/// Well-formed HTML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Html(String);

impl Html {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Text as it is, whatever it holds.
    pub fn text(text: &str) -> Self {
        Self(escape(text))
    }

    /// Markup of this crate's own making.
    pub(crate) fn raw(markup: impl Into<String>) -> Self {
        Self(markup.into())
    }

    /// An element with one class; none where the class is empty.
    pub fn element(name: &str, class: &str, inner: &Self) -> Self {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        Self(format!("<{name}{class}>{}</{name}>", inner.0))
    }

    /// A paragraph.
    pub fn paragraph(text: &str) -> Self {
        Self::element("p", "", &Self::text(text))
    }

    /// A paragraph beside the matter: where numbers come from, what they leave out.
    pub fn note(text: &str) -> Self {
        Self::element("p", "note", &Self::text(text))
    }

    /// A list of texts.
    pub fn list(class: &str, items: &[String]) -> Self {
        let mut inner = Self::new();
        for item in items {
            inner.push(&Self::element("li", "", &Self::text(item)));
        }
        Self::element("ul", class, &inner)
    }

    /// Text with its line breaks, which scrolls sideways where it is too wide.
    pub fn code(text: &str) -> Self {
        Self::element("pre", "", &Self::element("code", "", &Self::text(text)))
    }

    /// What stays folded until it is asked for. Paper shows it whole.
    pub fn folded(title: &str, inner: &Self) -> Self {
        Self(format!("<details><summary>{}</summary>{}</details>", escape(title), inner.0))
    }

    /// Several pieces beside each other where there is room, and one below the other where not.
    pub fn grid(pieces: &[Self]) -> Self {
        let mut inner = Self::new();
        for piece in pieces {
            inner.push(piece);
        }
        Self::element("div", "grid", &inner)
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: &Self) {
        let _ = writeln!(self.0, "{}", piece.0);
    }

    /// As it goes into a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text for content and attributes. Characters that no document may hold are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
