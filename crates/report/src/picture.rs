//! Pictures and colour bars.

use std::fmt::Write as _;

use base64::Engine as _;
use pliant_draw::colour::css;
use pliant_draw::{ColourMap, Image};

use crate::html::{Html, escape};

/// A picture with what is to be said of it.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// Its pixels.
    pub image: &'a Image,
    /// What it is.
    pub title: &'a str,
    /// A sentence about it.
    pub about: &'a str,
}

impl Picture<'_> {
    /// As a piece of a page, the picture inside of it; none if it has no pixels.
    pub fn html(&self) -> Html {
        let Ok(bytes) = self.image.png() else { return Html::new() };
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        let (title, about) = (escape(self.title), escape(self.about));
        let (w, h) = (self.image.width, self.image.height);
        Html::raw(format!(
            "<figure><img width=\"{w}\" height=\"{h}\" alt=\"{title}\" src=\"data:image/png;base64,{data}\"/>\
             <figcaption><b>{title}</b><span>{about}</span></figcaption></figure>"
        ))
    }
}

/// A drawing by lines, which stays sharp at any size.
#[derive(Debug, Clone, Copy)]
pub struct Drawing<'a> {
    /// A whole SVG document.
    pub svg: &'a str,
    /// Its width and height, px.
    pub size: [f64; 2],
    /// What it is.
    pub title: &'a str,
    /// A sentence about it.
    pub about: &'a str,
}

impl Drawing<'_> {
    /// As a piece of a page, the drawing inside of it.
    pub fn html(&self) -> Html {
        let data = base64::engine::general_purpose::STANDARD.encode(self.svg);
        let (title, about, [w, h]) = (escape(self.title), escape(self.about), self.size);
        Html::raw(format!(
            "<figure><img width=\"{w}\" height=\"{h}\" alt=\"{title}\" src=\"data:image/svg+xml;base64,{data}\"/>\
             <figcaption><b>{title}</b><span>{about}</span></figcaption></figure>"
        ))
    }
}

/// What colours mean.
#[derive(Debug, Clone, Copy)]
pub struct ColourBar<'a> {
    /// The colours.
    pub map: &'a ColourMap,
    /// What is shown.
    pub title: &'a str,
    /// At the first colour.
    pub low: &'a str,
    /// At the last colour.
    pub high: &'a str,
}

impl ColourBar<'_> {
    /// As a piece of a page.
    pub fn html(&self) -> Html {
        let mut stops = String::new();
        for k in 0..40 {
            let t = (f64::from(k) + 0.5) / 40.0;
            let colour = css(self.map.at(t));
            let _ = write!(
                stops,
                "<rect x=\"{}\" y=\"0\" width=\"5.2\" height=\"10\" fill=\"{colour}\"/>",
                5 * k
            );
        }
        let [title, low, high] = [self.title, self.low, self.high].map(escape);
        Html::raw(format!(
            "<p class=\"bar\"><span>{title}</span><span>{low}</span><svg viewBox=\"0 0 200 10\" shape-rendering=\"crispEdges\" \
             preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{title}\">{stops}</svg><span>{high}</span></p>"
        ))
    }
}
