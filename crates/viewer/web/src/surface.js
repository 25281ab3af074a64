// Triangles that move: the geometry of bodies and of cuts.

import * as THREE from 'three';

export function movingGeometry(rest, index) {
  const geometry = new THREE.BufferGeometry();
  const attribute = (array) => new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage);
  geometry.setAttribute('position', attribute(rest.slice()));
  geometry.setAttribute('normal', attribute(new Float32Array(rest.length)));
  geometry.setAttribute('color', attribute(new Float32Array(rest.length)));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  normals(rest, index, geometry.attributes.normal.array);
  return geometry;
}

// How far each vertex has gone.
export function lengths(now, rest, out) {
  for (let v = 0; v < out.length; v++) {
    const k = 3 * v;
    out[v] = Math.hypot(now[k] - rest[k], now[k + 1] - rest[k + 1], now[k + 2] - rest[k + 2]);
  }
  return out;
}

// Means of the normals around each vertex, by area.
export function normals(p, index, out) {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t];
    const b = 3 * index[t + 1];
    const c = 3 * index[t + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    out[a] += nx;
    out[a + 1] += ny;
    out[a + 2] += nz;
    out[b] += nx;
    out[b + 1] += ny;
    out[b + 2] += nz;
    out[c] += nx;
    out[c + 1] += ny;
    out[c + 2] += nz;
  }
  for (let v = 0; v < out.length; v += 3) {
    const length = Math.sqrt(out[v] * out[v] + out[v + 1] * out[v + 1] + out[v + 2] * out[v + 2]) || 1;
    out[v] /= length;
    out[v + 1] /= length;
    out[v + 2] /= length;
  }
}
