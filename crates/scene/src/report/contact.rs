//! The section of a report on contact.

use pliant_model::ContactMode;
use pliant_report::{ColourBar, Html, Picture, Section, facts};
use pliant_units::{count, number, si};

use super::{Run, pictures, pressed, tables};
use crate::run::touching::ContactTally;

impl Run<'_> {
    /// How bodies touched each other and obstacles, what they exert on each other, and what friction between them has taken.
    pub(super) fn contact(&self) -> Option<Section> {
        let summary = self.summary.as_ref()?;
        let contact = summary.contact.filter(|c| c.steps > 0)?;
        let forces = &summary.contact_forces;
        let mut section = Section::new("Contact");
        let (steps, all) = (contact.steps, summary.steps);
        let mut list = vec![
            ("Mode".to_owned(), format!("{}: {}", contact.mode.name(), contact.mode.about())),
            ("Steps in contact".to_owned(), format!("{} of {}", count(steps), count(all))),
        ];
        if contact.mode == ContactMode::Barrier {
            let text = format!("0 in {} steps that were tested", count(contact.tested));
            list.push(("Intersections".to_owned(), text));
        }
        list.push(("Smallest gap".to_owned(), gap(&contact)));
        let pressed = self.album.as_ref().and_then(|album| album.pressed.as_ref());
        let seen = pressed.map_or(0.0, |m| f64::from(m.greatest_pressure()));
        match contact.greatest_pressure {
            0.0 if seen > 0.0 => {
                let text = format!("{} among the moments that were looked at", si(seen, "Pa"));
                list.push(("Greatest pressure".to_owned(), text));
            }
            0.0 => {}
            pressure => list.push(("Greatest pressure".to_owned(), si(pressure, "Pa"))),
        }
        list.push(("Most pairs at once".to_owned(), count(contact.most_pairs)));
        if contact.newton > 0 {
            let mean = |n: u64, steps: u64| number(n as f64 / steps.max(1) as f64);
            let mut text = format!("{} a step in contact", mean(contact.newton, steps));
            if all > steps {
                let others = summary.newton_iterations.saturating_sub(contact.newton);
                text += &format!(", {} a step without", mean(others, all - steps));
            }
            list.push(("Newton iterations".to_owned(), text));
        }
        if forces.friction_work != 0.0 && forces.friction_work.is_finite() {
            let stored = match forces.friction_stored {
                0.0 => String::new(),
                stored => format!(", of which {} is stored where surfaces stick", si(stored, "J")),
            };
            let text = format!("{}{stored}", si(forces.friction_work, "J"));
            list.push(("Work of friction".to_owned(), text));
        }
        section.push(facts(&list));
        if let Some(pressed) =
            self.album.as_ref().and_then(|a| pressed::draw(a, self.scene, self.simulation))
        {
            let bar = ColourBar {
                map: &pictures::COLOURS,
                title: "contact pressure",
                low: "0",
                high: &format!("≥ {}", si(pressed.highest, "Pa")),
            };
            section.push(bar.html());
            let at = format!("t = {}", si(pressed.moment.time, "s"));
            let about = format!("step {}", count(pressed.moment.step));
            let figures = ["From above", "From below"].iter().zip(&pressed.images);
            let figures: Vec<Html> = figures
                .map(|(side, image)| {
                    Picture { image, title: &format!("{side}, {at}"), about: &about }.html()
                })
                .collect();
            section.push(Html::grid(&figures));
            let apart = if self.simulation.bodies.len() > 1 {
                " Bodies are drawn apart, so that it is seen where they touch."
            } else {
                ""
            };
            let text = format!(
                "Of the moments that were looked at, that of the greatest pressure, as forces along the normal over areas.{apart}"
            );
            section.push(Html::note(&text));
        }
        if !forces.pairs.is_empty() {
            section.push(tables::contact_forces(forces));
            section.push(tables::contact_torques(forces));
        }
        Some(section)
    }
}

/// The smallest gap of a run, and when it was.
fn gap(contact: &ContactTally) -> String {
    let at = si(contact.time, "s");
    match contact.smallest_gap {
        gap if gap < 0.0 => format!("none: {} deep, at t = {at}", si(-gap, "m")),
        gap => format!("{}, at t = {at}", si(gap, "m")),
    }
}
