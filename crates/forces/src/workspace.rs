//! [`Workspace`]: scratch memory of the caller, in a form that each model chooses for itself.

use std::any::Any;

/// Scratch memory for evaluations of one model, one at a time. It is empty at first; the model puts into it what
/// it needs, and finds it again at the next evaluation. Nothing that a result depends on is kept in it.
#[derive(Default)]
pub struct Workspace(Option<Box<dyn Any + Send>>);

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Workspace(..)" } else { "Workspace(empty)" })
    }
}

impl Workspace {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns what is there if it is of type T and `fits`; else puts what `make` gives in its place.
    pub fn get<T: Any + Send>(
        &mut self,
        fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> &mut T {
        let serves =
            self.0.as_deref().and_then(<dyn Any + Send>::downcast_ref::<T>).is_some_and(fits);
        if !serves {
            self.0 = Some(Box::new(make()));
        }
        match self.0.as_deref_mut().and_then(<dyn Any + Send>::downcast_mut::<T>) {
            Some(found) => found,
            // It was found or put there above.
            None => unreachable!("a workspace without what was put into it"),
        }
    }
}
