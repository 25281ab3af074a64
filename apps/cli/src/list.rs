//! `pliant list`: the names that scenes and commands take.

use pliant::dynamics::{IntegratorName, StaticMethod};
use pliant::forces::ElementName;
use pliant::materials::LawName;
use pliant::materials::tissue::TISSUES;
use pliant::scene::{FrameFormat, builtin};
use pliant::solvers::SolverName;
use pliant::solvers::iterative::PreconditionerName;
use pliant::solvers::ordering::OrderingName;
use serde_json::{Value, json};

use crate::arguments::ListTopic;
use crate::context::Context;
use crate::failure::Failure;

/// Prints the names of one topic, or of all.
pub fn run(topic: Option<ListTopic>, context: &Context) -> Result<(), Failure> {
    let topics = match topic {
        Some(topic) => vec![topic],
        None => ListTopic::ALL.to_vec(),
    };
    let mut document = serde_json::Map::new();
    let mut text = String::new();
    for topic in &topics {
        let rows = names(*topic);
        if topics.len() > 1 {
            text += &format!("{}\n", topic.title());
        }
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, about) in &rows {
            text += &format!("  {name:width$}  {about}\n");
        }
        if topics.len() > 1 {
            text += "\n";
        }
        let rows: Vec<Value> =
            rows.iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
        document.insert(topic.title().to_owned(), rows.into());
    }
    context.emit(&document.into(), || text)
}

fn names(topic: ListTopic) -> Vec<(&'static str, &'static str)> {
    match topic {
        ListTopic::Materials => LawName::ALL.map(|l| (l.name(), l.about())).to_vec(),
        ListTopic::Tissues => TISSUES.iter().map(|t| (t.name, t.source)).collect(),
        ListTopic::Elements => ElementName::ALL.map(|e| (e.name(), e.about())).to_vec(),
        ListTopic::Solvers => SolverName::ALL.map(|s| (s.name(), s.about())).to_vec(),
        ListTopic::Preconditioners => {
            PreconditionerName::ALL.iter().map(|p| (p.name(), p.about())).collect()
        }
        ListTopic::Integrators => {
            IntegratorName::ALL.iter().map(|i| (i.name(), i.about())).collect()
        }
        ListTopic::StaticMethods => {
            StaticMethod::ALL.iter().map(|m| (m.name(), m.about())).collect()
        }
        ListTopic::Orderings => OrderingName::ALL.map(|o| (o.name(), o.about())).to_vec(),
        ListTopic::Formats => FrameFormat::ALL.iter().map(|f| (f.name(), f.about())).collect(),
        ListTopic::Scenes => {
            builtin::SCENES.iter().map(|&(name, text)| (name, builtin::about(text))).collect()
        }
    }
}
