// SPDX-License-Identifier: MIT
// What the page knows: talks with their messages, who is here, who types. Events go in, `changed` comes out; no element in here.

export class Store extends EventTarget {
  me = null;
  limits = { text: 4000, name: 24, password: 8 };
  talks = new Map(); // "all", "#room" or a user's name => talk
  online = new Set();
  rooms = [];
  active = 'all';
  clockSkew = 0;
  #catchingUp = false;
  #scheduled = false;

  /** A talk, made when it is new; `loading` is the page of history under way, `more` whether there are older messages. */
  talk(name) {
    let talk = this.talks.get(name);
    if (!talk) {
      talk = { with: name, unread: 0, upto: 0, messages: [], ids: new Set(), pending: [], more: true, loaded: false, loading: null, typing: new Map(), last: 0 };
      this.talks.set(name, talk);
    }
    return talk;
  }

  isRoom(name) { return name === 'all' || name.startsWith('#'); }

  /** The talk that a message belongs to, seen from here. */
  where({ from, to }) { return this.isRoom(to) ? to : from === this.me.name ? to : from; }

  apply(event) {
    this[`on_${event.type}`]?.(event);
    this.changed();
  }

  on_welcome({ you, now, online, rooms, talks, limits }) {
    this.#catchingUp = true;
    this.me = you;
    this.limits = limits;
    this.clockSkew = now - Date.now();
    this.online = new Set(online);
    this.rooms = rooms;
    const joined = new Set(talks.map(({ with: name }) => name));
    for (const name of this.talks.keys()) {
      if (name.startsWith('#') && !joined.has(name)) this.#forget(name);
    }
    for (const { with: name, unread, upto, last } of talks) {
      Object.assign(this.talk(name), { unread, upto }, last ? { last } : {});
    }
    this.talk('all');
  }

  /** What is here may have holes: the history is read anew. */
  on_reset() {
    for (const talk of this.talks.values()) {
      Object.assign(talk, { messages: [], ids: new Set(), more: true, loaded: false, loading: null });
    }
    this.dispatchEvent(new Event('reset'));
  }

  on_ready() { this.#catchingUp = false; }

  on_message(message) {
    const talk = this.talk(this.where(message));
    if (!this.insert(talk, [message])) return;
    if (message.kind === 'text') {
      talk.typing.delete(message.from);
      talk.last = message.id;
      // While catching up, the welcome has counted it already.
      if (message.from !== this.me.name && message.id > talk.upto && !this.#catchingUp) talk.unread++;
      this.dispatchEvent(new CustomEvent('said', { detail: { message, talk, live: !this.#catchingUp } }));
    }
  }

  /** Adds messages that are not here yet, in the order of their ids; how many were new. */
  insert(talk, messages) {
    const fresh = messages.filter(({ id }) => !talk.ids.has(id));
    if (fresh.length === 0) return 0;
    for (const message of fresh) {
      talk.ids.add(message.id);
      if (message.nonce && message.from === this.me.name) {
        talk.pending = talk.pending.filter(({ nonce }) => nonce !== message.nonce);
      }
    }
    const inOrder = talk.messages.length === 0 || fresh[0].id > talk.messages.at(-1).id;
    talk.messages.push(...fresh);
    if (!inOrder) talk.messages.sort((a, b) => a.id - b.id);
    return fresh.length;
  }

  on_presence({ name, online }) {
    if (online) this.online.add(name);
    else this.online.delete(name);
  }

  on_typing({ from, to }) {
    if (from === this.me.name) return;
    const talk = this.talk(this.where({ from, to }));
    clearTimeout(talk.typing.get(from));
    talk.typing.set(from, setTimeout(() => { talk.typing.delete(from); this.changed(); }, 4500));
  }

  on_read({ with: name, upto }) {
    const talk = this.talk(name);
    talk.upto = Math.max(talk.upto, upto);
    talk.unread = talk.messages.filter(({ id, kind, from }) => id > talk.upto && kind === 'text' && from !== this.me.name).length;
  }

  on_room({ name, members }) {
    const room = this.rooms.find((one) => one.name === name);
    if (room) room.members = members;
    else this.rooms.push({ name, members, joined: false });
  }

  on_membership({ room: name, joined }) {
    const room = this.rooms.find((one) => one.name === name);
    if (room) room.joined = joined;
    else this.rooms.push({ name, members: 1, joined });
    if (joined) this.talk(`#${name}`);
    else this.#forget(`#${name}`);
  }

  unread() {
    let sum = 0;
    for (const talk of this.talks.values()) sum += talk.unread;
    return sum;
  }

  clear() {
    this.talks.clear();
    this.online.clear();
    this.rooms = [];
    this.me = null;
    this.active = 'all';
  }

  /** Many events of one moment are one drawing. */
  changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.dispatchEvent(new Event('changed'));
    });
  }

  #forget(name) {
    this.talks.delete(name);
    if (this.active === name) {
      this.active = 'all';
      this.dispatchEvent(new Event('moved'));
    }
  }
}
