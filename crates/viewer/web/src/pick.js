// From the cursor to the scene, and back.

import * as THREE from 'three';

const ray = new THREE.Raycaster();

function aim(stage, event) {
  const box = stage.canvas.getBoundingClientRect();
  const at = new THREE.Vector2(
    (2 * (event.clientX - box.left)) / box.width - 1,
    1 - (2 * (event.clientY - box.top)) / box.height,
  );
  ray.setFromCamera(at, stage.camera);
  return ray.ray;
}

// The point of a surface under the cursor.
export function hit(stage, bodies, event) {
  if (!bodies.mesh) return undefined;
  aim(stage, event);
  bodies.geometry.computeBoundingSphere();
  return ray.intersectObject(bodies.mesh, false)[0];
}

// Where the cursor is in a plane that faces the viewer, through a point.
export function across(stage, event, through) {
  const facing = stage.camera.getWorldDirection(new THREE.Vector3());
  const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, through);
  return aim(stage, event).intersectPlane(plane, new THREE.Vector3());
}

// Pixels of a point, from the upper left of the canvas.
export function pixels(stage, point) {
  const at = point.clone().project(stage.camera);
  return [(0.5 + 0.5 * at.x) * stage.canvas.clientWidth, (0.5 - 0.5 * at.y) * stage.canvas.clientHeight];
}
