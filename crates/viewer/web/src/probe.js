// The probe: a sphere that follows the cursor in a plane which faces the viewer, and pushes at bodies.
//
// The server's sphere may enter a body a little. What is drawn never does: it stands on the plane that the server
// sends for the surface near it, at the rate of the screen and not at that of the simulation.

import * as THREE from 'three';
import { quantity } from './colours.js';
import { Curve } from './curve.js';
import { across, hit, pixels } from './pick.js';

const UP = new THREE.Vector3(0, 1, 0);
// Parts of a radius for a notch of the wheel.
const NOTCH = 0.25;

export class Probe {
  // active: whether the cursor is the probe.
  constructor(stage, bodies, send, active) {
    Object.assign(this, { stage, bodies, send, active });
    this.name = 'scene';
    this.aim = null;
    this.told = null;
    this.finger = null;
    this.slider = document.getElementById('probe-radius');
    this.depth = document.getElementById('probe-depth');
    this.stiffness = document.getElementById('probe-stiffness');
    this.curve = new Curve(document.getElementById('probe-plot'));
    this.value = document.getElementById('probe-force');
    this.group = new THREE.Group();
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(1, 40, 28), stage.material({ color: '#3f6fd8', roughness: 0.3, transparent: true, opacity: 0.88 }));
    this.ball.castShadow = true;
    const ink = new THREE.MeshBasicMaterial({ color: '#ff3d71', depthTest: false, transparent: true, opacity: 0.95 });
    this.arrow = new THREE.Group();
    const rod = new THREE.Mesh(new THREE.CylinderGeometry(0.06, 0.06, 1, 12).translate(0, 1.5, 0), ink);
    const tip = new THREE.Mesh(new THREE.ConeGeometry(0.22, 0.55, 20).translate(0, 2.2, 0), ink);
    this.arrow.add(rod, tip);
    this.group.add(this.ball, this.arrow);
    this.group.traverse((o) => { o.renderOrder = o === this.ball ? 0 : 10; });
    this.group.visible = false;
    stage.scene.add(this.group);
    this.label = document.createElement('div');
    this.label.className = 'touch';
    this.label.hidden = true;
    document.body.append(this.label);
    this.listen();
    this.furnish();
  }

  listen() {
    const canvas = this.stage.canvas;
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') this.lift(); });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.release(event), { capture: true });
    }
    canvas.addEventListener('wheel', (event) => {
      if (!this.active() || !this.aim) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.deepen((-Math.sign(event.deltaY)) * (event.shiftKey ? 0.2 : 1) * NOTCH);
    }, { capture: true, passive: false });
    this.slider.addEventListener('input', () => this.showRadius());
    this.stiffness.addEventListener('input', () => this.showRadius());
    let before = 0;
    this.depth.addEventListener('pointerdown', () => { before = 0; });
    this.depth.addEventListener('input', () => {
      this.deepen(Number(this.depth.value) - before);
      before = Number(this.depth.value);
    });
    // It springs back: it says how much farther, not how far.
    this.depth.addEventListener('change', () => { this.depth.value = before = 0; });
    document.getElementById('probe-save').addEventListener('click', () => this.curve.save(this.name));
    document.getElementById('probe-clear').addEventListener('click', () => this.curve.clear());
  }

  furnish() {
    this.lift();
    this.curve.clear();
    this.showRadius();
  }

  get touches() {
    return Boolean(this.told?.force.some((f) => f !== 0));
  }

  get radius() {
    return this.stage.size * 10 ** Number(this.slider.value);
  }

  showRadius() {
    document.getElementById('probe-radius-value').textContent = quantity(this.radius, 'm');
    document.getElementById('probe-stiffness-value').textContent = `${Number((10 ** Number(this.stiffness.value)).toPrecision(2))}×`;
    this.fresh = true;
  }

  press(event) {
    if (event.pointerType === 'mouse' || !this.active() || this.finger !== null) return;
    // The first finger is the probe, the others turn the view.
    event.stopImmediatePropagation();
    this.finger = event.pointerId;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.follow(event);
  }

  move(event) {
    if (!this.active()) return;
    const mouse = event.pointerType === 'mouse' && event.buttons === 0;
    if (!mouse && event.pointerId !== this.finger) return;
    if (!mouse) event.stopImmediatePropagation();
    this.follow(event);
  }

  release(event) {
    if (event.pointerId !== this.finger) return;
    event.stopImmediatePropagation();
    this.finger = null;
    this.lift();
  }

  follow(event) {
    if (!this.bodies.mesh) return;
    if (!this.aim) {
      // It comes from the viewer's side, and touches.
      const found = hit(this.stage, this.bodies, event);
      const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
      this.aim = found ? found.point.clone().addScaledVector(facing, -1.1 * this.radius) : this.stage.centre.clone();
    }
    this.aim = across(this.stage, event, this.aim) ?? this.aim;
    this.fresh = true;
  }

  // Away from the viewer, by parts of its radius.
  deepen(parts) {
    if (!this.aim) return;
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.aim.addScaledVector(facing, parts * this.radius);
    this.fresh = true;
  }

  lift() {
    if (!this.aim) return;
    this.aim = null;
    this.send('probe-off');
  }

  // Once a picture: only the latest place is sent.
  tick(now) {
    if (this.aim && this.fresh && this.active()) {
      this.fresh = false;
      this.send('probe', { at: this.aim.toArray(), radius: this.radius, stiffness: 10 ** Number(this.stiffness.value) });
    }
    this.draw(now);
    this.curve.draw();
  }

  show(told) {
    this.told = told;
    this.since = performance.now();
    if (told) this.curve.add(told.rows);
    this.value.textContent = told ? quantity(Math.hypot(...told.force), 'N') : '–';
  }

  // Where the sphere is seen: with the cursor, but outside of the plane that stands for the surface.
  place(now) {
    const at = new THREE.Vector3().fromArray(this.told.at);
    if (this.aim) at.add(this.aim.clone().sub(at).clampLength(0, 0.5 * this.told.radius));
    if (this.told.proxy) {
      const { point, normal, velocity } = this.told.proxy;
      const out = new THREE.Vector3().fromArray(normal);
      const passed = Math.min(0.05, (now - this.since) / 1000);
      const foot = new THREE.Vector3().fromArray(point).addScaledVector(new THREE.Vector3().fromArray(velocity), passed);
      const gap = at.clone().sub(foot).dot(out) - this.told.radius;
      // Only where it is over the plane: beside it there is no surface.
      if (gap < 0 && gap > -2 * this.told.radius) at.addScaledVector(out, -gap);
    }
    return at;
  }

  draw(now) {
    const shown = Boolean(this.told);
    if (this.group.visible !== shown) this.stage.dirty = true;
    this.group.visible = shown;
    this.label.hidden = !shown;
    if (!shown) return;
    const { radius, force } = this.told;
    const at = this.place(now);
    if (!at.equals(this.group.position)) this.stage.dirty = true;
    this.group.position.copy(at);
    this.ball.scale.setScalar(radius);
    const push = new THREE.Vector3().fromArray(force);
    const newtons = push.length();
    this.arrow.visible = newtons > 0;
    if (newtons > 0) {
      this.arrow.quaternion.setFromUnitVectors(UP, push.divideScalar(newtons));
      this.arrow.scale.setScalar(radius);
    }
    const [x, y] = pixels(this.stage, at);
    const right = Math.min(x, this.stage.free.width - 100);
    this.label.style.transform = `translate(${Math.round(right)}px, ${Math.round(y)}px)`;
    this.label.textContent = quantity(newtons, 'N');
  }
}
