//! [`Page`]: the frame of all reports.

use std::fmt::Write as _;

use crate::html::{Html, escape};

const STYLE: &str = include_str!("style.css");

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it should.
    Good,
    /// Not to its end, by nobody's fault.
    Cut,
    /// Wrong.
    Bad,
}

/// A part of a page under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    title: String,
    body: Html,
}

impl Section {
    /// Empty.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: Html::new() }
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: impl AsRef<Html>) {
        self.body.push(piece.as_ref());
    }
}

impl AsRef<Html> for Html {
    fn as_ref(&self) -> &Html {
        self
    }
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    kind: String,
    title: String,
    about: String,
    verdict: Option<(Verdict, String, String)>,
    tiles: Vec<(String, String)>,
    sections: Vec<Section>,
    footer: String,
}

impl Page {
    /// With a title, and nothing else yet.
    pub fn new(title: &str) -> Self {
        Self {
            kind: "Pliant".into(),
            title: title.to_owned(),
            about: String::new(),
            verdict: None,
            tiles: Vec::new(),
            sections: Vec::new(),
            footer: String::new(),
        }
    }

    /// What kind of page it is, above the title.
    pub fn kind(&mut self, kind: &str) {
        kind.clone_into(&mut self.kind);
    }

    /// A line below the title.
    pub fn about(&mut self, about: &str) {
        about.clone_into(&mut self.about);
    }

    /// How it ended, in a word and in a sentence.
    pub fn verdict(&mut self, verdict: Verdict, word: &str, sentence: &str) {
        self.verdict = Some((verdict, word.to_owned(), sentence.to_owned()));
    }

    /// A number that is read before all others.
    pub fn tile(&mut self, name: &str, value: &str) {
        self.tiles.push((name.to_owned(), value.to_owned()));
    }

    /// Adds a section.
    pub fn section(&mut self, section: Section) {
        self.sections.push(section);
    }

    /// The last line.
    pub fn footer(&mut self, text: &str) {
        text.clone_into(&mut self.footer);
    }

    /// The file.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
             <p class=\"kind\">{}</p>\n<h1>{title}</h1>\n",
            escape(&self.kind)
        );
        if !self.about.is_empty() {
            let _ = writeln!(text, "<p class=\"about\">{}</p>", escape(&self.about));
        }
        if let Some((verdict, word, sentence)) = &self.verdict {
            let class = match verdict {
                Verdict::Good => "good",
                Verdict::Cut => "cut",
                Verdict::Bad => "bad",
            };
            let _ = writeln!(
                text,
                "<p class=\"verdict {class}\"><b>{}</b> <span>{}</span></p>",
                escape(word),
                escape(sentence)
            );
        }
        if !self.tiles.is_empty() {
            text += "<div class=\"tiles\">\n";
            for (name, value) in &self.tiles {
                let (name, value) = (escape(name), escape(value));
                let _ = writeln!(text, "<div><b>{value}</b><span>{name}</span></div>");
            }
            text += "</div>\n";
        }
        text += "<nav>";
        for section in &self.sections {
            let (id, title) = (anchor(&section.title), escape(&section.title));
            let _ = write!(text, "<a href=\"#{id}\">{title}</a> ");
        }
        text += "</nav>\n</header>\n<main>\n";
        for section in &self.sections {
            let (id, title) = (anchor(&section.title), escape(&section.title));
            let body = section.body.as_str();
            let _ = write!(text, "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n");
        }
        let footer = escape(&self.footer);
        let _ = write!(text, "</main>\n<footer>{footer}</footer>\n</body>\n</html>\n");
        text
    }
}

/// A title as a place to go to.
fn anchor(title: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    title.chars().map(keep).collect()
}
