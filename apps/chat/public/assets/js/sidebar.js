// SPDX-License-Identifier: MIT
// The lists at the side: rooms, people one talks with, people who are here.
import { $, avatar, h, icon, place } from './dom.js';

const HERE_MAX = 200;

/** "guest 2" before "guest 10". */
const { compare } = new Intl.Collator(undefined, { numeric: true });

export class Sidebar {
  #rows = new Map();

  /** @param on {open(name)} */
  constructor(store, on) {
    this.store = store;
    this.on = on;
    $('add-room').append(icon('plus'));
    $('add-direct').append(icon('plus'));
  }

  draw() {
    const { store } = this;
    const talks = [...store.talks.values()];
    const rooms = talks.filter((talk) => store.isRoom(talk.with)).sort((a, b) => (a.with === 'all' ? -1 : b.with === 'all' ? 1 : compare(a.with, b.with)));
    const direct = talks.filter((talk) => !store.isRoom(talk.with) && (talk.last > 0 || talk.with === store.active || talk.pending.length > 0)).sort((a, b) => b.last - a.last);
    const shown = new Set(direct.map((talk) => talk.with));
    const here = [...store.online].filter((name) => name !== store.me.name && !shown.has(name)).sort(compare);
    const used = new Set();
    this.#list($('rooms'), rooms.map((talk) => talk.with), used);
    this.#list($('direct'), direct.map((talk) => talk.with), used, 'Pick somebody below.');
    const listed = here.slice(0, HERE_MAX);
    const isKnown = store.count > 0; // one is here oneself; before the server has said so nothing is told
    this.#list($('here'), listed, used, store.count > 1 ? 'Everybody is above.' : isKnown ? 'Only you, so far.' : '');
    const unlisted = here.length - listed.length + Math.max(0, store.count - store.online.size);
    $('here-more').textContent = unlisted > 0 && listed.length > 0 ? `and ${unlisted.toLocaleString()} more` : '';
    $('here-count').textContent = isKnown ? store.count.toLocaleString() : '';
    for (const name of this.#rows.keys()) if (!used.has(name)) this.#rows.delete(name);
    this.#me();
    const elsewhere = talks.some((talk) => talk.unread > 0 && talk.with !== store.active);
    $('drawer').toggleAttribute('data-unread', elsewhere);
  }

  #list(list, names, used, empty = '') {
    const nodes = names.map((name) => { used.add(name); return this.#row(name); });
    if (nodes.length > 0) {
      place(list, nodes);
    } else if (list.textContent !== empty) {
      list.replaceChildren(...(empty === '' ? [] : [h('li', { class: 'empty-list' }, empty)]));
    }
  }

  #row(name) {
    const { store } = this;
    const talk = store.talks.get(name);
    const unread = talk?.unread ?? 0;
    const online = store.online.has(name);
    const isRoom = store.isRoom(name);
    const signature = `${unread} ${online} ${store.active === name}`;
    const known = this.#rows.get(name);
    if (known?.signature === signature) return known.node;
    const label = name === 'all' ? 'Everyone' : name.replace(/^#/, '');
    const spoken = [isRoom ? `Room ${label}` : label, !isRoom && (online ? 'online' : 'away'), unread > 0 && `${unread} unread`].filter(Boolean).join(', ');
    const button = h('button', {
      class: ['talk', unread > 0 && 'unread', !isRoom && !online && 'away'].filter(Boolean).join(' '),
      'aria-current': store.active === name ? 'true' : null, 'aria-label': spoken, 'data-talk': name, onclick: () => this.on.open(name),
    }, isRoom ? h('span', { class: 'hash', 'aria-hidden': 'true' }, '#') : avatar(name, { online }), h('span', { class: 'name' }, label), unread > 0 ? h('span', { class: 'badge' }, unread > 99 ? '99+' : String(unread)) : null);
    const hadFocus = known?.node.contains(document.activeElement);
    const node = h('li', {}, button);
    if (hadFocus) queueMicrotask(() => button.focus());
    this.#rows.set(name, { signature, node });
    return node;
  }

  #me() {
    const { me } = this.store;
    const signature = `${me.name} ${me.protected}`;
    if ($('me').dataset.signature === signature) return;
    $('me').dataset.signature = signature;
    $('me').setAttribute('aria-label', `${me.name}: settings`);
    $('me').replaceChildren(avatar(me.name, { large: true }), h('span', {}, h('span', { class: 'name' }, me.name), h('span', { class: 'sub' }, me.protected ? 'Protected name' : 'Settings')), icon('gear'));
  }
}
