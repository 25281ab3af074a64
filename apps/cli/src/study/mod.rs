//! `pliant compare` and `pliant converge`: many runs of one scene. `pliant study`: what a source claims.

mod compare;
mod converge;
mod flags;
mod named;

use indicatif::ProgressBar;
use pliant::study::Progress;

use crate::context::Context;

pub use compare::compare;
pub use converge::converge;
pub use flags::{CompareFlags, ConvergeFlags, StudyFlags};
pub use named::named;

/// Shows how far a study is, and says whether to go on.
fn watch<'a>(bar: &'a ProgressBar, context: &'a Context) -> impl Fn(Progress) -> bool + Sync + 'a {
    move |p: Progress| {
        bar.set_position((1000.0 * p.share) as u64);
        bar.set_message(format!("{} of {} runs", p.finished, p.total));
        !context.interrupted()
    }
}
