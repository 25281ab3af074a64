// The clip of the README: node clip.mjs FILE.webp. PLIANT_BIN is the program; `img2webp` is of Debian's package webp. The
// simulation stands, and is stepped from picture to picture: the clip is the same on every machine, and smooth on all.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from './browser.mjs';

const [file = 'viewer.webp', quality = '55', finish = 'smooth'] = process.argv.slice(2);
const RATE = 10;
const STEP = 1 / 100;
const [width, height] = [960, 600];

const child = spawn(process.env.PLIANT_BIN, ['view', 'creature', '--no-open', '--set', 'body.creature.mesh.size=0.025', '--set', `time.step=${STEP}`]);
const address = await new Promise((resolve) => child.stderr.on('data', (data) => resolve(String(data).trim().split('\n')[0])));
const folder = mkdtempSync(join(tmpdir(), 'pliant-clip-'));
const browser = await launch();
const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' });
await page.goto(`${address}#quality=${finish}`);
await page.waitForFunction(() => window.pliant?.state.frame?.steps >= 0 && window.pliant.state.asked);

// A cursor, which pictures do not have; and the numbers of a machine that has all the time it wants are left out.
await page.addStyleTag({ content: '#meter { display: none !important; } #corner { bottom: 12px !important; } #pause.on { background: var(--field); color: inherit; } #cursor { position: fixed; z-index: 9; left: 0; top: 0; width: 26px; height: 26px; margin: -3px 0 0 -3px; pointer-events: none; filter: drop-shadow(0 1px 2px rgba(0,0,0,.35)); } #cursor circle { transition: none; }' });
await page.evaluate(() => {
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  cursor.id = 'cursor';
  cursor.setAttribute('viewBox', '0 0 26 26');
  cursor.innerHTML = '<path d="M3 3l15 7.5-6.6 1.9-2.6 6.6z" fill="#1b1f27" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/>';
  document.body.append(cursor);
  addEventListener('pointermove', (e) => { cursor.style.transform = `translate(${e.clientX}px, ${e.clientY}px)`; }, { capture: true });
});
const look = (what, argument) => page.evaluate(what, argument);
const until = (what, argument) => page.waitForFunction(what, argument, { timeout: 8000, polling: 5 });
const press = (key) => page.keyboard.press(key);

await look(() => { document.activeElement.blur(); });
await press(' ');
await until(() => window.pliant.state.frame.paused);
await press('r');
await until(() => window.pliant.state.frame.steps === 0);

// A hand that can lift it.
await look(() => {
  const range = document.getElementById('hand-range');
  range.value = 0.9;
  range.dispatchEvent(new Event('input'));
});

let shots = 0;
let cursor = [460, 300];
const moveTo = async (x, y) => {
  cursor = [x, y];
  await page.mouse.move(x, y);
};
// One picture: the time between two of them is simulated first, without drawing.
async function picture(steps = Math.round(1 / RATE / STEP)) {
  await look(async (count) => {
    const { stage, state } = window.pliant;
    stage.draw = () => false;
    for (let k = 0; k < count; k++) {
      const made = state.frame.steps;
      document.getElementById('step').click();
      const limit = performance.now() + 5000;
      // A step that fails leaves the count where it is.
      while (state.frame.steps === made && performance.now() < limit) await new Promise((done) => { setTimeout(done, 1); });
    }
    delete stage.draw;
    stage.dirty = true;
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
  }, steps);
  await page.screenshot({ path: join(folder, `${String(shots++).padStart(4, '0')}.png`) });
}
const ease = (t) => t * t * (3 - 2 * t);
// So many seconds, with a cursor that goes somewhere, and something that changes with the part of the way.
async function play(seconds, to = cursor, change = null) {
  const from = cursor;
  const count = Math.round(seconds * RATE);
  for (let k = 1; k <= count; k++) {
    const t = ease(k / count);
    await moveTo(from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]));
    if (change) await change(k / count);
    await picture();
  }
}
// Turns the view by an angle about the vertical, a part of it in each picture.
const turn = (angle) => {
  let before = 0;
  return (t) => {
    const part = ease(t);
    const by = angle * (part - before);
    before = part;
    return look((a) => {
      const { stage } = window.pliant;
      stage.camera.position.sub(stage.controls.target).applyAxisAngle(stage.camera.up, a).add(stage.controls.target);
      stage.controls.update();
      stage.dirty = true;
    }, by);
  };
};
const slide = (id, from, to) => (t) => look(([name, value]) => {
  const range = document.getElementById(name);
  range.value = value;
  range.dispatchEvent(new Event('input'));
}, [id, from + ease(t) * (to - from)]);
const choose = async (id, value) => {
  await page.selectOption(`#${id}`, value);
  await look(() => document.activeElement.blur());
};
// Where on the screen the surface is nearest to a corner, so that it can be pressed.
const grip = (x, y) => look(([gx, gy]) => {
  const { stage, bodies, hand } = window.pliant;
  const p = bodies.geometry.attributes.position.array;
  let best = null;
  for (let k = 0; k < p.length; k += 3) {
    const v = stage.camera.position.clone().fromArray(p, k).project(stage.camera);
    const at = { x: (0.5 + 0.5 * v.x) * innerWidth, y: (0.5 - 0.5 * v.y) * innerHeight };
    const far = Math.hypot(at.x - gx, at.y - gy);
    if (best && far > best.far) continue;
    const inside = [[0, 0], [5, 0], [-5, 0], [0, 5], [0, -5]].every(([dx, dy]) => hand.hit({ clientX: at.x + dx, clientY: at.y + dy }));
    if (inside) best = { ...at, far };
  }
  return best ?? { x: gx, y: gy };
}, [x, y]);

// Goes to the surface near a place, and takes hold of it where it is by then.
async function take(x, y, seconds) {
  const near = await grip(x, y);
  await play(seconds, [near.x, near.y]);
  const at = await grip(near.x, near.y);
  await moveTo(at.x, at.y);
  await page.mouse.down();
  return at;
}

// 1. It lands.
await play(1.6, [330, 430]);
// 2. It is pulled at, and let go.
let at = await take(250, 250, 0.5);
await play(1.3, [at.x - 40, at.y - 170]);
await play(0.9, [at.x + 120, at.y - 150]);
await page.mouse.up();
await play(1.5, [520, 420]);
// 3. Stresses.
await choose('colour', 'von-mises');
at = await take(480, 420, 0.6);
await play(1.4, [at.x + 60, at.y - 200]);
await play(0.8, [at.x - 60, at.y - 170]);
await page.mouse.up();
await play(1.3, [560, 500], turn(-0.5));
// 4. Cut open, and the forces that the floor returns.
await look(() => { document.getElementById('cut-place').value = 100; });
await choose('cut', 'z');
await play(2.0, [600, 520], slide('cut-place', 100, 5));
at = await take(300, 330, 0.4);
await play(1.4, [at.x + 30, at.y - 150], turn(0.35));
await page.mouse.up();
await play(1.4, [600, 520]);
await slide('cut-place', 5, 100)(1);
await choose('cut', 'none');
// 5. In the dark, softer.
await choose('colour', 'plain');
await press('d');
await press('a');
await look(() => {
  const range = document.querySelector('[data-key$="material.young"] input[type=range]');
  range.value = Number(range.value) - 0.09;
  range.dispatchEvent(new Event('input'));
});
await page.waitForTimeout(1200);
await play(1.6, [460, 330], turn(0.3));
at = await take(300, 250, 0.4);
await play(1.3, [at.x, at.y - 190]);
await page.mouse.up();
await play(2.0, [620, 480], turn(-0.3));

await browser.close();
child.kill('SIGINT');
const frames = Array.from({ length: shots }, (_, k) => join(folder, `${String(k).padStart(4, '0')}.png`));
const made = spawnSync('img2webp', ['-loop', '0', '-lossy', '-q', quality, '-m', '2', '-d', String(Math.round(1000 / RATE)), ...frames, '-o', file], { stdio: 'inherit' });
console.log(`${shots} pictures, ${(shots / RATE).toFixed(1)} s`);
if (!process.env.PLIANT_KEEP) rmSync(folder, { recursive: true });
else console.log(folder);
process.exitCode = made.status ?? 1;
