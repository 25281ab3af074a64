// From numbers to colours, and the legend that says so.

import { Color } from 'three';

// Viridis (Smith and van der Walt): even steps of lightness, readable without red and green.
const STOPS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];
const STEPS = 256;
// Linear, as the renderer wants them.
const TABLE = new Float32Array(3 * STEPS);
const stops = STOPS.map((s) => new Color(s));
for (let k = 0; k < STEPS; k++) {
  const at = (k / (STEPS - 1)) * (STOPS.length - 1);
  const low = Math.min(Math.floor(at), STOPS.length - 2);
  stops[low].clone().lerp(stops[low + 1], at - low).toArray(TABLE, 3 * k);
}

export const BODIES = ['#ee9478', '#57b8aa', '#edc46f', '#7d9fd6', '#bb90c6', '#a3be6d'].map((c) => new Color(c));

export function paint(values, highest, out) {
  const scale = highest > 0 ? (STEPS - 1) / highest : 0;
  for (let v = 0; v < values.length; v++) {
    const k = Math.max(0, Math.min(STEPS - 1, Math.round(values[v] * scale) || 0));
    out[3 * v] = TABLE[3 * k];
    out[3 * v + 1] = TABLE[3 * k + 1];
    out[3 * v + 2] = TABLE[3 * k + 2];
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

const legend = document.getElementById('legend');
const [title, low, high] = ['legend-title', 'legend-low', 'legend-high'].map((id) => document.getElementById(id));
const strip = legend.querySelector('canvas');
const pen = strip.getContext('2d');
const gradient = pen.createLinearGradient(0, 0, strip.width, 0);
STOPS.forEach((colour, k) => gradient.addColorStop(k / (STOPS.length - 1), colour));
pen.fillStyle = gradient;
pen.fillRect(0, 0, strip.width, strip.height);

export function showLegend(name, unit, highest) {
  legend.hidden = !name;
  if (!name) return;
  title.textContent = name;
  low.textContent = `0`;
  high.textContent = quantity(highest, unit);
}
