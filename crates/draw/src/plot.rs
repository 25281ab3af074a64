//! [`Plot`]: curves over an axis, linear or logarithmic, as an SVG page.

use std::fmt::Write as _;

use crate::figure::{Figure, number};

/// An axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Logarithmic; values that are not positive are left out.
    pub log: bool,
    /// Ends; those of the data where none are given.
    pub range: Option<[f64; 2]>,
}

/// A named curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// (x, y); gaps where one is not finite.
    pub points: Vec<[f64; 2]>,
    /// Marks the points.
    pub marks: bool,
    /// Draws a broken line.
    pub dashed: bool,
}

/// A plot of curves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plot {
    /// Above it.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Drawn one over the other.
    pub curves: Vec<Curve>,
}

/// Told apart in grey and by those who see few colours; after the last they begin again.
const COLOURS: [&str; 10] = [
    "#1f5fa8", "#d1495b", "#2e8b57", "#e09f3e", "#7b4ea3", "#3aa6b9", "#8c5a3c", "#d16ba5",
    "#6b7280", "#a3a01f",
];
const LEFT: f64 = 78.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 52.0;
const RIGHT: f64 = 16.0;
const LEGEND: f64 = 190.0;
/// Of labels, from one to the next.
const SPACING: f64 = 14.0;

/// Round numbers between two ends: one, two or five times a power of ten apart, about so many of them.
pub fn ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let raw = (high - low) / about.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let step = step.into_iter().find(|s| *s >= raw).unwrap_or(10.0 * power);
    // Ends that miss a round number by rounding have it.
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// An axis with its ends and ticks, in the coordinate that is drawn.
struct Scale {
    log: bool,
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let drawn = |v: f64| if axis.log { v.log10() } else { v };
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        if let Some(range) = axis.range {
            ends = range.map(drawn);
        } else {
            for v in values.map(drawn).filter(|v| v.is_finite()) {
                ends = [ends[0].min(v), ends[1].max(v)];
            }
        }
        if !(ends[0].is_finite() && ends[1].is_finite()) {
            ends = [0.0, 1.0];
        }
        let [mut low, mut high] = ends;
        if high - low < 1e-12 * low.abs().max(1e-300) {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let mut ticks = Vec::new();
        if axis.log {
            (low, high) = (low.floor(), high.ceil());
            let every = ((high - low) / 8.0).ceil().max(1.0);
            let mut k = low;
            while k <= high {
                ticks.push((k, format!("1e{k}")));
                k += every;
            }
        } else {
            ticks.extend(self::ticks(low, high, 6).into_iter().map(|at| (at, number(at))));
        }
        Self { log: axis.log, low, high, ticks }
    }

    /// Where a value lies between the ends, 0 to 1.
    fn at(&self, value: f64) -> Option<f64> {
        let v = if self.log { value.log10() } else { value };
        v.is_finite().then(|| (v - self.low) / (self.high - self.low))
    }
}

/// Where the names of curves stand.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    Legend,
    AtEnds,
}

/// Moves labels apart so that none covers another: wanted heights to heights, between two bounds. They keep
/// their order.
fn spread(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let gap = SPACING.min((high - low) / wanted.len().max(1) as f64);
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut placed = vec![0.0; wanted.len()];
    let mut next = low;
    for &k in &order {
        placed[k] = wanted[k].max(next);
        next = placed[k] + gap;
    }
    // What was pushed out below goes up again.
    let mut next = high;
    for &k in order.iter().rev() {
        placed[k] = placed[k].min(next);
        next = placed[k] - gap;
    }
    placed
}

impl Plot {
    /// The page, in pixels; a legend stands to the right where there are several curves.
    pub fn svg(&self, width: f64, height: f64) -> String {
        self.draw(width, height, Names::Legend)
    }

    /// The page, in pixels; names stand to the right at the height where their curves end.
    pub fn svg_with_labels(&self, width: f64, height: f64) -> String {
        self.draw(width, height, Names::AtEnds)
    }

    fn draw(&self, width: f64, height: f64, names: Names) -> String {
        let x = Scale::new(&self.x, self.curves.iter().flat_map(|c| c.points.iter().map(|p| p[0])));
        let y = Scale::new(&self.y, self.curves.iter().flat_map(|c| c.points.iter().map(|p| p[1])));
        let legend = if self.curves.len() > 1 { LEGEND } else { 0.0 };
        let (w, h) = (width - LEFT - RIGHT - legend, height - TOP - BOTTOM);
        let (right, bottom) = (LEFT + w, TOP + h);
        let mut figure = Figure::new(width, height);
        let mut body = String::new();
        for (at, _) in &x.ticks {
            let px = LEFT + w * (at - x.low) / (x.high - x.low);
            let _ = writeln!(body, r##"<path d="M{px:.2} {TOP}V{bottom}" stroke="#e4e9ee"/>"##);
        }
        for (at, _) in &y.ticks {
            let py = bottom - h * (at - y.low) / (y.high - y.low);
            let _ = writeln!(body, r##"<path d="M{LEFT} {py:.2}H{right}" stroke="#e4e9ee"/>"##);
        }
        let _ = writeln!(
            body,
            r#"<clipPath id="plot"><rect x="{LEFT}" y="{TOP}" width="{w}" height="{h}"/></clipPath>"#
        );
        let mut ends = Vec::new();
        for (k, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let mut end = None;
            let mut path = String::new();
            let mut marks = String::new();
            let mut pen = 'M';
            for [px, py] in &curve.points {
                let (Some(px), Some(py)) = (x.at(*px), y.at(*py)) else {
                    pen = 'M';
                    continue;
                };
                // Far outside, numbers would grow beyond what viewers take.
                let (px, py) = (LEFT + w * px.clamp(-9.0, 9.0), bottom - h * py.clamp(-9.0, 9.0));
                let _ = write!(path, "{pen}{px:.2} {py:.2}");
                pen = 'L';
                end = Some([px, py]);
                if curve.marks {
                    let _ = write!(
                        marks,
                        r#"<circle cx="{px:.2}" cy="{py:.2}" r="3" fill="{colour}"/>"#
                    );
                }
            }
            let dash = if curve.dashed { r#" stroke-dasharray="6 4""# } else { "" };
            let _ = writeln!(
                body,
                r#"<g clip-path="url(#plot)"><path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"{dash}/>{marks}</g>"#
            );
            ends.extend(end.map(|[x, y]| (k, [x.clamp(LEFT, right), y.clamp(TOP, bottom)])));
            if legend > 0.0 && names == Names::Legend {
                let (lx, ly) = (right + 14.0, TOP + 10.0 + 18.0 * k as f64);
                let _ = writeln!(
                    body,
                    r#"<path d="M{lx} {ly}h20" stroke="{colour}" stroke-width="2.5"{dash}/>"#
                );
                figure.text(lx + 26.0, ly + 4.0, 12.0, "start", &curve.name);
            }
        }
        let _ = writeln!(
            body,
            r##"<rect x="{LEFT}" y="{TOP}" width="{w}" height="{h}" fill="none" stroke="#8a97a3"/>"##
        );
        if legend > 0.0 && names == Names::AtEnds {
            let wanted: Vec<f64> = ends.iter().map(|(_, end)| end[1]).collect();
            for ((k, [px, py]), ly) in ends.iter().zip(spread(&wanted, TOP + 4.0, bottom - 4.0)) {
                let (colour, lx) = (COLOURS[k % COLOURS.len()], right + 10.0);
                let _ = writeln!(
                    body,
                    r#"<path d="M{px:.2} {py:.2}L{right} {ly:.2}H{lx}" fill="none" stroke="{colour}" stroke-width="0.8" stroke-dasharray="1 2"/>"#
                );
                figure.text(lx + 4.0, ly + 4.0, 12.0, "start", &self.curves[*k].name);
            }
        }
        figure.raw(&body);
        for (at, text) in &x.ticks {
            figure.text(
                LEFT + w * (at - x.low) / (x.high - x.low),
                bottom + 17.0,
                11.0,
                "middle",
                text,
            );
        }
        for (at, text) in &y.ticks {
            let py = bottom - h * (at - y.low) / (y.high - y.low);
            figure.text(LEFT - 7.0, py + 4.0, 11.0, "end", text);
        }
        figure.text(LEFT + w / 2.0, height - 14.0, 13.0, "middle", &self.x.label);
        figure.text_up(18.0, TOP + h / 2.0, 13.0, &self.y.label);
        figure.text(LEFT + w / 2.0, 20.0, 14.0, "middle", &self.title);
        figure.svg()
    }
}

/// A page with several plots, one below the other, each of that size in pixels.
pub fn stacked(plots: &[Plot], width: f64, height: f64) -> String {
    let mut figure = Figure::new(width, height * plots.len() as f64);
    for (k, plot) in plots.iter().enumerate() {
        let page = plot.svg(width, height);
        let below = format!("<svg y=\"{}\" ", height * k as f64);
        // Names of clips are those of the whole page.
        let page =
            page.replacen("<svg ", &below, 1).replace("id=\"plot\"", &format!("id=\"plot{k}\""));
        figure.raw(&page.replace("url(#plot)", &format!("url(#plot{k})")));
    }
    figure.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<[f64; 2]>, log: bool) -> Plot {
        let axis = |label: &str| Axis { label: label.into(), log, range: None };
        let curve = Curve { name: "a < b".into(), points, marks: true, dashed: false };
        Plot { title: "t".into(), x: axis("x"), y: axis("y"), curves: vec![curve.clone(), curve] }
    }

    #[test]
    fn logarithmic_axes_have_decades() {
        let svg = plot(vec![[1e-3, 1e-9], [1.0, 1.0]], true).svg(600.0, 400.0);
        for text in ["1e-3", "1e0", "1e-9", "a &lt; b"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // The first point is at the lower left, and the last at the upper right.
        assert!(svg.contains("M78.00"), "{svg}");
    }

    #[test]
    fn stacked_plots_stand_below_each_other_with_clips_of_their_own() {
        let plots = [plot(vec![[1.0, 1.0]], false), plot(vec![[2.0, 2.0]], false)];
        let svg = stacked(&plots, 600.0, 400.0);
        assert!(svg.contains("<svg y=\"400\"") && svg.contains("height=\"800\""), "{svg}");
        assert!(svg.contains("id=\"plot1\"") && svg.contains("url(#plot1)"), "{svg}");
        assert!(!svg.contains("\"plot\"") && svg.matches("</svg>").count() == 3, "{svg}");
    }

    #[test]
    fn labels_keep_their_order_and_their_distance() {
        let placed = spread(&[50.0, 10.0, 51.0, 52.0, 500.0], 0.0, 100.0);
        assert_eq!(placed, [50.0, 10.0, 64.0, 78.0, 100.0]);
        let svg = plot(vec![[1.0, 1.0], [2.0, 2.0]], false).svg_with_labels(600.0, 400.0);
        assert_eq!(svg.matches("a &lt; b").count(), 2, "{svg}");
    }

    #[test]
    fn odd_numbers_leave_gaps_and_do_no_harm() {
        for points in [
            vec![],
            vec![[f64::NAN, 1.0]],
            vec![[0.0, 0.0]],
            vec![[1.0, 2.0], [2.0, f64::INFINITY], [3.0, -1.0]],
            vec![[-1e300, 1e300], [1e300, -1e300]],
        ] {
            for log in [false, true] {
                let svg = plot(points.clone(), log).svg(600.0, 400.0);
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
            }
        }
    }
}
