// Pins: a click on a body holds the point there, a click on a pin lets it go.

import * as THREE from 'three';
import { quantity } from './colours.js';
import { hit, pixels } from './pick.js';

// A finger is not finer than this.
const NEAR = 14;

export class Pins {
  // active: whether clicks are meant for pins.
  constructor(stage, bodies, send, active) {
    Object.assign(this, { stage, bodies, send, active });
    this.pins = new Map();
    this.count = document.getElementById('pin-count');
    this.all = document.getElementById('unpin');
    this.all.addEventListener('click', () => this.removeAll());
    this.material = new THREE.MeshBasicMaterial({ color: '#2f6df0', depthTest: false, transparent: true, opacity: 0.95 });
    this.rim = new THREE.MeshBasicMaterial({ color: '#ffffff', depthTest: false, transparent: true, opacity: 0.95 });
    const canvas = stage.canvas;
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.hover(event), { capture: true });
    this.show([]);
  }

  press(event) {
    if (event.button !== 0 || !this.active()) return;
    const old = this.under(event);
    const found = old === undefined && hit(this.stage, this.bodies, event);
    if (old === undefined && !found) return;
    event.stopImmediatePropagation();
    if (old !== undefined) {
      this.send('unpin', { id: old });
      return;
    }
    const { body, triangle } = this.bodies.bodyOf(found.faceIndex);
    this.send('pin', { body, triangle, weights: found.barycoord.toArray() });
  }

  hover(event) {
    if (event.buttons !== 0 || event.pointerType !== 'mouse' || !this.active()) return;
    this.stage.canvas.classList.toggle('unpins', this.under(event) !== undefined);
  }

  // The number of the pin under the cursor.
  under(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    let best;
    let nearest = NEAR;
    for (const [id, { mesh }] of this.pins) {
      const [x, y] = pixels(this.stage, mesh.position);
      const away = Math.hypot(x - event.clientX + box.left, y - event.clientY + box.top);
      if (away <= nearest) [best, nearest] = [id, away];
    }
    return best;
  }

  // All pins as a word of the address: body.triangle.weights in thousandths, one after the other.
  get word() {
    const one = ([body, triangle, weights]) => [body, triangle, ...weights.slice(0, 2).map((w) => Math.round(1000 * w))].join('.');
    return this.spots.map(one).join('_') || undefined;
  }

  // Puts in those of such a word.
  ask(word) {
    for (const one of (word ?? '').split('_')) {
      const [body, triangle, a, b] = one.split('.').map(Number);
      if (![body, triangle, a, b].every((n) => Number.isInteger(n) && n >= 0) || a + b > 1000) continue;
      this.send('pin', { body, triangle, weights: [a / 1000, b / 1000, (1000 - a - b) / 1000] });
    }
  }

  removeAll() {
    if (this.pins.size) this.send('unpin-all');
  }

  // list: [id, where, force, [body, triangle, weights]]
  show(list) {
    this.spots = list.map(([, , , spot]) => spot);
    const seen = new Set();
    let most = 0;
    for (const [id, at, force] of list) {
      seen.add(id);
      most = Math.max(most, Math.hypot(...force));
      let pin = this.pins.get(id);
      if (!pin) {
        pin = { mesh: this.make() };
        this.pins.set(id, pin);
        this.stage.scene.add(pin.mesh);
      }
      pin.mesh.position.fromArray(at);
      this.stage.dirty = true;
    }
    for (const [id, pin] of this.pins) if (!seen.has(id)) this.remove(id, pin);
    const text = `${list.length} ${list.length === 1 ? 'pin' : 'pins'}`;
    this.count.textContent = list.length ? `${text}, up to ${quantity(most, 'N')}` : 'No pins yet';
    this.all.disabled = !list.length;
  }

  make() {
    const r = 0.009 * this.stage.size;
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(r, 20, 14), this.material);
    const rim = new THREE.Mesh(new THREE.SphereGeometry(1.35 * r, 20, 14), this.rim);
    mesh.renderOrder = 9;
    rim.renderOrder = 8;
    mesh.add(rim);
    return mesh;
  }

  remove(id, { mesh }) {
    this.stage.scene.remove(mesh);
    mesh.geometry.dispose();
    for (const child of mesh.children) child.geometry.dispose();
    this.pins.delete(id);
    this.stage.dirty = true;
  }

  clear() {
    for (const [id, pin] of this.pins) this.remove(id, pin);
  }
}
