// The surfaces of all bodies: one geometry, moved by frames.

import * as THREE from 'three';
import { isClosed } from './closed.js';
import { coarse } from './coarse.js';
import { BODIES, Scale, showLegend } from './colours.js';
import { LitAtVertices } from './lit.js';
import { PARTS } from './protocol.js';
import { lengths, movingGeometry, normals } from './surface.js';

export class Bodies {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    this.material = stage.fine
      ? stage.material({ vertexColors: true, roughness: 0.42, side: THREE.DoubleSide })
      : new LitAtVertices(stage);
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = 1;
    this.lines = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.28, color: '#10131a' });
    this.ghost = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.12, depthWrite: false, color: '#7f93bd' });
    this.scale = new Scale();
    this.kind = 'plain';
    this.cut = null;
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
    this.geometry = movingGeometry(surfaces.rest, surfaces.index);
    this.values = new Float32Array(surfaces.vertices);
    this.restGeometry = new THREE.BufferGeometry();
    this.restGeometry.setAttribute('position', new THREE.BufferAttribute(surfaces.rest.slice(), 3));
    this.restGeometry.setIndex(this.geometry.index);
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    // Backs that nobody sees need not be drawn.
    this.material.side = !this.stage.fine && isClosed(surfaces.index) ? THREE.FrontSide : THREE.DoubleSide;
    this.material.needsUpdate = true;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = this.stage.fine;
    // What casts the shadow where it is drawn triangle by triangle.
    this.outline?.dispose();
    this.outline = this.stage.fine ? null : this.coarser(surfaces);
    this.mesh.userData.outline = this.outline;
    this.wire = new THREE.Mesh(this.geometry, this.lines);
    this.shadow = new THREE.Mesh(this.restGeometry, this.ghost);
    this.wire.visible = this.wireframe ?? false;
    this.shadow.visible = this.showGhost ?? false;
    for (const mesh of [this.mesh, this.wire, this.shadow]) mesh.frustumCulled = false;
    this.group.add(this.mesh, this.wire, this.shadow);
    this.scale.start(this.kind);
    this.plain();
    return true;
  }

  coarser({ rest, index, bodies }) {
    const outline = new THREE.BufferGeometry();
    outline.setAttribute('position', this.geometry.attributes.position);
    outline.setIndex(new THREE.BufferAttribute(coarse(rest, index, bodies), 1));
    return outline;
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
    // Lines lie above what they are the lines of.
    this.material.polygonOffset = on;
    if (this.wire) this.wire.visible = on;
    this.cut?.show();
    this.stage.dirty = true;
  }

  setGhost(on) {
    this.showGhost = on;
    if (this.shadow) this.shadow.visible = on;
    this.stage.dirty = true;
  }

  // While a cut shows what is left of them.
  setHidden(on) {
    if (!this.mesh) return;
    this.mesh.visible = !on;
    this.wire.visible = !on && Boolean(this.wireframe);
  }

  setKind(kind) {
    this.kind = kind;
    this.scale.start(kind);
    if (kind === 'plain') this.plain();
    else if (this.frame) this.colour(this.frame);
    this.stage.dirty = true;
  }

  plain() {
    showLegend(null);
    if (!this.surfaces) return;
    this.cut?.paint(null);
    const colours = this.geometry.attributes.color;
    this.surfaces.bodies.forEach((body, b) => {
      const colour = BODIES[b % BODIES.length];
      for (let v = body.firstVertex; v < body.firstVertex + body.vertices; v++) colour.toArray(colours.array, 3 * v);
    });
    colours.needsUpdate = true;
  }

  // False if the frame belongs to other surfaces.
  move(frame) {
    if (frame.generation !== this.surfaces?.generation) return false;
    this.frame = frame;
    const { position, normal } = this.geometry.attributes;
    let moved = false;
    for (const { what, of, count, values } of frame.parts) {
      const body = this.surfaces.bodies[of];
      if (body?.vertices !== count) continue;
      if (what === PARTS.positions) {
        position.array.set(values, 3 * body.firstVertex);
        moved = true;
      }
      if (what === PARTS.colours) this.values.set(values, body.firstVertex);
    }
    if (moved) {
      normals(position.array, this.surfaces.index, normal.array);
      position.needsUpdate = normal.needsUpdate = true;
    }
    this.cut?.move(frame);
    if (this.kind !== 'plain') this.colour(frame);
    this.stage.dirty = true;
    return true;
  }

  colour(frame) {
    // Numbers of another kind are still on their way.
    if (this.kind !== 'displacement' && this.kind !== frame.colour) return;
    const { position, color } = this.geometry.attributes;
    if (this.kind === 'displacement') lengths(position.array, this.surfaces.rest, this.values);
    const inside = this.cut?.numbers(this.kind);
    this.scale.fit(inside ? [this.values, inside] : [this.values], performance.now());
    this.scale.paint(this.values, color.array);
    color.needsUpdate = true;
    if (inside) this.cut.paint(this.scale);
    showLegend(this.scale);
  }
}
