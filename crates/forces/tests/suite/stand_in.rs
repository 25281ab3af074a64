//! A law that stands in for that of a solid.

use pliant_forces::solid::solid;
use pliant_forces::{ElementName, Parameters, Partition};
use pliant_materials::{Inversion, LawName, Material};

use crate::common::{deformed, everything, irregular_box, norm, pattern_of};

#[test]
fn an_easier_law_of_the_same_shear_modulus_stands_in_and_goes_again() {
    // λ = 99 μ is a Poisson's ratio of 0.495; that of the law that stands in is 0.3, with λ = 1.5 μ.
    let (stiff, easy) = ([99.0 * 2.0, 2.0], [3.0 + 5.0 / 6.0 * 2.0, 4.0 / 3.0 * 2.0]);
    let continued = Inversion::Continued(None);
    for element in [ElementName::Tet4, ElementName::Hex8, ElementName::Tet10] {
        let mesh = irregular_box(element.cell_type().nodes(), [3, 2, 1]);
        let partition = Partition::with_chunk_size(&mesh, 10).unwrap();
        let x = deformed(&mesh, &partition, 0.1);
        let make = |material: Material, p: &[f64]| {
            let p = Parameters::Uniform(p);
            solid(&mesh, &partition, element, material.point(), p, &|_| true).unwrap()
        };
        let mut easier = make(Material::new(LawName::STABLE_NEO_HOOKEAN), &easy);
        let pattern = pattern_of(&*easier, x.len());
        let expected = everything(&mut *easier, &x, &pattern, 1.0).unwrap();
        for material in [
            Material::new(LawName::NEO_HOOKEAN).with_inversion(continued).unwrap(),
            Material::new(LawName::COROTATIONAL),
        ] {
            let mut model = make(material, &stiff);
            let before = everything(&mut *model, &x, &pattern, 1.0).unwrap();
            let character = model.character();
            assert!(model.stand_in(true) && model.stand_in(true));
            let found = everything(&mut *model, &x, &pattern, 1.0).unwrap();
            let off: Vec<_> = (found.gradient.iter().zip(&expected.gradient))
                .map(|(a, b)| std::array::from_fn(|k| a[k] - b[k]))
                .collect();
            assert!(norm(&off) < 1e-12 * norm(&expected.gradient), "{}", norm(&off));
            assert!((found.energy / expected.energy - 1.0).abs() < 1e-12);
            assert_eq!(model.character().symmetric, character.symmetric);
            assert!(!model.stand_in(false) && !model.stand_in(false));
            let after = everything(&mut *model, &x, &pattern, 1.0).unwrap();
            assert_eq!(before.bits(), after.bits());
            assert!((before.energy / expected.energy - 1.0).abs() > 0.1, "the same law");
        }
        // A law that takes no inverted elements has none, and stays as it is.
        let mut plain = make(Material::new(LawName::NEO_HOOKEAN), &stiff);
        assert!(!plain.stand_in(true));
    }
}
