//! [`Parameters`]: a law's constants, the same everywhere or not.

use pliant_mesh::VolumeMesh;

use crate::model::ForceError;

/// Constants of a law in the order of `Law::PARAMETERS`, SI units.
#[derive(Debug, Clone, Copy)]
pub enum Parameters<'a> {
    /// The same in all elements.
    Uniform(&'a [f64]),
    /// One list for each region of the mesh; elements of no region are an error.
    PerRegion(&'a [Vec<f64>]),
    /// All constants of cell 0, then of cell 1, … in the user's numbering of cells.
    PerElement(&'a [f64]),
}

impl<'a> Parameters<'a> {
    /// Checks that every list has `count` finite entries for every cell.
    pub(crate) fn check(&self, names: &[&str], mesh: &VolumeMesh) -> Result<(), ForceError> {
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
                if regions.len() != mesh.regions.len() {
                    return Err(ForceError::Unsupported(format!(
                        "parameters for {} regions, but the mesh has {}",
                        regions.len(),
                        mesh.regions.len()
                    )));
                }
                for (list, region) in regions.iter().zip(&mesh.regions) {
                    lists(list, &format!(" of region '{}'", region.name))?;
                }
                Ok(())
            }
            Self::PerElement(all) => {
                if all.len() != count * mesh.cell_count() {
                    return Err(ForceError::Unsupported(format!(
                        "{} parameters for {} elements: the law takes {count} each ({})",
                        all.len(),
                        mesh.cell_count(),
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
        }
    }

    /// The constants of a cell.
    pub(crate) fn of(
        &self,
        mesh: &VolumeMesh,
        cell: usize,
        count: usize,
    ) -> Result<&'a [f64], ForceError> {
        match self {
            Self::Uniform(list) => Ok(list),
            Self::PerRegion(regions) => {
                mesh.region_of(cell).and_then(|r| regions.get(r)).map(Vec::as_slice).ok_or_else(|| {
                    ForceError::Unsupported(format!(
                        "element {cell} is in no region, and parameters are given by region: put it into one"
                    ))
                })
            }
            Self::PerElement(all) => Ok(&all[cell * count..(cell + 1) * count]),
        }
    }
}
