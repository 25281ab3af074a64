// Curves of the last seconds.

import { quantity } from './colours.js';

const LENGTH = 360;

export class Plot {
  // series: [{ name, colour }]
  constructor(canvas, series, unit) {
    Object.assign(this, { canvas, series, unit });
    this.values = series.map(() => new Float32Array(LENGTH));
    this.count = 0;
    // Small pictures with many strokes: the processor is the faster painter.
    this.pen = canvas.getContext('2d', { willReadFrequently: true });
    this.line = null;
  }

  clear() {
    this.count = 0;
  }

  push(numbers) {
    const at = this.count % LENGTH;
    numbers.forEach((number, k) => { this.values[k][at] = number; });
    this.count++;
  }

  draw() {
    const { canvas, pen } = this;
    const ratio = Math.min(devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const n = Math.min(this.count, LENGTH);
    let [low, high] = [0, this.line ?? 0];
    for (const list of this.values) {
      for (let k = 0; k < n; k++) {
        if (list[k] > high) high = list[k];
        if (list[k] < low) low = list[k];
      }
    }
    if (high - low <= 0) high = low + 1;
    const style = getComputedStyle(canvas);
    const y = (v) => height - 3 - ((v - low) / (high - low)) * (height - 16);
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue('--hair');
    const across = (v, dash) => {
      pen.setLineDash(dash);
      pen.beginPath();
      pen.moveTo(0, y(v));
      pen.lineTo(width, y(v));
      pen.stroke();
      pen.setLineDash([]);
    };
    across(0, []);
    if (this.line) across(this.line, [4, 3]);
    pen.lineWidth = 1.5;
    pen.lineJoin = 'round';
    this.series.forEach(({ colour }, s) => {
      pen.strokeStyle = colour;
      pen.beginPath();
      for (let k = 0; k < n; k++) {
        const value = this.values[s][(this.count - n + k) % LENGTH];
        pen.lineTo(((LENGTH - n + k) / (LENGTH - 1)) * width, y(value));
      }
      pen.stroke();
    });
    pen.fillStyle = style.getPropertyValue('--quiet');
    pen.font = '11px system-ui, sans-serif';
    pen.textBaseline = 'top';
    pen.fillText(this.unit ? quantity(high, this.unit) : String(Math.round(high)), 0, 0);
    // Where curves go below zero, how far.
    if (low < -0.2 * high) {
      pen.textBaseline = 'bottom';
      pen.fillText(this.unit ? quantity(low, this.unit) : String(Math.round(low)), 0, height);
    }
  }
}
