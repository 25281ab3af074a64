// From numbers to colours, and the legend that says so.

import { Color } from 'three';

// Viridis (Smith and van der Walt): even steps of lightness, readable without red and green.
const RISING = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];
// Light in the middle, where nothing happens; blue below, red above.
const AROUND = ['#1f4e9c', '#4f83c4', '#9dbde0', '#f1efe9', '#e8ad8f', '#cf6a49', '#9c2a1f'];
const STEPS = 256;
// Linear, as the renderer wants them.
const table = (list) => {
  const stops = list.map((s) => new Color(s));
  const out = new Float32Array(3 * STEPS);
  for (let k = 0; k < STEPS; k++) {
    const at = (k / (STEPS - 1)) * (list.length - 1);
    const low = Math.min(Math.floor(at), list.length - 2);
    stops[low].clone().lerp(stops[low + 1], at - low).toArray(out, 3 * k);
  }
  return out;
};
const PALETTES = { rising: { stops: RISING, table: table(RISING) }, around: { stops: AROUND, table: table(AROUND) } };

export const BODIES = ['#ee9478', '#57b8aa', '#edc46f', '#7d9fd6', '#bb90c6', '#a3be6d'].map((c) => new Color(c));

// What can be shown: its name, its unit, the value in the middle of the scale where there is one, and the least width
// of the scale, below which there is nothing to see.
export const KINDS = {
  displacement: { name: 'Displacement', unit: 'm' },
  'von-mises': { name: 'Von Mises stress', unit: 'Pa' },
  'energy-density': { name: 'Energy density', unit: 'J/m³' },
  'contact-pressure': { name: 'Contact pressure', unit: 'Pa', least: 1 },
  volume: { name: 'Volume J, of that at rest', unit: '', middle: 1, least: 0.005 },
};

// The next of 1, 2, 5, 10, …
function round(value) {
  if (!(value > 0)) return 0;
  const ten = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return ten * [1, 2, 5, 10].find((n) => n * ten >= value * (1 - 1e-9));
}

// A scale that ends in round numbers: it grows at once, and shrinks only where less than a third of it is used for a while,
// so that colours can be compared and the legend stands still.
export class Scale {
  constructor() {
    this.start('plain');
  }

  start(kind) {
    Object.assign(this, { kind, top: 0, low: 0 });
  }

  fit(lists, now) {
    const { middle = 0, least = 0 } = KINDS[this.kind];
    let most = least;
    for (const list of lists) {
      for (const value of list) {
        const far = middle ? Math.abs(value - middle) : value;
        if (far > most) most = far;
      }
    }
    if (most > 0.33 * this.top) this.low = now;
    if (most > this.top) this.top = round(most);
    else if (now - this.low > 1500) {
      this.top = round(1.2 * most);
      this.low = now;
    }
    return this;
  }

  paint(values, out) {
    const { middle } = KINDS[this.kind];
    const { table: colours } = middle ? PALETTES.around : PALETTES.rising;
    const [from, width] = middle ? [middle - this.top, 2 * this.top] : [0, this.top];
    const scale = width > 0 ? (STEPS - 1) / width : 0;
    for (let v = 0; v < values.length; v++) {
      const k = 3 * Math.max(0, Math.min(STEPS - 1, Math.round((values[v] - from) * scale) || 0));
      out[3 * v] = colours[k];
      out[3 * v + 1] = colours[k + 1];
      out[3 * v + 2] = colours[k + 2];
    }
  }
}

// A number with three digits and a prefix of its unit.
export function quantity(value, unit) {
  if (!Number.isFinite(value)) return `– ${unit}`;
  if (value === 0) return `0 ${unit}`;
  const prefixes = ['n', 'µ', 'm', '', 'k', 'M', 'G'];
  const power = Math.max(-3, Math.min(3, Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9)));
  const scaled = value / 1000 ** power;
  const digits = Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${prefixes[power + 3]}${unit}`;
}

const plain = (value) => String(Number(value.toPrecision(3)));
const end = (value, unit) => (unit ? quantity(value, unit).replace(/\.?0+ /, ' ') : plain(value));

const legend = document.getElementById('legend');
const [title, low, mid, high] = ['title', 'low', 'middle', 'high'].map((id) => document.getElementById(`legend-${id}`));
const strip = legend.querySelector('canvas');
let drawn = null;

export function showLegend(scale) {
  const kind = scale && KINDS[scale.kind];
  legend.hidden = !kind;
  if (!kind) return;
  const { stops } = kind.middle ? PALETTES.around : PALETTES.rising;
  if (drawn !== stops) {
    drawn = stops;
    const pen = strip.getContext('2d');
    const gradient = pen.createLinearGradient(0, 0, strip.width, 0);
    stops.forEach((colour, k) => gradient.addColorStop(k / (stops.length - 1), colour));
    pen.fillStyle = gradient;
    pen.fillRect(0, 0, strip.width, strip.height);
  }
  title.textContent = kind.name;
  low.textContent = kind.middle ? plain(kind.middle - scale.top) : '0';
  mid.textContent = kind.middle ? plain(kind.middle) : '';
  high.textContent = end((kind.middle ?? 0) + scale.top, kind.unit);
}
