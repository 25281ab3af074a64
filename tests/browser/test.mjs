// `pliant view` in a real browser: node test.mjs. PLIANT_BIN is the program, PLIANT_SHOTS a folder for pictures.
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { hands } from './hands.mjs';
import { parts } from './parts.mjs';
import { seen } from './seen.mjs';

const program = process.env.PLIANT_BIN;
const shots = process.env.PLIANT_SHOTS ?? 'shots';
const token = 'browsertest000000';
const started = Date.now();
mkdirSync(shots, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'pliant-browser-'));

// Starts the server; its address is the first line on standard error.
async function serve(port) {
  const set = ['--set', 'body.bar.mesh.across=3', '--set', 'body.bar.damping.mass=4', '--set', 'gravity=[0, 0, 0]'];
  const child = spawn(program, ['view', 'bar', '--no-open', '--port', String(port), '--token', token, '--folder', folder, ...set]);
  const address = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => resolve(String(data).trim().split('\n')[0]));
    child.on('exit', (code) => reject(new Error(`pliant view ended with status ${code}`)));
  });
  return { address, stop: () => new Promise((done) => { child.once('exit', done); child.kill('SIGINT'); }) };
}

let server = await serve(0);
const { address } = server;
const port = Number(new URL(address).port);
const browser = await launch();
const errors = [];

async function open(hash = '', options = {}) {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 }, ...options });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (m) => { if (m.type() === 'error' && !/WebSocket/.test(m.text())) errors.push(m.text()); });
  await page.goto(address + hash);
  await page.waitForFunction(() => window.pliant?.state.frame && window.pliant.state.holds !== undefined);
  return page;
}

const shot = (page, name) => page.screenshot({ path: `${shots}/${name}.png` });
const until = (page, what, argument) => page.waitForFunction(what, argument, { timeout: 20000, polling: 50 });
const look = (page, what, argument) => page.evaluate(what, argument);

// The place on the screen of a surface point near the end of the bar that can be pressed.
const tip = (page) => look(page, () => {
  const { stage, bodies, hand } = window.pliant;
  const p = bodies.geometry.attributes.position.array;
  const places = [];
  for (let k = 0; k < p.length; k += 3) {
    const v = stage.camera.position.clone().fromArray(p, k).project(stage.camera);
    places.push({ vertex: k / 3, along: p[k], x: Math.round((0.5 + 0.5 * v.x) * innerWidth), y: Math.round((0.5 - 0.5 * v.y) * innerHeight) });
  }
  places.sort((a, b) => b.along - a.along);
  // Not at the rim, where a pixel decides.
  return places.find(({ x, y, vertex }) => [[0, 0], [-4, 0], [4, 0], [0, -4], [0, 4]].every(([dx, dy]) => {
    const hit = document.elementFromPoint(x + dx, y + dy)?.id === 'view' && hand.hit({ clientX: x + dx, clientY: y + dy });
    return hit && [hit.face.a, hit.face.b, hit.face.c].includes(vertex);
  }));
});
const place = (page, vertex) => look(page, (v) => [...window.pliant.bodies.geometry.attributes.position.array.slice(3 * v, 3 * v + 3)], vertex);
const steps = (page) => look(page, () => window.pliant.state.frame.steps);
const distance = (a, b) => Math.hypot(...a.map((v, k) => v - b[k]));

const tests = {
  async 'the page loads and the body appears'(page) {
    await until(page, () => window.pliant.state.frame.steps > 2);
    await shot(page, 'body');
    // Pixels of the body differ from those of the empty room around it.
    const colours = await look(page, () => {
      const { stage } = window.pliant;
      stage.dirty = true;
      stage.still();
      const gl = stage.renderer.getContext();
      const read = (x, y) => {
        const pixel = new Uint8Array(4);
        gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        return [...pixel];
      };
      const { width, height } = stage.renderer.domElement;
      const middle = stage.centre.clone().project(stage.camera);
      const at = [Math.round((0.5 + 0.5 * middle.x) * width), Math.round((0.5 + 0.5 * middle.y) * height)];
      return { body: read(...at), sky: read(3, height - 3) };
    });
    assert(distance(colours.body, colours.sky) > 60, JSON.stringify(colours));
  },

  async 'a drag moves what is held towards the cursor, and release lets it spring back'(page) {
    const at = await tip(page);
    assert(at, 'no point of the bar can be pressed');
    const before = await place(page, at.vertex);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 90, { steps: 6 });
    await until(page, () => window.pliant.state.frame.grabs.length === 1);
    await until(page, ([v, y]) => window.pliant.bodies.geometry.attributes.position.array[3 * v + 1] > y + 0.02, [at.vertex, before[1]]);
    const force = await page.locator('.force').textContent();
    assert(/^\d[\d.]* k?N$/.test(force), force);
    await shot(page, 'drag');
    await page.mouse.up();
    await until(page, () => window.pliant.state.frame.grabs.length === 0);
    await until(page, ([v, p]) => {
      const now = window.pliant.bodies.geometry.attributes.position.array;
      return Math.hypot(now[3 * v] - p[0], now[3 * v + 1] - p[1], now[3 * v + 2] - p[2]) < 0.006;
    }, [at.vertex, before]);
  },

  async 'pause, one step, reset'(page) {
    await page.click('#pause');
    await until(page, () => window.pliant.state.frame.paused);
    const stood = await steps(page);
    await page.click('#step');
    await until(page, (n) => window.pliant.state.frame.steps === n + 1, stood);
    await page.keyboard.press('.');
    await until(page, (n) => window.pliant.state.frame.steps === n + 2, stood);
    await page.click('#reset');
    await until(page, () => window.pliant.state.frame.steps === 0);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(' ');
    await until(page, () => !window.pliant.state.frame.paused && window.pliant.state.frame.steps > 2);
  },

  async 'a slider changes the simulation, and the address holds it'(page) {
    const row = page.locator('[data-key="gravity"] input[type=text]');
    await row.fill('9.81');
    await row.press('Enter');
    await until(page, () => window.pliant.state.scene.gravity[1] === -9.81);
    await until(page, () => Math.min(...window.pliant.bodies.geometry.attributes.position.array.filter((_, k) => k % 3 === 1)) < -0.01);
    await until(page, () => location.hash.includes('set.gravity=9.81'));
    await page.selectOption('#colour', 'von-mises');
    await until(page, () => window.pliant.state.frame.colour === 'von-mises' && !document.getElementById('legend').hidden);
    await page.click('#wireframe');
    await page.selectOption('#speed', '0.25');
    await until(page, () => window.pliant.state.speed === 0.25);
    await shot(page, 'stress');
    await page.selectOption('#speed', '1');
  },

  ...seen({ until, look, shot }),

  async 'a second page watches and can take the handle'(page) {
    const other = await open();
    await other.waitForSelector('#watching:not([hidden])');
    await other.click('#take');
    await until(other, () => window.pliant.state.holds);
    await until(page, () => !window.pliant.state.holds);
    await other.close();
    await until(page, () => window.pliant.state.holds);
  },

  async 'scenes switch'(page) {
    await page.selectOption('#scene', 'jelly');
    await until(page, () => window.pliant.state.scene.name === 'jelly' && window.pliant.state.frame.steps > 2);
    assert.match(await page.title(), /Jelly/);
    await shot(page, 'jelly');
    await page.selectOption('#scene', 'bar');
    await until(page, () => window.pliant.state.scene.name === 'bar');
  },

  async 'the page comes back after the server was started anew, with its settings'(page) {
    const row = page.locator('[data-key="gravity"] input[type=text]');
    await row.fill('3');
    await row.press('Enter');
    await until(page, () => location.hash.includes('set.gravity=3'));
    await server.stop();
    await page.waitForSelector('#lost:not([hidden])');
    server = await serve(port);
    await until(page, () => document.getElementById('lost').hidden && window.pliant.state.scene.gravity[1] === -3);
  },

  async 'it fits a phone'(page) {
    await page.close();
    const phone = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await until(phone, () => window.pliant.state.frame.steps > 2);
    const wide = await look(phone, () => [...document.querySelectorAll('body *')].filter((e) => {
      const box = e.getBoundingClientRect();
      return box.width && !e.closest('dialog') && (box.right > innerWidth + 1 || box.left < -1);
    }).map((e) => e.id || e.tagName));
    assert.deepEqual(wide, []);
    await shot(phone, 'phone');
    await phone.click('#tool-probe');
    await shot(phone, 'phone-probe');
    const outside = await look(phone, () => [...document.querySelectorAll('.card:not([hidden]) *')].filter((e) => {
      const box = e.getBoundingClientRect();
      return box.right > innerWidth + 1 || box.left < -1;
    }).map((e) => e.id || e.tagName));
    assert.deepEqual(outside, []);
    await phone.click('#tool-pull');
    await phone.click('#toggle');
    await phone.waitForSelector('#panel', { state: 'visible' });
    await shot(phone, 'phone-panel');
    await phone.close();
  },
};

const page = await open();
let failed = 0;
const all = { ...parts, ...hands({ until, look, shot, tip, steps, folder, program }), ...tests };
for (const [name, test] of Object.entries(all)) {
  try {
    await test(page);
    assert.deepEqual(errors, []);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    await page.mouse.up().catch(() => {});
    errors.length = 0;
    console.log(`FAILED  ${name}\n${error.stack}`);
    if (!page.isClosed()) await shot(page, `failed-${failed}`);
  }
}
await browser.close();
await server.stop();
rmSync(folder, { recursive: true });
console.log(`${Object.keys(all).length - failed} passed, ${failed} failed, ${((Date.now() - started) / 1000).toFixed(0)} s; pictures in ${shots}`);
process.exitCode = failed ? 1 : 0;
