//! Colours and colour maps. Colours are sRGB in 0..1; light is mixed in linear space.

/// An sRGB colour, each channel in 0..1.
pub type Colour = [f32; 3];

/// A colour from its hexadecimal form, 0xRRGGBB.
pub fn hex(code: u32) -> Colour {
    [16, 8, 0].map(|shift| ((code >> shift) & 0xff) as f32 / 255.0)
}

/// sRGB to linear light, per channel.
pub fn to_linear(c: Colour) -> Colour {
    c.map(|x| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) })
}

/// Linear light to sRGB, per channel.
pub fn from_linear(c: Colour) -> Colour {
    c.map(|x| if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 })
}

/// A map from 0..1 to colours, linear between equally spaced stops.
#[derive(Debug, Clone, Copy)]
pub struct ColourMap {
    stops: &'static [u32],
}

impl ColourMap {
    /// Dark blue over green to yellow: even in lightness, safe for the colour-blind.
    pub const VIRIDIS: ColourMap = ColourMap {
        stops: &[
            0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58,
            0xb5de2b, 0xfde725,
        ],
    };
    /// Blue over pale yellow to red: bright enough everywhere to be read on shaded bodies, and told apart
    /// by those who see few colours.
    pub const STRESS: ColourMap = ColourMap {
        stops: &[0x4680c4, 0x59a6d0, 0x8fcbd0, 0xd7e8b8, 0xf9e08a, 0xf5ae5c, 0xe46a45, 0xb9283a],
    };
    /// Red for bad, pale for middling, blue-green for good: for quality measures.
    pub const QUALITY: ColourMap =
        ColourMap { stops: &[0xb2182b, 0xef8a62, 0xfddbc7, 0xd1e5f0, 0x67a9cf, 0x2166ac] };

    /// The colour at `t`, which is clamped to 0..1 (NaN counts as 0).
    pub fn at(&self, t: f64) -> Colour {
        let last = self.stops.len() - 1;
        let s = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) } * last as f64;
        let i = (s as usize).min(last - 1);
        let f = (s - i as f64) as f32;
        let (a, b) = (hex(self.stops[i]), hex(self.stops[i + 1]));
        std::array::from_fn(|k| a[k] + f * (b[k] - a[k]))
    }
}

/// A colour as CSS writes it.
pub fn css(c: Colour) -> String {
    let [r, g, b] = c.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_meet_their_stops_and_clamp() {
        assert_eq!(css(ColourMap::VIRIDIS.at(0.0)), "#440154");
        assert_eq!(css(ColourMap::VIRIDIS.at(1.0)), "#fde725");
        assert_eq!(css(ColourMap::VIRIDIS.at(7.0)), "#fde725");
        assert_eq!(css(ColourMap::VIRIDIS.at(f64::NAN)), "#440154");
    }

    #[test]
    fn linear_light_and_back() {
        for x in [0.0, 0.01, 0.2, 0.5, 1.0] {
            assert!((from_linear(to_linear([x; 3]))[0] - x).abs() < 1e-6);
        }
    }
}
