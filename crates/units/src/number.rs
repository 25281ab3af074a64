//! Numbers as people read them: `1.24 kPa`, not `1.2386e3`.

/// Power of ten, and what is written before the unit.
const PREFIXES: [(i32, &str); 7] =
    [(-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G")];

/// A prefix for all numbers of one axis or column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prefix {
    power: i32,
    symbol: &'static str,
}

impl Prefix {
    /// For numbers up to `largest`, so that it has one to three digits before the point.
    pub fn of(largest: f64, unit: &str) -> Self {
        let none = Self { power: 0, symbol: "" };
        let size = largest.abs();
        if !takes_prefix(unit) || size == 0.0 || !size.is_finite() {
            return none;
        }
        // A hair more, so that what rounds to 1000 m is a kilometre.
        let digits = (size * 1.000_5).log10().floor();
        let power = (digits / 3.0).floor() as i32 * 3;
        let found = PREFIXES.iter().find(|(p, _)| *p == power);
        found.map_or(none, |&(power, symbol)| Self { power, symbol })
    }

    /// A number in that unit.
    pub fn scaled(self, value: f64) -> f64 {
        value / 10f64.powi(self.power)
    }

    /// The unit with its prefix.
    pub fn unit(self, unit: &str) -> String {
        // Kilograms have a prefix of their own.
        match (unit, self.power) {
            ("kg", 0) => "kg".into(),
            ("kg", 3) => "t".into(),
            ("kg", -3) => "g".into(),
            ("kg", -6) => "mg".into(),
            _ => format!("{}{unit}", self.symbol),
        }
    }
}

fn takes_prefix(unit: &str) -> bool {
    ["m", "s", "N", "Pa", "J", "W", "Hz", "kg", "N/m", "Pa s", "B"].contains(&unit)
}

/// A quantity with three digits and its unit; lines do not break between them.
pub fn si(value: f64, unit: &str) -> String {
    let mut prefix = Prefix::of(value, unit);
    if unit == "kg" && !(-6..=3).contains(&prefix.power) {
        prefix = Prefix { power: 0, symbol: "" };
    }
    let text = number(prefix.scaled(value));
    let unit = prefix.unit(unit);
    if unit.is_empty() { text } else { format!("{text}\u{a0}{unit}") }
}

/// Three numbers and their unit. A bound that is not there is infinite.
pub fn vector(v: [f64; 3], unit: &str) -> String {
    let [x, y, z] = v.map(|c| match c {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        c => number(c),
    });
    format!("({x}, {y}, {z}) {unit}").trim_end().to_owned()
}

/// A number with three digits; powers of ten where it is far from one.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "not finite".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs() * 1.000_5;
    if !(1e-3..1e6).contains(&size) {
        let power = size.log10().floor() as i32;
        let head = trimmed(value / 10f64.powi(power), 2);
        return format!("{} × 10{}", head.replace('-', "−"), superscript(power));
    }
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    trimmed(value, digits).replace('-', "−")
}

/// A number with all its digits, as it was written; with a power of ten where it would be a row of zeros.
pub fn exact(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e9).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// With so many digits after the point, but for zeros at the end.
fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        c => c
            .to_digit(10)
            .map_or(c, |d| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize]),
    };
    power.to_string().chars().map(digit).collect()
}

/// A whole number, its thousands apart.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            // Narrow, and no line breaks at it.
            text.push('\u{202f}');
        }
        text.push(c);
    }
    text
}

/// A time on the clock: seconds up to two minutes, then minutes and hours.
pub fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        return si(seconds, "s");
    }
    let whole = seconds.round() as u64;
    let (h, m, s) = (whole / 3600, whole / 60 % 60, whole % 60);
    if h > 0 { format!("{h} h {m:02} min") } else { format!("{m} min {s:02} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_numbers_keep_their_digits_and_are_never_long() {
        let shown = [0.0, 0.49999, -1.0, 1e6, 123_456_789.125, 1e72, -2.5e-9, f64::NAN].map(exact);
        let expected = ["0", "0.49999", "-1", "1000000", "123456789.125", "1e72", "-2.5e-9", "NaN"];
        assert_eq!(shown, expected);
        for k in -308..=308 {
            assert!(exact(-1.234_567_890_123_456_7 * 10f64.powi(k)).len() <= 25, "{k}");
        }
    }

    #[test]
    fn quantities_read_as_people_write_them() {
        let shown = [
            si(1238.6, "Pa"),
            si(0.0999999, "m"),
            si(999.96, "m"),
            si(-0.004, "J"),
            si(0.0, "J"),
            si(1.2e-15, "J"),
            si(1.728, "kg"),
            si(0.05, "kg"),
            si(0.0123456, "kg m/s"),
            si(f64::NAN, "Pa"),
        ];
        let expected = [
            "1.24 kPa",
            "100 mm",
            "1 km",
            "−4 mJ",
            "0 J",
            "1.2 × 10⁻¹⁵ J",
            "1.73 kg",
            "50 g",
            "0.0123 kg m/s",
            "not finite Pa",
        ];
        assert_eq!(shown.map(|text| text.replace('\u{a0}', " ")), expected);
    }

    #[test]
    fn counts_and_times() {
        assert_eq!(
            [count(7), count(1234), count(1_000_000)],
            ["7", "1\u{202f}234", "1\u{202f}000\u{202f}000"]
        );
        assert_eq!(
            [duration(0.5), duration(61.0), duration(125.4), duration(7300.0)],
            ["500\u{a0}ms", "61\u{a0}s", "2 min 05 s", "2 h 01 min"]
        );
    }
}
