//! Problems with known answers, to verify Pliant with: closed forms, discrete solutions and published
//! values, each with its source and its tolerance. What does not pass stays listed.
//!
//! ```
//! let problem = pliant_verify::problems().iter().find(|p| p.id == "hanging-block").unwrap();
//! let rows = problem.run(&mut |_| {})?;
//! assert!(rows.iter().all(|row| row.pass));
//! # Ok::<(), pliant_verify::VerifyError>(())
//! ```

mod beams;
mod body;
mod contact;
mod cook;
mod curved;
mod cylinder;
mod elastica;
mod error;
mod hanging_block;
mod homogeneous;
mod inflation;
mod load_patch;
mod loads;
mod moving_bodies;
mod nafems;
mod oscillators;
mod point_values;
mod recovery;
mod robustness;
mod row;
mod shapes;
mod structure;
mod torsion;
mod work;

pub use error::VerifyError;
pub use row::Row;

/// How long a problem takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Seconds.
    Short,
    /// More.
    Long,
}

/// Told in a few words what is being done.
pub type Progress<'a> = &'a mut dyn FnMut(&str);

/// A problem with known answers.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    /// Lower case with hyphens.
    pub id: &'static str,
    /// In words.
    pub title: &'static str,
    /// Where the answer comes from.
    pub source: &'static str,
    /// Its section in the list of references.
    pub section: u32,
    /// How long it takes.
    pub cost: Cost,
    run: fn(Progress<'_>) -> Result<Vec<Row>, VerifyError>,
}

impl Problem {
    /// Computes it.
    pub fn run(&self, progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
        (self.run)(progress)
    }
}

/// All problems, by section.
pub fn problems() -> &'static [Problem] {
    PROBLEMS
}

macro_rules! problems {
    ($($section:literal $cost:ident $id:literal $run:path, $title:literal, $source:literal;)*) => {
        const PROBLEMS: &[Problem] = &[$(Problem {
            id: $id,
            title: $title,
            source: $source,
            section: $section,
            cost: Cost::$cost,
            run: $run,
        }),*];
    };
}

problems! {
    1 Short "point-values" point_values::laws,
        "Energy and stress of five laws at four deformations", "closed form";
    2 Short "uniaxial" homogeneous::uniaxial,
        "Bars pulled and pressed, free at the sides", "closed form";
    2 Short "equibiaxial" homogeneous::equibiaxial,
        "A sheet pulled and pressed along two axes", "closed form";
    2 Short "simple-shear" homogeneous::simple_shear,
        "Simple shear", "closed form";
    2 Short "rubber-wall" homogeneous::rubber_wall,
        "Nearly incompressible wall under tension and pressure, plane strain", "Bijelonja et al. 2005; closed form";
    3 Short "hanging-block" hanging_block::hanging,
        "A block that hangs under its weight", "closed form and discrete solution";
    3 Short "standing-block" hanging_block::standing,
        "A block that stands under its weight", "closed form";
    3 Short "standing-block-limit" hanging_block::limit,
        "A block too heavy for St. Venant-Kirchhoff is refused", "closed form";
    4 Short "lame-cylinder" cylinder::lame_cylinder,
        "Thick cylinder under pressure, plane strain, linear", "Lamé";
    4 Short "curved-orders" curved::orders,
        "Thick cylinder under pressure: orders of quadratic elements with curved and straight edges", "Lamé; Ciarlet and Raviart 1972";
    4 Short "lame-sphere" cylinder::lame_sphere,
        "Thick sphere under pressure, linear", "Lamé";
    4 Short "locking-cylinder" cylinder::locking,
        "Nearly incompressible cylinder under pressure", "Lamé";
    4 Short "inflated-cylinder" cylinder::inflated,
        "Cylinder widened by a quarter, four laws", "radial equation, discrete solution";
    4 Long "pressure-vessel" cylinder::vessel,
        "Mooney-Rivlin pressure vessel", "closed form; solids4foam cylindricalPressureVessel";
    4 Short "inflated-incompressible-cylinder" inflation::of_cylinder,
        "Nearly incompressible cylinder, pressure against inner radius", "closed form";
    4 Long "inflated-incompressible-sphere" inflation::of_sphere,
        "Nearly incompressible sphere through its limit point, pressure against inner radius", "closed form";
    5 Long "torsion" torsion::cylinder,
        "Torsion of a nearly incompressible cylinder", "closed form (Rivlin 1948)";
    6 Short "cantilever" beams::cantilever,
        "Cantilever under end load and own weight", "Euler-Bernoulli and Timoshenko";
    6 Short "axial-modes" beams::axial_modes,
        "Natural frequencies of an axial bar", "closed form and discrete solution";
    6 Short "bending-modes" beams::bending_modes,
        "Natural frequencies of slender beams", "Euler-Bernoulli";
    6 Short "oscillating-plate" beams::oscillating_plate,
        "Oscillating plate, plane strain", "Landau and Lifshitz; SPHinXsys";
    7 Short "elastica" elastica::end_load,
        "Slender beam under a large end load", "elliptic integrals; Bisshopp and Drucker 1945; Mattiasson 1981";
    7 Long "elastica-circle" elastica::circle,
        "Slender beam bent to a circle by an end moment", "closed form";
    8 Short "toy" oscillators::hauth,
        "A mass on a damped spring", "Hauth 2004, 3.2.2";
    8 Short "one-frequency" oscillators::one_frequency,
        "Integrators on one frequency", "their recurrences";
    8 Short "free-fall" oscillators::free_fall,
        "Free fall", "closed form";
    8 Short "falling-body" moving_bodies::falling_body,
        "Free bodies fall and keep their shape, every element and mass", "closed form";
    8 Short "pendulum" oscillators::pendulum,
        "Periods of pendulums with large swings", "elliptic integrals";
    8 Short "spring-modes" oscillators::spring_modes,
        "Natural frequencies of a triangle and a chain of springs", "closed form";
    8 Short "swinging-cube" moving_bodies::swinging_cube,
        "A cube that swings in a known mode", "Gil, Lee and Bonet 2014; closed form";
    8 Short "spinning-bar" moving_bodies::spinning_bar,
        "A free bar that spins", "closed form";
    8 Long "hertz" contact::ball_in_block,
        "A ball pressed into a block, and an elastic ball", "Hertz 1882";
    10 Short "patch" structure::patch,
        "Affine patches with irregular inner nodes", "exact";
    10 Short "load-patch" load_patch::all,
        "Load patch over all elements: every kind of load gives its uniform stress", "exact";
    10 Short "zero-modes" structure::zero_modes,
        "Zero eigenvalues of free bodies", "exact";
    10 Short "rotation" structure::rotation,
        "Forces after a rigid rotation", "exact";
    10 Short "orders" structure::orders,
        "Orders of the elements", "manufactured solution";
    10 Short "driven-statics" work::driven_statics,
        "Work of a moved support and the energy that a bar stores", "closed form";
    11 Short "cook-finite-strain" cook::finite_strain,
        "Cook's panel at finite strain", "deal.II code gallery, quasi-static finite-strain compressible elasticity";
    11 Short "cook-linear" cook::linear,
        "Cook's panel in plane stress", "Cook 1974 and later tables";
    11 Short "cook-nearly-incompressible" cook::incompressible_bbar,
        "Cook's panel in plane strain, Poisson 0.4999", "later tables";
    11 Short "cook-nearly-incompressible-tet10-bbar" cook::incompressible_tet10_bbar,
        "Cook's panel in plane strain, Poisson 0.4999, quadratic tetrahedra with mean dilatation", "later tables";
    11 Long "cook-nearly-incompressible-tet10" cook::incompressible_tet10,
        "Cook's panel in plane strain, Poisson 0.4999", "later tables";
    11 Short "nafems-le1" nafems::le1,
        "Elliptic membrane", "NAFEMS LE1";
    11 Long "nafems-le10" nafems::le10,
        "Thick elliptic plate", "NAFEMS LE10";
    11 Short "nafems-le10-hex20" nafems::le10_hex20,
        "Thick elliptic plate on quadratic hexahedra", "NAFEMS LE10";
    11 Short "bend-45" nafems::bend,
        "45° bend under a tip load", "Bathe and Bolourchi 1979; Simo and Vu-Quoc 1986";
    11 Short "twisted-beam" nafems::twisted_beam,
        "Twisted beam", "MacNeal and Harder 1985; Belytschko et al. 1989";
    12 Long "recovery-neo-hookean" robustness::recovery_neo_hookean,
        "A spoilt cube returns to its shape, neo-hookean continued", "end state known";
    12 Long "recovery-stable-neo-hookean" robustness::recovery_stable,
        "A spoilt cube returns to its shape, stable-neo-hookean", "end state known";
    12 Long "recovery-corotational" robustness::recovery_corotational,
        "A spoilt cube returns to its shape, corotational", "end state known";
    12 Short "robust" recovery::small,
        "A tangled cube comes to rest by the static method robust", "the run from rest";
    12 Long "robust-neo-hookean" recovery::neo_hookean,
        "The same with 8³ cells, neo-hookean continued", "the run from rest";
    12 Long "robust-stable-neo-hookean" recovery::stable,
        "The same with 8³ cells, stable-neo-hookean", "the run from rest";
    12 Long "robust-corotational" recovery::corotational,
        "The same with 8³ cells, corotational", "the run from rest";
    12 Short "refusal" robustness::refusal,
        "Laws with ln J refuse inverted bodies", "end state known";
    12 Long "stretch-and-press" robustness::stretch,
        "Stretched tenfold, pressed to 5 %, released", "end state known";
    12 Long "twist" robustness::twist,
        "Twisted by eight turns and back", "end state known";
    12 Short "sweeps" robustness::sweeps,
        "Young's modulus from 1e2 to 1e8 Pa, steps from 1e-5 to 1 s", "finite";
    12 Short "slivers" robustness::slivers,
        "Slivers", "finite";
    12 Long "drift" robustness::drift,
        "A free body at rest stays", "end state known";
}
