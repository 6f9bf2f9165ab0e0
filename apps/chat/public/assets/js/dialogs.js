// SPDX-License-Identifier: MIT
// The sheets: settings, rooms, a message to somebody by name.
import { $, h, icon } from './dom.js';
import { get, post } from './api.js';
import { chooseTheme, theme } from './theme.js';

/** Shows a sheet that asks for a name. On a phone the field waits to be touched: its keyboard would cover what can be chosen. */
function ask(what) {
  $(`${what}-dialog`).showModal();
  if (!matchMedia('(pointer: coarse)').matches) $(`${what}-name`).focus();
}

export class Dialogs {
  /** @param on {open(name), transport(mode), logout()} */
  constructor(store, transport, on) {
    this.store = store;
    this.transport = transport;
    this.on = on;
    for (const button of document.querySelectorAll('[data-close]')) {
      button.append(icon('close'));
      button.addEventListener('click', () => button.closest('dialog').close());
    }
    for (const dialog of document.querySelectorAll('dialog')) {
      dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    }
    this.#settings();
    this.#rooms();
    this.#direct();
  }

  /** Which transport carries the page now, for the settings. */
  describe(text) { $('transport-now').textContent = text; }

  #settings() {
    const dialog = $('settings');
    $('me').addEventListener('click', () => {
      $('settings-title').textContent = this.store.me.name;
      dialog.querySelector(`[name=theme][value=${theme()}]`).checked = true;
      dialog.querySelector(`[name=transport][value=${this.transport.mode}]`).checked = true;
      this.#showProtection();
      dialog.showModal();
    });
    $('choose-theme').addEventListener('change', (event) => chooseTheme(event.target.value));
    $('choose-transport').addEventListener('change', (event) => this.on.transport(event.target.value));
    $('protect').addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        this.store.me = { ...this.store.me, ...await post('/password', { password: $('protect-new').value, old: $('protect-old').value }) };
        $('protect-new').value = $('protect-old').value = '';
        this.#showProtection();
        $('protect-note').textContent = 'Done. From now on this name needs the password.';
        this.store.changed();
      } catch (error) {
        $('protect-note').textContent = error.message;
      }
    });
    $('logout').addEventListener('click', () => { dialog.close(); this.on.logout(); });
  }

  #showProtection() {
    const { me } = this.store;
    $('protect').hidden = me.open;
    $('protect-name').value = me.name; // nobody sees it: a browser that keeps the password asks whose it is
    $('protect-title').textContent = me.protected ? 'Change the password' : 'Protect your name';
    $('protect-old-field').hidden = !me.protected;
    $('protect-note').textContent = me.protected ? 'Your name is protected.' : 'Without a password your name is free again ten minutes after you have gone.';
  }

  #rooms() {
    const join = async (name) => {
      $('room-error').textContent = '';
      try {
        const { room } = await post('/rooms/join', { room: name });
        $('room-dialog').close();
        this.on.open(`#${room}`);
      } catch (error) {
        $('room-error').textContent = error.message;
      }
    };
    $('add-room').addEventListener('click', async () => {
      $('room-name').value = $('room-error').textContent = '';
      $('room-list').replaceChildren();
      ask('room');
      const { rooms } = await get('/rooms').catch(() => ({ rooms: this.store.rooms }));
      $('room-list').replaceChildren(...rooms.map(({ name, members, joined }) => h('li', {},
        h('span', { class: 'hash', 'aria-hidden': 'true' }, '#'),
        h('span', { class: 'name' }, name, h('small', {}, members === 1 ? '1 person' : `${members} people`)),
        h('button', { class: 'quiet', type: 'button', 'aria-label': `${joined ? 'Open' : 'Join'} ${name}`, onclick: () => join(name) }, joined ? 'Open' : 'Join'))));
    });
    $('room-form').addEventListener('submit', (event) => { event.preventDefault(); join($('room-name').value); });
  }

  #direct() {
    $('add-direct').addEventListener('click', () => {
      $('direct-name').value = $('direct-error').textContent = '';
      ask('direct');
    });
    $('direct-form').addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        const { with: name } = await get('/history', { user: $('direct-name').value, limit: 1 });
        $('direct-dialog').close();
        this.on.open(name);
      } catch (error) {
        $('direct-error').textContent = error.message;
      }
    });
  }
}
