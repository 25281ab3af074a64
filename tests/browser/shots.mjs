// Pictures of the page: node shots.mjs ADDRESS FOLDER. For looking at, and for the book.
import { mkdirSync } from 'node:fs';
import { launch } from './browser.mjs';

const [address, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const [name, width, height, scheme, hash, grab] of [
  ['wide-light', 1280, 800, 'light', '#scene=creature&quality=fine', true],
  ['wide-dark', 1280, 800, 'dark', '#scene=jelly&colour=von-mises&wire=1', true],
  ['phone-light', 390, 844, 'light', '#scene=bar&colour=displacement', true],
  ['phone-dark', 390, 844, 'dark', '#scene=creature', false],
]) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  page.on('console', (m) => console.log(name, m.type(), m.text()));
  page.on('pageerror', (e) => console.log(name, 'ERROR', e.message));
  await page.goto(address + hash);
  await page.waitForFunction(() => window.pliant?.state.frame?.steps > 3 && window.pliant.state.asked);
  const until = (what, argument) => page.waitForFunction(what, argument, { timeout: 60000, polling: 50 });
  const stand = async (time) => {
    await until((t) => window.pliant.state.frame.time > t, time);
    await page.keyboard.press(' ');
    await until(() => window.pliant.state.frame.paused);
    await page.waitForTimeout(1500);
  };
  await stand(0);
  await page.keyboard.press('r');
  await until(() => window.pliant.state.frame.time === 0);
  await page.keyboard.press(' ');
  await stand(0.7);
  const at = grab && await page.evaluate(() => {
    const { stage, bodies, hand } = window.pliant;
    const p = bodies.geometry.attributes.position.array;
    let best = null;
    for (let k = 0; k < p.length; k += 3) {
      const v = stage.camera.position.clone().fromArray(p, k).project(stage.camera);
      const [x, y] = [(0.5 + 0.5 * v.x) * innerWidth, (0.5 - 0.5 * v.y) * innerHeight + 20];
      if (best && y > best.y) continue;
      if (hand.hit({ clientX: x, clientY: y }) && hand.hit({ clientX: x + 6, clientY: y - 4 })) best = { x, y };
    }
    return best;
  });
  if (at) {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.keyboard.press(' ');
    await page.mouse.move(at.x + 60, at.y - 130, { steps: 10 });
    await stand((await page.evaluate(() => window.pliant.state.frame.time)) + 0.8);
  }
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(name, await page.evaluate(() => [document.getElementById('frames').textContent, location.hash, window.pliant.state.frame.realTime, window.pliant.state.frame.stepTime]));
  await page.close();
}
await browser.close();
