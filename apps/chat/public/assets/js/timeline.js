// SPDX-License-Identifier: MIT
// The messages of the open talk: grouped by sender, days between them, history above, and a place that does not jump.
import { $, avatar, h, icon, place } from './dom.js';
import { dayKey, dayName, exactTime, linked, moment, names, onlyEmoji, time } from './format.js';

const GROUP_MS = 5 * 60000;

export class Timeline {
  #nodes = new Map();
  #shown = null; // name of the talk
  #freshAfter = 0; // messages after this id were unread when the talk was opened
  #atEnd = true;
  #top = 0; // where the scroll was when #atEnd was last told
  #missed = 0;
  #drawn = false;

  /** @param on {older(talk), seen(talk), again(item), discard(item)} */
  constructor(store, on) {
    this.store = store;
    this.on = on;
    this.scroll = $('scroll');
    this.log = $('log');
    this.scroll.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#atEnd && this.toEnd()).observe(this.scroll);
    $('jump').addEventListener('click', () => { this.toEnd(); this.#scrolled(); });
  }

  get isAtEnd() { return this.#atEnd; }

  open(talk) {
    this.#shown = talk.with;
    this.#freshAfter = talk.unread > 0 ? talk.upto : Infinity;
    this.#nodes.clear();
    this.log.replaceChildren();
    this.#top = this.scroll.scrollTop;
    this.#atEnd = true;
    this.#missed = 0;
    this.#drawn = false;
    this.draw();
  }

  draw() {
    const talk = this.store.talk(this.#shown);
    // Somebody has scrolled, and the event that tells so comes with the next frame.
    if (this.scroll.scrollTop !== this.#top) this.#look();
    if (this.#atEnd) this.store.shorten(talk);
    const seen = this.#atEnd ? null : this.#inView();
    this.log.setAttribute('aria-busy', String(!talk.loaded));
    const nodes = this.#items(talk).map((item) => this.#node(item));
    place(this.log, nodes);
    this.#forget(nodes.length);
    this.#drawn = talk.loaded;
    const isLong = this.scroll.scrollHeight > this.scroll.clientHeight + 40;
    $('older').textContent = !talk.loaded ? 'Loading…' : isLong && !talk.more ? 'The beginning' : '';
    if (this.#atEnd) {
      this.toEnd();
    } else {
      this.#keep(seen);
    }
    this.#top = this.scroll.scrollTop;
    this.#jump();
    if (this.#atEnd) this.on.seen(talk);
    if (talk.loaded && talk.more && !isLong) this.on.older(talk);
  }

  /** The message at the upper edge, and how far from it. */
  #inView() {
    const edge = this.scroll.getBoundingClientRect().top;
    for (const row of this.log.querySelectorAll('[data-id]')) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom > edge + 1) return { id: row.dataset.id, top };
    }
    return null;
  }

  /** That message stays where it is, whatever came above or below it. */
  #keep(seen) {
    const row = seen && this.log.querySelector(`[data-id="${CSS.escape(seen.id)}"]`);
    const moved = row ? Math.round(row.getBoundingClientRect().top - seen.top) : 0;
    if (moved !== 0) this.scroll.scrollTop += moved;
  }

  /** Elements that are shown no more are kept for nothing. */
  #forget(shown) {
    if (this.#nodes.size <= shown + 50) return;
    for (const [key, { node }] of this.#nodes) if (!node.isConnected) this.#nodes.delete(key);
  }

  /** A message came into this talk while it is open. */
  said(message) {
    if (message.from === this.store.me.name) this.#atEnd = true;
    else if (!this.#atEnd) this.#missed++;
    else if (!document.hasFocus() && this.#freshAfter === Infinity) this.#freshAfter = message.id - 1;
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
    this.#top = this.scroll.scrollTop;
    this.#atEnd = true;
    this.#missed = 0;
    this.#jump();
  }

  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    this.#top = scrollTop;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < 60;
  }

  #scrolled() {
    this.#look();
    const talk = this.store.talk(this.#shown);
    if (this.#atEnd) {
      this.#missed = 0;
      this.on.seen(talk);
    }
    this.#jump();
    if (this.#top < 400 && talk.loaded && talk.more) this.on.older(talk);
  }

  #jump() {
    const button = $('jump');
    button.hidden = this.#atEnd;
    if (!this.#atEnd) button.replaceChildren(icon('down'), this.#missed > 0 ? `${this.#missed} new` : 'Latest');
  }

  /** What is to be shown, as plain values: days, notices that belong together, messages with their place in a group. */
  #items(talk) {
    const items = [];
    let day = null;
    let before = null;
    let hasFresh = false;
    const all = [...talk.messages, ...talk.pending.map((item) => ({ ...item, item, id: `p${item.nonce}`, kind: 'text' }))];
    for (const message of all) {
      if (dayKey(message.at) !== day) {
        day = dayKey(message.at);
        items.push({ type: 'day', key: `day ${day}`, text: dayName(message.at) });
        before = null;
      }
      if (message.kind !== 'text') {
        if (before?.type === 'notice') before.messages.push(message);
        else items.push(before = { type: 'notice', key: `notice ${message.id}`, messages: [message] });
        continue;
      }
      if (!hasFresh && message.id > this.#freshAfter && message.from !== this.store.me.name) {
        hasFresh = true;
        items.push({ type: 'fresh', key: 'fresh', text: 'New' });
        before = null;
      }
      const follows = before?.type === 'message' && before.message.from === message.from && message.at - before.message.at < GROUP_MS;
      const item = { type: 'message', key: String(message.nonce && message.from === this.store.me.name ? message.nonce : message.id), message, first: !follows, last: true };
      if (follows) before.last = false;
      items.push(before = item);
    }
    if (talk.loaded && !talk.more && !items.some(({ type }) => type === 'message')) items.unshift({ type: 'blank', key: 'blank' });
    return items;
  }

  /** The element of an item; an element is made anew only when what it shows has changed. */
  #node(item) {
    const { message } = item;
    const signature = item.type === 'message' ? `${message.id} ${item.first} ${item.last} ${message.item ? `${message.item.error} ${this.store.live}` : ''}`
      : item.type === 'notice' ? String(item.messages.at(-1).id) : item.text ?? '';
    const known = this.#nodes.get(item.key);
    if (known?.signature === signature) return known.node;
    const node = this[`_${item.type}`](item);
    if (item.type === 'message' && !known && this.#drawn && this.#atEnd) node.classList.add('new');
    this.#nodes.set(item.key, { signature, node });
    return node;
  }

  _day({ text }) { return h('li', { class: 'day', role: 'separator' }, text); }

  _fresh({ text }) { return h('li', { class: 'fresh', role: 'separator' }, text); }

  _blank() {
    const isRoom = this.store.isRoom(this.#shown);
    return h('li', { class: 'blank' }, h('b', {}, isRoom ? 'Nothing said yet' : `You and ${this.#shown}`), isRoom ? 'Write the first message.' : 'What you write here, only the two of you see.');
  }

  /** "anna and ben joined · eve left"; who came and went within one notice is told by what is true at the end. */
  _notice({ messages }) {
    const last = new Map();
    const more = { join: 0, leave: 0 }; // people whose names the notice does not have
    for (const { kind, from, others = [], count = 1 } of messages) {
      for (const name of [from, ...others]) last.set(name, kind);
      more[kind] += count - 1 - others.length;
    }
    const say = (kind, verb) => {
      const all = [...last].filter(([, one]) => one === kind).map(([name]) => name);
      const shown = all.length + more[kind] > 4 ? all.slice(0, 3) : all;
      const rest = all.length - shown.length + more[kind];
      return all.length === 0 ? null : `${names(rest > 0 ? [...shown, `${rest.toLocaleString()} ${rest === 1 ? 'other' : 'others'}`] : shown)} ${verb}`;
    };
    const text = [say('join', 'joined'), say('leave', 'left')].filter(Boolean).join(' · ');
    return h('li', { class: 'notice', title: exactTime(messages.at(-1).at) }, text);
  }

  _message({ message, first, last }) {
    const { item } = message;
    const isMine = message.from === this.store.me.name;
    const classes = ['row', isMine && 'mine', first && 'first', last && 'last', item && (item.error ? 'failed' : 'pending')].filter(Boolean);
    const stamp = h('time', { datetime: new Date(message.at).toISOString() }, time(message.at));
    const by = first ? h('p', { class: 'by' }, isMine ? null : h('bdi', {}, message.from), stamp) : h('p', { class: 'sr' }, `${message.from}, ${time(message.at)}`);
    const bubble = h('div', { class: onlyEmoji(message.text) ? 'bubble emoji' : 'bubble', dir: 'auto', title: exactTime(message.at) }, linked(message.text));
    return h('li', { class: classes.join(' '), 'data-id': message.id },
      !isMine && last ? avatar(message.from) : null,
      h('div', { class: 'stack' }, by, bubble, item ? this.#pending(item) : this.#kept(message, isMine)));
  }

  #pending(item) {
    if (!item.error) return h('p', { class: 'note' }, icon('clock'), this.store.live ? 'Sending' : 'Waits for the connection');
    return h('p', { class: 'note' }, icon('warn'), item.error,
      h('button', { type: 'button', onclick: () => this.on.again(item) }, 'Try again'),
      h('button', { type: 'button', onclick: () => this.on.discard(item) }, 'Discard'));
  }

  #kept(message, isMine) {
    if (!message.kept || isMine) return null;
    return h('p', { class: 'note kept' }, icon('clock'), `Sent ${moment(message.at)}, while you were away`);
  }
}
