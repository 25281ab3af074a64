//! Configurations of Vega's interactive simulator, as scenes.

use std::path::Path;

use pliant_mesh::io::{Source, bou};

use crate::error::{Location, SceneError};

/// A configuration as a scene file, and what of it has no effect here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The scene.
    pub scene: String,
    /// What has no effect here, or is done otherwise.
    pub notes: Vec<String>,
}

/// Keys that only concern pictures, the mouse or threads, or other methods than the one that is chosen.
const WITHOUT_EFFECT: &[&str] = &[
    "cameraLatitude",
    "cameraLattitude",
    "cameraLongitude",
    "cameraRadius",
    "compressionResistance",
    "deformableObjectCompliance",
    "enableCompressionResistance",
    "extraSceneGeometry",
    "focusPositionX",
    "focusPositionY",
    "focusPositionZ",
    "forceNeighborhoodSize",
    "lightingConfigFilename",
    "numInternalForceThreads",
    "numSolverThreads",
    "planesFilename",
    "pulledVertex",
    "renderSecondaryDeformableObject",
    "singleStepMode",
    "syncTimestepWithGraphics",
    "windowTitle",
    "zBufferFar",
    "zBufferNear",
];

struct Key {
    name: String,
    value: String,
    line: u64,
    used: bool,
}

struct Config<'a> {
    file: &'a Path,
    /// From where the scene is to the folder of the configuration.
    from: &'a Path,
    keys: Vec<Key>,
}

impl<'a> Config<'a> {
    /// `*key`, then its value on the next line that is neither empty nor a comment.
    fn parse(text: &str, file: &'a Path, from: &'a Path) -> Result<Self, SceneError> {
        let mut keys: Vec<Key> = Vec::new();
        let mut open: Option<(String, u64)> = None;
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match (line.strip_prefix('*'), open.take()) {
                (Some(name), None) => open = Some((name.trim().to_owned(), number)),
                (None, Some((name, line_of))) => {
                    keys.push(Key { name, value: line.to_owned(), line: line_of, used: false });
                }
                (Some(_), Some((name, line_of))) => {
                    let text = format!("'*{name}' has no value");
                    return Err(SceneError::new(text).at(&location(file, line_of, "")));
                }
                (None, None) => {
                    let text = format!("'{line}' belongs to no key");
                    let error = SceneError::new(text).at(&location(file, number, line));
                    return Err(error.hint("a key is a line that begins with '*'"));
                }
            }
        }
        Ok(Self { file, from, keys })
    }

    fn get(&mut self, name: &str) -> Option<(&str, u64)> {
        // Vega does not mind how keys are spelt; the last one counts.
        let found = self.keys.iter_mut().rev().find(|k| k.name.eq_ignore_ascii_case(name))?;
        found.used = true;
        Some((&found.value, found.line))
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>, SceneError> {
        let file = self.file;
        let Some((text, line)) = self.get(name) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => {
                let message = format!("*{name}: '{text}' is no number");
                Err(SceneError::new(message).at(&location(file, line, text)))
            }
        }
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.get(name).map(|(text, _)| text.to_owned()).filter(|text| text != "__none")
    }

    /// The name of a file as the scene needs it.
    fn named(&self, file: &str) -> String {
        quoted(&self.from.join(file).to_string_lossy())
    }

    fn error(&self, name: &str, message: String) -> SceneError {
        let line = self.keys.iter().find(|k| k.name.eq_ignore_ascii_case(name));
        let line = line.map_or(0, |k| k.line);
        SceneError::new(message).at(&location(self.file, line, ""))
    }

    /// One of these names, in Vega's words and ours.
    fn choice(
        &mut self,
        name: &str,
        names: &[(&str, &'static str)],
    ) -> Result<Option<&'static str>, SceneError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let found = names.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(&text));
        found.map(|(_, ours)| Some(*ours)).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(theirs, _)| *theirs).collect();
            let message = format!("*{name}: there is no '{text}'");
            self.error(name, message).hint(format!("known are {}", known.join(", ")))
        })
    }
}

fn location(file: &Path, line: u64, source: &str) -> Location {
    let file = file.display().to_string();
    Location {
        file,
        line,
        column: 1,
        width: source.len() as u64,
        source: source.to_owned(),
        set: String::new(),
    }
}

/// Translates a configuration that was read from `path` to a scene beside it.
pub fn import(text: &str, path: &Path) -> Result<Imported, SceneError> {
    import_from(text, path, Path::new(""))
}

/// The same to a scene elsewhere, from where `from` is the way to the folder of the configuration.
pub fn import_from(text: &str, path: &Path, from: &Path) -> Result<Imported, SceneError> {
    let mut c = Config::parse(text, path, from)?;
    let mut notes = Vec::new();
    if c.text("objMeshname").is_some() {
        let text = "this is a configuration of cloth, which Pliant does not have yet".to_owned();
        return Err(c.error("objMeshname", text));
    }
    let name = path.file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned());
    let mut scene = format!("title = {}\n", quoted(&name));
    // Vega has no gravity unless it is asked for.
    let (wanted, g) = (c.number("addGravity")?, c.number("g")?);
    let gravity = if wanted == Some(1.0) { g.unwrap_or(9.81) } else { 0.0 };
    scene += &format!("gravity = [0, {:?}, 0]\n\n[time]\n", -gravity);
    let solvers = [
        ("implicitBackwardEuler", "backward-euler"),
        ("implicitNewmark", "newmark"),
        ("centralDifferences", "central-differences"),
        ("symplecticEuler", "symplectic-euler"),
        ("Euler", "forward-euler"),
    ];
    let solver = c.choice("solver", &solvers)?.unwrap_or("backward-euler");
    let scaling = c.number("frequencyScaling")?.unwrap_or(1.0);
    let step = c.number("timestep")?.unwrap_or(1.0 / 30.0) * scaling;
    scene +=
        &format!("integrator = {}\nstep = {step:?}\nsteps = 100\n\n[body.body]\n", quoted(solver));

    let cubic = c.text("massSpringSystemCubicMeshConfigFilename");
    let springs = c.text("massSpringSystemTetMeshConfigFilename").or(cubic);
    let mesh = c.text("volumetricMeshFilename");
    if let Some(file) = springs {
        // Its own file names the mesh again.
        mass_spring(&c, &file, &mut scene)?;
        c.get("deformableObjectMethod");
    } else {
        let Some(mesh) = mesh else {
            let text = "*volumetricMeshFilename is missing: nothing says which mesh";
            return Err(SceneError::new(text).at(&location(path, 0, "")));
        };
        scene += &format!("mesh = {}\n", c.named(&mesh));
        material(&mut c, &mut scene)?;
    }
    if let Some(file) = c.text("fixedVerticesFilename") {
        // Vega's way to fix nothing is an empty list.
        let full = path.parent().unwrap_or(Path::new("")).join(&file);
        let list = Source::open(&full).and_then(bou::read);
        if list.is_ok_and(|list| list.is_empty()) {
            notes.push(format!("{file} is empty: the body is free"));
        } else {
            scene += &format!("fixed = {{ file = {} }}\n", c.named(&file));
        }
    }
    let alpha = c.number("dampingMassCoef")?.unwrap_or(0.0);
    let beta = c.number("dampingStiffnessCoef")?.unwrap_or(0.0);
    if alpha > 0.0 || beta > 0.0 {
        scene += &format!("damping = {{ mass = {alpha:?}, stiffness = {beta:?} }}\n");
    }
    surface(&mut c, &mut scene, &mut notes);
    for key in c.keys.iter().filter(|k| !k.used) {
        let known = WITHOUT_EFFECT.iter().any(|name| name.eq_ignore_ascii_case(&key.name));
        let why = if known { "it has no effect here" } else { "it is not known here" };
        notes.push(format!("{}:{}: *{}: {why}", path.display(), key.line, key.name));
    }
    Ok(Imported { scene, notes })
}

/// The detailed mesh that Vega draws, or else the plain one. Files that are not there are no error:
/// many configurations come without them.
fn surface(c: &mut Config<'_>, scene: &mut String, notes: &mut Vec<String>) {
    let folder = c.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut there = |c: &mut Config<'_>, key: &str| {
        let file = c.text(key)?;
        if folder.join(&file).is_file() {
            return Some(file);
        }
        notes.push(format!("*{key}: {file} is not there, and has no effect here"));
        None
    };
    let weights = there(c, "secondaryRenderingMeshInterpolationFilename");
    let (detailed, plain) =
        (there(c, "secondaryRenderingMeshFilename"), there(c, "renderingMeshFilename"));
    match (detailed, weights, plain) {
        (Some(file), Some(weights), _) => {
            let (file, weights) = (c.named(&file), c.named(&weights));
            *scene += &format!("surface = {{ file = {file}, weights = {weights} }}\n");
        }
        (Some(file), None, _) | (None, _, Some(file)) => {
            *scene += &format!("surface = {}\n", c.named(&file));
        }
        (None, _, None) => {}
    }
}

/// `*deformableObjectMethod` and what belongs to it.
fn material(c: &mut Config<'_>, scene: &mut String) -> Result<(), SceneError> {
    let methods = [
        ("StVK", "st-venant-kirchhoff"),
        ("CLFEM", "corotational"),
        ("LinearFEM", "linear"),
        ("InvertibleFEM", "invertible"),
    ];
    let method = c.choice("deformableObjectMethod", &methods)?.unwrap_or("st-venant-kirchhoff");
    let laws = [
        ("StVK", "st-venant-kirchhoff"),
        ("neoHookean", "neo-hookean"),
        ("MooneyRivlin", "mooney-rivlin"),
    ];
    let law = c.choice("invertibleMaterial", &laws)?.unwrap_or("st-venant-kirchhoff");
    let threshold = c.number("inversionThreshold")?;
    if method == "invertible" {
        let enabled = c.number("enableCompressionResistance")?.is_some_and(|n| n != 0.0);
        let factor = c.number("compressionResistance")?;
        // Vega's default clamps nothing; that means to the law's own threshold here.
        let threshold = threshold.filter(|t| *t > 0.0 && *t < 1.0);
        let threshold =
            threshold.map_or(String::new(), |t| format!(", inversion_threshold = {t:?}"));
        let resistance = match factor.filter(|f| enabled && *f > 0.0) {
            Some(factor) => format!(", compression_resistance = {factor:?}"),
            None => String::new(),
        };
        *scene += &format!(
            "material = {{ law = {}, invertible = true{threshold}{resistance} }}\n",
            quoted(law)
        );
    } else {
        *scene += &format!("material = {{ law = {} }}\n", quoted(method));
    }
    Ok(())
}

/// Vega's `.massspring` files: a spring has the stiffness EA/l.
fn mass_spring(config: &Config<'_>, file: &str, scene: &mut String) -> Result<(), SceneError> {
    let path = config.file.parent().unwrap_or(Path::new("")).join(file);
    let text = std::fs::read_to_string(&path).map_err(|e| SceneError::unread(&path, e))?;
    let mut c = Config::parse(&text, &path, config.from)?;
    let mesh = c.text("tetMeshFilename").or(c.text("cubicMeshFilename"));
    let mesh =
        mesh.ok_or_else(|| SceneError::new(format!("{}: no mesh is named", path.display())))?;
    let rigidity = c.number("tensileStiffness")?.unwrap_or(1.0);
    let damping = c.number("damping")?.unwrap_or(0.0);
    let density = c.number("density")?.unwrap_or(1000.0);
    *scene += &format!(
        "mesh = {}\nmaterial = {{ law = \"mass-spring\", rigidity = {rigidity:?}, damping = {damping:?} }}\ndensity = {density:?}\n",
        c.named(&mesh)
    );
    Ok(())
}

/// As TOML wants it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "/").replace('"', "\\\""))
}
