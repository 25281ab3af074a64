// A coarser surface on the same vertices, for what need not be exact: the shadow, where each triangle counts.

// So many vertices are about left.
const LEFT = 1000;

// Vertices in one cell of a grid become the one that is farthest from the middle, so that outlines do not shrink;
// triangles that lose a corner are left out. Bodies, given as [{ firstVertex, vertices }], stay apart.
export function coarse(rest, index, bodies) {
  if (rest.length <= 6 * LEFT) return index;
  const cell = Math.sqrt(area(rest, index) / LEFT) || 1;
  const stands = new Uint32Array(rest.length / 3);
  for (const { firstVertex, vertices } of bodies) {
    const end = firstVertex + vertices;
    const middle = [0, 0, 0];
    for (let v = firstVertex; v < end; v++) for (let k = 0; k < 3; k++) middle[k] += rest[3 * v + k] / vertices;
    const distance = (v) => Math.hypot(...middle.map((m, k) => rest[3 * v + k] - m));
    const cells = new Map();
    const keys = [];
    for (let v = firstVertex; v < end; v++) {
      const key = middle.map((m, k) => Math.floor((rest[3 * v + k] - m) / cell)).join();
      keys.push(key);
      if (!cells.has(key) || distance(v) > distance(cells.get(key))) cells.set(key, v);
    }
    for (let v = firstVertex; v < end; v++) stands[v] = cells.get(keys[v - firstVertex]);
  }
  const out = [];
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [stands[index[t]], stands[index[t + 1]], stands[index[t + 2]]];
    if (a !== b && b !== c && c !== a) out.push(a, b, c);
  }
  return Uint32Array.from(out);
}

function area(p, index) {
  let sum = 0;
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
    const u = [0, 1, 2].map((k) => p[b + k] - p[a + k]);
    const v = [0, 1, 2].map((k) => p[c + k] - p[a + k]);
    sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return sum;
}
