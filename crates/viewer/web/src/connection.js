// The socket to the server, which comes back by itself after the server was started anew.

import { CUT, FRAME, SURFACES, kind, readCut, readFrame, readSurfaces } from './protocol.js';

const FIRST_WAIT = 250;
const LONGEST_WAIT = 3000;

export class Connection {
  // hear: { scene, status, you, surfaces, cut, frame, open, lost }
  constructor(hear) {
    this.hear = hear;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  connect() {
    const address = new URL('socket', location.href.split('#')[0]);
    address.protocol = 'ws:';
    const socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.hear.open();
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => {
      this.socket = null;
      this.hear.lost(event.reason);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
    this.socket = socket;
  }

  receive(data) {
    if (typeof data === 'string') {
      const message = JSON.parse(data);
      this.hear[message.type]?.(message);
      return;
    }
    if (kind(data) === CUT) this.hear.cut(readCut(data));
    if (kind(data) === SURFACES) this.hear.surfaces(readSurfaces(data));
    if (kind(data) === FRAME) this.hear.frame(readFrame(data));
  }

  send(what, more = {}) {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ do: what, ...more }));
    }
  }
}
