//! [`Bars`]: histograms; and shares of a whole.

use std::fmt::Write as _;

use crate::chart::COLOURS;
use crate::html::{Html, escape};
use pliant_units::{count, number};

/// How many there are of each size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Above it.
    pub title: String,
    /// A sentence below the title.
    pub about: String,
    /// What is measured, with its unit.
    pub label: String,
    /// Ends of the axis.
    pub range: [f64; 2],
    /// Of equal parts of the range.
    pub counts: Vec<u64>,
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 42.0;

impl Bars {
    /// As a piece of a page.
    pub fn html(&self) -> Html {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let (w, h) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let bottom = TOP + h;
        let bar = w / self.counts.len().max(1) as f64;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            escape(&self.title)
        );
        for (share, value) in [(0.5, most / 2), (1.0, most)] {
            let at = bottom - h * share;
            let _ = write!(svg, "<path class=\"g\" d=\"M{LEFT} {at:.1}H{:.1}\"/>", LEFT + w);
            if value > 0 {
                let _ = write!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    LEFT - 6.0,
                    at + 4.0,
                    count(value)
                );
            }
        }
        for (k, &n) in self.counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            // A single cell stays visible: the tails are what one looks for.
            let tall = (h * n as f64 / most as f64).max(1.5);
            let _ = write!(
                svg,
                "<rect class=\"f0\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"/>",
                LEFT + bar * k as f64 + 0.5,
                bottom - tall,
                (bar - 1.0).max(0.5)
            );
        }
        let _ = write!(svg, "<path class=\"z\" d=\"M{LEFT} {bottom}H{:.1}\"/>", LEFT + w);
        for k in 0..=5 {
            let t = f64::from(k) / 5.0;
            let value = number(self.range[0] + t * (self.range[1] - self.range[0]));
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
                LEFT + w * t,
                bottom + 16.0
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></svg>",
            LEFT + w / 2.0,
            HEIGHT - 7.0,
            escape(&self.label)
        );
        let about = if self.about.is_empty() {
            String::new()
        } else {
            format!("<span>{}</span>", escape(&self.about))
        };
        Html::raw(format!(
            "<figure><figcaption><b>{}</b>{about}</figcaption>{svg}</figure>",
            escape(&self.title)
        ))
    }
}

/// Parts of a whole as one bar, each with its name and what is said of it.
pub fn shares(title: &str, parts: &[(String, f64, String)]) -> Html {
    let whole: f64 = parts.iter().map(|p| p.1.max(0.0)).sum();
    let mut bar = String::new();
    let mut legend = String::new();
    let mut at = 0.0;
    for (k, (name, part, text)) in parts.iter().enumerate() {
        let wide = if whole > 0.0 { 440.0 * part.max(0.0) / whole } else { 0.0 };
        let colour = k % COLOURS;
        let _ = write!(
            bar,
            "<rect class=\"f{colour}\" x=\"{at:.2}\" y=\"0\" width=\"{wide:.2}\" height=\"22\"/>"
        );
        at += wide;
        let (name, text) = (escape(name), escape(text));
        let _ = write!(legend, "<li><i class=\"c{colour}\"></i>{name}: {text}</li>");
    }
    let title = escape(title);
    Html::raw(format!(
        "<figure><figcaption><b>{title}</b></figcaption><svg viewBox=\"0 0 440 22\" role=\"img\" aria-label=\"{title}\">{bar}</svg>\
         <ul class=\"legend\">{legend}</ul></figure>"
    ))
}
