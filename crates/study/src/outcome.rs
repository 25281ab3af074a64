//! [`Outcome`]: what is kept of a run.

use pliant_algebra::vec3::Vec3;
use pliant_errors::Class;
use pliant_scene::{Retries, SceneError, Tally};
use serde_json::{Value, json};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It came to its end.
    Done,
    /// It could not.
    Failed,
    /// It was not made, as the study was stopped.
    Missing,
}

impl Status {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }
}

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Why it failed, if it did.
    pub reason: Option<String>,
    /// The class of its failure, if it did fail: a method that cannot serve the scene, or one that broke down.
    pub class: Option<Class>,
    /// Vertices of all bodies.
    pub vertices: usize,
    /// Cells of all bodies.
    pub cells: usize,
    /// The largest extent at rest, m.
    pub size: f64,
    /// A number that changes with the positions at rest.
    pub rest: u64,
    /// Steps made.
    pub steps: u64,
    /// s
    pub simulated_seconds: f64,
    /// To read the scene and make its meshes and matrices.
    pub setup_seconds: f64,
    /// To compute the motion.
    pub wall_seconds: f64,
    /// The same without what other processes took; none where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Iterations and evaluations.
    pub tally: Tally,
    /// What is odd about the scene.
    pub warnings: Vec<String>,
    /// Where the vertices are at the end, as the meshes number them, body after body.
    pub positions: Vec<Vec3>,
    /// Probes: name, position and displacement at the end.
    pub probes: Vec<(String, Vec3, Vec3)>,
}

impl Outcome {
    /// Of a run that could not even begin.
    pub(crate) fn failed(error: &SceneError) -> Self {
        Self {
            status: Status::Failed,
            reason: Some(error.to_string()),
            class: Some(error.class()),
            vertices: 0,
            cells: 0,
            size: 0.0,
            rest: 0,
            steps: 0,
            simulated_seconds: 0.0,
            setup_seconds: 0.0,
            wall_seconds: 0.0,
            cpu_seconds: None,
            tally: Tally::default(),
            warnings: Vec::new(),
            positions: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// Positions and probes, bit by bit.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let probes = self.probes.iter().flat_map(|(_, x, u)| [*x, *u]);
        let all = self.positions.iter().copied().chain(probes);
        all.flatten().flat_map(f64::to_le_bytes).collect()
    }

    /// All else.
    pub(crate) fn to_json(&self, settings: &Value) -> Value {
        json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "set": settings,
            "status": self.status.name(),
            "reason": self.reason,
            "class": self.class.map(Class::name),
            "vertices": self.vertices,
            "cells": self.cells,
            "size": self.size,
            "rest": format!("{:016x}", self.rest),
            "steps": self.steps,
            "simulated_seconds": self.simulated_seconds,
            "setup_seconds": self.setup_seconds,
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "newton_iterations": self.tally.newton_iterations,
            "linear_iterations": self.tally.linear_iterations,
            "factorizations": self.tally.factorizations,
            "force_evaluations": self.tally.evaluations,
            "warnings": self.warnings,
            "probes": self.probes.iter().map(|(name, ..)| name).collect::<Vec<_>>(),
            "checksum": format!("{:016x}", checksum(&self.bytes())),
        })
    }

    /// What [`Outcome::to_json`] and [`Outcome::bytes`] wrote; none if it is not whole, or another version's.
    pub(crate) fn read(v: &Value, bytes: &[u8]) -> Option<Self> {
        if v["pliant"].as_str()? != env!("CARGO_PKG_VERSION") {
            return None;
        }
        let hex = |key: &str| u64::from_str_radix(v[key].as_str()?, 16).ok();
        let count = |key: &str| v[key].as_u64();
        let number = |key: &str| v[key].as_f64();
        let texts = |key: &str| -> Option<Vec<String>> {
            v[key].as_array()?.iter().map(|t| t.as_str().map(str::to_owned)).collect()
        };
        let (triples, rest) = bytes.as_chunks::<24>();
        let (vertices, names) = (count("vertices")? as usize, texts("probes")?);
        let positions = if triples.is_empty() { 0 } else { vertices };
        if hex("checksum")? != checksum(bytes)
            || !rest.is_empty()
            || triples.len() != positions + 2 * names.len()
        {
            return None;
        }
        let numbers: Vec<Vec3> = triples.iter().map(triple).collect();
        let (positions, probes) = numbers.split_at(positions);
        let (probes, _) = probes.as_chunks::<2>();
        Some(Self {
            status: match v["status"].as_str()? {
                "done" => Status::Done,
                "failed" => Status::Failed,
                _ => return None,
            },
            reason: v["reason"].as_str().map(str::to_owned),
            class: v["class"].as_str().and_then(Class::by_name),
            vertices,
            cells: count("cells")? as usize,
            size: number("size")?,
            rest: hex("rest")?,
            steps: count("steps")?,
            simulated_seconds: number("simulated_seconds")?,
            setup_seconds: number("setup_seconds")?,
            wall_seconds: number("wall_seconds")?,
            cpu_seconds: number("cpu_seconds"),
            tally: Tally {
                newton_iterations: count("newton_iterations")?,
                linear_iterations: count("linear_iterations")?,
                factorizations: count("factorizations")?,
                evaluations: count("force_evaluations")?,
                // No step of a study is divided.
                retries: Retries::default(),
            },
            warnings: texts("warnings")?,
            positions: positions.to_vec(),
            probes: names.into_iter().zip(probes).map(|(name, [x, u])| (name, *x, *u)).collect(),
        })
    }
}

fn triple(bytes: &[u8; 24]) -> Vec3 {
    let (numbers, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|k| numbers.get(k).map_or(0.0, |b| f64::from_le_bytes(*b)))
}

/// FNV-1a: the same with every version and on every machine.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
