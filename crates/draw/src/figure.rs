//! [`Figure`]: pictures, colour bars, histograms and words on one SVG page.

use std::fmt::Write as _;

use base64::Engine as _;

use crate::colour::{ColourMap, css};
use crate::image::Image;

/// An SVG page under construction. Coordinates are pixels from the upper left.
#[derive(Debug, Clone)]
pub struct Figure {
    width: f64,
    height: f64,
    body: String,
}

const INK: &str = "#22303c";
const FAINT: &str = "#c9d3dc";

impl Figure {
    /// An empty page with a white ground.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Places a picture.
    pub fn picture(&mut self, x: f64, y: f64, image: &Image) -> Result<(), png::EncodingError> {
        let data = base64::engine::general_purpose::STANDARD.encode(image.png()?);
        let (w, h) = (image.width, image.height);
        let _ = writeln!(
            self.body,
            r#"<image x="{x}" y="{y}" width="{w}" height="{h}" href="data:image/png;base64,{data}"/>"#
        );
        Ok(())
    }

    /// Writes a line of text; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: &str, text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{INK}">{text}</text>"#
        );
    }

    /// Writes a line of text that runs upwards, its middle at that place.
    pub fn text_up(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x} {y}) rotate(-90)" font-size="{size}" text-anchor="middle" fill="{INK}">{text}</text>"#
        );
    }

    /// Adds SVG elements as they are.
    pub(crate) fn raw(&mut self, elements: &str) {
        self.body.push_str(elements);
    }

    /// A vertical colour bar with its range and a title.
    pub fn colour_bar(
        &mut self,
        x: f64,
        y: f64,
        height: f64,
        map: &ColourMap,
        range: [f64; 2],
        title: &str,
    ) {
        let steps = 64;
        for i in 0..steps {
            let t = (f64::from(i) + 0.5) / f64::from(steps);
            let top = y + height * (1.0 - f64::from(i + 1) / f64::from(steps));
            let _ = writeln!(
                self.body,
                r#"<rect x="{x}" y="{top:.2}" width="14" height="{:.2}" fill="{}"/>"#,
                height / f64::from(steps) + 0.5,
                css(map.at(t))
            );
        }
        for i in 0..=4 {
            let t = f64::from(i) / 4.0;
            let value = range[0] + t * (range[1] - range[0]);
            self.text(x + 20.0, y + height * (1.0 - t) + 4.0, 12.0, "start", &number(value));
        }
        self.text(x + 34.0, y - 14.0, 12.0, "middle", title);
    }

    /// A histogram: equal bins over `range`, each bar coloured by the map at its middle.
    #[allow(clippy::too_many_arguments)]
    pub fn histogram(
        &mut self,
        [x, y, width, height]: [f64; 4],
        counts: &[u64],
        range: [f64; 2],
        map: &ColourMap,
        title: &str,
    ) {
        let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
        let bar = width / counts.len().max(1) as f64;
        for (i, &count) in counts.iter().enumerate() {
            let tall = height * count as f64 / most;
            // A single cell in a bin stays visible: the tails are what one looks for.
            let tall = if count > 0 { tall.max(1.5) } else { 0.0 };
            let colour = css(map.at((i as f64 + 0.5) / counts.len() as f64));
            let _ = writeln!(
                self.body,
                r#"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{tall:.2}" fill="{colour}"/>"#,
                x + bar * i as f64 + 0.5,
                y + height - tall,
                (bar - 1.0).max(0.5)
            );
        }
        let base = y + height;
        let _ = writeln!(
            self.body,
            r#"<line x1="{x}" y1="{base}" x2="{}" y2="{base}" stroke="{FAINT}"/>"#,
            x + width
        );
        for i in 0..=7 {
            let t = f64::from(i) / 7.0;
            let value = number(range[0] + t * (range[1] - range[0]));
            self.text(x + width * t, base + 16.0, 11.0, "middle", &value);
        }
        self.text(x, y - 8.0, 12.0, "start", title);
    }

    /// The finished SVG document.
    pub fn svg(&self) -> String {
        let (w, h, body) = (self.width, self.height, &self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             font-family=\"Inter, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

/// A number with about three digits, as an axis shows it.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.1e}")
    } else {
        let digits = (2.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').into()
        } else {
            text
        }
    }
}

/// Text with the characters that XML reserves replaced.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_on_an_axis() {
        let shown = [0.0, 1.0, 0.25, 164.8, 1234.0, 1e-6, 2.5e7, -0.5].map(number);
        assert_eq!(shown, ["0", "1", "0.25", "165", "1234", "1.0e-6", "2.5e7", "-0.5"]);
    }

    #[test]
    fn text_cannot_break_out_of_the_page() {
        let mut figure = Figure::new(10.0, 10.0);
        figure.text(0.0, 0.0, 8.0, "start", "a < b & \"c\"</svg>");
        assert_eq!(figure.svg().matches("</svg>").count(), 1);
    }
}
