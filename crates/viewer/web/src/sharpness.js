// How many pixels are drawn. Where the machine cannot draw all of them in time, moving pictures are drawn with fewer;
// once nothing moves, the last one is drawn anew with all.

// The parts of the pixels, in each direction.
const STEPS = [1, 0.8, 0.64, 0.5];
// A picture may keep the page busy for so long (ms); below the other bound there may be more pixels.
const SLOW = 31;
const QUICK = 19;
// Pictures that are looked at before a change. The first ones do not count: much is made ready in them.
const COUNT = 8;
const FIRST = 16;
// More pixels are tried after so many quick pictures, and twice as many each time that they were too many.
const PATIENCE = 16;
// How long nothing moves before the last picture is drawn anew (ms).
const STILL = 250;

export class Sharpness {
  constructor() {
    Object.assign(this, { step: 0, full: true, held: false, patience: PATIENCE, tried: false });
    Object.assign(this, { count: -FIRST, time: 0, calm: 0, before: 0, drew: false, last: 0 });
  }

  get part() {
    return this.full || this.held ? 1 : STEPS[this.step];
  }

  // Told once for each picture that the browser asks for; true if one has to be drawn although nothing changed.
  tick(now, moves) {
    // A picture delays the next one by as long as it takes.
    if (this.drew) this.measure(now - this.before);
    this.before = now;
    this.drew = moves;
    if (moves) {
      this.full = false;
      this.last = now;
    }
    if (this.full || now - this.last < STILL) return false;
    this.full = true;
    return STEPS[this.step] < 1;
  }

  measure(time) {
    if (++this.count <= 0) return;
    this.time += time;
    if (this.count < COUNT) return;
    const mean = this.time / this.count;
    this.time = this.count = 0;
    this.calm = mean < QUICK ? this.calm + COUNT : 0;
    if (mean > SLOW && this.step < STEPS.length - 1) {
      this.step++;
      if (this.tried) this.patience *= 2;
      this.tried = false;
    } else if (this.calm >= this.patience && this.step > 0) {
      this.step--;
      this.calm = 0;
      this.tried = true;
    }
  }
}
