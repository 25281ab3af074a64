//! [`Image`]: pixels, and PNG.

/// An 8-bit image with transparency, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue, opacity.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// The smallest part with all that is not transparent: columns and rows from, and up to but without. None
    /// if nothing is.
    pub fn covered(&self) -> Option<[[usize; 2]; 2]> {
        let mut found: Option<[[usize; 2]; 2]> = None;
        for (k, _) in self.pixels.iter().enumerate().filter(|(_, p)| p[3] > 0) {
            let (x, y) = (k % self.width, k / self.width);
            let [[l, r], [t, b]] = found.unwrap_or([[x, x + 1], [y, y + 1]]);
            found = Some([[l.min(x), r.max(x + 1)], [t.min(y), b.max(y + 1)]]);
        }
        found
    }

    /// A part of it: columns and rows from, and up to but without. What lies outside is left out.
    #[must_use]
    pub fn cropped(&self, [[left, right], [top, bottom]]: [[usize; 2]; 2]) -> Self {
        let (right, bottom) = (right.min(self.width), bottom.min(self.height));
        let (left, top) = (left.min(right), top.min(bottom));
        let row = |y: usize| &self.pixels[y * self.width + left..y * self.width + right];
        let pixels = (top..bottom).flat_map(row).copied().collect();
        Self { width: right - left, height: bottom - top, pixels }
    }

    /// The image as a PNG file.
    ///
    /// # Errors
    /// Only if it has no pixels, or more than PNG can number.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let (width, height) = (self.width as u32, self.height as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_is_cut_out() {
        let mut image = Image { width: 5, height: 4, pixels: vec![[0; 4]; 20] };
        assert_eq!(image.covered(), None);
        image.pixels[5 + 2] = [1, 2, 3, 255];
        image.pixels[2 * 5 + 3] = [4, 5, 6, 1];
        assert_eq!(image.covered(), Some([[2, 4], [1, 3]]));
        let part = image.cropped([[2, 4], [1, 9]]);
        assert_eq!(
            (part.width, part.height, part.pixels[0], part.pixels[3]),
            (2, 3, [1, 2, 3, 255], [4, 5, 6, 1])
        );
    }
}
