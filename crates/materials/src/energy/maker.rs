//! From the steps of a parser to those that are worked off: each value is known to be fixed or to have derivatives.

use super::{
    Argument, DEPTH, Formula, MOST_CONSTANTS, MOST_NUMBERS, MOST_STEPS, One, Op, Step, Two,
};
use crate::error::MaterialError;

impl Formula {
    /// Makes a formula of the steps of a parser, which leave one value on the stack.
    pub fn new(steps: &[Step]) -> Result<Self, MaterialError> {
        let stretch = |s: &Step| matches!(s, Step::Argument(Argument::Stretch(_)));
        let formula = Self {
            ops: [Op::Number(0); MOST_STEPS],
            len: 0,
            numbers: [0.0; MOST_NUMBERS],
            by_stretches: steps.iter().any(stretch),
            uses_i2: steps.contains(&Step::Argument(Argument::I2)),
        };
        let mut maker = Maker { formula, numbers: 0, fixed: Vec::new() };
        for step in steps {
            match *step {
                Step::Number(value) => maker.number(value)?,
                Step::Constant(k) if k < MOST_CONSTANTS => {
                    maker.push(Op::Constant(k as u8))?;
                    maker.value(true)?;
                }
                Step::Constant(_) => {
                    return Err(refused("the energy has more than 8 constants"));
                }
                Step::Argument(argument) if formula.by_stretches => {
                    maker.of_stretches(argument)?;
                }
                Step::Argument(argument) => maker.argument(argument)?,
                Step::One(one) => maker.one(one)?,
                Step::Two(two) => maker.two(two)?,
            }
        }
        if maker.fixed != [false] {
            let text = "the energy does not depend on the deformation".to_owned();
            let hint = "write it in I1, I2 and J, or in the stretches l1, l2 and l3";
            return Err(MaterialError::NotAnEnergy { text, hint });
        }
        Ok(maker.formula)
    }
}

/// What can be wrong with the steps of a formula.
fn refused(text: &str) -> MaterialError {
    MaterialError::NotAnEnergy { text: text.to_owned(), hint: "shorten the formula" }
}

/// The error of steps in another order than that of a stack.
fn no_operand() -> MaterialError {
    let text = "a step of the energy has nothing to work on".to_owned();
    MaterialError::NotAnEnergy { text, hint: "operands come before the step that takes them" }
}

/// A formula while it is made.
struct Maker {
    formula: Formula,
    numbers: usize,
    /// Of each value on the stack, whether it is fixed.
    fixed: Vec<bool>,
}

impl Maker {
    fn push(&mut self, op: Op) -> Result<(), MaterialError> {
        let at = usize::from(self.formula.len);
        let slot = self.formula.ops.get_mut(at);
        *slot.ok_or_else(|| refused("the energy has more than 128 steps"))? = op;
        self.formula.len += 1;
        Ok(())
    }

    fn value(&mut self, fixed: bool) -> Result<(), MaterialError> {
        self.fixed.push(fixed);
        let waiting = self.fixed.iter().filter(|f| **f == fixed).count();
        if waiting > DEPTH {
            return Err(refused("the energy is nested deeper than 8 values"));
        }
        Ok(())
    }

    fn number(&mut self, value: f64) -> Result<(), MaterialError> {
        let known = self.formula.numbers[..self.numbers].iter();
        let known = known.clone().position(|n| n.to_bits() == value.to_bits());
        let index = match known {
            Some(index) => index,
            None if self.numbers < MOST_NUMBERS => {
                self.formula.numbers[self.numbers] = value;
                self.numbers += 1;
                self.numbers - 1
            }
            None => return Err(refused("the energy has more than 32 different numbers")),
        };
        self.push(Op::Number(index as u8))?;
        self.value(true)
    }

    fn argument(&mut self, argument: Argument) -> Result<(), MaterialError> {
        let index = match argument {
            Argument::I1 => 0,
            Argument::I2 => 1,
            Argument::J => 2,
            Argument::Stretch(k) => k.min(2),
        };
        self.push(Op::Argument(index))?;
        self.value(false)
    }

    fn one(&mut self, one: One) -> Result<(), MaterialError> {
        let fixed = self.fixed.last().copied().ok_or_else(no_operand)?;
        self.push(if fixed { Op::OneFixed(one) } else { Op::One(one) })
    }

    fn two(&mut self, two: Two) -> Result<(), MaterialError> {
        let second = self.fixed.pop().ok_or_else(no_operand)?;
        let first = self.fixed.pop().ok_or_else(no_operand)?;
        if !first && second && two == Two::Power && self.whole_power()? {
            return self.value(false);
        }
        self.push(match (first, second) {
            (true, true) => Op::TwoFixed(two),
            (false, true) => Op::FixedLast(two),
            (true, false) => Op::FixedFirst(two),
            (false, false) => Op::Two(two),
        })?;
        self.value(first && second)
    }

    /// Turns a number on top of the stack into a whole power, if it is one.
    fn whole_power(&mut self) -> Result<bool, MaterialError> {
        let last = usize::from(self.formula.len) - 1;
        let (number, steps) = match self.formula.ops[last] {
            Op::Number(k) => (self.formula.numbers[usize::from(k)], 1),
            Op::OneFixed(One::Negate) => match self.formula.ops[last.saturating_sub(1)] {
                Op::Number(k) => (-self.formula.numbers[usize::from(k)], 2),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        if number.fract() != 0.0 || number.abs() > 16.0 || number == 0.0 {
            return Ok(false);
        }
        self.formula.len -= steps;
        if number == 1.0 {
            return Ok(true);
        }
        self.push(Op::Whole(number as i8))?;
        Ok(true)
    }
}

impl Maker {
    /// An argument in terms of stretches.
    fn of_stretches(&mut self, argument: Argument) -> Result<(), MaterialError> {
        let stretch = Argument::Stretch;
        match argument {
            Argument::Stretch(_) => self.argument(argument),
            Argument::J => {
                self.argument(stretch(0))?;
                self.argument(stretch(1))?;
                self.two(Two::Multiply)?;
                self.argument(stretch(2))?;
                self.two(Two::Multiply)
            }
            Argument::I1 => {
                for k in 0..3 {
                    self.argument(stretch(k))?;
                    self.push(Op::Whole(2))?;
                    if k > 0 {
                        self.two(Two::Add)?;
                    }
                }
                Ok(())
            }
            Argument::I2 => {
                for k in 0..3 {
                    self.argument(stretch(k))?;
                    self.argument(stretch((k + 1) % 3))?;
                    self.two(Two::Multiply)?;
                    self.push(Op::Whole(2))?;
                    if k > 0 {
                        self.two(Two::Add)?;
                    }
                }
                Ok(())
            }
        }
    }
}
