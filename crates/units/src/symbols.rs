//! Unit symbols and SI prefixes.

use crate::Dimension;

const PREFIXES: [(&str, f64); 10] = [
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("n", 1e-9),
];

/// Symbol, SI value, dimension, whether prefixes apply.
const UNITS: [(&str, f64, Dimension, bool); 23] = [
    ("m", 1.0, Dimension::LENGTH, true),
    ("g", 1e-3, Dimension::MASS, true),
    ("s", 1.0, Dimension::TIME, true),
    ("Hz", 1.0, Dimension::FREQUENCY, true),
    ("N", 1.0, Dimension::FORCE, true),
    ("Pa", 1.0, Dimension::PRESSURE, true),
    ("J", 1.0, Dimension::ENERGY, true),
    ("l", 1e-3, Dimension::VOLUME, true),
    ("bar", 1e5, Dimension::PRESSURE, true),
    ("W", 1.0, Dimension { exponents: [2, 1, -3, 0] }, true),
    ("rad", 1.0, Dimension::ANGLE, true),
    ("deg", std::f64::consts::PI / 180.0, Dimension::ANGLE, false),
    ("°", std::f64::consts::PI / 180.0, Dimension::ANGLE, false),
    ("rev", std::f64::consts::TAU, Dimension::ANGLE, false),
    ("min", 60.0, Dimension::TIME, false),
    ("h", 3600.0, Dimension::TIME, false),
    ("t", 1000.0, Dimension::MASS, false),
    ("in", 0.0254, Dimension::LENGTH, false),
    ("ft", 0.3048, Dimension::LENGTH, false),
    ("lb", 0.45359237, Dimension::MASS, false),
    ("psi", 6894.757293168361, Dimension::PRESSURE, false),
    ("mmHg", 133.322387415, Dimension::PRESSURE, false),
    ("%", 0.01, Dimension::NONE, false),
];

/// SI value and dimension of a symbol, with or without prefix.
pub(crate) fn lookup(symbol: &str) -> Option<(f64, Dimension)> {
    let symbol = symbol.replace('\u{3bc}', "µ");
    if let Some((_, value, dimension, _)) = UNITS.iter().find(|u| u.0 == symbol) {
        return Some((*value, *dimension));
    }
    PREFIXES.iter().find_map(|(prefix, factor)| {
        let rest = symbol.strip_prefix(prefix)?;
        let (_, value, dimension, _) = UNITS.iter().find(|u| u.3 && u.0 == rest)?;
        Some((factor * value, *dimension))
    })
}

/// A known symbol that differs from `symbol` only in capitals.
pub(crate) fn nearest(symbol: &str) -> Option<String> {
    let wanted = symbol.to_lowercase();
    let plain = UNITS.iter().map(|u| u.0.to_owned());
    let prefixed = PREFIXES
        .iter()
        .flat_map(|(p, _)| UNITS.iter().filter(|u| u.3).map(move |u| format!("{p}{}", u.0)));
    plain.chain(prefixed).find(|known| known.to_lowercase() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_do_not_shadow_units() {
        assert_eq!(lookup("min"), Some((60.0, Dimension::TIME)));
        assert_eq!(lookup("mm"), Some((1e-3, Dimension::LENGTH)));
        assert_eq!(lookup("kg"), Some((1.0, Dimension::MASS)));
        assert_eq!(lookup("h"), Some((3600.0, Dimension::TIME)));
        assert_eq!(lookup("kdeg"), None);
        assert_eq!(lookup(""), None);
    }
}
