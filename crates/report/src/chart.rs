//! [`Chart`]: lines over an axis, drawn to be read on a phone, in the colours of the page.

use std::fmt::Write as _;

use pliant_draw::plot::ticks;

use crate::html::{Html, escape};
use crate::thin::thin;
use pliant_units::{Prefix, number};

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Its name in the legend; empty where the title says it.
    pub name: String,
    /// (x, y) in SI units.
    pub points: Vec<[f64; 2]>,
    /// Broken.
    pub dashed: bool,
    /// With marks at its points.
    pub marks: bool,
}

impl Line {
    /// A plain line.
    pub fn new(name: &str, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), points, ..Self::default() }
    }
}

/// Lines over a common axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// A sentence below the title.
    pub about: String,
    /// What the horizontal axis shows, and its unit.
    pub x: (String, String),
    /// Unit of the vertical axis.
    pub unit: String,
    /// Whether the vertical axis begins at zero.
    pub from_zero: bool,
    /// Drawn one over the other.
    pub lines: Vec<Line>,
}

/// Colours of the style sheet; after the last they begin again.
pub(crate) const COLOURS: usize = 8;
/// Small enough that its letters are still read when a phone shrinks it to its width.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 42.0;
/// More than one in two pixels is not seen.
const BUCKETS: usize = 220;

impl Chart {
    /// As a piece of a page.
    pub fn html(&self) -> Html {
        let all = || {
            self.lines.iter().flat_map(|l| &l.points).filter(|p| p.iter().all(|c| c.is_finite()))
        };
        let ends = |k: usize| {
            all().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], p| [l.min(p[k]), h.max(p[k])])
        };
        let mut y = ends(1);
        if self.from_zero {
            y = [y[0].min(0.0), y[1].max(0.0)];
        }
        let x = Scale::new(ends(0), &self.x.1, 0.0);
        let y = Scale::new(y, &self.unit, 0.03);
        let (w, h) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let (right, bottom) = (LEFT + w, TOP + h);
        let px = |v: f64| LEFT + w * x.at(v);
        let py = |v: f64| bottom - h * y.at(v);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            escape(&self.title)
        );
        for (value, label) in &x.ticks {
            let at = px(*value);
            let _ = write!(svg, "<path class=\"g\" d=\"M{at:.1} {TOP}V{bottom}\"/>");
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 16.0
            );
        }
        for (value, label) in &y.ticks {
            let at = py(*value);
            let class = if *value == 0.0 { "z" } else { "g" };
            let _ = write!(svg, "<path class=\"{class}\" d=\"M{LEFT} {at:.1}H{right}\"/>");
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                at + 4.0
            );
        }
        let unit = |name: &str, unit: String| match (name, unit.as_str()) {
            ("", unit) => escape(unit),
            (name, "") => escape(name),
            (name, unit) => format!("{}, {}", escape(name), escape(unit)),
        };
        let (x_label, y_label) =
            (unit(&self.x.0, x.prefix.unit(&self.x.1)), unit("", y.prefix.unit(&self.unit)));
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x_label}</text>",
            LEFT + w / 2.0,
            HEIGHT - 7.0
        );
        let _ = write!(svg, "<text x=\"2\" y=\"14\">{y_label}</text>");
        for (k, line) in self.lines.iter().enumerate() {
            let colour = k % COLOURS;
            let points = thin(&line.points, BUCKETS);
            let mut path = String::new();
            let mut marks = String::new();
            for (i, [a, b]) in points.iter().enumerate() {
                let (a, b) = (px(*a), py(*b));
                let _ = write!(path, "{}{a:.1} {b:.1}", if i == 0 { 'M' } else { 'L' });
                if line.marks || points.len() == 1 {
                    let _ = write!(
                        marks,
                        "<circle class=\"f{colour}\" cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"2.6\"/>"
                    );
                }
            }
            let dash = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            if points.len() > 1 {
                let _ = write!(svg, "<path class=\"l c{colour}\" d=\"{path}\"{dash}/>");
            }
            svg += &marks;
        }
        svg += "</svg>";
        let mut caption = format!("<figcaption><b>{}</b>", escape(&self.title));
        if !self.about.is_empty() {
            let _ = write!(caption, "<span>{}</span>", escape(&self.about));
        }
        caption += "</figcaption>";
        let mut legend = String::new();
        if self.lines.iter().any(|line| !line.name.is_empty()) {
            legend += "<ul class=\"legend\">";
            for (k, line) in self.lines.iter().enumerate() {
                let (dash, name) = (if line.dashed { " dash" } else { "" }, escape(&line.name));
                let _ = write!(legend, "<li><i class=\"c{}{dash}\"></i>{name}</li>", k % COLOURS);
            }
            legend += "</ul>";
        }
        Html::raw(format!("<figure>{caption}{svg}{legend}</figure>"))
    }
}

/// An axis with its ends and labels.
struct Scale {
    low: f64,
    high: f64,
    prefix: Prefix,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    /// `margin` is the room at both ends, so that no line runs along the edge.
    fn new([low, high]: [f64; 2], unit: &str, margin: f64) -> Self {
        let (mut low, mut high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // What does not change within rounding is a flat line, not noise over the whole page.
        let least = 1e-9 * low.abs().max(high.abs());
        if high - low <= least {
            let half = if least > 0.0 { 0.05 * low.abs().max(high.abs()) } else { 0.5 };
            (low, high) = (low - half, high + half);
        }
        let prefix = Prefix::of(low.abs().max(high.abs()), unit);
        let values = ticks(low, high, 5);
        // Digits as the step between ticks needs them, for all of them.
        let step = values.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
        let digits = -prefix.scaled(step).log10().floor();
        let label = |v: f64| {
            let v = prefix.scaled(v);
            if v == 0.0 {
                "0".into()
            } else if (0.0..=5.0).contains(&digits) {
                format!("{v:.0$}", digits as usize).replace('-', "−")
            } else {
                number(v)
            }
        };
        let ticks = values.into_iter().map(|v| (v, label(v))).collect();
        let margin = margin * (high - low);
        let (low, high) = (low - margin, high + margin);
        Self { low, high, prefix, ticks }
    }

    fn at(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}
