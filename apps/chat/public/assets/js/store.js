// SPDX-License-Identifier: MIT
// What the page knows: talks with their messages, who is here, who types. Events go in, `changed` comes out; no element in here.

/** Messages that a talk holds while nobody reads back in it; older ones come from the history again when somebody does. */
const HELD = 200;
const HELD_MAX = 300;

/** Between two drawings, so that a busy room costs no more than a quiet one. */
const DRAW_MS = 50;

export class Store extends EventTarget {
  me = null;
  limits = { text: 4000, name: 24, password: 8 };
  talks = new Map(); // "all", "#room" or a user's name => talk
  online = new Set(); // names, all of them unless `count` is greater
  count = 0;
  rooms = [];
  active = 'all';
  live = false; // whether there is a connection
  clockSkew = 0;
  #catchingUp = false;
  #scheduled = false;
  #drawnAt = 0;

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

  on_welcome({ you, now, online, count, rooms, talks, limits }) {
    this.#catchingUp = true;
    this.me = you;
    this.limits = limits;
    this.clockSkew = now - Date.now();
    this.#here(online, count);
    this.rooms = rooms;
    const joined = new Set(talks.map(({ with: name }) => name));
    for (const name of this.talks.keys()) {
      if (name.startsWith('#') && !joined.has(name)) this.#forget(name);
    }
    for (const { with: name, unread, upto, last, online: here } of talks) {
      if (here) this.online.add(name);
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
    if (talk.with !== this.active) this.shorten(talk);
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

  /** Lets go of what is far above: a long day does not make the page slow. */
  shorten(talk) {
    if (talk.messages.length <= HELD_MAX) return;
    for (const { id } of talk.messages.splice(0, talk.messages.length - HELD)) talk.ids.delete(id);
    talk.more = true;
  }

  on_presence({ came, left, count, more }) {
    for (const name of came) this.online.add(name);
    for (const name of left) this.online.delete(name);
    this.count = count;
    // With more names than people some of those shown have gone.
    if (more) this.dispatchEvent(new CustomEvent('crowd', { detail: { wrong: this.online.size > count } }));
  }

  /** Who is here, as asked for; `count` may be more than the names. */
  seeOnline({ online, count }) {
    this.#here(online, count);
    this.changed();
  }

  #here(names, count) {
    this.online = new Set(names);
    this.count = count;
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
    this.#here([], 0);
    this.rooms = [];
    this.me = null;
    this.active = 'all';
  }

  /** Many events of one moment are one drawing: at once after a quiet time, else a moment after the last one. */
  changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const draw = () => {
      this.#scheduled = false;
      this.#drawnAt = performance.now();
      this.dispatchEvent(new Event('changed'));
    };
    const wait = this.#drawnAt + DRAW_MS - performance.now();
    if (wait <= 0) queueMicrotask(draw);
    else setTimeout(draw, wait);
  }

  #forget(name) {
    this.talks.delete(name);
    if (this.active === name) {
      this.active = 'all';
      this.dispatchEvent(new Event('moved'));
    }
  }
}
