// The floor: a grid that fades into the sky, and the shadows on it.

import * as THREE from 'three';

const LINES = 40;
const PIECES = 10;

// Lines along x and z, in cells; those at multiples of five are stronger. Lines cost next to nothing where programs
// draw in place of a graphics card, and a plane that covers the picture costs most of it.
function lines() {
  const [places, strengths] = [[], []];
  const add = (x, z, strong) => {
    places.push(x, 0, z);
    const fade = Math.max(0, 1 - Math.hypot(x, z) / LINES);
    strengths.push(1, 1, 1, fade ** 1.5 * (strong ? 1 : 0.42));
  };
  for (let line = -LINES; line <= LINES; line++) {
    for (let piece = 0; piece < PIECES; piece++) {
      for (const end of [piece, piece + 1]) add(line, LINES * ((2 * end) / PIECES - 1), line % 5 === 0);
      for (const end of [piece, piece + 1]) add(LINES * ((2 * end) / PIECES - 1), line, line % 5 === 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(strengths, 4));
  return geometry;
}

export class Floor {
  constructor(scene, fine) {
    this.fine = fine;
    this.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid = new THREE.LineSegments(lines(), this.material);
    this.grid.frustumCulled = false;
    this.group = new THREE.Group();
    this.group.add(this.grid);
    scene.add(this.group);
    this.cell = 1;
    if (fine) {
      const plane = new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
      this.shade = new THREE.Mesh(plane, new THREE.ShadowMaterial({ depthWrite: false }));
      this.shade.receiveShadow = true;
      this.group.add(this.shade);
    } else {
      // Everything pressed flat along the light; each pixel once, however many triangles lie on it.
      this.flat = new THREE.MeshBasicMaterial({
        color: '#000000',
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        stencilWrite: true,
        stencilFunc: THREE.NotEqualStencilFunc,
        stencilRef: 1,
        stencilZPass: THREE.ReplaceStencilOp,
      });
      this.flats = new THREE.Group();
      scene.add(this.flats);
    }
  }

  // The shadows of these, where there are no others; light comes along `way`.
  cast(meshes, way) {
    if (this.fine) return;
    this.flats.clear();
    const [a, b] = [way.x / way.y, way.z / way.y];
    const y = this.group.position.y;
    const press = new THREE.Matrix4().set(1, -a, 0, a * y, 0, 0, 0, y, 0, -b, 1, b * y, 0, 0, 0, 1);
    for (const mesh of meshes) {
      const flat = new THREE.Mesh(mesh.geometry, this.flat);
      mesh.updateMatrixWorld();
      flat.matrixAutoUpdate = false;
      flat.matrix.multiplyMatrices(press, mesh.matrixWorld);
      flat.frustumCulled = false;
      this.flats.add(flat);
    }
  }

  theme({ line, strength, shadow }) {
    this.material.color.set(line);
    this.material.opacity = strength;
    (this.fine ? this.shade.material : this.flat).opacity = shadow;
  }

  fit(centre, y, size) {
    this.cell = 10 ** Math.round(Math.log10(size / 8));
    this.grid.scale.setScalar(this.cell);
    // Under bodies by a hair, so that what lies on it is not cut.
    this.group.position.y = y - 5e-4 * size;
    this.shade?.scale.setScalar(3 * size);
    this.moveTo(centre);
  }

  // Lines stay where they are in the world: the grid moves by five cells at a time.
  moveTo(centre) {
    const five = 5 * this.cell;
    this.group.position.x = five * Math.round(centre.x / five);
    this.group.position.z = five * Math.round(centre.z / five);
  }
}
