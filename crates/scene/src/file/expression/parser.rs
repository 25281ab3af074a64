//! From tokens to operations, with the dimension of every part.

use pliant_units::Dimension;

use super::tokens::{Kind, Token, tokens};
use super::{ExpressionError, Function, Relation, Step};

/// How deep parentheses, signs and powers may be nested.
const DEPTH: usize = 64;
/// How many bytes an expression may have.
const LENGTH: usize = 10_000;

/// Something that an expression may depend on: its name, the number of its [`Step::Variable`] and its dimension, none where
/// that is open.
pub(crate) type Name<'n> = (&'n str, usize, Option<Dimension>);
/// What an expression may depend on.
pub(crate) type Names = &'static [Name<'static>];

/// Position and normal.
const WITH_NORMAL: Names = &[
    ("x", 0, Some(Dimension::LENGTH)),
    ("y", 1, Some(Dimension::LENGTH)),
    ("z", 2, Some(Dimension::LENGTH)),
    ("nx", 3, Some(Dimension::NONE)),
    ("ny", 4, Some(Dimension::NONE)),
    ("nz", 5, Some(Dimension::NONE)),
];
/// Position at rest.
pub(crate) const OF_PLACE: Names = OF_PLACE_AND_TIME.split_at(3).0;
/// Time.
pub(crate) const OF_TIME: Names = OF_PLACE_AND_TIME.split_at(3).1;
/// Position at rest and time.
pub(crate) const OF_PLACE_AND_TIME: Names = &[
    ("X", 0, Some(Dimension::LENGTH)),
    ("Y", 1, Some(Dimension::LENGTH)),
    ("Z", 2, Some(Dimension::LENGTH)),
    ("t", super::TIME, Some(Dimension::TIME)),
];

const FUNCTIONS: [(&str, Function); 14] = [
    ("abs", Function::Abs),
    ("sqrt", Function::Sqrt),
    ("sin", Function::Sin),
    ("cos", Function::Cos),
    ("tan", Function::Tan),
    ("exp", Function::Exp),
    ("log", Function::Log),
    ("tanh", Function::Tanh),
    ("atan2", Function::Atan2),
    ("hypot", Function::Hypot),
    ("min", Function::Min),
    ("max", Function::Max),
    ("pi", Function::Pi),
    ("if", Function::If),
];

/// What a part of an expression is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Truth,
    /// Of this dimension, or of any: a plain number, or something that one was multiplied with.
    Number(Option<Dimension>),
}

/// The operations of a condition.
pub(super) fn condition(text: &str) -> Result<Vec<Step>, ExpressionError> {
    let (steps, kind) = parse(text, WITH_NORMAL, false)?;
    if kind != Type::Truth {
        let message = "a condition is needed, as in x < 0.1, not a number".to_owned();
        return Err(ExpressionError { at: 0, width: text.len().max(1), message });
    }
    Ok(steps)
}

/// The operations of a number, and its dimension if it is known. There are no surfaces here, and so no normals.
pub(super) fn number_of(text: &str) -> Result<(Vec<Step>, Option<Dimension>), ExpressionError> {
    let (steps, kind) = parse(text, &WITH_NORMAL[..3], false)?;
    let Type::Number(dimension) = kind else {
        let message = "a number is needed, as in 2*x, not a condition".to_owned();
        return Err(ExpressionError { at: 0, width: text.len().max(1), message });
    };
    Ok((steps, dimension))
}

/// The operations of a field, and its dimension if it is known. Where no number has a unit, all are SI, and so are
/// positions and time.
pub(super) fn field(
    text: &str,
    names: Names,
) -> Result<(Vec<Step>, Option<Dimension>), ExpressionError> {
    let (steps, kind) = parse(text, names, true)?;
    let Type::Number(dimension) = kind else {
        let message = "a number is needed, as in 2*X, not a condition".to_owned();
        return Err(ExpressionError { at: 0, width: text.len().max(1), message });
    };
    Ok((steps, dimension))
}

/// The operations of a number that depends on what has names, and its dimension if it is known.
pub(super) fn number_with(
    text: &str,
    names: &[Name<'_>],
    open: bool,
) -> Result<(Vec<Step>, Option<Dimension>), ExpressionError> {
    let (steps, kind) = parse(text, names, open)?;
    let Type::Number(dimension) = kind else {
        let message = "a number is needed, not a condition".to_owned();
        return Err(ExpressionError { at: 0, width: text.len().max(1), message });
    };
    Ok((steps, dimension))
}

/// Whether a word is the name of a function.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTIONS.iter().any(|(name, _)| *name == word)
}

/// What a function is called.
pub(super) fn name_of(function: Function) -> &'static str {
    FUNCTIONS.iter().find(|(_, f)| *f == function).map_or("", |(name, _)| name)
}

/// With `open`, variables have any dimension unless a number of the text has a unit.
fn parse<'n>(
    text: &'n str,
    variables: &'n [Name<'n>],
    open: bool,
) -> Result<(Vec<Step>, Type), ExpressionError> {
    if text.len() > LENGTH {
        let message = format!("an expression of {} bytes: {LENGTH} are allowed", text.len());
        return Err(ExpressionError { at: 0, width: 1, message });
    }
    let tokens = tokens(text)?;
    let has_unit = |token: &Token<'_>| matches!(token.kind, Kind::Number(_, Some(_)));
    let plain = open && !tokens.iter().any(has_unit);
    let mut parser = Parser { tokens, next: 0, depth: 0, steps: Vec::new(), variables, plain };
    let kind = parser.either()?;
    let end = parser.peek();
    if end.kind != Kind::End {
        return Err(end.error(format!("'{}' is not expected here", end.text)));
    }
    if super::depth(&parser.steps) > super::STACK {
        let message = format!("nested deeper than {} values", super::STACK);
        return Err(ExpressionError { at: 0, width: text.len().max(1), message });
    }
    Ok((parser.steps, kind))
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    steps: Vec<Step>,
    /// What may be asked for.
    variables: &'a [Name<'a>],
    /// Whether variables have any dimension.
    plain: bool,
}

type Parsed = Result<Type, ExpressionError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        // The last one is the end, which nobody goes beyond.
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// Takes the next token if it is one of these signs.
    fn sign(&mut self, signs: &[&str]) -> Option<Token<'a>> {
        let token = self.peek();
        let found = token.kind == Kind::Sign && signs.contains(&token.text);
        found.then(|| self.take())
    }

    fn expect(&mut self, sign: &str, why: &str) -> Result<(), ExpressionError> {
        if self.sign(&[sign]).is_some() {
            return Ok(());
        }
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end".to_owned(),
            _ => format!("'{}'", token.text),
        };
        Err(token.error(format!("'{sign}' {why}, not {found}")))
    }

    fn either(&mut self) -> Parsed {
        let mut left = self.both()?;
        while let Some(sign) = self.sign(&["||"]) {
            let right = self.both()?;
            left = truths(sign, left, right)?;
            self.steps.push(Step::Or);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        while let Some(sign) = self.sign(&["&&"]) {
            let right = self.comparison()?;
            left = truths(sign, left, right)?;
            self.steps.push(Step::And);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        if let Some(sign) = self.sign(&["="]) {
            return Err(sign.error("'==' compares".into()));
        }
        let signs = ["<=", ">=", "==", "!=", "<", ">"];
        let Some(sign) = self.sign(&signs) else { return Ok(left) };
        let relation = match sign.text {
            "<" => Relation::Less,
            "<=" => Relation::LessEqual,
            ">" => Relation::Greater,
            ">=" => Relation::GreaterEqual,
            "==" => Relation::Equal,
            _ => Relation::Unequal,
        };
        let right = self.sum()?;
        let dimension = alike(sign, left, right)?;
        if let Some(again) = self.sign(&signs) {
            let message = "comparisons do not chain: write a < x && x < b".to_owned();
            return Err(again.error(message));
        }
        self.steps.push(Step::Compare(relation, dimension.map(|d| d.exponents[0])));
        Ok(Type::Truth)
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            let right = self.product()?;
            left = Type::Number(alike(sign, left, right)?);
            self.steps.push(if sign.text == "+" { Step::Add } else { Step::Subtract });
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.signed()?;
        while let Some(sign) = self.sign(&["*", "/"]) {
            let right = self.signed()?;
            let power = if sign.text == "*" { 1 } else { -1 };
            let (a, b) = (number(sign, left)?, number(sign, right)?);
            left = Type::Number(match (a, b) {
                (Some(a), Some(b)) => Some(multiplied(sign, a, b, power)?),
                _ => None,
            });
            self.steps.push(if power > 0 { Step::Multiply } else { Step::Divide });
        }
        Ok(left)
    }

    /// `-x`, `!a`; every way to go deeper passes here.
    fn signed(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.peek().error(format!("nested deeper than {DEPTH}")));
        }
        let found = if let Some(sign) = self.sign(&["-", "+", "!"]) {
            let found = self.signed()?;
            match (sign.text, found) {
                ("!", Type::Truth) => {
                    self.steps.push(Step::Not);
                    Ok(Type::Truth)
                }
                ("!", _) => {
                    let message = "'!' needs a condition: write !(x < 1)".to_owned();
                    Err(sign.error(message))
                }
                (_, found) => {
                    let dimension = number(sign, found)?;
                    if sign.text == "-" {
                        self.steps.push(Step::Negate);
                    }
                    Ok(Type::Number(dimension))
                }
            }
        } else {
            self.power()
        };
        self.depth -= 1;
        found
    }

    /// x^2; the power of something with a dimension is a whole number.
    fn power(&mut self) -> Parsed {
        let base = self.atom()?;
        let Some(sign) = self.sign(&["^"]) else { return Ok(base) };
        let base = number(sign, base)?;
        let start = self.steps.len();
        let exponent = self.signed()?;
        let exponent = number(sign, exponent)?;
        if exponent.is_some_and(|d| d != Dimension::NONE) {
            return Err(sign.error("a power is a pure number".into()));
        }
        let whole = match self.steps[start..] {
            [Step::Number(n)] => Some(n),
            [Step::Number(n), Step::Negate] => Some(-n),
            _ => None,
        };
        self.steps.push(Step::Power);
        let dimension = match (base, whole) {
            (None, _) => None,
            (Some(Dimension::NONE), _) => Some(Dimension::NONE),
            (Some(base), Some(n)) if n.fract() == 0.0 && n.abs() <= 100.0 => {
                Some(multiplied(sign, Dimension::NONE, base, n as i8)?)
            }
            (Some(base), _) => {
                let message = format!("the power of {base} must be a whole number");
                return Err(sign.error(message));
            }
        };
        Ok(Type::Number(dimension))
    }

    fn atom(&mut self) -> Parsed {
        let token = self.take();
        match token.kind {
            Kind::Number(value, dimension) => {
                self.steps.push(Step::Number(value));
                Ok(Type::Number(dimension))
            }
            Kind::Word => self.word(token),
            Kind::Sign if token.text == "(" => {
                let found = self.either()?;
                self.expect(")", "is needed here")?;
                Ok(found)
            }
            Kind::Sign => Err(token.error(format!("'{}' is not expected here", token.text))),
            Kind::End => Err(token.error("the expression ends too early".into())),
        }
    }

    fn word(&mut self, word: Token<'a>) -> Parsed {
        // Positions are those at rest, which mechanics writes X, Y, Z.
        let rest = ["X", "x", "Y", "y", "Z", "z"].iter().position(|v| *v == word.text);
        let found = match rest {
            Some(k) => self.variables.iter().find(|v| v.1 == k / 2),
            None => self.variables.iter().find(|v| v.0 == word.text),
        };
        if let Some(&(_, k, dimension)) = found {
            self.steps.push(Step::Variable(k));
            return Ok(Type::Number(dimension.filter(|_| !self.plain)));
        }
        let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| *name == word.text) else {
            let known: Vec<&str> =
                self.variables.iter().map(|v| v.0).chain(FUNCTIONS.iter().map(|f| f.0)).collect();
            let message = format!("'{}' is not known: there are {}", word.text, known.join(", "));
            return Err(word.error(message));
        };
        if *function == Function::Pi {
            self.steps.push(Step::Apply(Function::Pi));
            // A plain number, as 3.14 is.
            return Ok(Type::Number(None));
        }
        self.expect("(", &format!("follows '{}'", word.text))?;
        if *function == Function::If {
            return self.choice(word);
        }
        let first = self.sum()?;
        let first = number(word, first)?;
        let found = match function {
            Function::Abs => first,
            Function::Sqrt => first.map(|d| root(word, d)).transpose()?,
            Function::Exp | Function::Log | Function::Tanh => {
                if let Some(d) = first.filter(|d| *d != Dimension::NONE) {
                    let message = format!("{} of {d}: a pure number is needed", word.text);
                    return Err(word.error(message));
                }
                Some(Dimension::NONE)
            }
            Function::Sin | Function::Cos | Function::Tan => {
                if let Some(d) = first.filter(|d| ![Dimension::NONE, Dimension::ANGLE].contains(d))
                {
                    let message = format!("{} of {d}: an angle is needed", word.text);
                    return Err(word.error(message));
                }
                Some(Dimension::NONE)
            }
            _ => {
                self.expect(",", "and a second value are needed")?;
                let second = self.sum()?;
                let both = alike(word, Type::Number(first), second)?;
                if *function == Function::Atan2 { Some(Dimension::ANGLE) } else { both }
            }
        };
        self.expect(")", &format!("ends '{}'", word.text))?;
        self.steps.push(Step::Apply(*function));
        Ok(Type::Number(found.filter(|_| !self.plain)))
    }

    /// `if(t < 1, a, b)`
    fn choice(&mut self, word: Token<'a>) -> Parsed {
        if self.either()? != Type::Truth {
            return Err(word.error("'if' needs a condition first: if(x < 1, a, b)".into()));
        }
        self.expect(",", "and two values are needed")?;
        let yes = self.sum()?;
        self.expect(",", "and a value where it does not hold are needed")?;
        let no = self.sum()?;
        let dimension = alike(word, yes, no)?;
        self.expect(")", "ends 'if'")?;
        self.steps.push(Step::Apply(Function::If));
        Ok(Type::Number(dimension))
    }
}

fn number(sign: Token<'_>, found: Type) -> Result<Option<Dimension>, ExpressionError> {
    match found {
        Type::Number(dimension) => Ok(dimension),
        Type::Truth => {
            let message = format!("'{}' needs numbers, not conditions", sign.text);
            Err(sign.error(message))
        }
    }
}

fn truths(sign: Token<'_>, a: Type, b: Type) -> Parsed {
    if (a, b) == (Type::Truth, Type::Truth) {
        return Ok(Type::Truth);
    }
    Err(sign.error(format!("'{}' joins conditions, not numbers", sign.text)))
}

/// The dimension of two that must have the same.
fn alike(sign: Token<'_>, a: Type, b: Type) -> Result<Option<Dimension>, ExpressionError> {
    match (number(sign, a)?, number(sign, b)?) {
        (Some(a), Some(b)) if a != b => Err(sign.error(format!("'{}' of {a} and {b}", sign.text))),
        (a, b) => Ok(a.or(b)),
    }
}

fn multiplied(
    sign: Token<'_>,
    a: Dimension,
    b: Dimension,
    power: i8,
) -> Result<Dimension, ExpressionError> {
    let mut exponents = a.exponents;
    for (to, from) in exponents.iter_mut().zip(b.exponents) {
        let sum = from.checked_mul(power).and_then(|p| to.checked_add(p));
        *to = sum.ok_or_else(|| sign.error("a power beyond all measure".into()))?;
    }
    Ok(Dimension { exponents })
}

fn root(word: Token<'_>, of: Dimension) -> Result<Dimension, ExpressionError> {
    if of.exponents.iter().any(|e| e % 2 != 0) {
        return Err(word.error(format!("the root of {of}")));
    }
    Ok(Dimension { exponents: of.exponents.map(|e| e / 2) })
}
