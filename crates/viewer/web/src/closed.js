// Whether triangles enclose something.

// True if there is no way from outside to the backs of triangles: every edge is passed once in each direction. Both
// ways cancel in a sum of mixed numbers; that others do too is as likely as one in 2^64.
export function isClosed(index) {
  let [one, two] = [0, 0];
  for (let t = 0; t < index.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = index[t + k];
      const b = index[t + ((k + 1) % 3)];
      one = (one + mix(a, b, 0x9e3779b1) - mix(b, a, 0x9e3779b1)) | 0;
      two = (two + mix(a, b, 0x85ebca6b) - mix(b, a, 0x85ebca6b)) | 0;
    }
  }
  return one === 0 && two === 0;
}

function mix(a, b, odd) {
  let h = Math.imul(a + 1, odd) ^ (b + 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
