//! [`Table`]: rows and columns, numbers aligned to the right.

use crate::html::{Html, escape};

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    title: String,
    class: &'static str,
}

impl Column {
    /// Of words.
    pub fn text(title: &str) -> Self {
        Self { title: title.to_owned(), class: "" }
    }

    /// Of sentences, which has some width on a phone too.
    pub fn wide(title: &str) -> Self {
        Self { title: title.to_owned(), class: "w" }
    }

    /// Of numbers.
    pub fn number(title: &str) -> Self {
        Self { title: title.to_owned(), class: "n" }
    }
}

/// What stands in a row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    inner: Html,
    class: &'static str,
}

impl Cell {
    /// Words, or a number that is written out already.
    pub fn text(text: &str) -> Self {
        Self { inner: Html::text(text), class: "" }
    }

    /// A piece of a page.
    pub fn html(inner: Html) -> Self {
        Self { inner, class: "" }
    }

    /// Passed or failed.
    pub fn pass(pass: bool) -> Self {
        let (text, class) = if pass { ("passed", "good") } else { ("FAILED", "bad") };
        Self { inner: Html::text(text), class }
    }
}

/// A table. On narrow screens it scrolls sideways by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Without rows yet.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row; cells beyond the columns are left out.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As a piece of a page.
    pub fn html(&self) -> Html {
        let class = |column: &str, own: &str| match (column, own) {
            ("", "") => String::new(),
            (one, "") | ("", one) => format!(" class=\"{one}\""),
            (column, own) => format!(" class=\"{column} {own}\""),
        };
        let mut text = String::from("<div class=\"scroll\"><table><thead><tr>");
        for column in &self.columns {
            text += &format!("<th{}>{}</th>", class(column.class, ""), escape(&column.title));
        }
        text += "</tr></thead><tbody>";
        for row in &self.rows {
            text += "\n<tr>";
            for (cell, column) in row.iter().zip(&self.columns) {
                let class = class(column.class, cell.class);
                text += &format!("<td{class}>{}</td>", cell.inner.as_str());
            }
            text += "</tr>";
        }
        Html::raw(text + "</tbody></table></div>")
    }
}

/// Names and what they are, one below the other.
pub fn facts(list: &[(String, String)]) -> Html {
    let mut text = String::from("<dl>");
    for (name, value) in list {
        text += &format!("\n<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    Html::raw(text + "</dl>")
}
