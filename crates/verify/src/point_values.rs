//! Energy and stress of the laws at four deformations.

use pliant_algebra::mat3::Mat3;
use pliant_materials::{Constants, LawName, Material};

use crate::{Progress, Row, VerifyError};

/// The values are printed with thirteen digits.
const EXACT: f64 = 1e-12;

const DEFORMATIONS: [(&str, [f64; 9]); 4] = [
    ("stretched along one axis", [1.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    ("stretched along two axes", [1.3, 0.0, 0.0, 0.0, 1.3, 0.0, 0.0, 0.0, 0.8]),
    ("simple shear", [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    ("nine numbers", [1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.25]),
];

const ST_VENANT: LawName = LawName::ST_VENANT_KIRCHHOFF;
const NEO_HOOKEAN: LawName = LawName::NEO_HOOKEAN;
const ISOCHORIC: LawName = LawName::NEO_HOOKEAN_ISOCHORIC;
const MOONEY: LawName = LawName::MOONEY_RIVLIN;
const VERONDA: LawName = LawName::VERONDA_WESTMANN;

/// The constants of each law, in its own order.
const CONSTANTS: [(LawName, &[f64]); 5] = [
    (ST_VENANT, &[1.5, 1.0]),
    (NEO_HOOKEAN, &[1.5, 1.0]),
    (MOONEY, &[0.6, 0.3, 5.0]),
    (ISOCHORIC, &[0.5, 2.0]),
    (VERONDA, &[0.5, 0.8, 10.0]),
];

/// Law, deformation, W, P row by row.
#[rustfmt::skip]
const VALUES: [(LawName, usize, f64, [f64; 9]); 20] = [
    (ST_VENANT, 0, 0.68359375, [3.28125, 0.0, 0.0, 0.0, 0.9375, 0.0, 0.0, 0.0, 0.9375]),
    (ST_VENANT, 1, 0.465525, [1.8915, 0.0, 0.0, 0.0, 1.8915, 0.0, 0.0, 0.0, 0.324]),
    (ST_VENANT, 2, 0.15234375, [0.4375, 0.71875, 0.0, 0.5, 0.4375, 0.0, 0.0, 0.0, 0.1875]),
    (ST_VENANT, 3, 0.4030203125, [1.000625, 0.32025, -0.428875, 0.1586875, 0.521875, 0.693375, -0.5735, 0.463875, 1.6611875]),
    (NEO_HOOKEAN, 0, 0.34283635731171, [1.238798441441, 0.0, 0.0, 0.0, 0.6081976621622, 0.0, 0.0, 0.0, 0.6081976621622]),
    (NEO_HOOKEAN, 1, 0.27663014642412, [0.8787518972547, 0.0, 0.0, 0.0, 0.8787518972547, 0.0, 0.0, 0.0, 0.1154718330389]),
    (NEO_HOOKEAN, 2, 0.125, [0.0, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
    (NEO_HOOKEAN, 3, 0.25459805033807, [0.3689646222794, 0.2817824965943, -0.2235082601628, 0.2235791764451, -0.00461455416567, 0.4001418325645, -0.3001418325645, 0.3236500927273, 0.5957400272455]),
    (MOONEY, 0, 1.4569527235506, [5.702890877743, 0.0, 0.0, 0.0, 6.972831841693, 0.0, 0.0, 0.0, 6.972831841693]),
    (MOONEY, 1, 0.89944341310071, [4.107644713941, 0.0, 0.0, 0.0, 4.107644713941, 0.0, 0.0, 0.0, 4.496554679691]),
    (MOONEY, 2, 0.225, [-0.2, 0.9, 0.0, 1.0, -0.2, 0.0, 0.0, 0.0, -0.05]),
    (MOONEY, 3, 0.52933636764775, [1.678583900582, 0.4835076199106, -0.2044542282367, 0.2579006197379, 1.16766588512, 0.5947407425801, -0.3801140594435, 0.3021287211078, 1.852340822549]),
    (ISOCHORIC, 0, 0.37167851028389, [1.423968237983, 0.0, 0.0, 0.0, 1.182023821513, 0.0, 0.0, 0.0, 1.182023821513]),
    (ISOCHORIC, 1, 0.2678148543631, [0.9523547183418, 0.0, 0.0, 0.0, 0.9523547183418, 0.0, 0.0, 0.0, 0.4741271653892]),
    (ISOCHORIC, 2, 0.125, [-0.08333333333333, 0.5, 0.0, 0.5416666666667, -0.08333333333333, 0.0, 0.0, 0.0, -0.08333333333333]),
    (ISOCHORIC, 3, 0.23429050995089, [0.2755922515371, 0.2615411780447, -0.2121313936465, 0.2161904222741, -0.07634982053443, 0.370122456715, -0.2796213568501, 0.3107505507667, 0.4869519217933]),
    (VERONDA, 0, 0.88884858170844, [2.985754429298, 0.0, 0.0, 0.0, 3.842660799649, 0.0, 0.0, 0.0, 3.842660799649]),
    (VERONDA, 1, 0.51274255523991, [2.419910469792, 0.0, 0.0, 0.0, 2.419910469792, 0.0, 0.0, 0.0, 3.444727633956]),
    (VERONDA, 2, 0.060701379080085, [-0.01476018387734, 0.2885611032641, 0.0, 0.2959411952027, -0.01476018387734, 0.0, 0.0, 0.0, -0.1147601838773]),
    (VERONDA, 3, 0.21035193664621, [1.321654684818, -0.03512274298099, 0.05293626902149, -0.2117891810452, 1.441985786326, 0.0507591185097, -0.02041934503192, -0.1910723374125, 1.409971279672]),
];

pub(crate) fn laws(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for (name, constants) in CONSTANTS {
        progress(name.name());
        let law = Material::new(name).point();
        let parameters = Constants::Own(constants.to_vec()).parameters(name)?;
        for (_, at, energy, stress) in VALUES.iter().filter(|row| row.0 == name) {
            let (words, f) = DEFORMATIONS[*at];
            let f = Mat3::from_array(f);
            let what = format!("{}, {words}", name.name());
            let got = law.energy(&parameters, &f);
            rows.push(Row::relative(format!("{what}: energy"), "a point", *energy, got, EXACT));
            // All nine by their largest, which is the one that is shown.
            let got = law.stress(&parameters, &f);
            let largest = (0..9).max_by(|&a, &b| stress[a].abs().total_cmp(&stress[b].abs()));
            let largest = largest.unwrap_or(0);
            let expected = Mat3::from_array(*stress);
            let error = (got - expected).max_abs() / stress[largest].abs();
            let shown = [stress[largest], got.to_array()[largest]];
            rows.push(Row::new(format!("{what}: stress"), "a point", shown, error, EXACT));
        }
    }
    Ok(rows)
}
