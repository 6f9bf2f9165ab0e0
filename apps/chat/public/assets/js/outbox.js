// SPDX-License-Identifier: MIT
// What was typed and is not yet confirmed. Each has a nonce: sent again after a lost answer it is still one message.
import { Refusal } from './api.js';
import { keptByTab } from './kept.js';

const KEY = 'tusk-chat-outbox';

export class Outbox {
  #queue = [];
  #busy = false;
  #timer = 0;

  constructor(store, transport) {
    this.store = store;
    this.transport = transport;
  }

  /** After a log-in: what this tab had not got through before a reload. */
  restore() {
    this.#queue = [];
    try {
      const saved = JSON.parse(keptByTab.get(KEY) ?? '[]');
      for (const item of saved) {
        if (item.from === this.store.me.name) this.#enqueue(item);
      }
    } catch {
      keptByTab.set(KEY, null);
    }
  }

  add(to, text) {
    this.#enqueue({ nonce: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`, from: this.store.me.name, to, text, at: Date.now() + this.store.clockSkew, error: null });
    this.#save();
    this.pump();
  }

  again(item) {
    item.error = null;
    this.#queue.push(item);
    this.store.changed();
    this.pump();
  }

  discard(item) {
    const talk = this.store.talk(item.to);
    talk.pending = talk.pending.filter((one) => one !== item);
    this.#queue = this.#queue.filter((one) => one !== item);
    this.#save();
    this.store.changed();
  }

  clear() {
    this.#queue = [];
    keptByTab.set(KEY, null);
  }

  /** Sends one after the other, in order; what the network swallows is tried again, what is refused says why. */
  async pump() {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    while (this.#queue.length > 0) {
      const item = this.#queue[0];
      try {
        const message = await this.transport.send('send', { to: item.to, text: item.text, nonce: item.nonce });
        this.#queue = this.#queue.filter((one) => one !== item);
        if (this.store.me) this.store.apply({ type: 'message', ...message });
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 429 || error.status >= 500) {
          this.#timer = setTimeout(() => this.pump(), Math.max(1500, (error.retryAfter ?? 0) * 1000));
          break;
        }
        this.#queue = this.#queue.filter((one) => one !== item);
        item.error = error.message;
        this.store.changed();
      }
      this.#save();
    }
    this.#busy = false;
  }

  #enqueue(item) {
    this.#queue.push(item);
    this.store.talk(item.to).pending.push(item);
    this.store.changed();
  }

  #save() {
    keptByTab.set(KEY, this.#queue.length > 0 ? JSON.stringify(this.#queue) : null);
  }
}
