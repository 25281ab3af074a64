// The surfaces of all bodies: one geometry, moved by frames.

import * as THREE from 'three';
import { BODIES, paint, showLegend } from './colours.js';

const KINDS = {
  plain: [null, ''],
  displacement: ['Displacement', 'm'],
  'von-mises': ['Von Mises stress', 'Pa'],
  'energy-density': ['Energy density', 'J/m³'],
};

export class Bodies {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    this.material = stage.material({ vertexColors: true, roughness: 0.42, side: THREE.DoubleSide });
    this.material.polygonOffset = true;
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = 1;
    this.lines = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.28, color: '#10131a' });
    this.ghost = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.12, depthWrite: false, color: '#7f93bd' });
    this.kind = 'plain';
    this.highest = 0;
    this.surfaces = null;
    this.frame = null;
  }

  // Takes the surfaces of a scene; true if they are others than before.
  load(surfaces) {
    const old = this.surfaces;
    const same = old && old.vertices === surfaces.vertices && old.triangles === surfaces.triangles;
    this.surfaces = surfaces;
    if (same) {
      this.restGeometry.attributes.position.copyArray(surfaces.rest).needsUpdate = true;
      return false;
    }
    this.group.clear();
    this.geometry?.dispose();
    this.restGeometry?.dispose();
    this.geometry = new THREE.BufferGeometry();
    const attribute = (array) => new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute('position', attribute(surfaces.rest.slice()));
    this.geometry.setAttribute('normal', attribute(new Float32Array(3 * surfaces.vertices)));
    this.geometry.setAttribute('color', attribute(new Float32Array(3 * surfaces.vertices)));
    this.geometry.setIndex(new THREE.BufferAttribute(surfaces.index, 1));
    this.restGeometry = new THREE.BufferGeometry();
    this.restGeometry.setAttribute('position', new THREE.BufferAttribute(surfaces.rest.slice(), 3));
    this.restGeometry.setIndex(this.geometry.index);
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = this.stage.fine;
    this.wire = new THREE.Mesh(this.geometry, this.lines);
    this.shadow = new THREE.Mesh(this.restGeometry, this.ghost);
    this.wire.visible = this.wireframe ?? false;
    this.shadow.visible = this.showGhost ?? false;
    for (const mesh of [this.mesh, this.wire, this.shadow]) mesh.frustumCulled = false;
    this.group.add(this.mesh, this.wire, this.shadow);
    this.highest = 0;
    this.plain();
    normals(surfaces.rest, surfaces.index, this.geometry.attributes.normal.array);
    return true;
  }

  bounds(places = this.surfaces.rest) {
    return new THREE.Box3().setFromArray(places);
  }

  // The middle of what is seen, in the plane of the floor.
  middle(p = this.geometry.attributes.position.array) {
    let [x, z] = [0, 0];
    for (let k = 0; k < p.length; k += 3) {
      x += p[k];
      z += p[k + 2];
    }
    return [(3 * x) / p.length, (3 * z) / p.length];
  }

  bodyOf(triangle) {
    const list = this.surfaces.bodies;
    const body = list.findIndex((b) => triangle < b.firstTriangle + b.triangles);
    return { body, triangle: triangle - list[body].firstTriangle };
  }

  setWireframe(on) {
    this.wireframe = on;
    if (this.wire) this.wire.visible = on;
    this.stage.dirty = true;
  }

  setGhost(on) {
    this.showGhost = on;
    if (this.shadow) this.shadow.visible = on;
    this.stage.dirty = true;
  }

  setKind(kind) {
    this.kind = kind;
    this.highest = 0;
    if (kind === 'plain') this.plain();
    else if (this.frame) this.colour(this.frame);
    this.stage.dirty = true;
  }

  plain() {
    showLegend(null);
    if (!this.surfaces) return;
    const colours = this.geometry.attributes.color;
    this.surfaces.bodies.forEach((body, b) => {
      const colour = BODIES[b % BODIES.length];
      for (let v = body.firstVertex; v < body.firstVertex + body.vertices; v++) colour.toArray(colours.array, 3 * v);
    });
    colours.needsUpdate = true;
  }

  // False if the frame belongs to other surfaces.
  move(frame) {
    if (frame.generation !== this.surfaces?.generation || frame.vertices !== this.surfaces.vertices) return false;
    this.frame = frame;
    const { position, normal } = this.geometry.attributes;
    position.array.set(frame.positions);
    normals(position.array, this.surfaces.index, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
    if (this.kind !== 'plain') this.colour(frame);
    this.stage.dirty = true;
    return true;
  }

  colour(frame) {
    let values = frame.colours;
    if (this.kind === 'displacement') {
      const { rest } = this.surfaces;
      values = this.lengths?.length === frame.vertices ? this.lengths : new Float32Array(frame.vertices);
      this.lengths = values;
      for (let v = 0; v < values.length; v++) {
        const k = 3 * v;
        const p = frame.positions;
        values[v] = Math.hypot(p[k] - rest[k], p[k + 1] - rest[k + 1], p[k + 2] - rest[k + 2]);
      }
    }
    if (!values) return;
    let highest = 0;
    for (const value of values) if (value > highest) highest = value;
    // The scale grows at once and shrinks slowly, so that colours do not flicker.
    this.highest = Math.max(highest, 0.985 * this.highest);
    paint(values, this.highest, this.geometry.attributes.color.array);
    this.geometry.attributes.color.needsUpdate = true;
    showLegend(...KINDS[this.kind], this.highest);
  }
}

// Means of the normals around each vertex, by area.
function normals(p, index, out) {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const v of [a, b, c]) {
      out[v] += nx;
      out[v + 1] += ny;
      out[v + 2] += nz;
    }
  }
  for (let v = 0; v < out.length; v += 3) {
    const length = Math.hypot(out[v], out[v + 1], out[v + 2]) || 1;
    out[v] /= length;
    out[v + 1] /= length;
    out[v + 2] /= length;
  }
}
