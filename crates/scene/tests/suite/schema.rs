//! The schema of scene files says what their readers say.

use std::path::{Path, PathBuf};

use pliant_scene::schema::schema;
use pliant_scene::{Scene, builtin};
use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn value(from: &DeValue<'_>) -> Value {
    match from {
        DeValue::String(text) => json!(text),
        DeValue::Integer(n) => json!(n.as_str().parse::<f64>().unwrap()),
        DeValue::Float(n) => json!(n.as_str().parse::<f64>().unwrap()),
        DeValue::Boolean(b) => json!(b),
        DeValue::Datetime(_) => Value::Null,
        DeValue::Array(list) => list.iter().map(|v| value(v.get_ref())).collect(),
        DeValue::Table(table) => document(table),
    }
}

fn document(table: &DeTable<'_>) -> Value {
    let entries = table.iter().map(|(k, v)| (k.get_ref().to_string(), value(v.get_ref())));
    Value::Object(entries.collect())
}

fn parsed(text: &str) -> Value {
    document(DeTable::parse(text).unwrap().get_ref())
}

/// The part of JSON Schema that ours uses; the first thing that is wrong, and where.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("{at}: {why}: {value}"));
    for (word, rule) in schema.as_object().unwrap() {
        match word.as_str() {
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/definitions/").unwrap();
                check(root, &root["definitions"][name], value, at)?;
            }
            "type" => {
                let good = match rule.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    other => panic!("the checker does not know the type {other}"),
                };
                if !good {
                    return wrong(&format!("no {rule}"));
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => return wrong("no such name"),
            "pattern" => {
                let first = value.as_str().unwrap_or("1").trim_start().chars().next();
                if !first.is_some_and(|c| c.is_ascii_digit() || "+-.".contains(c)) {
                    return wrong("no quantity");
                }
            }
            "minimum" if value.as_f64().is_some_and(|v| v < rule.as_f64().unwrap()) => {
                return wrong("too small");
            }
            "multipleOf" if value.as_f64().is_some_and(|v| v.fract() != 0.0) => {
                return wrong("no whole number");
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map_or(0, Vec::len), rule.as_u64().unwrap());
                let good =
                    if word == "minItems" { count as u64 >= limit } else { count as u64 <= limit };
                if value.is_array() && !good {
                    return wrong("not so many");
                }
            }
            "required" => {
                for key in rule.as_array().unwrap() {
                    if value.is_object() && value.get(key.as_str().unwrap()).is_none() {
                        return wrong(&format!("no key {key}"));
                    }
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}[{i}]"))?;
                }
            }
            "allOf" => {
                rule.as_array().unwrap().iter().try_for_each(|s| check(root, s, value, at))?;
            }
            "anyOf" => {
                let tries: Vec<_> =
                    rule.as_array().unwrap().iter().map(|s| check(root, s, value, at)).collect();
                if tries.iter().all(Result::is_err) {
                    return Err(format!("{at}: none of {tries:?}"));
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = rule.get(key) {
                        check(root, schema, value, &format!("{at}.{key}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object();
                for (key, value) in value.as_object().into_iter().flatten() {
                    match rule {
                        Value::Bool(false) if known.is_none_or(|k| !k.contains_key(key)) => {
                            return wrong(&format!("unknown key '{key}'"));
                        }
                        Value::Object(_) => check(root, rule, value, &format!("{at}.{key}"))?,
                        _ => {}
                    }
                }
            }
            // Rules that are kept, and words for people.
            "enum" | "minimum" | "multipleOf" | "$schema" | "title" | "description"
            | "definitions" => {}
            other => panic!("the checker does not know '{other}'"),
        }
    }
    Ok(())
}

#[test]
fn every_built_in_scene_is_valid() {
    let schema = schema().unwrap();
    for (name, text) in builtin::SCENES {
        check(&schema, &schema, &parsed(text), name).unwrap_or_else(|e| panic!("{e}"));
    }
}

const GOOD: &str = r#"
gravity = [0, "-9.81 m/s^2", 0]
[body.b]
mesh = { shape = "box", size = [1, "10 cm", 1], cells = [1, 2, 3] }
material = { law = "neo-hookean", young = "3 kPa", poisson = 0.4 }
fixed = ["x-min", { where = "x < 0.1", axes = "xy" }]
surface = { file = "skin.obj" }
load = { shear = "1 Pa", axis = [0, 0, 1], curve = { kind = "ramp", end = 1 } }
[time]
integrator = "bdf2"
[output]
formats = ["vtu", "glb"]
"#;

/// What is replaced, and by what.
#[test]
fn schema_and_reader_refuse_the_same() {
    let schema = schema().unwrap();
    let both = |text: &str| {
        let read = Scene::parse(text, Path::new("scene.toml")).map(|_| ());
        (read.map_err(|e| e.to_string()), check(&schema, &schema, &parsed(text), ""))
    };
    assert_eq!(both(GOOD), (Ok(()), Ok(())));
    let per_cell = GOOD.replacen("\"3 kPa\"", "{ cell_data = \"E\", unit = \"kPa\" }", 1);
    assert_eq!(both(&per_cell), (Ok(()), Ok(())));
    for (from, to) in [
        ("\"3 kPa\"", "{ unit = \"kPa\" }"),
        ("\"3 kPa\"", "{ cell_data = \"E\", units = \"kPa\" }"),
        ("gravity", "gravty"),
        ("young", "yuong"),
        ("\"3 kPa\"", "\"soft\""),
        ("\"3 kPa\"", "true"),
        ("\"box\"", "\"bxo\""),
        ("[1, 2, 3]", "[1, 2.5, 3]"),
        ("[1, 2, 3]", "[1, -2, 3]"),
        ("[0, \"-9.81 m/s^2\", 0]", "[0, 1]"),
        ("neo-hookean", "neo-hokean"),
        ("where", "wheer"),
        ("\"xy\"", "\"xxy\""),
        ("file =", "fiel ="),
        ("shear", "shaer"),
        ("\"ramp\"", "\"rmap\""),
        ("\"bdf2\"", "\"bdf9\""),
        ("\"glb\"", "\"gbl\""),
        ("[time]", "[tiem]"),
        ("[body.b]", "[body.b]\nelement = \"tet5\""),
        ("[time]", "[solver]\nlinear = \"cholesk\"\n[time]"),
        ("[time]", "[probe.p]\nta = [0, 0, 0]\n[time]"),
        ("[time]", "[[attachment]]\nbdoy = \"b\"\n[time]"),
        ("[time]", "[obstacle.o]\nshape = \"flor\"\n[time]"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        let (read, checked) = both(&text);
        assert!(read.is_err() && checked.is_err(), "{to}: {read:?}, {checked:?}");
    }
}

fn keys(schema: &Value, found: &mut Map<String, Value>, without: &mut Vec<String>) {
    match schema {
        Value::Object(object) => {
            for (key, property) in
                object.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if property["description"].as_str().is_none_or(str::is_empty) {
                    without.push(key.clone());
                }
                found.insert(key.clone(), Value::Null);
            }
            object.values().for_each(|v| keys(v, found, without));
        }
        Value::Array(list) => list.iter().for_each(|v| keys(v, found, without)),
        _ => {}
    }
}

/// Whatever a reader asks for by a literal name is in the schema, so that no branch of a reader was left out.
#[test]
fn every_key_that_is_read_is_in_the_schema_and_described() {
    let (mut known, mut without) = (Map::new(), Vec::new());
    keys(&schema().unwrap(), &mut known, &mut without);
    assert!(without.is_empty(), "without a description: {without:?}");
    let readers = [
        "text",
        "switch",
        "count",
        "counts",
        "quantity",
        "quantities",
        "positive",
        "vector",
        "vectors",
        "texts",
        "choice",
        "choices",
        "table",
        "named",
        "rows",
        "length",
        "number",
        "every",
        "not_negative",
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut asked = 0;
    let files = ["spec", "build", "output", "file"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(source.join(folder)).unwrap().flatten())
        .map(|entry| entry.path());
    for file in files {
        // It has functions of the same names for other files.
        let other = file.ends_with("vega.rs");
        if file.extension().is_none_or(|e| e != "rs") || other {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let mut parts = text.split("(\"");
        let mut before = parts.next().unwrap();
        for part in parts {
            let word: String = before
                .rsplit(|c: char| {
                    !c.is_ascii_alphanumeric() && c != '_' && c != '>' && c != '<' && c != ':'
                })
                .next()
                .unwrap()
                .to_owned();
            let is_reader = readers.contains(&word.as_str()) || word.starts_with("name::<");
            let key = part.split('"').next().unwrap();
            if is_reader && !key.is_empty() {
                asked += 1;
                assert!(
                    known.contains_key(key),
                    "{}: '{key}' is not in the schema",
                    file.display()
                );
            }
            before = part;
        }
    }
    assert!(asked > 90, "{asked}");
    for key in [
        "where",
        "formats",
        "shear",
        "weights",
        "parts",
        "notch_depth",
        "kappa",
        "young1",
        "include",
    ] {
        assert!(known.contains_key(key), "{key}");
    }
}

/// `PLIANT_WRITE_BOOK=1` writes it anew.
#[test]
fn the_copy_for_editors_is_up_to_date() {
    let path = root().join("schemas/scene.schema.json");
    let text = format!("{:#}\n", schema().unwrap());
    if std::env::var_os("PLIANT_WRITE_BOOK").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let copy = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        copy == text,
        "run: PLIANT_WRITE_BOOK=1 cargo test -p pliant-scene --test suite schema"
    );
}
