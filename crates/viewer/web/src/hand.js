// Pulling at bodies: a press on a surface starts a spring to the cursor, several fingers start several.

import * as THREE from 'three';
import { quantity } from './colours.js';

const UP = new THREE.Vector3(0, 1, 0);

export class Hand {
  // holds: whether this page's commands count.
  constructor(stage, bodies, send, holds) {
    Object.assign(this, { stage, bodies, send, holds });
    this.ray = new THREE.Raycaster();
    this.grabs = new Map();
    this.next = 1;
    this.strength = 0;
    this.arrows = new Map();
    const canvas = stage.canvas;
    // Before the camera's own listeners: a press on a body is not for the camera.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.drag(event), { capture: true });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.release(event), { capture: true });
    }
  }

  aim(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    this.ray.setFromCamera(at, this.stage.camera);
  }

  hit(event) {
    if (!this.bodies.mesh) return undefined;
    this.aim(event);
    this.bodies.geometry.computeBoundingSphere();
    const { cut, mesh } = this.bodies;
    const hits = this.ray.intersectObject(mesh, false);
    if (!cut?.group.visible) return hits[0];
    // What a cut has hidden cannot be pressed, nor what is behind its section.
    cut.geometry.computeBoundingSphere();
    const seen = this.ray.intersectObject(cut.mesh, false)[0];
    return seen && hits.find((hit) => Math.abs(hit.distance - seen.distance) < 0.03 * this.stage.size);
  }

  press(event) {
    if (event.button !== 0 || !this.holds()) return;
    const hit = this.hit(event);
    if (!hit) return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const id = this.next++;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      this.stage.camera.getWorldDirection(new THREE.Vector3()),
      hit.point,
    );
    const { body, triangle } = this.bodies.bodyOf(hit.faceIndex);
    this.grabs.set(event.pointerId, { id, plane, at: null });
    this.send('grab', {
      id,
      body,
      triangle,
      weights: hit.barycoord.toArray(),
      at: hit.point.toArray(),
      stiffness: this.stiffness(body),
    });
    this.stage.canvas.classList.add('pulls');
  }

  stiffness(body) {
    return (this.scene?.bodies[body]?.stiffness ?? 1000) * 10 ** this.strength;
  }

  drag(event) {
    const grab = this.grabs.get(event.pointerId);
    if (!grab) {
      if (event.buttons === 0 && event.pointerType === 'mouse') this.hovered = event;
      return;
    }
    event.stopImmediatePropagation();
    this.aim(event);
    const at = this.ray.ray.intersectPlane(grab.plane, new THREE.Vector3());
    if (at) grab.at = at;
  }

  release(event) {
    const grab = this.grabs.get(event.pointerId);
    if (!grab) return;
    event.stopImmediatePropagation();
    this.grabs.delete(event.pointerId);
    this.send('release', { id: grab.id });
    if (!this.grabs.size) this.stage.canvas.classList.remove('pulls');
  }

  // Once a picture: only the latest place of each hand is sent.
  tick() {
    for (const grab of this.grabs.values()) {
      if (!grab.at) continue;
      this.send('move', { id: grab.id, at: grab.at.toArray() });
      grab.at = null;
    }
    if (this.hovered && !this.grabs.size) {
      this.stage.canvas.classList.toggle('over', Boolean(this.holds() && this.hit(this.hovered)));
      this.hovered = null;
    }
  }

  // Arrows and newtons of all hands, those of other pages too.
  show(frame) {
    const seen = new Set();
    for (const grab of frame.grabs) {
      seen.add(grab.id);
      let arrow = this.arrows.get(grab.id);
      if (!arrow) {
        arrow = new Arrow(this.stage);
        this.arrows.set(grab.id, arrow);
      }
      arrow.show(grab);
    }
    for (const [id, arrow] of this.arrows) {
      if (seen.has(id)) continue;
      arrow.remove();
      this.arrows.delete(id);
    }
  }
}

class Arrow {
  constructor(stage) {
    this.stage = stage;
    const material = new THREE.MeshBasicMaterial({ color: '#ff3d71', depthTest: false, transparent: true, opacity: 0.95 });
    const r = 0.006 * stage.size;
    this.rod = new THREE.Mesh(new THREE.CylinderGeometry(0.5 * r, 0.5 * r, 1, 12).translate(0, 0.5, 0), material);
    this.tip = new THREE.Mesh(new THREE.ConeGeometry(2.2 * r, 6 * r, 20).translate(0, -3 * r, 0), material);
    this.knob = new THREE.Mesh(new THREE.SphereGeometry(1.6 * r, 20, 14), material);
    this.group = new THREE.Group();
    this.group.add(this.rod, this.tip, this.knob);
    this.group.traverse((o) => { o.renderOrder = 10; });
    this.tipLength = 6 * r;
    stage.scene.add(this.group);
    this.label = document.createElement('div');
    this.label.className = 'force';
    document.body.append(this.label);
  }

  show({ point, target, force }) {
    const from = new THREE.Vector3().fromArray(point);
    const to = new THREE.Vector3().fromArray(target);
    const way = to.clone().sub(from);
    const length = way.length();
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, length > 0 ? way.divideScalar(length) : UP);
    this.knob.position.copy(from);
    this.rod.position.copy(from);
    this.rod.quaternion.copy(turn);
    this.rod.scale.set(1, Math.max(length - 0.5 * this.tipLength, 1e-6), 1);
    this.tip.position.copy(to);
    this.tip.quaternion.copy(turn);
    this.tip.scale.setScalar(Math.min(1, length / this.tipLength));
    const canvas = this.stage.canvas;
    const at = to.project(this.stage.camera);
    const [x, y] = [(0.5 + 0.5 * at.x) * canvas.clientWidth, (0.5 - 0.5 * at.y) * canvas.clientHeight];
    this.label.style.transform = `translate(${Math.round(Math.min(x, this.stage.free.width - 90))}px, ${Math.round(y)}px)`;
    this.label.textContent = quantity(Math.hypot(...force), 'N');
  }

  remove() {
    this.stage.scene.remove(this.group);
    for (const part of this.group.children) part.geometry.dispose();
    this.label.remove();
    this.stage.dirty = true;
  }
}
