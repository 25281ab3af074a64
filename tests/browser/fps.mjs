// How many pictures a second the page draws in software: node fps.mjs [SECONDS]. PLIANT_BIN is the program. Prints JSON.
import { spawn } from 'node:child_process';
import { launch } from './browser.mjs';

const seconds = Number(process.argv[2] ?? 6);

// A block with about so many triangles on its surface; the fewest cells behind them, so that the page is what is measured.
const scene = (triangles) => {
  const n = Math.round(Math.sqrt(triangles / 4));
  return [n, 1, n];
};

async function measure(browser, triangles) {
  const cells = scene(triangles);
  const set = (text) => ['--set', text];
  const child = spawn(process.env.PLIANT_BIN, ['view', 'jelly', '--no-open',
    ...set('body.jelly.mesh.size=[0.3, 0.02, 0.3]'), ...set(`body.jelly.mesh.cells=[${cells}]`), ...set('body.jelly.material.law="linear"'),
  ]);
  const address = await new Promise((resolve) => child.stderr.on('data', (data) => resolve(String(data).trim().split('\n')[0])));
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  // In slow motion, so that the processors are there for the page.
  await page.goto(`${address}#speed=0.1`);
  await page.waitForFunction(() => window.pliant?.state.frame?.steps > 3);
  // Once the browser has compiled what it draws with.
  await page.waitForTimeout(2000);
  // Every picture is drawn anew, as while the view turns, whether or not the simulation keeps up.
  const result = await page.evaluate((time) => new Promise((done) => {
    const { stage } = window.pliant;
    const start = performance.now();
    let [pictures, frames, last] = [0, 0, 0];
    const count = () => {
      stage.dirty = true;
      pictures++;
      const { steps } = window.pliant.state.frame;
      if (steps !== last) frames++;
      last = steps;
      const passed = performance.now() - start;
      if (passed < time) requestAnimationFrame(count);
      else done({ pictures: (1000 * pictures) / passed, simulated: (1000 * frames) / passed, triangles: window.pliant.bodies.surfaces.triangles, part: stage.renderer.getPixelRatio() });
    };
    requestAnimationFrame(count);
  }), 1000 * seconds);
  await page.close();
  child.kill('SIGINT');
  return result;
}

const browser = await launch();
const rows = [];
for (const triangles of [8000, 50000]) {
  const { triangles: count, pictures, simulated, part } = await measure(browser, triangles);
  rows.push({ triangles: count, frames_per_second: Number(pictures.toFixed(1)), simulated_frames_per_second: Number(simulated.toFixed(1)), pixels_per_direction: part });
}
await browser.close();
console.log(JSON.stringify(rows, null, 2));
