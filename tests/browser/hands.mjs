// What hands do besides pulling: pins, the probe, every control of the panel, and what can be kept.
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

// What the tests share, from test.mjs; folder is where the server records to.
export function hands({ until, look, shot, tip, steps, folder, program }) {
  const tools = (page) => look(page, () => window.pliant.tools.mode);
  const blur = (page) => look(page, () => document.activeElement.blur());
  const field = (page, key) => page.locator(`[data-key="${key}"] input[type=text]`);
  async function set(page, key, value) {
    await field(page, key).fill(String(value));
    await field(page, key).press('Enter');
    await until(page, ([k, v]) => Math.abs(window.pliant.state.scene.settings[k] - v) <= 1e-9 * Math.abs(v), [key, await look(page, ([k, v]) => v * window.pliant.state.scene.controls.find((c) => c.key === k).one, [key, value])]);
  }
  // Where the bodies are after so many steps from the start.
  async function motion(page, count) {
    if (!(await look(page, () => window.pliant.state.paused))) await page.click('#pause');
    await until(page, () => window.pliant.state.frame.paused);
    await page.click('#reset');
    await until(page, () => window.pliant.state.frame.steps === 0);
    for (let k = 1; k <= count; k++) {
      await page.click('#step');
      await until(page, (n) => window.pliant.state.frame.steps === n, k);
    }
    return look(page, () => [...window.pliant.bodies.geometry.attributes.position.array]);
  }
  const save = async (page, click) => {
    const [file] = await Promise.all([page.waitForEvent('download', { timeout: 30000 }), click()]);
    return { name: file.suggestedFilename(), path: await file.path() };
  };

  return {
    async 'a click pins a point, which holds against gravity, and a click on the pin lets it go'(page) {
      await until(page, () => window.pliant.state.frame.steps > 2);
      let at;
      // Until the first picture is drawn nothing has its place.
      for (let k = 0; k < 50 && !at; k++) {
        await page.waitForTimeout(100);
        at = await tip(page);
      }
      await blur(page);
      await page.keyboard.press('2');
      assert.equal(await tools(page), 'pin');
      await page.mouse.click(at.x, at.y);
      await until(page, () => window.pliant.tools.pins.pins.size === 1);
      assert.equal(await look(page, () => window.pliant.state.frame.grabs.length), 0);
      const height = (v) => look(page, (k) => window.pliant.bodies.geometry.attributes.position.array[3 * k + 1], v);
      const before = await height(at.vertex);
      await set(page, 'gravity', 9.81);
      // A second of it: the pin has survived the setting, and carries a part of the weight.
      const from = await look(page, () => window.pliant.state.frame.time);
      await until(page, (t) => window.pliant.state.frame.time > t + 1, from);
      assert(Math.abs((await height(at.vertex)) - before) < 0.004);
      await until(page, () => /^1 pin, up to [\d.]+ N$/.test(document.getElementById('pin-count').textContent));
      await shot(page, 'pin');
      await page.mouse.move(at.x, at.y);
      await page.mouse.click(at.x, at.y);
      await until(page, () => window.pliant.tools.pins.pins.size === 0);
      await until(page, ([v, y]) => window.pliant.bodies.geometry.attributes.position.array[3 * v + 1] < y - 0.01, [at.vertex, before]);
      await set(page, 'gravity', 0);
      const last = await steps(page);
      await page.click('#reset');
      await until(page, (n) => window.pliant.state.frame.steps < n, last);
      // All of them by one button.
      await page.mouse.click(at.x, at.y);
      await until(page, () => window.pliant.tools.pins.pins.size === 1);
      // The address holds them: who opens it finds the pin there.
      await until(page, () => /pins=0\.\d+\.\d+\.\d+/.test(location.hash));
      const where = () => look(page, () => [...window.pliant.tools.pins.pins.values()].map((p) => p.mesh.position.toArray())[0]);
      const [hash, spot] = [await look(page, () => location.hash), await where()];
      await page.click('#unpin');
      await until(page, () => window.pliant.tools.pins.pins.size === 0);
      await until(page, () => !location.hash.includes('pins='));
      await look(page, (h) => { location.hash = h; location.reload(); }, hash);
      await until(page, () => window.pliant?.tools.pins.pins.size === 1);
      const again = await where();
      assert(Math.hypot(...again.map((x, k) => x - spot[k])) < 0.003, `${again} is not ${spot}`);
      await page.click('#tool-pin');
      await page.click('#unpin');
      await until(page, () => window.pliant.tools.pins.pins.size === 0);
      await page.click('#tool-pull');
    },

    async 'the probe pushes, shows its force, and its curve can be saved'(page) {
      await page.click('#reset');
      await page.click('#tool-probe');
      const at = await tip(page);
      await page.mouse.move(at.x - 12, at.y - 3, { steps: 3 });
      await until(page, () => window.pliant.tools.probe.told?.proxy);
      const rest = await look(page, () => [...window.pliant.bodies.geometry.attributes.position.array]);
      for (let k = 0; k < 8; k++) await page.mouse.wheel(0, -100);
      await until(page, () => Math.hypot(...window.pliant.tools.probe.told.force) > 0.2);
      await until(page, () => window.pliant.tools.probe.curve.rows.length > 20);
      const force = await page.locator('#probe-force').textContent();
      assert(/^\d[\d.]* m?N$/.test(force), force);
      const moved = await look(page, (p) => Math.max(...[...window.pliant.bodies.geometry.attributes.position.array].map((x, k) => Math.abs(x - p[k]))), rest);
      assert(moved > 0.004, String(moved));
      await shot(page, 'probe');
      // What is drawn is outside of the plane that stands for the surface, once the body swings no faster than is drawn.
      await until(page, () => {
        const { probe } = window.pliant.tools;
        const { proxy, radius } = probe.told;
        if (!proxy) return false;
        probe.draw(performance.now());
        const c = probe.group.position.toArray();
        return c.reduce((sum, x, k) => sum + (x - proxy.point[k]) * proxy.normal[k], 0) - radius > -1e-3;
      });
      const { name, path } = await save(page, () => look(page, () => document.getElementById('probe-save').click()));
      assert.equal(name, 'bar-probe.csv');
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      assert(lines[0].startsWith('step,time [s],travel [m],force_along [N]'), lines[0]);
      assert(lines.length > 20 && lines.slice(1).every((l) => l.split(',').length === 10 && l.split(',').every((n) => Number.isFinite(Number(n)))));
      const along = lines.slice(1).map((l) => Number(l.split(',')[3]));
      assert(Math.max(...along) > 0.2);
      // Off the picture it lets go.
      await page.mouse.move(at.x, 20);
      await until(page, () => window.pliant.tools.probe.told === null);
      await page.click('#tool-pull');
      await page.click('#reset');
    },

    async 'every control of the panel changes the motion'(page) {
      await page.click('#tool-pull');
      await set(page, 'gravity', 9.81);
      await look(page, () => document.querySelectorAll('#controls details').forEach((d) => { d.open = true; }));
      const keys = await look(page, () => window.pliant.state.scene.controls.map((c) => c.key));
      assert.deepEqual(keys, [
        'gravity', 'time.integrator', 'time.step', 'time.retry', 'time.spectral_radius', 'solver.linear', 'solver.newton', 'solver.newton_tolerance',
        'solver.absolute_tolerance', 'solver.speed_tolerance', 'solver.newton_iterations',
        'body.bar.material.law', 'body.bar.material.young', 'body.bar.material.poisson', 'body.bar.material.invertible', 'body.bar.density', 'body.bar.mass',
        'body.bar.damping.mass', 'body.bar.damping.stiffness',
      ]);
      const values = {
        gravity: 5, 'time.step': 20, 'time.retry': false, 'time.spectral_radius': 0.3, 'solver.newton_tolerance': 1e-7, 'solver.newton_iterations': 1,
        'solver.absolute_tolerance': 1000, 'solver.speed_tolerance': 1000,
        'body.bar.material.young': 40, 'body.bar.material.poisson': 0.2, 'body.bar.density': 500,
        'body.bar.damping.mass': 20, 'body.bar.damping.stiffness': 20,
        'time.integrator': 'backward-euler', 'solver.linear': 'minres', 'solver.newton': 'semi-implicit', 'body.bar.material.invertible': true, 'body.bar.material.law': 'linear',
        'body.bar.mass': 'consistent',
      };
      const plain = await motion(page, 3);
      for (const key of keys) {
        const before = await look(page, (k) => window.pliant.state.scene.controls.find((c) => c.key === k).value, key);
        const one = await look(page, (k) => window.pliant.state.scene.controls.find((c) => c.key === k).one, key);
        const box = page.locator(`[data-key="${key}"] input[type=checkbox]`);
        const isSwitch = typeof values[key] === 'boolean';
        if (isSwitch) {
          await box.click();
          await until(page, ([k, v]) => window.pliant.state.scene.settings[k] === v, [key, Number(values[key])]);
        } else if (typeof values[key] === 'string') {
          await page.selectOption(`[data-key="${key}"] select`, values[key]);
          await until(page, ([k, v]) => window.pliant.state.scene.settings[k] === v, [key, values[key]]);
        } else await set(page, key, values[key]);
        if (key === 'solver.newton_iterations') {
          // One is not enough: the step fails, and the page says so.
          await set(page, 'solver.newton_tolerance', 1e-9);
          await page.click('#reset');
          await page.click('#step');
          await page.waitForSelector('#notice:not([hidden])');
          assert.match(await page.locator('#notice').textContent(), /step failed/);
          await page.click('#notice');
          await set(page, 'solver.newton_tolerance', 1e-3);
        } else {
          const other = await motion(page, 3);
          const off = Math.max(...other.map((x, k) => Math.abs(x - plain[k])));
          // Nothing is turned inside out here, and no step fails: what is for that changes nothing.
          assert(off > 0 || isSwitch, `${key} changes nothing`);
        }
        if (isSwitch) await box.click();
        else if (typeof before === 'string') {
          await page.selectOption(`[data-key="${key}"] select`, before);
          await until(page, ([k, v]) => window.pliant.state.scene.settings[k] === v, [key, before]);
        } else await set(page, key, Number((before / one).toPrecision(4)));
      }
      // And all of them back: the same motion.
      const again = await motion(page, 3);
      assert(Math.max(...again.map((x, k) => Math.abs(x - plain[k]))) < 1e-7);
      await page.click('#pause');
      await until(page, () => !window.pliant.state.paused);
    },

    async 'the scene is saved as a file with its settings'(page) {
      await set(page, 'body.bar.material.young', 55);
      const { name, path } = await save(page, () => page.click('#save-scene'));
      assert.equal(name, 'bar.toml');
      const text = readFileSync(path, 'utf8');
      assert.match(text, /\[body\.bar\]/);
      assert.match(text, /young = 55000/);
      const out = join(folder, 'run');
      const run = spawnSync(program, ['run', path, '--out', out, '--set', 'time.end=0.05', '--json', '--quiet']);
      assert.equal(run.status, 0, String(run.stderr));
      assert.equal(JSON.parse(run.stdout).steps, 5);
      assert(readdirSync(out).includes('history.csv'));
      await set(page, 'body.bar.material.young', 100);
    },

    async 'frames are recorded into the folder'(page) {
      await page.selectOption('#record-format', 'obj');
      await page.click('#record');
      await until(page, () => window.pliant.record.recording?.frames > 5);
      await page.waitForSelector('#record-pill:not([hidden])');
      await shot(page, 'recording');
      await page.click('#record-pill');
      await page.waitForSelector('#notice:not([hidden])');
      const told = await page.locator('#notice').textContent();
      const [, count, path] = told.match(/^(\d+) frames are in (.*)$/);
      assert.equal(path, join(folder, 'bar-001'));
      assert.deepEqual(readdirSync(path).sort(), ['frames', 'history.csv', 'scene.toml']);
      assert.equal(readdirSync(join(path, 'frames')).length, Number(count));
      await until(page, () => document.getElementById('record-pill').hidden);
      await page.click('#notice');
    },

    async 'a picture and a clip are files of their kind'(page) {
      const picture = await save(page, () => page.click('#save-picture'));
      assert.equal(picture.name, 'bar.png');
      assert.equal(readFileSync(picture.path).subarray(1, 4).toString(), 'PNG');
      await page.click('#clip');
      await until(page, () => window.pliant.record.film?.state === 'recording');
      const from = await steps(page);
      await until(page, (n) => window.pliant.state.frame.steps > n + 150, from);
      const clip = await save(page, () => page.click('#clip'));
      assert.equal(clip.name, 'bar.webm');
      const bytes = readFileSync(clip.path);
      // EBML, which WebM begins with.
      assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3');
      assert(bytes.length > 10000, String(bytes.length));
    },

    async 'two fingers pull at two points'(page) {
      await page.click('#tool-pull');
      await set(page, 'gravity', 0);
      await page.click('#reset');
      await until(page, () => window.pliant.state.frame.steps < 20);
      const at = await tip(page);
      const touch = await page.context().newCDPSession(page);
      const points = (dy) => [{ x: at.x, y: at.y + dy, id: 1 }, { x: at.x - 60, y: at.y + 6 - dy, id: 2 }];
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(-40) });
      await until(page, () => window.pliant.state.frame.grabs.length === 2 && document.querySelectorAll('.force').length === 2);
      await shot(page, 'two-fingers');
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await until(page, () => window.pliant.state.frame.grabs.length === 0);
      await page.click('#reset');
    },
  };
}
