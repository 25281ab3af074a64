//! Reads the tables that [`Measured`] is made of: comma, semicolon or tab separated text with a header.

use pliant_errors::names;
use pliant_units::{Dimension, UnitError, measure};

use crate::error::FitError;
use crate::measured::Measured;

/// Names of all columns there are.
const COLUMNS: [&str; 7] = ["time", "strain", "stress", "frequency", "storage", "loss", "modulus"];
/// Of circular frequencies.
const RADIANS_A_SECOND: Dimension = Dimension { exponents: [0, 0, -1, 1] };

/// A piece of a line.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    line: u64,
    column: u64,
}

impl<'a> Piece<'a> {
    fn error(self, text: impl Into<String>) -> FitError {
        let width = self.text.len().max(1) as u64;
        FitError::Cell { line: self.line, column: self.column, width, text: text.into() }
    }

    /// Its parts between separators, without the blanks around them.
    fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let start = self.text.as_ptr() as usize;
        self.text.split(separator).map(move |part| {
            let text = part.trim();
            let at = (text.as_ptr() as usize).saturating_sub(start) as u64;
            Piece { text, line: self.line, column: self.column + at }
        })
    }
}

/// A column of the header: its name, and what its numbers are multiplied with.
struct Heading<'a> {
    name: &'static str,
    factor: f64,
    piece: Piece<'a>,
}

impl<'a> Heading<'a> {
    /// `stress`, `stress [kPa]` or `stress (kPa)`.
    fn read(piece: Piece<'a>) -> Result<Self, FitError> {
        let lower = piece.text.trim_matches('"').to_lowercase();
        let end = lower.find(['[', '(']).unwrap_or(lower.len());
        let word = lower[..end].trim();
        let Some(name) = COLUMNS.into_iter().find(|known| *known == word) else {
            let nearest = names::nearest(word, COLUMNS);
            let text = if word.is_empty() {
                "a column without a name".to_owned()
            } else {
                format!("unknown column '{word}': did you mean '{nearest}'?")
            };
            return Err(piece.error(format!("{text} {ACCEPTED}")));
        };
        let whole = piece.text.trim_matches('"');
        let unit = whole.find(['[', '(']).map(|at| whole[at + 1..].trim_end_matches([']', ')']));
        let factor = unit.map_or(Ok(1.0), |unit| factor(name, unit.trim()));
        Ok(Self { name, factor: factor.map_err(|text| piece.error(text))?, piece })
    }
}

const ACCEPTED: &str =
    "(columns are time, strain, stress | frequency, storage, loss | time, modulus)";

/// What a number in that unit is multiplied with: to s, Hz and Pa.
fn factor(name: &str, unit: &str) -> Result<f64, String> {
    if unit.is_empty() || unit == "-" {
        return Ok(1.0);
    }
    let wanted = match name {
        "time" => Dimension::TIME,
        "frequency" => Dimension::FREQUENCY,
        "strain" => Dimension::NONE,
        _ => Dimension::PRESSURE,
    };
    let text = format!("1 {unit}");
    let (factor, found) = measure(&text).map_err(|e| e.to_string())?;
    let found = found.unwrap_or(Dimension::NONE);
    if found == wanted {
        Ok(factor)
    } else if name == "frequency" && found == RADIANS_A_SECOND {
        Ok(factor / std::f64::consts::TAU)
    } else {
        Err(UnitError::WrongDimension { text: unit.to_owned(), found, wanted }.to_string())
    }
}

/// A number, multiplied with the factor of its column.
fn number(cell: Piece<'_>, heading: &Heading<'_>, separator: char) -> Result<f64, FitError> {
    let name = heading.name;
    if cell.text.is_empty() {
        return Err(cell.error(format!("a gap: {name} has no number in this row")));
    }
    match cell.text.trim_matches('"').parse::<f64>() {
        Ok(value) if (value * heading.factor).is_finite() => Ok(value * heading.factor),
        Ok(_) => Err(cell.error(format!("{name} is '{}': a finite number is needed", cell.text))),
        Err(_) => {
            let comma = separator != ',' && cell.text.contains(',');
            let hint = if comma { ", with a decimal point" } else { "" };
            Err(cell.error(format!("{name} is '{}': a number is needed{hint}", cell.text)))
        }
    }
}

/// Reads a table. Lines that are empty or begin with `#` are left out.
pub(crate) fn read(text: &str) -> Result<Measured, FitError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().map(|(k, line)| Piece {
        text: line,
        line: k as u64 + 1,
        column: 1,
    });
    let mut lines = lines.filter(|l| !l.text.trim().is_empty() && !l.text.trim().starts_with('#'));
    let Some(first) = lines.next() else {
        let nothing = Piece { text: "", line: 1, column: 1 };
        return Err(nothing.error(format!("there is no header {ACCEPTED}")));
    };
    let separator = ['\t', ';', ','].into_iter().find(|s| first.text.contains(*s)).unwrap_or(',');
    let headings: Vec<Heading<'_>> =
        first.split(separator).map(Heading::read).collect::<Result<_, _>>()?;
    for (k, heading) in headings.iter().enumerate() {
        if headings[..k].iter().any(|other| other.name == heading.name) {
            return Err(heading.piece.error(format!("there are two columns '{}'", heading.name)));
        }
    }
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); headings.len()];
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<Piece<'_>> = line.split(separator).collect();
        for (k, heading) in headings.iter().enumerate() {
            let end = Piece { text: "", column: line.text.len() as u64 + 1, ..line };
            let cell = cells.get(k).copied().unwrap_or(end);
            columns[k].push(number(cell, heading, separator)?);
        }
        if let Some(more) = cells.get(headings.len()) {
            let count = headings.len();
            return Err(
                more.error(format!("a row with more than the {count} columns of the header"))
            );
        }
        rows.push(cells);
    }
    let mut take = |name: &str| {
        let k = headings.iter().position(|h| h.name == name)?;
        Some(std::mem::take(&mut columns[k]))
    };
    let mut named: Vec<&str> = headings.iter().map(|h| h.name).collect();
    named.sort_unstable();
    let data = match named[..] {
        ["strain", "stress", "time"] => Measured::Loading {
            time: take("time").unwrap_or_default(),
            strain: take("strain").unwrap_or_default(),
            stress: take("stress").unwrap_or_default(),
        },
        ["frequency", "loss", "storage"] => Measured::Oscillation {
            frequency: take("frequency").unwrap_or_default(),
            storage: take("storage").unwrap_or_default(),
            loss: take("loss").unwrap_or_default(),
        },
        ["modulus", "time"] => Measured::StepStrain {
            time: take("time").unwrap_or_default(),
            modulus: take("modulus").unwrap_or_default(),
        },
        _ => {
            let found = headings.iter().map(|h| h.name).collect::<Vec<_>>().join(", ");
            return Err(first.error(format!("the columns are {found} {ACCEPTED}")));
        }
    };
    data.check().map_err(|error| match error {
        FitError::Row { row, column, text } => {
            let at = headings.iter().position(|h| h.name == column);
            match at.and_then(|k| rows.get(row)?.get(k)) {
                Some(cell) => cell.error(format!("{column} is {}: {text}", cell.text)),
                None => FitError::Row { row, column, text },
            }
        }
        other => other,
    })?;
    Ok(data)
}
