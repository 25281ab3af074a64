//! The JSON Schema of scene files, for editors that complete keys and mark what is wrong while one types.
//!
//! It is made of what the readers of scenes ask for when they read scenes that have every table: a key they
//! learn to read is in the schema without further ado.

mod words;

use std::cell::RefCell;
use std::path::Path;

use pliant_dynamics::IntegratorName;
use pliant_forces::ElementName;
use pliant_forces::springs::MASS_SPRING;
use pliant_materials::LawName;
use pliant_mesh::generate::{CellChoice, Shape};
use pliant_solvers::SolverName;
use pliant_units::Dimension;
use serde_json::{Map, Value, json};

use crate::error::SceneError;
use crate::file::document::Document;
use crate::file::key_log::{KeyLog, Kind};
use crate::spec::scene::Scene;

const EXEMPLAR: &str = include_str!("exemplar.toml");

/// The schema.
pub fn schema() -> Result<Value, SceneError> {
    let record = record()?;
    let mut definitions = Map::new();
    let mut root = object(&record, "", &mut definitions);
    // The one key that is read before all others.
    let description = words::about("", "include").unwrap_or_default();
    root["properties"]["include"] =
        json!({"description": description, "anyOf": texts(&json!({"type": "string"}))});
    definitions.sort_keys();
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Scene of Pliant",
        "description": "What there is, what holds and pushes it, and how its motion is computed. Quantities take units, or are SI.",
    });
    for (key, value) in root.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
    schema["definitions"] = definitions.into();
    Ok(schema)
}

/// What is asked for when the exemplar is read, and bodies of all shapes and laws.
fn record() -> Result<KeyLog, SceneError> {
    let mut text = EXEMPLAR.to_owned();
    for (k, (shape, _)) in Shape::NAMES.iter().enumerate() {
        let mesh = format!("mesh = {{ shape = \"{shape}\" }}\n");
        text += &format!("[body.shape{k}]\n{mesh}[obstacle.shape{k}]\nshape = \"mesh\"\n{mesh}");
    }
    for (k, law) in LawName::ALL.iter().enumerate() {
        let body = format!("[body.law{k}]\nmesh = \"a.veg\"\n");
        let energy =
            if *law == LawName::ENERGY { ", energy = \"I1 - 3 + (J - 2)^2 - 1\"" } else { "" };
        let material = format!("material = {{ law = \"{}\"{energy} }}\n", law.name());
        text += &format!("{body}{material}[body.law{k}.region.part]\n{material}");
    }
    let spring = format!("material = {{ law = \"{MASS_SPRING}\", young = 1 }}\n");
    text += &format!("[body.spring]\nmesh = \"a.veg\"\n[body.spring.region.part]\n{spring}");
    let path = Path::new("exemplar.toml");
    let mut document = Document::parse(&text, path, &[])?;
    document.record = Some(RefCell::default());
    Scene::of_document(&document, path)?;
    Ok(document.record.map(RefCell::into_inner).unwrap_or_default())
}

/// A table with its keys, defined once; those that are alike share a definition.
fn table_of(record: &KeyLog, table: &str, definitions: &mut Map<String, Value>) -> Value {
    let schema = object(record, table, definitions);
    let alike = definitions.iter().find(|(_, known)| **known == schema);
    let alike = alike.map(|(name, _)| name.clone());
    let name = alike.unwrap_or_else(|| {
        let name = table.replace(".*", "").replace("[]", "").replace('.', "-");
        definitions.insert(name.clone(), schema);
        name
    });
    json!({"$ref": format!("#/definitions/{name}")})
}

/// A table with its keys.
fn object(record: &KeyLog, table: &str, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for (key, kinds) in record.tables.get(table).into_iter().flatten() {
        let mut any: Vec<Value> = Vec::new();
        for kind in kinds {
            for schema in of_kind(record, table, key, kind, definitions) {
                if !any.contains(&schema) {
                    any.push(schema);
                }
            }
        }
        let mut value = match <[Value; 1]>::try_from(any) {
            // What stands beside a reference is ignored.
            Ok([one]) if one.get("$ref").is_none() => one,
            Ok([one]) => json!({"allOf": [one]}),
            Err(any) => json!({"anyOf": any}),
        };
        if let Some(about) = words::about(table, key) {
            value["description"] = about.into();
        }
        properties.insert((*key).to_owned(), value);
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn of_kind(
    record: &KeyLog,
    table: &str,
    key: &str,
    kind: &Kind,
    definitions: &mut Map<String, Value>,
) -> Vec<Value> {
    let below = KeyLog::below(table, key);
    let mut quantity = |dimension: &Dimension| define(*dimension, definitions);
    let list = |items: Value| json!({"type": "array", "items": items});
    let three =
        |items: Value| json!({"type": "array", "items": items, "minItems": 3, "maxItems": 3});
    let count = json!({"type": "number", "minimum": 0, "multipleOf": 1});
    match kind {
        Kind::Text => match names(&below) {
            names if names.is_empty() => vec![json!({"type": "string"})],
            names => vec![json!({"type": "string", "enum": names})],
        },
        Kind::Switch => vec![json!({"type": "boolean"})],
        Kind::Count => vec![count],
        Kind::Counts => vec![list(count)],
        Kind::Quantity(d) => vec![quantity(d)],
        Kind::CellQuantity(d) => vec![quantity(d), define_cell_data(definitions)],
        Kind::Vector(d) => vec![three(quantity(d))],
        Kind::NumberField(d) => {
            let quantity = quantity(d);
            vec![quantity, define_expression(definitions)]
        }
        Kind::VectorField(d) => {
            let quantity = quantity(d);
            let expression = define_expression(definitions);
            vec![three(json!({"anyOf": [quantity, expression]}))]
        }
        Kind::Quantities(d) => vec![list(quantity(d))],
        Kind::Vectors(d) => vec![list(three(quantity(d)))],
        Kind::OneOf(names) => vec![json!({"type": "string", "enum": names})],
        Kind::Texts(names) if names.is_empty() => texts(&json!({"type": "string"})),
        Kind::Texts(names) => texts(&json!({"type": "string", "enum": names})),
        Kind::Table => vec![table_of(record, &below, definitions)],
        Kind::Named => {
            let each = table_of(record, &(below + ".*"), definitions);
            vec![json!({"type": "object", "additionalProperties": each})]
        }
        Kind::Rows { short } => {
            let table = table_of(record, &(below + "[]"), definitions);
            if *short {
                let items = json!({"anyOf": [{"type": "string"}, table]});
                vec![json!({"type": "string"}), table, list(items)]
            } else {
                vec![table.clone(), list(table)]
            }
        }
    }
}

/// One, or a list of them.
fn texts(one: &Value) -> Vec<Value> {
    vec![one.clone(), json!({"type": "array", "items": one})]
}

/// A quantity of a dimension, defined once.
fn define(dimension: Dimension, definitions: &mut Map<String, Value>) -> Value {
    let about = dimension.to_string();
    // "a-length", which no table is called.
    let name: String =
        about.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if !definitions.contains_key(&name) {
        let example = dimension.example().map_or(String::new(), |e| format!(", as \"{e}\""));
        let number = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";
        let schema = json!({
            "description": format!("{about}{example}; a plain number is SI"),
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": number}],
        });
        definitions.insert(name.clone(), schema);
    }
    json!({"$ref": format!("#/definitions/{name}")})
}

/// A number as an expression, defined once.
fn define_expression(definitions: &mut Map<String, Value>) -> Value {
    let schema = json!({
        "description": "An expression of the position at rest X, Y, Z (m) and, where things change, of time t (s), as \"0.1*X*sin(2*t)\"; SI where no number has a unit",
        "type": "string",
    });
    definitions.insert("expression".into(), schema);
    json!({"$ref": "#/definitions/expression"})
}

/// A number for each cell or a formula, defined once.
fn define_cell_data(definitions: &mut Map<String, Value>) -> Value {
    let unit = json!({
        "type": "string",
        "description": "Of its values, as \"kPa\"; SI unless said otherwise",
    });
    let schema = json!({
        "description": "A number that differs from place to place",
        "anyOf": [
            {
                "description": "A number for each cell, from the cell data of the mesh file",
                "type": "object",
                "properties": {
                    "cell_data": {"type": "string", "description": "The name of the array"},
                    "unit": unit,
                },
                "required": ["cell_data"],
                "additionalProperties": false,
            },
            {
                "description": "A formula of the position at rest",
                "type": "object",
                "properties": {
                    "expression": {
                        "type": "string",
                        "description": "Of x, y and z in m, as \"10 kPa * (1 + 2*x / 1 m)\"",
                    },
                    "unit": unit,
                },
                "required": ["expression"],
                "additionalProperties": false,
            },
        ],
    });
    definitions.insert("cell-data".into(), schema);
    json!({"$ref": "#/definitions/cell-data"})
}

/// The names that a key takes, where its reader knows them and its table does not.
fn names(path: &str) -> Vec<&'static str> {
    match path {
        "time.integrator" | "stage[].integrator" => {
            IntegratorName::ALL.iter().map(|i| i.name()).collect()
        }
        "solver.linear" | "stage[].solver.linear" => {
            SolverName::ALL.iter().map(|s| s.name()).collect()
        }
        "body.*.element" => ElementName::ALL.iter().map(|e| e.name()).collect(),
        "body.*.mesh.shape" => Shape::NAMES.iter().map(|(name, _)| *name).collect(),
        "body.*.mesh.cell" => CellChoice::NAMES.to_vec(),
        _ if path.ends_with("material.law") => {
            LawName::ALL.iter().map(|l| l.name()).chain([MASS_SPRING]).collect()
        }
        _ => Vec::new(),
    }
}
