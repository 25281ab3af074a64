// What can be kept: the scene as a file, a picture, a clip, and frames in the server's folder.

import { plain, save } from './save.js';

// Seconds of a clip at most.
const LONGEST = 60;
const KINDS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];

export class Record {
  // name: of the scene. notify: says something to the visitor.
  constructor(stage, send, name, notify) {
    Object.assign(this, { stage, send, name, notify });
    this.$ = Object.fromEntries(['record', 'record-format', 'record-state', 'clip', 'save-scene', 'save-input', 'record-pill'].map((id) => [id, document.getElementById(id)]));
    this.$.record.addEventListener('click', () => this.toggle());
    this.$['record-pill'].addEventListener('click', () => this.toggle());
    this.$.clip.addEventListener('click', () => this.clip());
    this.$['save-scene'].addEventListener('click', () => this.keep('scene.toml', 'toml', 'scene'));
    this.$['save-input'].addEventListener('click', () => this.keep('input.jsonl', 'jsonl', 'input'));
    this.recording = null;
  }

  // Where frames go, and how many there are.
  show({ recording, folder }) {
    this.recording = recording;
    const runs = Boolean(recording?.runs);
    const { record, 'record-state': state, 'record-pill': pill } = this.$;
    record.textContent = runs ? 'End recording' : 'Record frames';
    record.classList.toggle('on', runs);
    record.disabled = Boolean(recording && !runs) || !folder;
    this.$['record-format'].disabled = Boolean(recording);
    const size = recording && (recording.bytes >= 1e6 ? `, ${(recording.bytes / 1e6).toFixed(0)} MB` : '');
    if (recording) state.textContent = `${recording.frames} frames${size}, ${runs ? 'into' : 'being finished in'} ${recording.path}`;
    else state.textContent = folder ? `Into a new folder in ${folder}` : 'No folder was chosen for recordings';
    pill.hidden = !recording;
    if (recording) pill.lastElementChild.textContent = runs ? `${recording.frames} frames` : 'finishing';
  }

  toggle() {
    if (this.recording?.runs) this.send('record-end');
    else if (!this.recording) this.send('record', { name: plain(this.name()), format: this.$['record-format'].value });
  }

  // A file that the server makes.
  async keep(file, extension, what) {
    try {
      const answer = await fetch(file);
      if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
      save(`${plain(this.name())}.${extension}`, await answer.blob());
    } catch (error) {
      this.notify(`The ${what} could not be saved: ${error.message}`);
    }
  }

  // A film of the canvas, from now until the next click.
  clip() {
    if (this.film) {
      this.film.stop();
      return;
    }
    const kind = window.MediaRecorder && KINDS.find((k) => MediaRecorder.isTypeSupported(k));
    if (!kind || !this.stage.canvas.captureStream) {
      this.notify('This browser cannot film the page. Record frames instead, or take pictures.');
      return;
    }
    const stream = this.stage.canvas.captureStream(30);
    const film = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 12e6 });
    const parts = [];
    const { clip } = this.$;
    const began = performance.now();
    const clock = setInterval(() => {
      const seconds = (performance.now() - began) / 1000;
      clip.textContent = `End clip (${seconds.toFixed(0)} s)`;
      // What stands still is filmed as well.
      this.stage.dirty = true;
      if (seconds > LONGEST) film.stop();
    }, 250);
    const end = () => {
      clearInterval(clock);
      for (const track of stream.getTracks()) track.stop();
      clip.textContent = 'Clip';
      clip.classList.remove('on');
      this.film = null;
      this.stage.hold(false);
    };
    film.ondataavailable = (event) => { if (event.data.size) parts.push(event.data); };
    film.onerror = (event) => this.notify(`The clip failed: ${event.error?.message ?? 'the browser does not say why'}`);
    film.onstop = () => {
      end();
      const whole = new Blob(parts, { type: kind.split(';')[0] });
      this.clipped = { size: whole.size, type: whole.type };
      if (whole.size) save(`${plain(this.name())}.${kind.includes('mp4') ? 'mp4' : 'webm'}`, whole);
      else this.notify('The clip is empty: the browser filmed nothing.');
    };
    try {
      film.start(1000);
    } catch (error) {
      end();
      this.notify(`The clip could not be started: ${error.message}`);
      return;
    }
    this.film = film;
    this.stage.hold(true);
    clip.classList.add('on');
    clip.textContent = 'End clip';
  }

  keys() {
    return { o: () => this.toggle(), v: () => this.clip(), t: () => this.$['save-scene'].click(), i: () => this.$['save-input'].click() };
  }
}
