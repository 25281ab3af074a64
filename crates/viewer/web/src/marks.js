// Marks of what holds and pushes bodies: knobs on held vertices, arrows of forces.

import * as THREE from 'three';
import { quantity } from './colours.js';
import { PARTS } from './protocol.js';

const UP = new THREE.Vector3(0, 1, 0);
const SOURCES = ['#f59e0b', '#8b5cf6', '#10b981'].map((c) => new THREE.Color(c));
const HELD = '#2b59c3';
const NUMBERS = 7;

export class Marks {
  // key: where the length of arrows is explained.
  constructor(stage, key) {
    Object.assign(this, { stage, key });
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    const material = stage.material({ color: HELD, roughness: 0.6 });
    this.knobs = new Many(this.group, new THREE.OctahedronGeometry(1), material);
    this.bars = new Many(this.group, new THREE.CylinderGeometry(0.35, 0.35, 4, 8), material);
    // Through bodies: many forces act from inside.
    const bright = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.rods = new Many(this.group, new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), bright);
    this.tips = new Many(this.group, new THREE.ConeGeometry(1, 1, 16).translate(0, -0.5, 0), bright);
    this.longest = 0;
  }

  clear() {
    for (const many of [this.knobs, this.bars, this.rods, this.tips]) many.count(0);
    this.longest = 0;
    this.key.hidden = true;
    this.stage.dirty = true;
  }

  // What is not to be seen stays as it is: it is sent again only where it has changed.
  show({ holds, forces }) {
    for (const many of [this.knobs, this.bars]) many.visible = holds;
    for (const many of [this.rods, this.tips]) many.visible = forces;
    this.key.hidden = !forces || !this.tips.mesh?.count;
    this.stage.dirty = true;
  }

  move(frame) {
    for (const part of frame.parts) {
      if (part.what === PARTS.holds) this.hold(part);
      if (part.what === PARTS.arrows) this.push(part);
    }
  }

  hold({ count, values, words }) {
    const size = 0.007 * this.stage.size;
    const [turn, at, axis] = [new THREE.Quaternion(), new THREE.Vector3(), new THREE.Vector3()];
    const scale = new THREE.Vector3(size, size, size);
    this.knobs.count(count);
    this.bars.count(count);
    let bars = 0;
    for (let k = 0; k < count; k++) {
      at.fromArray(values, NUMBERS * k);
      this.knobs.put(k, at, turn.identity(), scale);
      const directions = words[NUMBERS * k + 6];
      if (directions === 3) continue;
      // A bar along what is free; a vertex that is held in one direction is free in a plane, and its bar stands for it.
      axis.fromArray(values, NUMBERS * k + 3).normalize();
      turn.setFromUnitVectors(UP, axis);
      this.bars.put(bars++, at, turn, scale);
    }
    this.bars.count(bars);
    this.stage.dirty = true;
  }

  push({ count, values, words }) {
    const vector = (k, n) => new THREE.Vector3().fromArray(values, NUMBERS * k + 3 * n);
    let longest = 0;
    for (let k = 0; k < count; k++) longest = Math.max(longest, vector(k, 1).length());
    // As for colours: lengths can be compared from one picture to the next.
    if (longest > this.longest || longest < 0.3 * this.longest) this.longest = longest;
    this.rods.count(count);
    this.tips.count(count);
    const full = 0.16 * this.stage.size;
    const thick = 0.0035 * this.stage.size;
    const turn = new THREE.Quaternion();
    for (let k = 0; k < count; k++) {
      const [at, force] = [vector(k, 0), vector(k, 1)];
      const length = this.longest > 0 ? (full * force.length()) / this.longest : 0;
      const way = force.normalize();
      turn.setFromUnitVectors(UP, way);
      const head = Math.min(0.45 * length, 7 * thick);
      const colour = SOURCES[words[NUMBERS * k + 6]] ?? SOURCES[0];
      // What pushes ends at the body, so that it is not inside.
      const from = at.clone().addScaledVector(way, -length);
      this.rods.put(k, from, turn, new THREE.Vector3(thick, Math.max(length - head, 1e-9), thick), colour);
      this.tips.put(k, at, turn, new THREE.Vector3(0.4 * head, head, 0.4 * head), colour);
    }
    this.key.hidden = !count || !this.tips.visible;
    this.key.querySelector('b').textContent = quantity(this.longest, 'N');
    this.stage.dirty = true;
  }
}

// Many of one thing, in one call to draw.
class Many {
  constructor(group, geometry, material) {
    Object.assign(this, { group, geometry, material, mesh: null, shown: false });
    this.matrix = new THREE.Matrix4();
  }

  get visible() {
    return this.shown;
  }

  set visible(on) {
    this.shown = on;
    if (this.mesh) this.mesh.visible = on;
  }

  count(count) {
    if (count > (this.mesh?.instanceMatrix.count ?? 0)) {
      if (this.mesh) this.group.remove(this.mesh);
      this.mesh?.dispose();
      this.mesh = new THREE.InstancedMesh(this.geometry, this.material, 2 * count);
      this.mesh.frustumCulled = false;
      this.mesh.visible = this.shown;
      this.mesh.renderOrder = this.material.depthTest ? 0 : 9;
      this.group.add(this.mesh);
    }
    if (this.mesh) this.mesh.count = count;
  }

  put(k, at, turn, scale, colour) {
    this.mesh.setMatrixAt(k, this.matrix.compose(at, turn, scale));
    this.mesh.instanceMatrix.needsUpdate = true;
    if (!colour) return;
    this.mesh.setColorAt(k, colour);
    this.mesh.instanceColor.needsUpdate = true;
  }
}
