//! [`Material`]: a law of the catalogue in one of its variants.

use crate::catalogue::{Continuation, Inversion, LawName};
use crate::error::{MaterialError, ensure};
use crate::point::PointLaw;

/// A choice of law and variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    law: LawName,
    inversion: Inversion,
}

impl Material {
    /// A law without options.
    pub fn new(law: LawName) -> Self {
        Self { law, inversion: Inversion::Plain }
    }

    /// A law by its name in the catalogue.
    pub fn by_name(name: &str) -> Result<Self, MaterialError> {
        LawName::parse(name).map(Self::new)
    }

    /// With another treatment of inversion. Corotational in its polar frame and stable neo-Hookean take
    /// any F as they are.
    pub fn with_inversion(self, inversion: Inversion) -> Result<Self, MaterialError> {
        if let Inversion::Continued(threshold) = inversion {
            if let Some(found) = threshold {
                let accepted = "must lie between 0 and 1, both excluded";
                ensure(found > 0.0 && found < 1.0, "inversion threshold", found, accepted)?;
            }
            if let Continuation::Refused(hint) = self.law.entry().inversion {
                let law = self.law.name();
                return Err(MaterialError::NoVariant { law, option: "continue", hint });
            }
        }
        Ok(Self { inversion, ..self })
    }

    /// The law.
    pub fn law(&self) -> LawName {
        self.law
    }

    /// Treatment of inversion.
    pub fn inversion(&self) -> Inversion {
        self.inversion
    }

    /// The law behind a pointer, for element loops as well as for single points.
    pub fn point(&self) -> Box<dyn PointLaw> {
        (self.law.entry().make)(self.inversion)
    }
}
