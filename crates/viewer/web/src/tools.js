// What the cursor does to bodies: pull, pin or probe. A tool of a kind is a file beside this one.

import { Pins } from './pins.js';
import { Probe } from './probe.js';

const svg = (body) => `<svg viewBox="0 0 24 24" aria-hidden="true">${body}</svg>`;
const ICONS = {
  pull: svg('<circle cx="6.5" cy="17.5" r="3"/><path d="M8.2 14.4l7-7-2-2H20v6.8l-2-2-7 7z"/>'),
  pin: svg('<path d="M9 3h6v2l-1 1v4.5l3 2.5v2h-4v6l-1 1.5-1-1.5v-6H7v-2l3-2.5V6L9 5z"/>'),
  probe: svg('<circle cx="12" cy="8.5" r="5.5"/><path d="M3 17c4 0 5 3.5 9 3.5s5-3.5 9-3.5v-2c-5 0-5.5 3.5-9 3.5S8 15 3 15z"/>'),
};
export const TOOLS = ['pull', 'pin', 'probe'];

export class Tools {
  // holds: whether this page's commands count. changed: called with the name of the tool.
  constructor(stage, bodies, send, holds, changed) {
    Object.assign(this, { stage, bodies, changed });
    this.mode = 'pull';
    this.pins = new Pins(stage, bodies, send, () => holds() && this.mode === 'pin');
    this.probe = new Probe(stage, bodies, send, () => holds() && this.mode === 'probe');
    this.buttons = new Map(TOOLS.map((name) => {
      const button = document.getElementById(`tool-${name}`);
      button.innerHTML = ICONS[name];
      button.addEventListener('click', () => this.choose(name));
      return [name, button];
    }));
    this.choose('pull');
  }

  get pulls() {
    return this.mode === 'pull';
  }

  choose(name) {
    if (!TOOLS.includes(name)) return;
    this.mode = name;
    for (const [known, button] of this.buttons) {
      button.classList.toggle('on', known === name);
      button.setAttribute('aria-pressed', String(known === name));
    }
    for (const card of document.querySelectorAll('.card')) card.hidden = card.dataset.tool !== name;
    this.stage.canvas.dataset.tool = name;
    if (name !== 'probe') this.probe.lift();
    this.changed(name);
  }

  // A message of the server: pins, probe, recording.
  show(message) {
    this.pins.show(message.pins);
    this.probe.show(message.probe);
  }

  // Once a picture.
  tick(now) {
    this.probe.tick(now);
  }

  // Another scene: sizes are others.
  furnish() {
    this.pins.clear();
    this.probe.furnish();
  }

  keys() {
    return {
      1: () => this.choose('pull'),
      2: () => this.choose('pin'),
      3: () => this.choose('probe'),
      u: () => this.pins.removeAll(),
      '[': () => this.probe.deepen(-0.5),
      ']': () => this.probe.deepen(0.5),
    };
  }
}
