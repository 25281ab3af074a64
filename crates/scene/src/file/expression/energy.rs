//! An expression as the energy of a law: `mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2`.

use pliant_materials::energy::{Argument, Formula, One, Step as Of, Two};
use pliant_units::Dimension;

use super::parser::{self, Name};
use super::tokens::{Kind, tokens};
use super::{ExpressionError, Function, Step};

/// What energies depend on.
const ARGUMENTS: [(&str, Argument); 6] = [
    ("I1", Argument::I1),
    ("I2", Argument::I2),
    ("J", Argument::J),
    ("l1", Argument::Stretch(0)),
    ("l2", Argument::Stretch(1)),
    ("l3", Argument::Stretch(2)),
];

/// The first number of a variable of an energy: others are those of places.
const FIRST: usize = 100;

/// The words of an expression that are no arguments and no functions: its constants, each once, in their order.
pub(crate) fn constants(text: &str) -> Result<Vec<&str>, ExpressionError> {
    let mut list: Vec<&str> = Vec::new();
    for token in tokens(text)?.iter().filter(|token| token.kind == Kind::Word) {
        let known = ARGUMENTS.iter().any(|(name, _)| *name == token.text);
        if !known && !parser::is_function(token.text) && !list.contains(&token.text) {
            list.push(token.text);
        }
    }
    Ok(list)
}

/// Reads an energy with the dimensions of its constants, which are none where plain numbers leave them open.
pub(crate) fn energy(
    text: &str,
    constants: &[(&str, Option<Dimension>)],
) -> Result<Formula, ExpressionError> {
    let whole = |message: String| ExpressionError { at: 0, width: text.len().max(1), message };
    let mut names: Vec<Name<'_>> = Vec::new();
    for (name, _) in ARGUMENTS {
        names.push((name, FIRST + names.len(), Some(Dimension::NONE)));
    }
    for &(name, dimension) in constants {
        names.push((name, FIRST + names.len(), dimension));
    }
    let has_units = constants.iter().any(|(_, dimension)| dimension.is_some());
    let (steps, found) = parser::number_with(text, &names, !has_units)?;
    if let Some(found) = found.filter(|found| *found != Dimension::PRESSURE) {
        return Err(whole(format!(
            "this is {found}, but an energy per volume is needed (J/m³, which is Pa)"
        )));
    }
    let mut list = Vec::with_capacity(steps.len());
    for step in steps {
        list.push(match step {
            Step::Number(value) => Of::Number(value),
            Step::Variable(k) if k >= FIRST + ARGUMENTS.len() => {
                Of::Constant(k - FIRST - ARGUMENTS.len())
            }
            Step::Variable(k) if k >= FIRST => Of::Argument(ARGUMENTS[k - FIRST].1),
            Step::Negate => Of::One(One::Negate),
            Step::Add => Of::Two(Two::Add),
            Step::Subtract => Of::Two(Two::Subtract),
            Step::Multiply => Of::Two(Two::Multiply),
            Step::Divide => Of::Two(Two::Divide),
            Step::Power => Of::Two(Two::Power),
            Step::Apply(Function::Pi) => Of::Number(std::f64::consts::PI),
            Step::Apply(Function::Exp) => Of::One(One::Exp),
            Step::Apply(Function::Log) => Of::One(One::Log),
            Step::Apply(Function::Sqrt) => Of::One(One::Sqrt),
            Step::Apply(Function::Abs) => Of::One(One::Abs),
            Step::Apply(Function::Min) => Of::Two(Two::Min),
            Step::Apply(Function::Max) => Of::Two(Two::Max),
            other => return Err(not_here(text, other)),
        });
    }
    Formula::new(&list).map_err(|e| whole(e.to_string()))
}

/// The error of something that energies do not have, at its place.
fn not_here(text: &str, step: Step) -> ExpressionError {
    let name = match step {
        Step::Apply(function) => parser::name_of(function),
        _ => "conditions",
    };
    let message = format!(
        "{name} cannot be used in an energy: there are exp, log, sqrt, abs, min, max and pi"
    );
    ExpressionError { at: text.find(name).unwrap_or(0), width: name.len(), message }
}
