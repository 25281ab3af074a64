// The floor: a grid that fades into the sky, and the shadows on it.

import * as THREE from 'three';

// How far lines reach to each side, in cells, and of how many pieces they are.
const FINE = { reach: 40, pieces: 10 };
const FAST = { reach: 25, pieces: 5 };

// Lines along x and z; those at multiples of five are stronger. Lines cost little where programs draw in place of a
// graphics card, and a plane that covers the picture costs most of it.
function lines({ reach, pieces }) {
  const [places, strengths] = [[], []];
  const add = (x, z, strong) => {
    places.push(x, 0, z);
    const fade = Math.max(0, 1 - Math.hypot(x, z) / reach);
    strengths.push(1, 1, 1, fade ** 1.5 * (strong ? 1 : 0.42));
  };
  for (let line = -reach; line <= reach; line++) {
    for (let piece = 0; piece < pieces; piece++) {
      // Beyond the circle in which they can be seen there is nothing to draw.
      const along = (end) => reach * ((2 * end) / pieces - 1);
      const ends = [along(piece), along(piece + 1)];
      const near = ends[0] * ends[1] > 0 ? Math.min(...ends.map(Math.abs)) : 0;
      if (Math.hypot(line, near) >= reach) continue;
      for (const end of [piece, piece + 1]) add(line, along(end), line % 5 === 0);
      for (const end of [piece, piece + 1]) add(along(end), line, line % 5 === 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(strengths, 4));
  return geometry;
}

// One colour, as the screen takes it, and nothing to compute at a pixel.
class Flat extends THREE.ShaderMaterial {
  constructor(side) {
    super({
      side,
      uniforms: { shade: { value: new THREE.Color() } },
      vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
      fragmentShader: 'uniform vec3 shade; void main() { gl_FragColor = vec4(shade, 1.0); }',
      depthWrite: false,
      toneMapped: false,
    });
  }
}

export class Floor {
  constructor(scene, fine) {
    this.fine = fine;
    this.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid = new THREE.LineSegments(lines(fine ? FINE : FAST), this.material);
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
      // Everything pressed flat along the light, in one colour that hides what lies under it, so that it does not
      // matter how many triangles lie on a pixel. Of closed bodies, triangles that face the light are enough.
      this.flat = new Flat(THREE.FrontSide);
      this.open = new Flat(THREE.DoubleSide);
      this.open.uniforms = this.flat.uniforms;
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
      const flat = new THREE.Mesh(mesh.userData.outline ?? mesh.geometry, mesh.material.side === THREE.FrontSide ? this.flat : this.open);
      mesh.updateMatrixWorld();
      flat.matrixAutoUpdate = false;
      flat.matrix.multiplyMatrices(press, mesh.matrixWorld);
      flat.frustumCulled = false;
      // Before bodies: these may hang below the floor.
      flat.renderOrder = -1;
      this.flats.add(flat);
    }
  }

  theme({ line, strength, shadow, sky }) {
    this.material.color.set(line);
    this.material.opacity = this.strength = strength;
    if (this.fine) this.shade.material.opacity = shadow;
    else this.flat.uniforms.shade.value.set(sky).convertLinearToSRGB().multiplyScalar(1 - shadow);
  }

  // Lines of larger pixels are weaker, so that they do not stand out.
  widen(pixel) {
    this.material.opacity = this.strength / Math.max(1, pixel);
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
