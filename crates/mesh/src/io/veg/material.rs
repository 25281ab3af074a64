//! Material lines of a `.veg` file: a law, the density, and the law's constants.

use std::io;

use crate::error::{ErrorKind, MeshError, Note};
use crate::io::scanner::Scanner;
use crate::io::text::TextWriter;
use crate::material::{MaterialLaw, MaterialRecord};

use super::nearest::nearest;

/// The laws of a `.veg` file. In the names of the orthotropic ones N, G and R count the Poisson's
/// ratios, the shear moduli and the entries of the rotation that are given.
const LAWS: [&str; 9] = [
    "ENU",
    "MOONEYRIVLIN",
    "ORTHOTROPIC",
    "ORTHOTROPIC_N3G3R9",
    "ORTHOTROPIC_N3G3",
    "ORTHOTROPIC_N1G1R9",
    "ORTHOTROPIC_N1G1",
    "ORTHOTROPIC_N1R9",
    "ORTHOTROPIC_N1",
];

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The material of that name; `line` stands behind the name of its law.
pub(super) fn parse(
    name: String,
    line: &mut Scanner<'_>,
    notes: &mut Vec<Note>,
) -> Result<MaterialRecord, MeshError> {
    let law = String::from_utf8_lossy(line.last_field()).to_ascii_uppercase();
    if !LAWS.contains(&law.as_str()) {
        let error =
            line.unexpected("the law of the material", &format!("one of {}", LAWS.join(", ")));
        return Err(match nearest(&law, LAWS) {
            Some(meant) => error.hint(format!("did you mean {meant}?")),
            None => error,
        });
    }
    let density = positive(line, "the density")?;
    let law = match law.as_str() {
        "ENU" => MaterialLaw::Isotropic {
            young: positive(line, "Young's modulus")?,
            poisson: isotropic_poisson(line)?,
        },
        "MOONEYRIVLIN" => MaterialLaw::MooneyRivlin {
            mu01: line.f64_field("mu01")?,
            mu10: line.f64_field("mu10")?,
            v1: line.f64_field("v1")?,
        },
        orthotropic => {
            orthotropic_law(orthotropic.strip_prefix("ORTHOTROPIC").unwrap_or(""), line)?
        }
    };
    if line.field().is_some() {
        let number = line.line_number();
        notes.push(Note::Skipped(format!(
            "line {number}: more numbers than the law of material '{name}' has were passed over"
        )));
    }
    Ok(MaterialRecord { name, density, law })
}

fn orthotropic_law(suffix: &str, line: &mut Scanner<'_>) -> Result<MaterialLaw, MeshError> {
    let mut young = [0.0; 3];
    for (e, what) in young.iter_mut().zip(["E1", "E2", "E3"]) {
        *e = positive(line, what)?;
    }
    let [e1, e2, e3] = young;
    let (poisson, shear) = if suffix.starts_with("_N1") {
        // Li and Barbič, Stable Corotational Materials (2014): one ν and one factor G for all
        // three planes keep the stiffness positive definite and reduce to isotropy for equal E.
        let nu = isotropic_poisson(line)?;
        let factor =
            if suffix.contains("G1") { positive(line, "the shear factor G")? } else { 1.0 };
        let poisson = [nu * (e1 / e2).sqrt(), nu * (e2 / e3).sqrt(), nu * (e3 / e1).sqrt()];
        let shear = [e1 * e2, e2 * e3, e3 * e1].map(|ee| factor * ee.sqrt() / (2.0 * (1.0 + nu)));
        let finite = poisson.iter().chain(&shear).all(|x| x.is_finite());
        if !finite || shear.iter().any(|&g| g <= 0.0) {
            let text = format!("these moduli give nu = {poisson:?} and G = {shear:?}");
            return Err(line
                .error(ErrorKind::NotFinite, text)
                .hint("moduli are in Pa: of rubber about 1e6, of steel 2e11"));
        }
        (poisson, shear)
    } else {
        let mut poisson = [0.0; 3];
        for (nu, what) in poisson.iter_mut().zip(["nu12", "nu23", "nu31"]) {
            *nu = line.f64_field(what)?;
        }
        let mut shear = [0.0; 3];
        for (g, what) in shear.iter_mut().zip(["G12", "G23", "G31"]) {
            *g = positive(line, what)?;
        }
        (poisson, shear)
    };
    let mut rotation = IDENTITY;
    if suffix.is_empty() || suffix.ends_with("R9") {
        for (i, r) in rotation.iter_mut().enumerate() {
            *r = line.f64_field(&format!("rotation entry R{i}"))?;
        }
    }
    Ok(MaterialLaw::Orthotropic { young, poisson, shear, rotation })
}

fn positive(line: &mut Scanner<'_>, what: &str) -> Result<f64, MeshError> {
    let value = line.f64_field(what)?;
    if value > 0.0 {
        return Ok(value);
    }
    Err(line.error(ErrorKind::Geometry, format!("{what} is {value}: it must be positive")))
}

fn isotropic_poisson(line: &mut Scanner<'_>) -> Result<f64, MeshError> {
    let nu = line.f64_field("Poisson's ratio")?;
    if -1.0 < nu && nu < 0.5 {
        return Ok(nu);
    }
    let text = format!("Poisson's ratio is {nu}: it must be above -1 and below 0.5");
    let error = line.error(ErrorKind::Geometry, text);
    Err(if nu == 0.5 { error.hint("0.49 is nearly incompressible") } else { error })
}

/// Writes the line that [`parse`] reads.
pub(super) fn write(material: &MaterialRecord, out: &mut TextWriter<'_>) -> io::Result<()> {
    let (law, groups): (&str, Vec<&[f64]>) = match &material.law {
        MaterialLaw::Isotropic { young, poisson } => {
            ("ENU", vec![std::slice::from_ref(young), std::slice::from_ref(poisson)])
        }
        MaterialLaw::MooneyRivlin { mu01, mu10, v1 } => {
            ("MOONEYRIVLIN", [mu01, mu10, v1].into_iter().map(std::slice::from_ref).collect())
        }
        MaterialLaw::Orthotropic { young, poisson, shear, rotation } if *rotation == IDENTITY => {
            ("ORTHOTROPIC_N3G3", vec![young, poisson, shear])
        }
        MaterialLaw::Orthotropic { young, poisson, shear, rotation } => {
            ("ORTHOTROPIC_N3G3R9", vec![young, poisson, shear, rotation])
        }
    };
    out.text(law)?;
    for &value in std::iter::once(&material.density).chain(groups.into_iter().flatten()) {
        out.text(", ")?;
        out.float(value)?;
    }
    out.text("\n")
}
