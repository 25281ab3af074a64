//! From what a scene says of a body to what [`pliant_model`] makes it of: mesh, materials by cell, densities.

mod spot;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_forces::ElementName;
use pliant_forces::springs::Stiffness;
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::{Constants, LawName, MaterialError};
use pliant_mesh::measure::{bounding_box, volume};
use pliant_mesh::topology::components;
use pliant_mesh::{NamedSet, VolumeMesh};
use pliant_model::{BodyBuilder, CellConstants, DENSITY, Elastic, SpringNetwork};

use self::spot::{Spot, in_cell, in_cell_at};
use crate::build::fibres::FibresOn;
use crate::build::warnings;
use crate::error::SceneError;
use crate::spec::body::BodySpec;
use crate::spec::cell_quantity::{CellQuantity, CellValues, MeshData, centre};
use crate::spec::material::{MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness};

/// Reads or makes the mesh of a body, puts it in place and finds out what each of its cells is made of.
pub(crate) fn body(spec: &BodySpec, warnings: &mut Vec<String>) -> Result<BodyBuilder, SceneError> {
    let (mut mesh, element, notes) = spec.mesh.make()?;
    warnings.extend(notes.iter().cloned());
    let parts = components(&mesh).count;
    if parts > 1 {
        warnings.push(format!(
            "{}: the mesh of body '{}' has {parts} parts that nothing holds together",
            spec.location, spec.name
        ));
    }
    if !spec.mesh.is_in_place() {
        spec.pose.put(&mut mesh.vertices);
    }
    mark_regions(spec, &mut mesh)?;
    let data = MeshData { body: spec, mesh: &mesh, notes: &notes };
    let cells = Cells::of(spec, data)?;
    for (material, density) in cells.extremes(&mesh) {
        for warning in warnings::of_material(&material, element, density) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    let (materials, springs) = cells.groups(data, element)?;
    let weights = weights(data, springs.is_some())?;
    let modulus = cells.stiffness(cell_size(&mesh), &mesh);
    let bounds = bounding_box(&mesh);
    warnings.extend(warnings::of_size(spec, norm(sub(bounds.max, bounds.min))));
    let names = cells.kinds.iter().map(|(material, _)| material.name.clone()).collect();
    let of_cells = cells.kind.iter().map(|&kind| kind as u32).collect();
    let mut body = BodyBuilder::new(&spec.name, mesh)
        .material_names(names, of_cells)
        .element(element)
        .densities(cells.density)
        .mass(spec.mass)
        .damping(spec.damping)
        .modulus(modulus);
    for material in materials {
        body = body.material(material);
    }
    if let Some(weights) = weights {
        body = body.weights(weights);
    }
    Ok(match springs {
        Some(springs) => body.springs(springs),
        None => body,
    })
}

/// Makes cell sets of the regions that go by a condition, so that they serve as those of a mesh file do.
fn mark_regions(spec: &BodySpec, mesh: &mut VolumeMesh) -> Result<(), SceneError> {
    let bounds = bounding_box(mesh);
    let size = norm(sub(bounds.max, bounds.min));
    for region in &spec.regions {
        let Some((condition, text)) = &region.chosen else { continue };
        let (name, at) = (&region.name, &region.location);
        if cells_called(name, mesh).is_some() {
            let text = format!("the mesh of body '{}' has a region '{name}' already", spec.name);
            let hint = "give this one another name, or leave its condition out";
            return Err(SceneError::new(text).at(at).hint(hint));
        }
        let inside = |c: &u32| condition.holds(centre(mesh, *c as usize), [0.0; 3], size);
        let items: Vec<u32> = (0..mesh.cell_count() as u32).filter(inside).collect();
        if items.is_empty() {
            let body = &spec.name;
            let text = format!("no cell of body '{body}' has its middle where {text}");
            let hint = "the condition is on x, y and z where the scene puts the body, in m; or its cells are too large";
            return Err(SceneError::new(text).at(at).hint(hint));
        }
        mesh.cell_sets.push(NamedSet { name: name.clone(), items });
    }
    Ok(())
}

fn cell_size(mesh: &VolumeMesh) -> f64 {
    (volume(mesh).abs() / mesh.cell_count() as f64).cbrt()
}

/// What each cell is made of.
struct Cells {
    /// Materials with constants, and the densities they come with.
    kinds: Vec<(MaterialSpec, CellQuantity)>,
    /// Of each cell, which one.
    kind: Vec<usize>,
    /// kg/m³
    density: Vec<f64>,
}

impl Cells {
    fn of(spec: &BodySpec, data: MeshData<'_>) -> Result<Self, SceneError> {
        let mesh = data.mesh;
        let count = mesh.cell_count();
        let mut cells = Self {
            kinds: Vec::new(),
            kind: vec![usize::MAX; count],
            density: vec![DENSITY; count],
        };
        let default = MaterialSpec::stable();
        let asked = spec.material.as_ref();
        let whole = asked.unwrap_or(&default);
        // The mesh's own constants first, then the scene's, then those of its regions.
        let density = spec.density.clone().unwrap_or(CellQuantity::Uniform(DENSITY));
        cells.put(whole.clone(), density, &mut (0..count));
        for (r, region) in mesh.regions.iter().enumerate() {
            let Some(record) = region.material.and_then(|m| mesh.materials.get(m as usize)) else {
                continue;
            };
            let density = spec.density.clone().unwrap_or(CellQuantity::Uniform(record.density));
            let mut list = mesh.region_cells(r).into_iter().map(|c| c as usize);
            cells.put(whole.with_record(record), density, &mut list);
        }
        for region in &spec.regions {
            let Some(list) = cells_called(&region.name, mesh) else {
                let text =
                    format!("the mesh of body '{}' has no region '{}'", spec.name, region.name);
                let names: Vec<&str> = mesh
                    .regions
                    .iter()
                    .map(|r| r.name.as_str())
                    .chain(mesh.cell_sets.iter().map(|s| s.name.as_str()))
                    .collect();
                let hint = format!("there are {}", names.join(", "));
                return Err(SceneError::new(text).at(&region.location).hint(hint));
            };
            for kind in 0..cells.kinds.len() {
                let of_kind = |c: &usize| cells.kind[*c] == kind;
                let own: Vec<usize> = list.iter().map(|&c| c as usize).filter(of_kind).collect();
                let (old, old_density) = cells.kinds[kind].clone();
                let material = region.material.clone().unwrap_or(old);
                let density = region.density.clone().unwrap_or(old_density);
                cells.put(material, density, &mut own.into_iter());
            }
        }
        // A material without constants is one whose constants the mesh should have had.
        for (cell, &kind) in cells.kind.iter().enumerate() {
            let material = &cells.kinds[kind].0;
            if matches!(
                material.kind,
                MaterialKind::Elastic { constants: MaterialConstants::OfMesh, .. }
            ) {
                let text =
                    format!("nothing says the constants of element {cell} of body '{}'", spec.name);
                let location = asked.map_or(&spec.location, |m| &m.location);
                let hint = "give the material young = \"100 kPa\" and poisson = 0.45";
                return Err(SceneError::new(text).at(location).hint(hint));
            }
        }
        cells.weigh(data)?;
        Ok(cells)
    }

    /// Gives each cell its density.
    fn weigh(&mut self, data: MeshData<'_>) -> Result<(), SceneError> {
        let densities = self.kinds.iter().map(|(_, density)| density.on(&data));
        let densities = densities.collect::<Result<Vec<_>, _>>()?;
        for (cell, (&kind, density)) in self.kind.iter().zip(&mut self.density).enumerate() {
            let at = centre(data.mesh, cell);
            *density = densities[kind].at(cell, at);
            if !(*density > 0.0 && density.is_finite()) {
                let error = refused("density", *density, "must be above 0, kg/m³");
                return Err(in_cell(
                    error,
                    Spot { cell, point: None, at },
                    &densities[kind..=kind],
                    data,
                ));
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        material: MaterialSpec,
        density: CellQuantity,
        cells: &mut dyn Iterator<Item = usize>,
    ) {
        let same = |(m, d): &(MaterialSpec, CellQuantity)| {
            let same = m.location == material.location && m.name == material.name;
            same && m.kind == material.kind && *d == density
        };
        let kind = self.kinds.iter().position(same).unwrap_or_else(|| {
            self.kinds.push((material, density));
            self.kinds.len() - 1
        });
        for cell in cells {
            self.kind[cell] = kind;
        }
    }

    /// Cells of the same law together; or the springs along all edges.
    fn groups(
        &self,
        data: MeshData<'_>,
        element: ElementName,
    ) -> Result<(Vec<Elastic>, Option<SpringNetwork>), SceneError> {
        let MeshData { body, mesh, .. } = data;
        let used: Vec<bool> = (0..self.kinds.len()).map(|k| self.kind.contains(&k)).collect();
        let mut groups: Vec<Elastic> = Vec::new();
        let (mut young, mut rigidity) = (vec![0.0; mesh.cell_count()], None);
        let mut damping = None;
        for (k, (spec, _)) in self.kinds.iter().enumerate().filter(|(k, _)| used[*k]) {
            let cells = (0..mesh.cell_count()).filter(|&c| self.kind[c] == k);
            match &spec.kind {
                MaterialKind::Springs { stiffness, damping: d } => {
                    damping = Some(*d);
                    match stiffness {
                        SpringStiffness::Young(e) => {
                            let e = e.on(&data)?;
                            for c in cells {
                                let at = centre(mesh, c);
                                young[c] = e.at(c, at);
                                if !(young[c] > 0.0 && young[c].is_finite()) {
                                    let error = refused("young", young[c], "must be above 0");
                                    let spot = Spot { cell: c, point: None, at };
                                    return Err(in_cell(error, spot, &[e], data));
                                }
                            }
                        }
                        SpringStiffness::Rigidity(ea) => rigidity = Some(*ea),
                    }
                }
                MaterialKind::Elastic { material, constants, resistance, memory, fibres } => {
                    let at = |e: SceneError| e.at(&spec.location);
                    let law = material.law();
                    let fibres = FibresOn::new(fibres, material, data)?;
                    let of_law = match constants {
                        MaterialConstants::Uniform(constants) => Some(constants.parameters(law)),
                        MaterialConstants::OfEnergy(energy) => Some(Ok(energy.parameters())),
                        MaterialConstants::OfMesh | MaterialConstants::PerCell(_) => None,
                    };
                    let uniform = of_law
                        .filter(|_| memory.is_some() && fibres.is_uniform())
                        .map(|law| fibres.put_into(law?, (0, [0.0; 3]), 1.0))
                        .transpose()
                        .map_err(|e| at(e.into()))?;
                    let branches =
                        memory.as_ref().map(|m| m.branches(material, uniform.as_deref()));
                    let (branches, factor) = match branches.transpose()? {
                        Some((branches, factor)) => (Some(branches), factor),
                        None => (None, 1.0),
                    };
                    let viscosity = memory.as_ref().map_or([0.0; 2], |memory| memory.viscosity);
                    let mut put = |c: usize, points: &[PointValues]| {
                        let same = |g: &Elastic| {
                            let remembers = g.memory == branches && g.viscosity == viscosity;
                            g.material == *material && remembers && fibres.pull_as(&g.active)
                        };
                        let location = groups.iter().position(same).unwrap_or_else(|| {
                            groups.push(Elastic {
                                material: *material,
                                constants: CellConstants::Uniform(points[0].law.clone()),
                                resistance: CellConstants::Uniform(vec![points[0].resistance]),
                                cells: Some(vec![false; mesh.cell_count()]),
                                modulus: 0.0,
                                active: fibres.active(&points[0].tensions),
                                memory: branches.clone(),
                                viscosity,
                            });
                            groups.len() - 1
                        });
                        let (group, count) = (&mut groups[location], mesh.cell_count());
                        group.cells.iter_mut().for_each(|cells| cells[c] = true);
                        let all = |of: &dyn Fn(&PointValues) -> &[f64]| -> Vec<f64> {
                            points.iter().flat_map(of).copied().collect()
                        };
                        group.constants.set(c, &all(&|p| &p.law), count);
                        let resistance = all(&|p| std::slice::from_ref(&p.resistance));
                        group.resistance.set(c, &resistance, count);
                        for (k, active) in group.active.iter_mut().enumerate() {
                            active.constants.set(c, &all(&|p| &p.tensions[k]), count);
                        }
                    };
                    let computed =
                        |constants: &Constants, c: usize, x: Vec3| -> Result<_, MaterialError> {
                            let resistance = match *resistance {
                                0.0 => 0.0,
                                r => CompressionResistance::stiffness(r, law, constants)?,
                            };
                            let law = constants.times(law, factor)?.parameters(law)?;
                            let law = fibres.put_into(law, (c, x), factor)?;
                            Ok(PointValues { law, resistance, tensions: fibres.tensions(c, x)? })
                        };
                    let energy_at = |c: usize, x: Vec3| -> Result<_, MaterialError> {
                        let (law, bulk) = match constants {
                            MaterialConstants::OfEnergy(e) => (e.parameters(), e.lame.bulk()),
                            _ => (Vec::new(), 0.0),
                        };
                        let resistance = *resistance * bulk / 864.0;
                        let law = fibres.put_into(law, (c, x), factor)?;
                        Ok(PointValues { law, resistance, tensions: fibres.tensions(c, x)? })
                    };
                    let (list, sources) = match constants {
                        MaterialConstants::OfMesh => continue,
                        MaterialConstants::OfEnergy(_) if fibres.is_uniform() => {
                            let values = energy_at(0, [0.0; 3]);
                            let values = values.map_err(|e| at(e.into()))?;
                            cells.for_each(|c| put(c, std::slice::from_ref(&values)));
                            continue;
                        }
                        MaterialConstants::Uniform(constants) if fibres.is_uniform() => {
                            let values = computed(constants, 0, [0.0; 3]);
                            let values = values.map_err(|e| at(e.into()))?;
                            cells.for_each(|c| put(c, std::slice::from_ref(&values)));
                            continue;
                        }
                        MaterialConstants::Uniform(_) | MaterialConstants::OfEnergy(_) => {
                            (&[][..], Vec::new())
                        }
                        MaterialConstants::PerCell(list) => {
                            let sources = list.iter().map(|(_, q)| q.on(&data));
                            (&list[..], sources.collect::<Result<Vec<_>, _>>()?)
                        }
                    };
                    let by_point =
                        sources.iter().any(CellValues::is_formula) || fibres.is_formula();
                    for c in cells {
                        let points =
                            if by_point { element.rest_points(mesh, c) } else { vec![[0.0; 3]] };
                        let mut values = Vec::with_capacity(points.len());
                        for (p, &x) in points.iter().enumerate() {
                            let here = match constants {
                                MaterialConstants::OfEnergy(_) => energy_at(c, x),
                                MaterialConstants::Uniform(constants) => computed(constants, c, x),
                                _ => given_at(c, x, list, &sources, law)
                                    .and_then(|constants| computed(&constants, c, x)),
                            };
                            values.push(here.map_err(|e| {
                                let point = by_point.then_some(p);
                                let spot = Spot { cell: c, point, at: x };
                                let family = fibres.first().map(|family| &family.location);
                                let location = family.unwrap_or(&spec.location);
                                in_cell_at(e, spot, &sources, (data, location))
                            })?);
                        }
                        put(c, &values);
                    }
                }
            }
        }
        match damping {
            None => Ok((groups, None)),
            Some(damping) if groups.is_empty() => {
                let stiffness = rigidity.map_or(Stiffness::VanGelder(young), Stiffness::Axial);
                Ok((groups, Some(SpringNetwork { stiffness, damping })))
            }
            Some(_) => {
                let text = format!("body '{}' has both springs and elements", body.name);
                let hint = "make two bodies of it, and join them by an attachment";
                Err(SceneError::new(text).at(&body.location).hint(hint))
            }
        }
    }

    /// Each material with the least of its values, and with the largest, where they differ from cell to cell.
    fn extremes(&self, mesh: &VolumeMesh) -> Vec<(MaterialSpec, f64)> {
        let mut list = Vec::new();
        for (k, (spec, density)) in self.kinds.iter().enumerate() {
            let own: Vec<u32> =
                (0..self.kind.len() as u32).filter(|&c| self.kind[c as usize] == k).collect();
            let range =
                |q: &CellQuantity| q.range(mesh, Some(&own)).or(q.uniform().map(|v| (v, v)));
            for largest in [false, true] {
                let pick = |q: &CellQuantity| {
                    range(q).map_or(f64::NAN, |(low, high)| if largest { high } else { low })
                };
                let mut spec = spec.clone();
                match &mut spec.kind {
                    MaterialKind::Elastic { material, constants, .. } => {
                        if let MaterialConstants::PerCell(given) = constants {
                            let given: Vec<_> = given.iter().map(|(n, q)| (*n, pick(q))).collect();
                            *constants = Constants::from_names(material.law(), &given)
                                .map_or(MaterialConstants::OfMesh, MaterialConstants::Uniform);
                        }
                    }
                    MaterialKind::Springs { stiffness: SpringStiffness::Young(q), .. } => {
                        *q = CellQuantity::Uniform(pick(q));
                    }
                    MaterialKind::Springs { .. } => {}
                }
                let entry = (spec, pick(density));
                list.push(entry);
            }
        }
        list
    }

    /// About the largest Young's modulus, Pa.
    fn stiffness(&self, cell_size: f64, mesh: &VolumeMesh) -> f64 {
        let of = |(spec, _): (MaterialSpec, f64)| match &spec.kind {
            MaterialKind::Springs { stiffness: SpringStiffness::Young(young), .. } => {
                young.uniform().unwrap_or(0.0)
            }
            // A spring of length l stands for an area of about l².
            MaterialKind::Springs { stiffness: SpringStiffness::Rigidity(ea), .. } => {
                ea / (cell_size * cell_size)
            }
            MaterialKind::Elastic {
                material,
                constants: MaterialConstants::Uniform(constants),
                ..
            } => match constants {
                Constants::YoungPoisson { young, .. } => *young,
                other => other
                    .parameters(material.law())
                    .map_or(0.0, |list| list.into_iter().fold(0.0, f64::max)),
            },
            MaterialKind::Elastic { constants: MaterialConstants::OfEnergy(energy), .. } => {
                energy.young()
            }
            MaterialKind::Elastic { .. } => 0.0,
        };
        self.extremes(mesh).into_iter().map(of).fold(0.0, f64::max)
    }
}

/// What an elastic material is at a point.
struct PointValues {
    /// Parameters of the law.
    law: Vec<f64>,
    /// Of an additional resistance to the loss of volume, Pa.
    resistance: f64,
    /// Tension, Pa, and direction of each family of fibres that pulls.
    tensions: Vec<[f64; 4]>,
}

/// The cells of a region or cell set of that name.
pub(crate) fn cells_called(name: &str, mesh: &VolumeMesh) -> Option<Vec<u32>> {
    match mesh.regions.iter().position(|r| r.name == name) {
        Some(region) => Some(mesh.region_cells(region)),
        None => mesh.cell_sets.iter().find(|s| s.name == name).map(|s| s.items.clone()),
    }
}

/// How often each cell counts, if the scene says so.
fn weights(data: MeshData<'_>, has_springs: bool) -> Result<Option<Vec<f64>>, SceneError> {
    let MeshData { body, mesh, .. } = data;
    let Some(quantity) = &body.weights else { return Ok(None) };
    if has_springs {
        let text = format!("body '{}' is made of springs, which have no weights", body.name);
        return Err(SceneError::new(text).at(&body.location).hint("weights are those of elements"));
    }
    let values = quantity.on(&data)?;
    let of = |cell: usize| {
        let at = centre(mesh, cell);
        let weight = values.at(cell, at);
        if weight.is_finite() && weight >= 0.0 {
            return Ok(weight);
        }
        let error = refused("weights", weight, "must be a finite number of 0 or more");
        Err(in_cell(error, Spot { cell, point: None, at }, &[values], data))
    };
    Ok(Some((0..mesh.cell_count()).map(of).collect::<Result<_, _>>()?))
}

/// The constants of a cell, at a position at rest in it.
fn given_at(
    cell: usize,
    at: Vec3,
    list: &[(&'static str, CellQuantity)],
    values: &[CellValues<'_>],
    law: LawName,
) -> Result<Constants, MaterialError> {
    let given: Vec<_> = list.iter().zip(values).map(|((n, _), v)| (*n, v.at(cell, at))).collect();
    Constants::from_names(law, &given)
}

fn refused(parameter: &str, found: f64, accepted: &'static str) -> MaterialError {
    MaterialError::OutOfRange { parameter: parameter.to_owned(), found, accepted }
}
