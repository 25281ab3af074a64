// The material of bodies where programs draw in place of a graphics card: light is computed at vertices, and pixels
// only take over what lies between them. It looks as Lambert's material does, with the lights of the stage.

import * as THREE from 'three';

const VERTEX = /* glsl */ `
#include <common>
#include <tonemapping_pars_fragment>
#include <colorspace_pars_fragment>
uniform vec3 keyWay, keyLight, rimWay, rimLight, skyLight, groundLight;
varying vec3 vFront, vBack;

vec3 shade(vec3 normal) {
  vec3 light = mix(groundLight, skyLight, 0.5 * normal.y + 0.5);
  light += max(dot(normal, keyWay), 0.0) * keyLight + max(dot(normal, rimWay), 0.0) * rimLight;
  return sRGBTransferOETF(vec4(NeutralToneMapping(RECIPROCAL_PI * color * light), 1.0)).rgb;
}

void main() {
  vFront = shade(normal);
  vBack = shade(-normal);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec3 vFront, vBack;

void main() {
  gl_FragColor = vec4(gl_FrontFacing ? vFront : vBack, 1.0);
}`;

export class LitAtVertices extends THREE.ShaderMaterial {
  constructor(stage) {
    const names = ['keyWay', 'keyLight', 'rimWay', 'rimLight', 'skyLight', 'groundLight'];
    const uniforms = { toneMappingExposure: { value: 1 } };
    for (const name of names) uniforms[name] = { value: new THREE.Vector3() };
    super({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, vertexColors: true, toneMapped: false });
    this.stage = stage;
  }

  // The lights of the stage as they are now.
  onBeforeRender() {
    const { key, rim, fill, renderer } = this.stage;
    const { uniforms } = this;
    for (const [name, light] of [['key', key], ['rim', rim]]) {
      uniforms[`${name}Way`].value.subVectors(light.position, light.target.position).normalize();
      uniforms[`${name}Light`].value.set(...light.color).multiplyScalar(light.intensity);
    }
    uniforms.skyLight.value.set(...fill.color).multiplyScalar(fill.intensity);
    uniforms.groundLight.value.set(...fill.groundColor).multiplyScalar(fill.intensity);
    uniforms.toneMappingExposure.value = renderer.toneMappingExposure;
    this.uniformsNeedUpdate = true;
  }
}
