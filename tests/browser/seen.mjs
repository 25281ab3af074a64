// Tests of what is seen: colours, cuts, marks, plots. The page shows the bar, held at one end.
import { strict as assert } from 'node:assert';

export const seen = ({ until, look, shot }) => ({
  async 'every colour has a legend with a unit, and its scale stands still'(page) {
    for (const [kind, end] of [['displacement', / [µm]?m$/], ['energy-density', / [mk]?J\/m³$/], ['volume', /^1\.\d+$/]]) {
      await page.selectOption('#colour', kind);
      await until(page, (k) => k === 'displacement' || window.pliant.state.frame.colour === k, kind);
      await until(page, () => !document.getElementById('legend').hidden && window.pliant.bodies.scale.top > 0);
      assert.match(await page.locator('#legend-high').textContent(), end);
    }
    // The bar hangs: it is stretched above and pressed below, so that both ends of the colours are there.
    const [low, high] = await look(page, () => [Math.min(...window.pliant.bodies.values), Math.max(...window.pliant.bodies.values)]);
    assert(low < 0.999 && high > 1.001, `${low} ${high}`);
    const ends = await look(page, () => {
      const seen = new Set();
      return new Promise((done) => {
        const timer = setInterval(() => seen.add(document.getElementById('legend').textContent), 20);
        setTimeout(() => { clearInterval(timer); done([...seen]); }, 1000);
      });
    });
    assert(ends.length <= 2, ends.join(' '));
    await shot(page, 'volume');
  },

  async 'a cut opens the bar, moves with the slider, and closes again'(page) {
    const lowest = (axis) => look(page, (k) => Math.max(...window.pliant.cut.cut.rest.filter((_, i) => i % 3 === k)), axis);
    await page.selectOption('#cut', 'x');
    await until(page, () => window.pliant.cut.group.visible && !window.pliant.bodies.mesh.visible);
    assert(Math.abs(await lowest(0) - 0.15) < 1e-3, String(await lowest(0)));
    await page.locator('#cut-place').fill('50');
    await until(page, () => Math.abs(Math.max(...window.pliant.cut.cut?.rest.filter((_, i) => i % 3 === 0) ?? []) - 0.225) < 1e-3);
    await until(page, () => location.hash.includes('cut=x'));
    await shot(page, 'cut');
    // A press on what was hidden is not a press on the bar.
    const hit = await look(page, () => {
      const { stage, hand } = window.pliant;
      const [x, y, z] = [0.299, 0.05, 0.05];
      const v = stage.camera.position.clone().set(x, y, z).project(stage.camera);
      return Boolean(hand.hit({ clientX: (0.5 + 0.5 * v.x) * innerWidth, clientY: (0.5 - 0.5 * v.y) * innerHeight }));
    });
    assert.equal(hit, false);
    await page.selectOption('#cut', 'none');
    await until(page, () => !window.pliant.cut.group.visible && window.pliant.bodies.mesh.visible);
  },

  async 'supports and forces are marked'(page) {
    await page.click('#holds');
    await page.click('#forces');
    await until(page, () => window.pliant.marks.knobs.mesh?.count === 16 && window.pliant.marks.rods.mesh?.count > 0 && !document.getElementById('arrows').hidden);
    assert.match(await page.locator('#arrows b').textContent(), / N$/);
    await shot(page, 'marks');
    await page.click('#holds');
    await page.click('#forces');
    await until(page, () => !window.pliant.marks.rods.mesh.visible && document.getElementById('arrows').hidden);
    await page.selectOption('#colour', 'plain');
  },

  async 'contact between bodies is shown and changed'(page) {
    const before = await page.locator('#scene').inputValue();
    await page.selectOption('#scene', 'stack');
    await until(page, () => window.pliant.state.scene.name === 'stack' && window.pliant.state.frame.time > 0.45);
    // The scene names a barrier; the page changes it, and the state goes on.
    await until(page, () => document.getElementById('contact').textContent === 'barrier' && !document.getElementById('contact-box').hidden);
    await page.selectOption('label[data-key="contact.mode"] select', 'soft');
    await until(page, () => document.getElementById('contact').textContent === 'soft' && window.pliant.state.frame.time > 0.5);
    await page.selectOption('#colour', 'contact-pressure');
    await until(page, () => window.pliant.state.frame.colour === 'contact-pressure' && Math.max(...window.pliant.bodies.values) > 10);
    assert.match(await page.locator('#legend-high').textContent(), / k?Pa$/);
    // Where nothing is near there is none.
    assert.equal(await look(page, () => Math.min(...window.pliant.bodies.values)), 0);
    await page.click('#forces');
    await until(page, () => window.pliant.marks.rods.mesh?.count > 2);
    await shot(page, 'contact');
    await page.click('#forces');
    // What cannot be is said, and the scene goes on as it was.
    const distance = page.locator('label[data-key="contact.distance"] input').first();
    await distance.fill('90');
    await distance.press('Enter');
    await until(page, () => /contact.distance.*half of the median edge/.test(document.getElementById('notice').textContent));
    assert.equal(await look(page, () => window.pliant.state.scene.settings['contact.distance']), undefined);
    // With an explicit method the panel does not offer a barrier.
    await page.selectOption('label[data-key="time.integrator"] select', 'verlet');
    await until(page, () => ![...document.querySelector('label[data-key="contact.mode"] select').options].some((o) => o.value === 'barrier'));
    await page.selectOption('#colour', 'plain');
    await page.selectOption('#scene', before);
    await until(page, (name) => window.pliant.state.scene.name === name && document.getElementById('contact-box').hidden, before);
  },

  async 'all plots run, and numbers do not move what is around them'(page) {
    await look(page, () => document.querySelectorAll('.chart').forEach((box) => { box.open = true; }));
    const boxes = () => look(page, () => [...document.querySelectorAll('#panel section, #panel details, .keys span, #meter > span')].map((e) => {
      const { left, width, height } = e.getBoundingClientRect();
      return [left, width, height].map(Math.round).join(' ');
    }));
    await until(page, () => window.pliant.charts.charts.every((c) => c.plot.count > 5));
    await page.waitForTimeout(300);
    const before = await boxes();
    await page.keyboard.press('r');
    await page.waitForTimeout(700);
    assert.deepEqual(await boxes(), before);
    const { energy, momentum } = await look(page, () => window.pliant.state.frame);
    assert(energy.kinetic >= 0 && energy.gravity !== 0 && momentum.every(Number.isFinite));
    await page.locator('#spin').scrollIntoViewIfNeeded();
    await shot(page, 'plots');
    await look(page, () => { document.getElementById('panel').scrollTop = 0; });
  },
});
