// Bodies cut open: what is left of their surfaces, and the section, which moves with them.

import * as THREE from 'three';
import { BODIES } from './colours.js';
import { PARTS } from './protocol.js';
import { lengths, movingGeometry, normals } from './surface.js';

const SECTION = new THREE.Color('#fff4e6');

export class Cut {
  constructor(stage, bodies) {
    Object.assign(this, { stage, bodies });
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    this.cut = null;
  }

  // Takes a cut, or the end of one.
  load(cut) {
    this.group.clear();
    this.geometry?.dispose();
    this.geometry = null;
    this.cut = cut.points ? cut : null;
    this.seen = false;
    if (this.cut) {
      this.geometry = movingGeometry(cut.rest, cut.index);
      this.mesh = new THREE.Mesh(this.geometry, this.bodies.material);
      this.mesh.castShadow = true;
      this.wire = new THREE.Mesh(this.geometry, this.bodies.lines);
      for (const mesh of [this.mesh, this.wire]) mesh.frustumCulled = false;
      this.group.add(this.mesh, this.wire);
      this.values = new Float32Array(cut.points);
      this.plain();
    }
    this.show();
  }

  // Bodies are hidden as soon as there is something in their place.
  show() {
    const on = Boolean(this.cut && this.seen && this.cut.generation === this.bodies.surfaces?.generation);
    this.group.visible = on;
    if (this.wire) this.wire.visible = Boolean(this.bodies.wireframe);
    this.bodies.setHidden(on);
    this.stage.dirty = true;
  }

  plain() {
    const colours = this.geometry.attributes.color;
    for (const { body, section, first, points } of this.cut.parts) {
      const colour = BODIES[body % BODIES.length].clone();
      if (section) colour.lerp(SECTION, 0.55);
      for (let v = first; v < first + points; v++) colour.toArray(colours.array, 3 * v);
    }
    colours.needsUpdate = true;
  }

  // The numbers to be shown as colours.
  numbers(kind) {
    if (!this.cut || !this.seen) return null;
    if (kind === 'displacement') return lengths(this.geometry.attributes.position.array, this.cut.rest, this.values);
    return this.values;
  }

  paint(scale) {
    if (!this.cut) return;
    if (scale) scale.paint(this.values, this.geometry.attributes.color.array);
    else this.plain();
    this.geometry.attributes.color.needsUpdate = true;
  }

  move(frame) {
    if (!this.cut) return;
    for (const part of frame.parts) {
      if (part.of !== this.cut.number || part.count !== this.cut.points) continue;
      if (part.what === PARTS.cutPositions) {
        const { position, normal } = this.geometry.attributes;
        position.array.set(part.values);
        normals(position.array, this.cut.index, normal.array);
        position.needsUpdate = normal.needsUpdate = true;
        if (!this.seen) {
          this.seen = true;
          this.show();
        }
      }
      if (part.what === PARTS.cutColours) this.values.set(part.values);
    }
  }
}

// The controls of the plane: an axis, or towards whoever looks, and a place between the ends of all bodies.
export class Knife {
  constructor({ axis, place, side, output }, stage, bodies, send) {
    Object.assign(this, { axis, place, side, output, stage, bodies, send });
    this.facing = null;
    axis.addEventListener('change', () => {
      this.facing = null;
      this.ask();
    });
    place.addEventListener('input', () => this.ask());
    side.addEventListener('change', () => this.ask());
  }

  // As a word of the address: the axis, the place, and which side.
  get word() {
    if (this.axis.value === 'none') return undefined;
    return [this.axis.value, this.place.value, this.side.checked ? 1 : 0].join(',');
  }

  set word(word) {
    const [axis, place, side] = (word ?? 'none').split(',');
    this.axis.value = [...this.axis.options].some((o) => o.value === axis) ? axis : 'none';
    this.place.value = Number(place) || 0;
    if (place === undefined) this.place.value = 0;
    this.side.checked = side === '1';
    this.enable();
  }

  enable() {
    const off = this.axis.value === 'none';
    this.place.disabled = this.side.disabled = off;
    this.output.textContent = off ? '' : `${this.place.value} %`;
  }

  // In the next picture: a slider moves more often.
  ask() {
    this.enable();
    this.asked = true;
  }

  tick() {
    if (!this.asked || !this.bodies.surfaces) return;
    this.asked = false;
    if (this.axis.value === 'none') return void this.send('cut');
    const normal = new THREE.Vector3();
    if (this.axis.value === 'view') {
      this.facing ??= this.stage.camera.position.clone().sub(this.stage.controls.target).normalize();
      normal.copy(this.facing);
    } else {
      normal.setComponent('xyz'.indexOf(this.axis.value), 1);
    }
    if (this.side.checked) normal.negate();
    let [low, high] = [Infinity, -Infinity];
    const { rest } = this.bodies.surfaces;
    for (let k = 0; k < rest.length; k += 3) {
      const at = normal.x * rest[k] + normal.y * rest[k + 1] + normal.z * rest[k + 2];
      if (at < low) low = at;
      if (at > high) high = at;
    }
    // From −100 % to 100 %, the middle is 0; at an end a thin slice is left.
    const part = (this.side.checked ? -1 : 1) * (Number(this.place.value) / 100);
    this.send('cut', { normal: normal.toArray(), at: (low + high) / 2 + 0.4999 * part * (high - low) });
  }
}
