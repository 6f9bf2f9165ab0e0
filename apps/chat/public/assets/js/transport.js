// SPDX-License-Identifier: MIT
// The live connection: an event stream or a WebSocket, with one cursor for both. Whatever ends it, it comes back with the
// cursor of the last message it has, and the server sends what came since.
import { Refusal, Unreachable, get, post } from './api.js';

const TYPES = ['welcome', 'reset', 'message', 'ready', 'presence', 'typing', 'read', 'room', 'membership'];
const KINDS = { sse: 'EventSource', ws: 'WebSocket' };
const PATHS = { send: '/messages', typing: '/typing', read: '/read', join: '/rooms/join', leave: '/rooms/leave' };
const READY_MS = 8000;

/** So often a kind of connection is tried that does not come through although the server answers. */
const FAILURES_MAX = 2;

/** After how long to come back: the same spread as the server asks of event streams (Application::RETRY_MS), doubled with each try. */
const RETRY_MS = [300, 1800];
const RETRY_MAX_MS = 15000;

export class Transport {
  #mode = 'auto';
  #kind = null; // 'sse' or 'ws', while there is a connection
  #line = null; // EventSource or WebSocket
  #cursor = null;
  #tries = 0;
  #timer = 0;
  #deadline = 0;
  #running = false;
  #ready = false; // this connection has carried something
  #failures = { sse: 0, ws: 0 }; // in a row, while the server could be reached
  #lock = `chat-stream-${Date.now()}-${Math.random()}`;
  #waiting = new Map();
  #ref = 0;
  #hiddenAt = 0;

  /** @param on {event(object), state(string, kind), expired()} */
  constructor(on) {
    this.on = on;
    addEventListener('online', () => {
      this.#failures = { sse: 0, ws: 0 }; // another network lets other things through
      if (this.#running) this.#open();
    });
    addEventListener('offline', () => this.#running && this.#lost('offline'));
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) {
        this.#hiddenAt = Date.now();
      } else if (this.#running && this.#hiddenAt > 0 && Date.now() - this.#hiddenAt > 60000) {
        // A phone that slept holds a dead connection without knowing; coming back is cheap and exact.
        this.#open();
      }
    });
    addEventListener('pagehide', () => this.#drop());
    addEventListener('pageshow', (event) => event.persisted && this.#running && this.#open());
  }

  get kind() { return this.#kind; }

  get mode() { return this.#mode; }

  start(mode) {
    this.#mode = mode in KINDS ? mode : 'auto';
    this.#running = true;
    this.#failures = { sse: 0, ws: 0 };
    this.#tries = 0;
    this.#open();
  }

  stop() {
    this.#running = false;
    this.#cursor = null;
    this.#drop();
  }

  /** A command, over the WebSocket when that is what is open, else by a request. */
  send(command, fields) {
    if (this.#kind !== 'ws' || this.#line?.readyState !== WebSocket.OPEN) return post(PATHS[command], fields);
    return new Promise((resolve, reject) => {
      const ref = ++this.#ref;
      const timer = setTimeout(() => { this.#waiting.delete(ref); reject(new Unreachable('no answer')); }, 15000);
      this.#waiting.set(ref, { resolve, reject, timer });
      this.#line.send(JSON.stringify({ do: command, ref, ...fields }));
    });
  }

  async #open() {
    this.#drop();
    const attempt = this.#line = {}; // stands for this attempt until there is a line
    const kind = await this.#choose();
    if (!this.#running || this.#line !== attempt) return;
    this.on.state('connecting', kind);
    const query = this.#cursor === null ? '' : `?since=${encodeURIComponent(this.#cursor)}`;
    this.#kind = kind;
    this.#ready = false;
    this.#watch();
    if (kind === 'sse') this.#stream(`/events${query}`);
    else this.#socket(`${location.origin.replace(/^http/, 'ws')}/ws${query}`);
  }

  /** Automatic means: what is preferred here, or the other kind where that does not come through. */
  async #choose() {
    if (this.#mode !== 'auto') return this.#mode;
    const wanted = await this.#preferred();
    const other = wanted === 'sse' ? 'ws' : 'sse';
    if (this.#mayCome(wanted)) return wanted;
    if (this.#mayCome(other)) return other;
    this.#failures = { sse: 0, ws: 0 };
    return wanted;
  }

  /** An event stream, but a WebSocket where six tabs would use up a browser's connections. */
  async #preferred() {
    if (!(KINDS.sse in window)) return 'ws';
    if (!navigator.locks) return 'sse';
    try {
      const { held } = await navigator.locks.query();
      const others = held.filter(({ name }) => name.startsWith('chat-stream-') && name !== this.#lock);
      return others.length >= 3 ? 'ws' : 'sse';
    } catch {
      return 'sse';
    }
  }

  #mayCome(kind) {
    return KINDS[kind] in window && this.#failures[kind] < FAILURES_MAX;
  }

  /** This kind did not come through, although the server could be reached. True: the other one is to be tried. */
  #fails(kind, times) {
    this.#failures[kind] += times;
    const isGivenUp = this.#mode === 'auto' && this.#failures[kind] >= FAILURES_MAX;
    if (isGivenUp) this.#tries = 0;
    return isGivenUp;
  }

  /** What neither carries anything nor ends within this time is held back on the way. */
  #watch() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      const kind = this.#kind;
      this.#drop();
      this.#line = {};
      this.#ended(kind, FAILURES_MAX);
    }, READY_MS);
  }

  #stream(address) {
    const line = this.#line = new EventSource(address);
    this.#hold();
    for (const type of TYPES) {
      line.addEventListener(type, (event) => this.#line === line && this.#receive(JSON.parse(event.data)));
    }
    line.onerror = () => {
      if (this.#line !== line) return;
      if (line.readyState === EventSource.CONNECTING) {
        // The browser comes back by itself, with Last-Event-ID.
        this.#lost('waiting');
        this.#watch();
        if (!this.#ready) this.#doubt(line);
        this.#ready = false;
      } else {
        this.#ended('sse', this.#ready ? 0 : 1);
      }
    };
  }

  #socket(address) {
    const line = this.#line = new WebSocket(address);
    line.onmessage = (event) => this.#line === line && this.#receive(JSON.parse(event.data));
    line.onclose = (event) => {
      if (this.#line !== line) return;
      this.#failWaiting();
      if (event.code === 4001) this.#expire();
      else this.#ended('ws', this.#ready ? 0 : 1);
    };
  }

  #receive(event) {
    if (event.type === 'reply') {
      this.#answer(event);
      return;
    }
    if (event.type === 'ready') {
      clearTimeout(this.#deadline);
      this.#ready = true;
      this.#tries = 0;
      this.#failures[this.#kind] = 0;
      this.#cursor = Math.max(this.#cursor ?? 0, event.cursor);
      this.on.event(event);
      this.on.state('live', this.#kind);
      return;
    }
    if (event.type === 'reset') this.#cursor = null;
    this.on.event(event);
    if (event.type === 'message') this.#cursor = Math.max(this.#cursor ?? 0, event.id);
  }

  #answer({ ref, status, result, error, message, retry }) {
    const waiting = this.#waiting.get(ref);
    if (!waiting) return;
    this.#waiting.delete(ref);
    clearTimeout(waiting.timer);
    if (status < 300) waiting.resolve(result);
    else waiting.reject(new Refusal(status, error, message, retry ?? 0));
  }

  /** No connection, and the cause is not known: is it us, the network, this kind of connection, or a session that has ended? */
  async #ended(kind, times) {
    this.#lost('waiting');
    const line = this.#line;
    const answer = await this.#ask();
    if (!this.#running || this.#line !== line) return;
    if (answer === 'expired') {
      this.#expire();
      return;
    }
    if (answer === 'reached') this.#fails(kind, times);
    this.#retry();
  }

  /** The browser tries a stream again and again: is it the server that is away, or do streams not come through? */
  async #doubt(line) {
    const answer = await this.#ask();
    if (this.#running && this.#line === line && answer === 'reached' && this.#fails('sse', 1)) this.#retry();
  }

  /** What a request says that has nothing to do with streams: 'reached', 'expired' or 'away'. */
  async #ask() {
    try {
      await get('/me');
      return 'reached';
    } catch (error) {
      return error instanceof Refusal && error.status === 401 ? 'expired' : 'away';
    }
  }

  #retry() {
    this.#drop();
    this.#lost('waiting');
    const [least, most] = RETRY_MS;
    const wait = Math.min(RETRY_MAX_MS, (least + Math.random() * (most - least)) * 2 ** Math.min(6, this.#tries++));
    this.#timer = setTimeout(() => this.#running && this.#open(), wait);
  }

  #lost(state) {
    this.on.state(navigator.onLine === false ? 'offline' : state, this.#kind);
  }

  #expire() {
    this.stop();
    this.on.expired();
  }

  #drop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
    const line = this.#line;
    this.#line = null;
    this.#kind = null;
    this.release?.();
    this.release = null;
    line?.close?.();
    this.#failWaiting();
  }

  #failWaiting() {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Unreachable('connection lost'));
    }
    this.#waiting.clear();
  }

  /** Tells other tabs that this one uses a stream, as long as it does. */
  #hold() {
    const line = this.#line;
    navigator.locks?.request(this.#lock, () => this.#line === line && new Promise((resolve) => { this.release = resolve; })).catch(() => {});
  }
}
