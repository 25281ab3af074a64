// Pictures of the page: node shots.mjs ADDRESS FOLDER. For looking at, and for the book.
import { mkdirSync } from 'node:fs';
import { launch } from './browser.mjs';

const [address, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const [name, width, height, scheme, hash, grab] of [
  ['wide-light', 1280, 800, 'light', '#scene=creature', true],
  ['wide-dark', 1280, 800, 'dark', '#scene=jelly&colour=von-mises&wire=1', true],
  ['phone-light', 390, 844, 'light', '#scene=bar&colour=displacement', true],
  ['phone-dark', 390, 844, 'dark', '#scene=creature', false],
]) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  page.on('console', (m) => console.log(name, m.type(), m.text()));
  page.on('pageerror', (e) => console.log(name, 'ERROR', e.message));
  await page.goto(address + hash);
  await page.waitForFunction(() => window.pliant?.state.frame?.steps > 3 && window.pliant.state.asked);
  await page.waitForTimeout(2500);
  if (grab) {
    const at = await page.evaluate(() => {
      const { stage, bodies, hand } = window.pliant;
      const p = bodies.geometry.attributes.position.array;
      let best = null;
      for (let k = 0; k < p.length; k += 3) {
        const v = stage.camera.position.clone().fromArray(p, k).project(stage.camera);
        const x = (0.5 + 0.5 * v.x) * innerWidth, y = (0.5 - 0.5 * v.y) * innerHeight;
        if ((!best || y + 20 < best.y) && hand.hit({ clientX: x, clientY: y + 20 }) && hand.hit({ clientX: x + 6, clientY: y + 16 })) best = { x, y: y + 20 };
      }
      return best;
    });
    if (at) {
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      for (let k = 1; k <= 20; k++) {
        await page.mouse.move(at.x + 4 * k, at.y - 5 * k);
        await page.waitForTimeout(30);
      }
      await page.waitForTimeout(700);
    }
  }
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(name, await page.evaluate(() => [document.getElementById('frames').textContent, location.hash, window.pliant.state.frame.realTime, window.pliant.state.frame.stepTime]));
  await page.close();
}
await browser.close();
