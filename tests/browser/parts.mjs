// Parts of the page that need no browser.
import { strict as assert } from 'node:assert';
import { isClosed } from '../../crates/viewer/web/src/closed.js';
import { coarse } from '../../crates/viewer/web/src/coarse.js';
import { Sharpness } from '../../crates/viewer/web/src/sharpness.js';

// The surface of a box of n x n x n squares a side, corners shared.
function box(n, shift = 0) {
  const [places, index, known] = [[], [], new Map()];
  const corner = (p) => {
    const key = p.join();
    if (!known.has(key)) {
      known.set(key, places.length / 3);
      places.push(...p.map((x) => x / n + shift));
    }
    return known.get(key);
  };
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [0, n]) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const at = (a, b) => {
            const p = [0, 0, 0];
            [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]] = [side, a, b];
            return corner(p);
          };
          const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
          index.push(...(side ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
        }
      }
    }
  }
  return { places, index };
}

export const parts = {
  'a surface is closed or it is not'() {
    const { index } = box(4);
    assert(isClosed(index));
    assert(!isClosed(index.slice(3)), 'a triangle is missing');
    const turned = [...index];
    [turned[0], turned[1]] = [turned[1], turned[0]];
    assert(!isClosed(turned), 'a triangle is turned round');
  },

  'what casts the shadow is coarser, and as large'() {
    const [one, two] = [box(24), box(24, 3)];
    const count = one.places.length / 3;
    const rest = [...one.places, ...two.places];
    const index = [...one.index, ...two.index.map((v) => v + count)];
    const bodies = [{ firstVertex: 0, vertices: count }, { firstVertex: count, vertices: count }];
    const few = coarse(rest, index, bodies);
    assert(few.length > 300 && few.length < index.length / 2, `${few.length} of ${index.length}`);
    for (let t = 0; t < few.length; t += 3) {
      const of = [0, 1, 2].map((k) => Math.floor(few[t + k] / count));
      assert(of[0] < 2 && of[0] === of[1] && of[1] === of[2], 'a triangle between two bodies');
    }
    for (let k = 0; k < 3; k++) {
      const along = [...few].map((v) => rest[3 * v + k]);
      assert.equal(Math.min(...along), 0);
      assert.equal(Math.max(...along), 4);
    }
    // Small ones stay as they are.
    assert.equal(coarse(one.places.slice(0, 300), one.index, bodies), one.index);
  },

  'pixels become fewer while pictures are slow, more when they are quick, and all when nothing moves'() {
    const sharpness = new Sharpness();
    let now = 0;
    const run = (pictures, time) => {
      for (let k = 0; k < pictures; k++) {
        now += time;
        assert(!sharpness.tick(now, true));
      }
    };
    run(20, 200);
    assert.equal(sharpness.part, 1, 'the first ones do not count');
    run(80, 60);
    assert.equal(sharpness.part, 0.5);
    // Pictures that come seldom and are drawn at once.
    for (let k = 0; k < 400; k++) {
      now += 80;
      sharpness.tick(now, true);
      now += 16;
      sharpness.tick(now, false);
    }
    assert.equal(sharpness.part, 1);
    run(40, 60);
    assert(sharpness.part < 1);
    sharpness.held = true;
    assert.equal(sharpness.part, 1, 'a film has all pixels');
    sharpness.held = false;
    assert(!sharpness.tick(now + 20, false));
    assert(sharpness.tick(now + 400, false), 'the last picture is drawn anew');
    assert.equal(sharpness.part, 1);
    assert(!sharpness.tick(now + 420, false), 'once');
  },
};
