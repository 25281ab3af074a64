// The room that bodies are shown in: light, floor, obstacles, camera.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Floor } from './floor.js';
import { Sharpness } from './sharpness.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const THEMES = {
  light: { sky: '#f3f1ec', line: '#3b4252', strength: 0.28, room: 0.62, fill: 2.3, key: 1.9, shadow: 0.2, obstacle: '#d8d4ca' },
  dark: { sky: '#14171c', line: '#9fb0c8', strength: 0.24, room: 0.5, fill: 2.0, key: 1.9, shadow: 0.5, obstacle: '#5a6270' },
};

export class Stage {
  // quality: 'fine', 'fast', or 'smooth', which is fast with edges that are not jagged; chosen by the machine if none.
  constructor(canvas, quality) {
    this.canvas = canvas;
    this.fine = quality ? quality === 'fine' : !drawsInSoftware();
    // Without transparency: the browser then need not mix the picture with what lies behind.
    const context = canvas.getContext('webgl2', { alpha: false, antialias: this.fine || quality === 'smooth', powerPreference: 'high-performance' });
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.shadowMap.enabled = this.fine;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    if (this.fine) {
      const maker = new THREE.PMREMGenerator(this.renderer);
      this.scene.environment = maker.fromScene(new RoomEnvironment(), 0.04).texture;
      maker.dispose();
    }
    // Where there are no reflections, light from above and below stands for them.
    this.fill = new THREE.HemisphereLight('#ffffff', '#b9a994', 0);
    this.scene.add(this.fill);
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    // Not far below the floor.
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.key = new THREE.DirectionalLight('#fff6ea', 2);
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(1024);
    this.key.shadow.radius = 4;
    this.rim = new THREE.DirectionalLight('#bcd2ff', 0.6);
    this.scene.add(this.key, this.key.target, this.rim, this.rim.target);
    this.floor = new Floor(this.scene, this.fine);
    this.obstacles = new THREE.Group();
    this.obstacleMaterial = this.material({ roughness: 0.85 });
    // The floor cannot be seen through.
    this.above = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);
    this.obstacleMaterial.clippingPlanes = [this.above];
    this.renderer.localClippingEnabled = true;
    this.scene.add(this.obstacles);
    this.sharpness = this.fine || quality === 'smooth' ? null : new Sharpness();
    this.size = 1;
    this.free = { width: 1, height: 1 };
    this.centre = new THREE.Vector3();
    this.dirty = true;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  // Shiny where the machine can draw it in time.
  material({ roughness, ...rest }) {
    return this.fine ? new THREE.MeshStandardMaterial({ roughness, ...rest }) : new THREE.MeshLambertMaterial(rest);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  // Pixels of the picture for one of the page.
  get ratio() {
    return this.fine ? Math.min(devicePixelRatio, 2) : this.sharpness?.part ?? 1;
  }

  // What the panel covers is not the middle of the view.
  cover(right, bottom) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.free = { width: width - right, height: height - bottom };
    if (!right && !bottom) this.camera.clearViewOffset();
    else this.camera.setViewOffset(width, height, right / 2, bottom / 2, width, height);
    this.dirty = true;
  }

  theme(name) {
    const theme = THEMES[name];
    this.scene.background = new THREE.Color(theme.sky);
    this.scene.environmentIntensity = theme.room;
    this.key.intensity = theme.key;
    this.fill.intensity = this.fine ? 0 : theme.fill;
    this.floor.theme(theme);
    this.obstacleMaterial.color.set(theme.obstacle);
    this.dirty = true;
  }

  // Fits the room to what is in it.
  furnish(bounds, obstacles, body) {
    const all = bounds.clone();
    this.obstacles.clear();
    let floor = null;
    for (const o of obstacles) {
      if (o.kind === 'plane' && Math.abs(o.normal[1]) > 0.99) {
        floor = o.point[1];
        continue;
      }
      const mesh = obstacle(o, bounds, this.obstacleMaterial);
      mesh.castShadow = !o.room;
      mesh.receiveShadow = this.fine && !o.room;
      this.obstacles.add(mesh);
      if (o.kind !== 'plane' && !o.room) all.expandByObject(mesh);
    }
    const size = all.getSize(new THREE.Vector3()).length() || 1;
    this.size = size;
    all.getCenter(this.centre);
    // Bodies without a floor float above one that only carries the grid.
    const y = floor ?? all.min.y - 0.12 * size;
    if (floor !== null) this.centre.y = (all.max.y + floor) / 2;
    this.floor.fit(this.centre, y, size);
    this.above.constant = floor === null ? 1e9 : -y;
    this.camera.near = size / 200;
    this.camera.far = 40 * size;
    this.key.position.copy(this.centre).add(new THREE.Vector3(0.9, 1.8, 1.1).multiplyScalar(size));
    this.key.target.position.copy(this.centre);
    this.rim.position.copy(this.centre).add(new THREE.Vector3(-1.5, 0.8, -1.2).multiplyScalar(size));
    this.rim.target.position.copy(this.centre);
    const solid = this.obstacles.children.filter((mesh) => mesh.castShadow);
    this.floor.cast([body, ...solid], this.key.target.position.clone().sub(this.key.position));
    const box = this.key.shadow.camera;
    box.left = box.bottom = -1.3 * size;
    box.right = box.top = 1.3 * size;
    box.near = 0.1 * size;
    box.far = 6 * size;
    box.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.006 * size;
    this.key.shadow.bias = -0.0006;
    this.controls.minDistance = 0.1 * size;
    this.controls.maxDistance = 10 * size;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  // Shows everything: what the room was made for, or what is in these bounds.
  frame(bounds) {
    const size = bounds ? bounds.getSize(new THREE.Vector3()).length() || this.size : this.size;
    const middle = bounds ? bounds.getCenter(new THREE.Vector3()) : this.centre;
    // A ball around everything just fits, in the narrower direction of what the panel leaves free.
    const { width, height } = this.free;
    const narrow = Math.min(1, width / height);
    const far = (0.54 * size) / Math.sin((Math.PI / 360) * this.camera.fov) / narrow;
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).add(new THREE.Vector3(0.42, 0.36, 0.83).normalize().multiplyScalar(far));
    this.controls.update();
    this.dirty = true;
  }

  // Goes with bodies that leave: camera, light and grid keep their places relative to them.
  follow(x, z, part) {
    const way = new THREE.Vector3(x - this.centre.x, 0, z - this.centre.z);
    if (way.length() < 0.02 * this.size) return;
    way.multiplyScalar(part);
    const lights = [this.key, this.rim].flatMap((light) => [light.position, light.target.position]);
    for (const p of [this.camera.position, this.controls.target, this.centre, ...lights]) p.add(way);
    this.floor.moveTo(this.centre);
    this.dirty = true;
  }

  place() {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  moveTo(place) {
    this.camera.position.fromArray(place, 0);
    this.controls.target.fromArray(place, 3);
    this.controls.update();
    this.dirty = true;
  }

  // Draws what has changed, as one picture of many; `now` is the time of it.
  draw(now) {
    this.controls.update();
    if (this.sharpness?.tick(now, this.dirty)) this.dirty = true;
    if (!this.dirty) return false;
    this.paint();
    return true;
  }

  // All pixels are drawn, whatever it costs, while a film is made.
  hold(on) {
    if (this.sharpness) this.sharpness.held = on;
    this.dirty = true;
  }

  // Draws one picture to be kept.
  still() {
    if (this.sharpness) this.sharpness.full = true;
    this.paint();
  }

  paint() {
    if (this.renderer.getPixelRatio() !== this.ratio) {
      this.renderer.setPixelRatio(this.ratio);
      this.floor.widen(1 / this.ratio);
    }
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
  }
}

// Programs that stand in for a graphics card take tens of times as long.
function drawsInSoftware() {
  const pen = document.createElement('canvas').getContext('webgl2');
  const info = pen?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(pen.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  pen?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

function obstacle(o, bounds, material) {
  if (o.kind === 'sphere') {
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(o.radius, 64, 40), o.room ? room(material) : material);
    mesh.position.fromArray(o.centre);
    return mesh;
  }
  if (o.kind === 'box') {
    const low = new THREE.Vector3().fromArray(o.min);
    const size = new THREE.Vector3().fromArray(o.max).sub(low);
    const mesh = new THREE.Mesh(new THREE.BoxGeometry(size.x, size.y, size.z), o.room ? room(material) : material);
    mesh.position.copy(low).addScaledVector(size, 0.5);
    return mesh;
  }
  if (o.kind === 'capsule' || o.kind === 'cylinder') {
    const from = new THREE.Vector3().fromArray(o.from);
    const way = new THREE.Vector3().fromArray(o.to).sub(from);
    const length = way.length();
    const form = o.kind === 'capsule' ? new THREE.CapsuleGeometry(o.radius, length, 24, 64) : new THREE.CylinderGeometry(o.radius, o.radius, length, 64);
    const mesh = new THREE.Mesh(form, o.room ? room(material) : material);
    if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.clone().normalize());
    mesh.position.copy(from).addScaledVector(way, 0.5);
    return mesh;
  }
  const side = 2 * bounds.getSize(new THREE.Vector3()).length();
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(side, side), material);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3().fromArray(o.normal).normalize());
  mesh.position.fromArray(o.point);
  return mesh;
}

// Walls around bodies are seen from inside.
function room(material) {
  const inside = material.clone();
  inside.side = THREE.BackSide;
  inside.opacity = 0.35;
  return inside;
}
