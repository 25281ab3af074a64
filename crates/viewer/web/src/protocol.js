// What the server sends as bytes; crates/viewer/src/frame.rs is the other side.

export const FRAME = 1;
export const SURFACES = 2;
export const CUT = 3;
const HEADER = 152;
const GRAB = 40;
const PART = 16;
export const PARTS = { positions: 1, colours: 2, cutPositions: 3, cutColours: 4, holds: 5, arrows: 6 };
const COLOURS = ['none', 'von-mises', 'energy-density', 'volume', 'contact-pressure'];
const STEPS = 1;

export function kind(buffer) {
  return buffer.byteLength >= 4 ? new DataView(buffer).getUint32(0, true) : 0;
}

// The surfaces of a scene at rest.
export function readSurfaces(buffer) {
  const words = new Uint32Array(buffer, 0, 3);
  const [, generation, count] = words;
  const counts = new Uint32Array(buffer, 12, 2 * count);
  const bodies = [];
  let [vertices, triangles] = [0, 0];
  for (let b = 0; b < count; b++) {
    const body = { firstVertex: vertices, firstTriangle: triangles };
    body.vertices = counts[2 * b];
    body.triangles = counts[2 * b + 1];
    vertices += body.vertices;
    triangles += body.triangles;
    bodies.push(body);
  }
  const start = 12 + 8 * count;
  const index = new Uint32Array(buffer, start, 3 * triangles);
  const rest = new Float32Array(buffer, start + 12 * triangles, 3 * vertices);
  return { generation, bodies, vertices, triangles, index, rest };
}

// What a plane leaves of bodies at rest; no bodies if there is no cut. `parts`: [body, section?, first point, points].
export function readCut(buffer) {
  const [, generation, number, count] = new Uint32Array(buffer, 0, 4);
  const counts = new Uint32Array(buffer, 16, 4 * count);
  const parts = [];
  let [points, triangles] = [0, 0];
  for (let k = 0; k < 2 * count; k++) {
    parts.push({ body: k >> 1, section: k % 2 === 1, first: points, points: counts[2 * k] });
    points += counts[2 * k];
    triangles += counts[2 * k + 1];
  }
  const start = 16 + 16 * count;
  const index = new Uint32Array(buffer, start, 3 * triangles);
  const rest = new Float32Array(buffer, start + 12 * triangles, 3 * points);
  return { generation, number, parts, points, index, rest };
}

// The numbers of one time. Bodies, cuts and marks keep what parts bring until others come.
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const word = (k) => view.getUint32(4 * k, true);
  const number = (at) => view.getFloat64(at, true);
  const numbers = (at, count) => Array.from({ length: count }, (_, k) => number(at + 8 * k));
  const single = (at) => view.getFloat32(at, true);
  const flags = word(3);
  const [kinetic, elastic, gravity, dissipated, work, loss] = numbers(32, 6);
  const frame = {
    generation: word(1),
    paused: (flags & 1) !== 0,
    behind: (flags & 2) !== 0,
    colour: COLOURS[flags >> 8],
    steps: word(5),
    time: number(24),
    energy: { kinetic, elastic, gravity, dissipated, work, loss },
    momentum: numbers(80, 3),
    spin: numbers(104, 3),
    stepTime: single(128),
    realTime: single(132),
    iterations: single(136),
    stepLength: single(140),
    answer: single(144),
    grabs: [],
    parts: [],
  };
  let at = HEADER;
  for (let g = 0; g < word(4); g++) {
    const vector = (k) => new Float32Array(buffer, at + 4 + 12 * k, 3);
    frame.grabs.push({ id: view.getUint32(at, true), force: vector(0), point: vector(1), target: vector(2) });
    at += GRAB;
  }
  for (let p = 0; p < word(2); p++) {
    const [what, of, count, how] = new Uint32Array(buffer, at, 4);
    at += PART;
    const marks = what === PARTS.holds || what === PARTS.arrows;
    const wide = marks ? 7 : what === PARTS.positions || what === PARTS.cutPositions ? 3 : 1;
    const part = { what, of, count, values: null };
    if (how === STEPS) {
      part.values = unpack(buffer, at, count, wide);
      at += 8 * wide + 4 * Math.ceil((2 * wide * count) / 4);
    } else {
      part.values = new Float32Array(buffer, at, wide * count);
      if (marks) part.words = new Uint32Array(buffer, at, wide * count);
      at += 4 * wide * count;
    }
    frame.parts.push(part);
  }
  return frame;
}

// The lowest value and the step of each coordinate, then steps of 16 bits.
function unpack(buffer, at, count, wide) {
  const low = new Float32Array(buffer, at, wide);
  const step = new Float32Array(buffer, at + 4 * wide, wide);
  const steps = new Uint16Array(buffer, at + 8 * wide, wide * count);
  const values = new Float32Array(wide * count);
  for (let k = 0; k < values.length; k++) values[k] = low[k % wide] + step[k % wide] * steps[k];
  return values;
}
