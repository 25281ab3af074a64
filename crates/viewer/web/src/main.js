// The page of `pliant view`: everything is put together here.

import { readAddress, writeAddress } from './address.js';
import { Bodies } from './bodies.js';
import { Charts } from './charts.js';
import { quantity } from './colours.js';
import { Connection } from './connection.js';
import { Cut, Knife } from './cut.js';
import { Hand } from './hand.js';
import { ICONS } from './icons.js';
import { bindKeys } from './keys.js';
import { Marks } from './marks.js';
import { Panel } from './panel.js';
import { Record } from './record.js';
import { plain } from './save.js';
import { Stage } from './stage.js';
import { Tools } from './tools.js';

const $ = (id) => document.getElementById(id);
const wanted = readAddress();
const state = { scene: null, holds: false, paused: false, speed: 1, kind: wanted.colour ?? 'plain', notice: 0, asked: false, settings: {} };

const stage = new Stage($('view'), wanted.quality);
document.documentElement.classList.toggle('fast', !stage.fine);
const bodies = new Bodies(stage);
const cut = new Cut(stage, bodies);
bodies.cut = cut;
const marks = new Marks(stage, $('arrows'));
const charts = new Charts($('plots'));
const connection = new Connection({
  open: () => { state.asked = state.known = false; },
  lost: () => {
    state.holds = false;
    $('lost').hidden = false;
  },
  scene: showScene,
  surfaces: showSurfaces,
  cut: (given) => cut.load(given),
  status: showStatus,
  you: ({ holds }) => {
    Object.assign(state, { holds, known: true });
    $('watching').hidden = holds;
    panel.disable(!holds);
    restore();
  },
  frame: showFrame,
  tools: showTools,
});
const send = (what, more) => connection.send(what, more);
const tools = new Tools(stage, bodies, send, () => state.holds, () => remember());
const hand = new Hand(stage, bodies, send, () => state.holds && tools.pulls);
const record = new Record(stage, send, () => state.scene?.name, notify);
const panel = new Panel($('controls'), (key, value) => send('set', { key, value }));
const knife = new Knife({ axis: $('cut'), place: $('cut-place'), side: $('cut-side'), output: $('cut-value') }, stage, bodies, (...all) => {
  send(...all);
  remember();
});

for (const [id, icon] of [['pause', 'pause'], ['step', 'step'], ['reset', 'reset'], ['theme', 'theme'], ['toggle', 'panel']]) {
  $(id).innerHTML = ICONS[icon];
}

// What the address asks for, once the page may ask.
function restore() {
  if (state.asked || !state.holds || !state.scene) return;
  state.asked = true;
  const name = wanted.scene ?? state.scene.name;
  const settings = wanted.settings ?? {};
  const same = name === state.scene.name && JSON.stringify(settings) === JSON.stringify(state.scene.settings);
  if (!same && (wanted.scene || Object.keys(settings).length)) send('scene', { name, settings });
  if (wanted.speed) send('speed', { factor: Number(wanted.speed) || 1 });
  state.pins = wanted.pins;
  setColour(state.kind);
  setMarks();
  knife.ask();
}

function remember() {
  // Not before it is clear who may ask for what the address says: it would be lost.
  if (!state.known) return;
  writeAddress(() => {
    const now = {
      scene: state.scene?.name,
      settings: state.scene?.settings,
      colour: state.kind === 'plain' ? undefined : state.kind,
      speed: state.speed === 1 ? undefined : state.speed,
      tool: tools.pulls ? undefined : tools.mode,
      pins: tools.pins.word,
      wire: $('wireframe').checked ? 1 : undefined,
      ghost: $('ghost').checked ? 1 : undefined,
      cut: knife.word,
      marks: MARKS.filter((id) => $(id).checked).join(',') || undefined,
      quality: wanted.quality,
      camera: stage.place(),
    };
    Object.assign(wanted, { scene: now.scene, settings: now.settings, speed: now.speed, pins: now.pins });
    return now;
  });
}

function showScene(scene) {
  const other = scene.name !== state.scene?.name;
  state.scene = hand.scene = scene;
  tools.probe.name = plain(scene.name);
  $('title').textContent = scene.title;
  $('about').textContent = scene.about;
  document.title = `${scene.title} · Pliant`;
  const list = $('scene');
  const names = scene.scenes.some(([n]) => n === scene.own) ? scene.scenes : [[scene.own, ''], ...scene.scenes];
  if (list.options.length !== names.length) {
    list.replaceChildren(...names.map(([name, about]) => {
      const option = new Option(name.split('/').pop(), name);
      option.title = about;
      return option;
    }));
  }
  list.value = scene.name;
  panel.show(scene.controls);
  $('contact-box').hidden = !scene.contact;
  $('contact').textContent = scene.contact ?? '';
  const facts = scene.bodies.map((b) => `<li><b>${escape(b.name)}</b> ${b.cells.toLocaleString('en')} × ${b.element}</li>`).slice(0, 6);
  const warnings = scene.warnings.map((w) => `<li class="warning">${escape(w)}</li>`);
  $('facts').innerHTML = `<ul>${[...facts, ...warnings].join('')}</ul><p>Pliant ${escape(scene.version)} · ${scene.vertices.toLocaleString('en')} vertices</p>`;
  showHand();
  if (other) charts.clear();
  charts.setStep(scene.analysis === 'static' ? null : 1e3 * scene.step);
  restore();
}

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function showSurfaces(surfaces) {
  const other = bodies.load(surfaces);
  if (other || state.shown !== state.scene.name) {
    stage.furnish(bodies.bounds(), state.scene.obstacles, bodies.mesh);
    tools.furnish();
    // The view of the address is the first one; other scenes are framed.
    if (wanted.camera && !state.shown) stage.moveTo(wanted.camera);
    else stage.frame();
    state.shown = state.scene.name;
    // At rest the middle is here, seen from the centre of the view.
    const [x, z] = bodies.middle(surfaces.rest);
    Object.assign(state, { home: [x - stage.centre.x, z - stage.centre.z], gone: false, fresh: true });
    marks.clear();
    // The plane is a part of the way through the bodies, and these are others.
    if (state.asked && knife.word) knife.ask();
  }
  cut.show();
  remember();
}

function showTools(message) {
  const pins = tools.pins.word;
  tools.show(message);
  if (tools.pins.word !== pins) remember();
  // Where there are pins already, as after a break of the connection, they stay.
  if (state.pins && !message.pins.length) tools.pins.ask(state.pins);
  state.pins = null;
  record.show(message);
}

function showStatus(status) {
  Object.assign(state, { paused: status.paused, speed: status.speed });
  $('pause').innerHTML = status.paused ? ICONS.play : ICONS.pause;
  $('pause').setAttribute('aria-label', status.paused ? 'Go on' : 'Pause');
  $('pause').classList.toggle('on', status.paused);
  const list = $('speed');
  if (![...list.options].some((o) => Number(o.value) === status.speed)) list.append(new Option(`${status.speed}×`, status.speed));
  list.value = status.speed;
  marks.show(status.marks);
  // Who only watches sees what is shown to all.
  if (!state.holds) for (const id of MARKS) $(id).checked = status.marks[id];
  if (!state.holds && status.colour !== 'none' && status.colour !== state.kind) {
    state.kind = $('colour').value = status.colour;
    bodies.setKind(status.colour);
  }
  if (status.notice && status.notice.number !== state.notice) {
    state.notice = status.notice.number;
    notify(status.notice.text, !status.notice.error);
    // What was refused is not what the panel should show.
    if (status.notice.error && state.scene) panel.show(state.scene.controls);
  }
  remember();
}

let noticeTimer;
function notify(text, good = false) {
  $('notice').textContent = text;
  $('notice').classList.toggle('good', good);
  $('notice').hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { $('notice').hidden = true; }, 9000);
}

function showFrame(frame) {
  $('lost').hidden = true;
  if (!bodies.move(frame)) return;
  hand.show(frame);
  state.frame = frame;
  marks.move(frame);
  if (frame.steps < state.steps) charts.clear();
  if (frame.steps !== state.steps) charts.push(frame);
  state.steps = frame.steps;
  state.news = true;
}

// Only as far as bodies have gone from where they rest: one that hangs to a side stays there. And not away from
// under a hand.
function follow(passed) {
  if (!bodies.mesh || hand.grabs.size || tools.probe.touches || !state.home) return;
  const [x, z] = bodies.middle().map((m, k) => m - state.home[k]);
  if (Math.hypot(x - stage.centre.x, z - stage.centre.z) > 0.3 * stage.size) state.gone = true;
  if (state.gone) stage.follow(x, z, state.fresh ? 1 : 1 - Math.exp(-passed / 250));
  state.fresh = false;
}

let before = 0;
let drawn = 0;
let since = performance.now();
let lastNumbers = 0;
function tick(now) {
  requestAnimationFrame(tick);
  hand.tick();
  tools.tick(now);
  knife.tick();
  follow(now - before);
  before = now;
  if (stage.draw(now)) drawn++;
  if (state.news && now - lastNumbers > 100) {
    lastNumbers = now;
    state.news = false;
    showNumbers(state.frame);
    charts.draw();
  }
  if (now - since >= 1000) {
    $('frames').textContent = Math.round((1000 * drawn) / (now - since));
    drawn = 0;
    since = now;
  }
}

function showNumbers(frame) {
  $('time').textContent = frame.time.toFixed(2);
  $('factor').textContent = frame.paused ? '' : `${frame.realTime.toFixed(2)}×`;
  $('factor-name').textContent = frame.paused ? 'paused' : 'real time';
  $('factor-box').classList.toggle('behind', frame.behind && !frame.paused);
  $('cost').textContent = frame.stepTime < 10 ? frame.stepTime.toFixed(1) : frame.stepTime.toFixed(0);
}

function showHand() {
  hand.strength = Number($('hand-range').value);
  $('hand-value').textContent = quantity(hand.stiffness(0), 'N/m');
}

function setColour(kind) {
  state.kind = kind;
  $('colour').value = kind;
  bodies.setKind(kind);
  send('colour', { by: kind === 'plain' || kind === 'displacement' ? 'none' : kind });
  remember();
}

const MARKS = ['holds', 'forces'];
function setMarks() {
  send('marks', Object.fromEntries(MARKS.map((id) => [id, $(id).checked])));
  remember();
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  stage.theme(name);
}

function cover() {
  const open = !document.body.classList.contains('closed');
  const box = $('panel').getBoundingClientRect();
  const wide = innerWidth > 720;
  stage.cover(open && wide ? box.width : 0, open && !wide ? box.height : 0);
}

function togglePanel() {
  document.body.classList.toggle('closed');
  $('toggle').setAttribute('aria-expanded', String(!document.body.classList.contains('closed')));
  cover();
}

const actions = {
  pause: () => send('pause', { on: !state.paused }),
  step: () => send('step'),
  reset: () => {
    send('reset');
    charts.clear();
  },
  speed: (way) => {
    const list = $('speed');
    const at = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + way));
    send('speed', { factor: Number(list.options[at].value) });
  },
  scene: (name) => send('scene', { name, settings: {} }),
  nextScene: () => {
    const { options, selectedIndex } = $('scene');
    actions.scene(options[(selectedIndex + 1) % options.length].value);
  },
  nextColour: () => {
    const { options, selectedIndex } = $('colour');
    setColour(options[(selectedIndex + 1) % options.length].value);
  },
  wireframe: () => $('wireframe').click(),
  ghost: () => $('ghost').click(),
  more: { ...tools.keys(), ...record.keys() },
  holds: () => $('holds').click(),
  forces: () => $('forces').click(),
  cut: () => {
    $('cut').value = $('cut').value === 'none' ? 'view' : 'none';
    $('cut').dispatchEvent(new Event('change'));
  },
  frame: () => {
    if (bodies.mesh) stage.frame(bodies.bounds(bodies.geometry.attributes.position.array));
    remember();
  },
  theme: () => {
    const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem('theme', name);
    setTheme(name);
  },
  panel: togglePanel,
  help: () => ($('sheet').open ? $('sheet').close() : $('sheet').showModal()),
  picture: () => {
    stage.still();
    const link = document.createElement('a');
    link.download = `${(state.scene?.name ?? 'pliant').split('/').pop()}.png`;
    link.href = stage.canvas.toDataURL('image/png');
    link.click();
  },
};

for (const name of ['pause', 'step', 'reset', 'theme', 'help']) $(name).addEventListener('click', actions[name]);
$('toggle').addEventListener('click', actions.panel);
$('scene').addEventListener('change', (event) => actions.scene(event.target.value));
$('speed').addEventListener('change', (event) => send('speed', { factor: Number(event.target.value) }));
$('colour').addEventListener('change', (event) => setColour(event.target.value));
$('wireframe').addEventListener('change', (event) => { bodies.setWireframe(event.target.checked); remember(); });
$('ghost').addEventListener('change', (event) => { bodies.setGhost(event.target.checked); remember(); });
for (const id of MARKS) $(id).addEventListener('change', setMarks);
$('hand-range').addEventListener('input', showHand);
$('save-picture').addEventListener('click', actions.picture);
$('take').addEventListener('click', () => send('take'));
$('notice').addEventListener('click', () => { $('notice').hidden = true; });
stage.controls.addEventListener('end', remember);
bindKeys(actions);

const dark = matchMedia('(prefers-color-scheme: dark)');
setTheme(wanted.theme ?? localStorage.getItem('theme') ?? (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', (event) => {
  if (!localStorage.getItem('theme')) setTheme(event.matches ? 'dark' : 'light');
});
if (innerWidth <= 720) document.body.classList.add('closed');
$('wireframe').checked = wanted.wire === '1';
$('ghost').checked = wanted.ghost === '1';
bodies.setWireframe($('wireframe').checked);
bodies.setGhost($('ghost').checked);
tools.choose(wanted.tool ?? 'pull');
for (const id of MARKS) $(id).checked = (wanted.marks ?? '').split(',').includes(id);
knife.word = wanted.cut;
$('colour').value = state.kind;
bodies.setKind(state.kind);
addEventListener('resize', cover);
cover();
requestAnimationFrame(tick);

// For tests, and for the curious.
window.pliant = { state, stage, bodies, hand, tools, record, cut, marks, charts };
