//! [`Material`]: a law of the catalogue in one of its variants.

use crate::catalogue::{Continuation, Inversion, LawName};
use crate::energy::Formula;
use crate::error::{MaterialError, ensure};
use crate::fibres::MOST_FAMILIES;
use crate::point::PointLaw;
use crate::reinforced::Reinforced;

/// A choice of law and variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    law: LawName,
    inversion: Inversion,
    families: usize,
    formula: Option<Formula>,
}

impl Material {
    /// A law without options.
    pub fn new(law: LawName) -> Self {
        Self { law, inversion: Inversion::Plain, families: law.entry().families, formula: None }
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

    /// A law by its energy. Its parameters are the constants of the formula, and zeros up to
    /// [`MOST_CONSTANTS`](crate::energy::MOST_CONSTANTS).
    pub fn by_energy(formula: Formula) -> Self {
        Self { formula: Some(formula), ..Self::new(LawName::ENERGY) }
    }

    /// The formula of a law that has one.
    pub fn formula(&self) -> Option<&Formula> {
        self.formula.as_ref()
    }

    /// With so many families of [fibres](crate::fibres), in place of those that the law has by itself. Their parameters
    /// ([`Family::parameters`](crate::fibres::Family::parameters)) follow the [`Material::matrix_parameters`] of the law.
    pub fn with_fibres(self, families: usize) -> Result<Self, MaterialError> {
        let law = self.law.name();
        let refused = |hint| Err(MaterialError::NoVariant { law, option: "fibres", hint });
        let entry = self.law.entry();
        if entry.is_linear || !(entry.make)(Inversion::Plain).has_energy() {
            return refused(
                "fibres follow large strains: use an isotropic law with an energy, such as neo-hookean",
            );
        }
        if self.law == LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL {
            return refused("polynomials have no fibres; use st-venant-kirchhoff");
        }
        if families > MOST_FAMILIES {
            return refused("at most three families of fibres can be served");
        }
        Ok(Self { families, ..self })
    }

    /// Families of fibres.
    pub fn families(&self) -> usize {
        self.families
    }

    /// How many parameters the matrix has, without its fibres.
    pub fn matrix_parameters(&self) -> usize {
        self.matrix().parameters().len()
    }

    /// The law.
    pub fn law(&self) -> LawName {
        self.law
    }

    /// Treatment of inversion.
    pub fn inversion(&self) -> Inversion {
        self.inversion
    }

    /// The law without its fibres.
    fn matrix(&self) -> Box<dyn PointLaw> {
        match &self.formula {
            Some(formula) => formula.law(self.inversion),
            None => (self.law.entry().make)(self.inversion),
        }
    }

    /// The law behind a pointer, for element loops as well as for single points.
    pub fn point(&self) -> Box<dyn PointLaw> {
        let matrix = self.matrix();
        match self.families {
            0 => matrix,
            families => Box::new(Reinforced::new(matrix, families)),
        }
    }
}
