//! [`Sight`]: what of a simulation people want to see, besides where its surfaces are.

use pliant_algebra::vec3::Vec3;
use pliant_scene::{Simulation, Surface};

use crate::colour::Stresses;
use crate::command::{Colour, Marks, Plane};
use crate::cut::Cut;

/// What is asked for, and what it takes.
#[derive(Default)]
pub(crate) struct Sight {
    colour: Colour,
    marks: Marks,
    plane: Option<Plane>,
    stresses: Option<Stresses>,
    pressures: Vec<Vec3>,
    cut: Option<Cut>,
    /// Counts cuts: another number is another list of triangles.
    cuts: u32,
}

impl Sight {
    pub(crate) fn colour(&self) -> Colour {
        self.colour
    }

    pub(crate) fn set_colour(&mut self, colour: Colour) {
        self.colour = colour;
    }

    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }

    pub(crate) fn set_marks(&mut self, marks: Marks) {
        self.marks = marks;
    }

    pub(crate) fn set_plane(&mut self, plane: Option<Plane>) {
        if self.plane != plane {
            self.plane = plane;
            self.renew_cut();
        }
    }

    /// Other bodies.
    pub(crate) fn forget(&mut self) {
        self.stresses = None;
        if self.plane.is_some() {
            self.renew_cut();
        }
    }

    fn renew_cut(&mut self) {
        self.cut = None;
        self.cuts += 1;
    }

    /// The number of the cut, and the cut.
    pub(crate) fn cut(&mut self, simulation: &Simulation) -> (u32, Option<&Cut>) {
        if let Some(plane) = self.plane
            && self.cut.is_none()
        {
            self.cut = Some(Cut::new(simulation, plane));
        }
        (self.cuts, self.cut.as_ref())
    }

    /// The number of the cut.
    pub(crate) fn cuts(&self) -> u32 {
        self.cuts
    }

    /// The numbers by which surfaces are coloured, of all vertices of the system; none where nothing is to be computed.
    pub(crate) fn values(&mut self, simulation: &mut Simulation) -> Option<&[Vec3]> {
        if self.colour == Colour::None {
            return None;
        }
        if self.colour == Colour::ContactPressure {
            self.pressures.clear();
            // What cannot be computed in this state, and where nothing is to be touched, is 0.
            if let Ok(Some(fields)) = simulation.contact_fields() {
                self.pressures.extend(fields.pressure().iter().map(|&p| [p, 0.0, 0.0]));
            }
            self.pressures.resize(simulation.vertices(), [0.0; 3]);
            return Some(&self.pressures);
        }
        let stresses = self.stresses.get_or_insert_with(|| Stresses::new(simulation));
        stresses.update(simulation);
        Some(stresses.values())
    }
}

/// Values of the vertices of the system on those of a surface.
pub(crate) fn carried(surface: &Surface, values: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![[0.0; 3]; surface.positions().len()];
    surface.carry(values, &mut out);
    out
}
