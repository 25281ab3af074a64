//! The scenes of `pliant bench contact`, as texts.

/// Law and stiffness of soft blocks.
const SOFT: &str = "material = { law = \"stable-neo-hookean\", young = \"40 kPa\", poisson = 0.4 }";
/// Edge of a block, and the gap between blocks, m.
const EDGE: f64 = 0.1;
const GAP: f64 = 0.01;

/// What all have in common: steps by backward Euler, no output, and the keys of `[contact]`, if there is contact.
fn head(step: &str, end: f64, contact: &str) -> String {
    let contact = match contact {
        "" => String::new(),
        keys => format!("[contact]\n{keys}\n"),
    };
    format!(
        "title = \"bench\"\n[time]\nintegrator = \"backward-euler\"\nstep = \"{step}\"\nend = {end:?}\n\
         [output]\nreport = false\nframes = 0\n{contact}"
    )
}

/// A block of cells of six tetrahedra, its lowest corner at `at`, m.
fn block(name: &str, size: [f64; 3], cells: [usize; 3], at: [f64; 3], more: &str) -> String {
    format!(
        "[body.{name}]\nmesh = {{ shape = \"box\", size = {size:?}, cells = {cells:?}, cell = \"tet6\" }}\n\
         position = {at:?}\n{SOFT}\n{more}\n"
    )
}

/// A bar of about so many tetrahedra that swings from one end, under gravity.
pub(super) fn bar(cells: usize, contact: &str) -> String {
    let n = ((cells as f64 / 24.0).cbrt().round() as usize).max(1);
    let bar = block("bar", [0.4, 0.1, 0.1], [4 * n, n, n], [0.0; 3], "fixed = \"x-min\"");
    // A softer one would fold.
    head("10 ms", 1000.0, contact) + &bar.replace("40 kPa", "1 MPa")
}

/// Blocks that are dropped on each other and on a floor, each a little aside of the one below: `columns` × `columns` towers of
/// `floors`, of n³ cells each.
pub(super) fn pile(columns: usize, floors: usize, n: usize, end: f64, contact: &str) -> String {
    let mut text = head("10 ms", end, contact);
    for k in 0..columns * columns * floors {
        let (floor, column) = (k / (columns * columns), k % (columns * columns));
        // Every other floor bridges the towers.
        let aside = if floor % 2 == 0 { 0.0 } else { 0.3 * EDGE };
        let along = |c: usize| c as f64 * (EDGE + 0.5 * GAP) + aside;
        let at = [
            along(column % columns),
            GAP + floor as f64 * (EDGE + GAP),
            along(column / columns) - 0.5 * aside,
        ];
        text += &block(&format!("b{k}"), [EDGE; 3], [n; 3], at, "");
    }
    text + "[obstacle.floor]\nshape = \"floor\"\n"
}

/// Five blocks of decreasing size that are dropped on each other and on a floor.
pub(super) fn five_cubes(contact: &str) -> String {
    let mut text = head("10 ms", 1.5, contact);
    let mut low = GAP;
    for k in 0..5 {
        let edge = EDGE - 0.01 * k as f64;
        let aside = 0.005 * k as f64;
        text += &block(&format!("b{k}"), [edge; 3], [3; 3], [aside, low, aside], "");
        low += edge + GAP;
    }
    text + "[obstacle.floor]\nshape = \"floor\"\n"
}

/// A block that slides down a slab with tan θ = ½; gravity is turned instead of the slab.
pub(super) fn slope() -> String {
    let (sin, cos) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    let gravity = format!("gravity = [{:?}, {:?}, 0]\n", 9.81 * sin, -9.81 * cos);
    let text = head("10 ms", 0.5, "mode = \"barrier\"\nfriction = 0.4\ndistance = \"1 mm\"");
    let slab = block("slab", [1.0, 0.05, 0.3], [20, 1, 6], [0.0, -0.05, 0.0], "fixed = \"y-min\"");
    gravity + &text + &slab + &block("block", [EDGE; 3], [3; 3], [0.1, 5e-4, 0.1], "")
}

/// Two bodies of about so many tetrahedra each, one of which falls on the other.
pub(super) fn two(cells: usize, contact: &str) -> String {
    let n = ((cells as f64 / 6.0).cbrt().round() as usize).max(1);
    let lower = block("lower", [EDGE; 3], [n; 3], [0.0; 3], "fixed = \"y-min\"");
    let upper = block("upper", [EDGE; 3], [n; 3], [0.03, EDGE + 0.02, 0.02], "");
    head("16.6667 ms", 1.0, contact) + &lower + &upper
}

/// A slab that falls on another one, with about so many triangles on the surfaces of both together.
pub(super) fn slabs(triangles: usize) -> String {
    // 4 n² triangles above and below and 4 × 2 n at the sides, of two slabs.
    let n = ((triangles as f64 / 8.0).sqrt().round() as usize).max(2);
    let slab =
        |name: &str, at: [f64; 3], more: &str| block(name, [0.4, 0.01, 0.4], [n, 1, n], at, more);
    head("10 ms", 0.15, "mode = \"barrier\"\ndistance = \"0.4 mm\"")
        + &slab("lower", [0.0; 3], "fixed = \"y-min\"")
        + &slab("upper", [0.013, 0.012, 0.017], "velocity = [0, \"-0.2 m/s\", 0]")
}

/// A block that is pulled over a longer one, so that its contact pairs change all the time.
pub(super) fn slider(n: usize, contact: &str) -> String {
    let text = head("10 ms", 0.5, contact);
    let slab = block(
        "slab",
        [0.4, 0.04, 0.15],
        [8 * n / 3, n / 3, n],
        [0.0, -0.04, 0.0],
        "fixed = \"y-min\"",
    );
    let block = block(
        "block",
        [EDGE, 0.06, EDGE],
        [n, n * 2 / 3, n],
        [0.01, 4e-4, 0.025],
        "velocity = [\"0.5 m/s\", 0, 0]",
    );
    text + &slab + &block
}
