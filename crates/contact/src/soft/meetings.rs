//! [`BodyMeetings`]: vertices that are inside of other bodies, for methods that treat them without a force.

use pliant_algebra::vec3::Vec3;
use pliant_forces::Workspace;
use pliant_forces::obstacles::{Meeting, Meets};

use super::SoftContact;

/// Finds vertices inside of bodies, where they press in [`SoftContact`].
#[derive(Debug)]
pub struct BodyMeetings {
    contact: SoftContact,
    work: Workspace,
}

impl BodyMeetings {
    /// Of the bodies of a contact.
    pub fn new(contact: SoftContact) -> Self {
        Self { contact, work: Workspace::new() }
    }
}

impl Meets for BodyMeetings {
    fn find(&mut self, x: &[Vec3], found: &mut Vec<Meeting>) {
        self.contact.each(x, &mut self.work, |nodes, press| {
            let depth = -press.closest.distance;
            if depth > 0.0 {
                let (weights, normal) = (press.closest.weights, press.closest.normal);
                found.push(Meeting { nodes, weights, normal, depth });
            }
        });
    }
}
