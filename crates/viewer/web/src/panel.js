// The controls of a scene: sliders and lists, with units.

const WAIT = 200;

export class Panel {
  constructor(root, set) {
    this.root = root;
    this.set = set;
    this.rows = new Map();
    this.shape = '';
  }

  // Rows are made anew only where a scene has others: while values change nothing jumps.
  show(controls) {
    const shape = JSON.stringify(controls.map((c) => [c.key, c.choices, c.unit]));
    if (shape !== this.shape) this.build(controls);
    this.shape = shape;
    for (const control of controls) this.rows.get(control.key)?.show(control);
  }

  build(controls) {
    // What someone opened or closed stays so.
    const opened = new Map([...this.root.children].map((section) => [section.dataset.name, section.open]));
    this.root.replaceChildren();
    this.rows.clear();
    const groups = new Map();
    for (const control of controls) {
      const name = control.body ?? control.group ?? '';
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(control);
    }
    // Open where there is room for it: the first bodies.
    let count = 0;
    for (const [name, list] of groups) {
      const section = document.createElement('details');
      // What solves is for those who look for it.
      section.dataset.name = name;
      const open = list[0].group ? false : count++ < 2;
      section.open = opened.get(name) ?? open;
      const summary = document.createElement('summary');
      summary.textContent = name === '' ? 'World' : name;
      section.append(summary);
      for (const control of list) {
        const Row = control.choices ? Choice : control.switch ? Switch : Slider;
        const row = new Row(control, this.set);
        this.rows.set(control.key, row);
        section.append(row.element);
      }
      this.root.append(section);
    }
  }

  disable(off) {
    this.root.inert = off;
  }
}

function label(control, kind) {
  const element = document.createElement('label');
  element.className = `row ${kind}`;
  element.title = `${control.help}\n${control.key}`;
  element.dataset.key = control.key;
  const name = document.createElement('span');
  name.textContent = control.label;
  element.append(name);
  return element;
}

class Choice {
  constructor(control, set) {
    this.element = label(control, 'choice');
    this.list = document.createElement('select');
    for (const [name, about] of control.choices) {
      const option = new Option(name, name);
      option.title = about;
      this.list.append(option);
    }
    this.list.addEventListener('change', () => set(control.key, this.list.value));
    this.element.append(this.list);
  }

  show(control) {
    this.list.value = control.value;
    const about = control.choices.find(([name]) => name === control.value)?.[1];
    this.element.title = `${control.help}\n${control.value}: ${about}\n${control.key}`;
  }
}

class Switch {
  constructor(control, set) {
    this.element = label(control, 'check');
    this.box = document.createElement('input');
    this.box.type = 'checkbox';
    this.box.addEventListener('change', () => set(control.key, Number(this.box.checked)));
    this.element.append(this.box);
  }

  show(control) {
    this.box.checked = control.value === 1;
  }
}

class Slider {
  constructor(control, set) {
    this.element = label(control, 'slider');
    this.control = control;
    const box = document.createElement('span');
    box.className = 'value';
    this.number = document.createElement('input');
    this.number.type = 'text';
    this.number.inputMode = 'decimal';
    this.number.setAttribute('aria-label', `${control.label}, ${control.unit}`);
    const unit = document.createElement('small');
    unit.textContent = control.unit;
    box.append(this.number, unit);
    this.range = document.createElement('input');
    Object.assign(this.range, { type: 'range', min: 0, max: 1, step: 0.001 });
    this.range.setAttribute('aria-label', control.label);
    this.element.append(box, this.range);
    let timer = null;
    const send = (value) => {
      this.busy = performance.now();
      clearTimeout(timer);
      timer = setTimeout(() => set(control.key, value), WAIT);
    };
    this.range.addEventListener('input', () => {
      const value = this.fromPart(Number(this.range.value));
      this.write(value);
      send(value);
    });
    this.number.addEventListener('change', () => {
      const value = Number(this.number.value.replace(',', '.')) * this.control.one;
      if (Number.isFinite(value)) {
        const { min, max } = this.control;
        send(Math.min(max, Math.max(min, this.control.whole ? Math.round(value) : value)));
      } else {
        this.write(this.control.value);
      }
    });
  }

  // From 0..1 to a value that people would write.
  fromPart(part) {
    const { min, max, log, one } = this.control;
    const value = log ? min * (max / min) ** part : min + (max - min) * part;
    const near = Math.min(max, Math.max(min, Number((value / one).toPrecision(3)) * one));
    return this.control.whole ? Math.round(near) : near;
  }

  toPart(value) {
    const { min, max, log } = this.control;
    if (max <= min) return 0;
    return log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  }

  write(value) {
    this.number.value = String(Number((value / this.control.one).toPrecision(4)));
  }

  show(control) {
    this.control = control;
    // Not under the hand that moves it.
    if (performance.now() - (this.busy ?? -1e9) < 600 || document.activeElement === this.number) return;
    this.range.value = this.toPart(control.value);
    this.write(control.value);
  }
}
