//! [`Parameters`]: a law's constants, the same everywhere or not.

use crate::cells::Cells;
use crate::error::ForceError;

/// Constants of a law in the order of `Law::PARAMETERS`, SI units.
#[derive(Debug, Clone, Copy)]
pub enum Parameters<'a> {
    /// The same in all elements.
    Uniform(&'a [f64]),
    /// One list for each region of the mesh; elements of no region are an error.
    PerRegion(&'a [Vec<f64>]),
    /// All constants of cell 0, then of cell 1, … in the user's numbering of cells.
    PerElement(&'a [f64]),
    /// All constants of point 0 of cell 0, of point 1 of cell 0, …, of point 0 of cell 1, …: cells in the
    /// user's numbering, points in the order of `Element::POINTS`.
    PerPoint(&'a [f64]),
}

impl<'a> Parameters<'a> {
    /// Checks that there are finite constants of these names for every cell, where elements have one
    /// point or the same constants at all points.
    pub(crate) fn check(&self, names: &[&str], cells: Cells<'_>) -> Result<(), ForceError> {
        self.check_points(names, cells, 1)
    }

    /// Checks that there are finite constants of these names for every cell, or for each of its `points`.
    pub(crate) fn check_points(
        &self,
        names: &[&str],
        cells: Cells<'_>,
        points: usize,
    ) -> Result<(), ForceError> {
        let count = names.len();
        let lists = |list: &[f64], place: &str| {
            if list.len() != count {
                return Err(ForceError::Unsupported(format!(
                    "{} parameters{place}: the law takes {count} ({})",
                    list.len(),
                    names.join(", ")
                )));
            }
            match list.iter().position(|v| !v.is_finite()) {
                Some(k) => Err(ForceError::Parameter {
                    what: format!("{}{place}", names[k]),
                    found: list[k],
                    accepted: "must be a finite number".into(),
                }),
                None => Ok(()),
            }
        };
        match self {
            Self::Uniform(list) => lists(list, ""),
            Self::PerRegion(regions) => {
                if regions.len() != cells.regions().len() {
                    return Err(ForceError::Unsupported(format!(
                        "parameters for {} regions, but the mesh has {}",
                        regions.len(),
                        cells.regions().len()
                    )));
                }
                for (list, region) in regions.iter().zip(cells.regions()) {
                    lists(list, &format!(" of region '{}'", region.name))?;
                }
                Ok(())
            }
            Self::PerElement(all) => {
                if all.len() != count * cells.len() {
                    return Err(ForceError::Unsupported(format!(
                        "{} parameters for {} elements: the law takes {count} each ({})",
                        all.len(),
                        cells.len(),
                        names.join(", ")
                    )));
                }
                match all.iter().position(|v| !v.is_finite()) {
                    Some(k) => lists(
                        &all[k / count * count..(k / count + 1) * count],
                        &format!(" of element {}", k / count),
                    ),
                    None => Ok(()),
                }
            }
            Self::PerPoint(all) => {
                if all.len() != count * points * cells.len() {
                    return Err(ForceError::Unsupported(format!(
                        "{} parameters for {} elements of {points} points: the law takes {count} at each point ({})",
                        all.len(),
                        cells.len(),
                        names.join(", ")
                    )));
                }
                match all.iter().position(|v| !v.is_finite()) {
                    Some(k) => {
                        let at = k / count;
                        let place = format!(" of element {}, point {}", at / points, at % points);
                        lists(&all[at * count..(at + 1) * count], &place)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// The constants of a cell whose element has one point.
    pub(crate) fn of(
        &self,
        cells: Cells<'_>,
        cell: usize,
        count: usize,
    ) -> Result<&'a [f64], ForceError> {
        self.at(cells, cell, (0, 1), count)
    }

    /// The constants at point `q` of a cell whose element has `points` of them.
    pub(crate) fn at(
        &self,
        cells: Cells<'_>,
        cell: usize,
        (q, points): (usize, usize),
        count: usize,
    ) -> Result<&'a [f64], ForceError> {
        match self {
            Self::Uniform(list) => Ok(list),
            Self::PerRegion(regions) => {
                cells.region_of(cell).and_then(|r| regions.get(r)).map(Vec::as_slice).ok_or_else(|| {
                    ForceError::Unsupported(format!(
                        "element {cell} is in no region, and parameters are given by region: put it into one"
                    ))
                })
            }
            Self::PerElement(all) => Ok(&all[cell * count..(cell + 1) * count]),
            Self::PerPoint(all) => {
                let at = cell * points + q;
                Ok(&all[at * count..(at + 1) * count])
            }
        }
    }
}

/// Checks that there is a weight for every cell, finite and not negative.
pub(crate) fn check_weights(weights: &[f64], cells: Cells<'_>) -> Result<(), ForceError> {
    if weights.len() != cells.len() {
        return Err(ForceError::Unsupported(format!(
            "{} weights for {} elements: one each is needed",
            weights.len(),
            cells.len()
        )));
    }
    match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        Some(cell) => Err(ForceError::Parameter {
            what: format!("weight of element {cell}"),
            found: weights[cell],
            accepted: "must be finite, and 0 or more".into(),
        }),
        None => Ok(()),
    }
}
