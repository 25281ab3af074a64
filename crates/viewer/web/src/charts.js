// The plots of the panel: what is drawn in each, which of them are open.

import { quantity } from './colours.js';
import { Plot } from './plots.js';

const AXES = [['x', '#ef4444'], ['y', '#22a565'], ['z', '#3b82f6']];
// Names in the order of what `read` returns. Gravity has no zero of its own: it is counted from where the plot starts.
const CHARTS = [
  {
    id: 'energy',
    title: 'Energy',
    unit: 'J',
    open: true,
    help: 'Since the last reset or change. Work is what loads, hands and motions put in; the method loses what no damping took.',
    series: [['kinetic', '#3b82f6'], ['elastic', '#f97316'], ['gravity', '#a16207'], ['damped', '#8b93a1'], ['work', '#10b981'], ['method', '#db2777']],
    read: ({ energy: e }) => [e.kinetic, e.elastic, e.gravity, e.dissipated, e.work, e.loss],
    relative: [2],
  },
  { id: 'momentum', title: 'Momentum', unit: 'N s', help: 'Mass times velocity, of all bodies.', series: AXES, read: (f) => f.momentum },
  { id: 'spin', title: 'Angular momentum', unit: 'N m s', help: 'About the origin.', series: AXES, read: (f) => f.spin },
  {
    id: 'timing',
    title: 'Step time',
    unit: 'ms',
    open: true,
    help: 'How long the machine takes for a step. The dashed line is how long the step lasts: above it, the simulation is slower than real time.',
    series: [['step', '#10b981']],
    read: (f) => [f.stepTime],
    text: (v) => `${v < 10 ? v.toFixed(1) : v.toFixed(0)} ms`,
  },
  {
    id: 'newton',
    title: 'Newton iterations',
    unit: '',
    help: 'Linear systems that were solved in a step.',
    series: [['iterations', '#8b5cf6']],
    read: (f) => [f.iterations],
    text: (v) => v.toFixed(0),
  },
];

export class Charts {
  constructor(root) {
    this.charts = CHARTS.map((chart) => new Chart(chart, root));
  }

  clear() {
    for (const chart of this.charts) chart.clear();
  }

  push(frame) {
    for (const chart of this.charts) chart.push(frame);
  }

  draw() {
    for (const chart of this.charts) chart.draw();
  }

  // The length of a step in ms, or null.
  setStep(length) {
    this.charts.find((c) => c.id === 'timing').plot.line = length;
  }
}

class Chart {
  constructor({ id, title, unit, help, series, read, open, relative = [], text }, root) {
    Object.assign(this, { id, unit, read, relative, text, zero: null });
    this.box = document.createElement('details');
    this.box.className = 'chart';
    this.box.open = (localStorage.getItem(`chart.${id}`) ?? (open ? '1' : '0')) === '1';
    this.box.addEventListener('toggle', () => {
      localStorage.setItem(`chart.${id}`, this.box.open ? '1' : '0');
      this.draw();
    });
    const summary = document.createElement('summary');
    summary.title = help;
    summary.append(title);
    this.now = document.createElement('output');
    summary.append(this.now);
    const canvas = document.createElement('canvas');
    canvas.id = id;
    canvas.className = series.length > 3 ? 'tall' : '';
    canvas.setAttribute('aria-label', `${title} over time`);
    this.box.append(summary, canvas);
    this.values = [];
    if (series.length > 1) {
      const keys = document.createElement('div');
      keys.className = 'keys';
      for (const [name, colour] of series) {
        const key = document.createElement('span');
        const line = document.createElement('i');
        line.style.background = colour;
        const value = document.createElement('b');
        key.append(line, name, value);
        keys.append(key);
        this.values.push(value);
      }
      this.box.append(keys);
    }
    root.append(this.box);
    this.plot = new Plot(canvas, series.map(([name, colour]) => ({ name, colour })), unit);
  }

  clear() {
    this.plot.clear();
    this.zero = null;
  }

  push(frame) {
    const numbers = [...this.read(frame)];
    this.zero ??= numbers.map((n, k) => (this.relative.includes(k) ? n : 0));
    this.last = numbers.map((n, k) => n - this.zero[k]);
    this.plot.push(this.last);
  }

  draw() {
    if (!this.last) return;
    if (!this.values.length) this.now.textContent = this.text(this.last[0]);
    if (!this.box.open) return;
    this.values.forEach((value, k) => { value.textContent = quantity(this.last[k], this.unit); });
    this.plot.draw();
  }
}
