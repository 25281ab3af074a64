// What the server sends as bytes; crates/viewer/src/frame.rs is the other side.

export const FRAME = 1;
export const SURFACES = 2;
const HEADER = 96;
const GRAB = 40;

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

// Where everything is. Arrays are views of the buffer.
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const word = (k) => view.getUint32(4 * k, true);
  const number = (at) => view.getFloat64(at, true);
  const single = (at) => view.getFloat32(at, true);
  const flags = word(3);
  const frame = {
    generation: word(1),
    vertices: word(2),
    paused: (flags & 1) !== 0,
    behind: (flags & 2) !== 0,
    steps: word(5),
    time: number(24),
    energy: {
      kinetic: number(32),
      elastic: number(40),
      gravity: number(48),
      dissipated: number(56),
      work: number(64),
      loss: number(72),
    },
    stepTime: single(80),
    realTime: single(84),
    iterations: single(88),
    stepLength: single(92),
    grabs: [],
    colours: null,
  };
  let at = HEADER;
  for (let g = 0; g < word(4); g++) {
    const vector = (k) => new Float32Array(buffer, at + 4 + 12 * k, 3);
    frame.grabs.push({ id: view.getUint32(at, true), force: vector(0), point: vector(1), target: vector(2) });
    at += GRAB;
  }
  frame.positions = new Float32Array(buffer, at, 3 * frame.vertices);
  if (flags & 4) frame.colours = new Float32Array(buffer, at + 12 * frame.vertices, frame.vertices);
  return frame;
}
