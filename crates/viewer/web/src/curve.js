// The force-position curve of the probe: how hard it pushes over how far it went in.

import { quantity } from './colours.js';
import { save } from './save.js';

const MOST = 20000;
const COLUMNS = ['step', 'time [s]', 'travel [m]', 'force_along [N]', 'probe.x [m]', 'probe.y [m]', 'probe.z [m]', 'force.x [N]', 'force.y [N]', 'force.z [N]'];

export class Curve {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
    this.rows = [];
    // The last step that was told of.
    this.known = -1;
    this.dirty = true;
    new ResizeObserver(() => { this.dirty = true; }).observe(canvas);
  }

  // rows: [step, time, travel, along, [x, y, z], [fx, fy, fz]], of which some may be known.
  add(rows) {
    if (!rows.length) return;
    // Time that went back is another run.
    if (rows.at(-1)[0] < this.known) {
      this.clear();
      this.known = -1;
    }
    const fresh = rows.filter(([step]) => step > this.known);
    if (!fresh.length) return;
    this.rows.push(...fresh);
    this.known = fresh.at(-1)[0];
    this.dirty = true;
    if (this.rows.length > MOST) this.rows.splice(0, this.rows.length - MOST);
  }

  clear() {
    this.rows.length = 0;
    this.dirty = true;
  }

  csv() {
    const lines = this.rows.map((row) => row.flat().join(','));
    return `${COLUMNS.join(',')}\n${lines.join('\n')}${lines.length ? '\n' : ''}`;
  }

  save(name) {
    save(`${name}-probe.csv`, new Blob([this.csv()], { type: 'text/csv' }));
  }

  draw() {
    const { canvas, pen } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!this.dirty || !width) return;
    this.dirty = false;
    const ratio = Math.min(devicePixelRatio, 2);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    let [low, high, most] = [0, 1e-12, 1e-12];
    for (const [, , travel, along] of this.rows) {
      low = Math.min(low, travel);
      high = Math.max(high, travel);
      most = Math.max(most, along);
    }
    const style = getComputedStyle(canvas);
    const x = (v) => 4 + ((v - low) / (high - low)) * (width - 8);
    const y = (v) => height - 17 - (Math.max(v, 0) / most) * (height - 36);
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue('--hair');
    pen.beginPath();
    pen.moveTo(4, y(0));
    pen.lineTo(width - 4, y(0));
    pen.moveTo(x(0), y(0));
    pen.lineTo(x(0), 16);
    pen.stroke();
    pen.fillStyle = style.getPropertyValue('--quiet');
    pen.font = '11px system-ui, sans-serif';
    pen.textBaseline = 'top';
    if (!this.rows.length) {
      pen.fillText('Touch a body: force over depth', 4, height / 2 - 10);
      return;
    }
    pen.strokeStyle = '#3f6fd8';
    pen.lineWidth = 1.5;
    pen.lineJoin = 'round';
    pen.beginPath();
    let before = null;
    for (const [step, , travel, along] of this.rows) {
      // Between two touches the pen is lifted.
      if (before !== null && step - before > 8) pen.moveTo(x(travel), y(along));
      else pen.lineTo(x(travel), y(along));
      before = step;
    }
    pen.stroke();
    const [, , travel, along] = this.rows.at(-1);
    pen.fillStyle = '#ff3d71';
    pen.beginPath();
    pen.arc(x(travel), y(along), 3, 0, 7);
    pen.fill();
    pen.fillStyle = style.getPropertyValue('--quiet');
    pen.fillText(quantity(most, 'N'), 4, 1);
    pen.textAlign = 'right';
    pen.fillText(quantity(high, 'm'), width - 4, height - 13);
    pen.textAlign = 'left';
    pen.fillText(low < 0 ? quantity(low, 'm') : '0', 4, height - 13);
  }
}
