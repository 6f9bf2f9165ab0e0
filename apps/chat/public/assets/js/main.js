// SPDX-License-Identifier: MIT
// The page: puts store, transport and views together.
import './theme.js';
import './viewport.js';
import { $, avatar, h, icon } from './dom.js';
import { Refusal, get, post } from './api.js';
import { Composer } from './composer.js';
import { Dialogs } from './dialogs.js';
import { names } from './format.js';
import { kept } from './kept.js';
import { Outbox } from './outbox.js';
import { Sidebar } from './sidebar.js';
import { Store } from './store.js';
import { Timeline } from './timeline.js';
import { Transport } from './transport.js';

const STATES = { live: 'Live', connecting: 'Connecting', waiting: 'Reconnecting', offline: 'Offline' };
const KINDS = { sse: 'an event stream', ws: 'a WebSocket' };
const PAGE = 50;
const DOOR_WAITS_MS = 600;

const store = new Store();
const transport = new Transport({ event: (event) => store.apply(event), state: showState, expired: () => leave('You were logged out.') });
const outbox = new Outbox(store, transport);
const timeline = new Timeline(store, { older: loadOlder, seen: markSeen, again: (item) => outbox.again(item), discard: (item) => outbox.discard(item) });
const sidebar = new Sidebar(store, { open });
const composer = new Composer(store, {
  send: (text) => {
    timeline.toEnd(); // where what was written appears, whether it can leave at once or not
    outbox.add(store.active, text);
  },
  typing: () => transport.send('typing', { to: store.active }).catch(() => {}),
});
const dialogs = new Dialogs(store, transport, { open, transport: switchTransport, logout });

// ---- the door ----
/** Only the server knows whether there is a session. Who was here before may have one and waits a moment for the answer; who was not types at once. */
async function begin() {
  const greeting = setTimeout(greet, kept.get('tusk-name') === null ? 0 : DOOR_WAITS_MS);
  try {
    const me = await get('/me');
    if ($('app').hidden) enter(me);
  } catch (error) {
    if (error instanceof Refusal) greet();
    else setTimeout(begin, 1500);
  }
  clearTimeout(greeting);
}

/** Somebody who comes; who is in by now, or is typing at the door, is not disturbed. */
function greet() {
  if ($('app').hidden && $('door').hidden) showDoor('');
}

function showDoor(message) {
  $('app').hidden = true;
  $('door').hidden = false;
  $('login-error').textContent = message;
  $('login-name').value ||= kept.get('tusk-name') ?? '';
  $('login-name').focus();
}

$('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = event.target.querySelector('[type=submit]');
  button.disabled = true;
  $('login-error').textContent = '';
  try {
    const me = await post('/login', { name: $('login-name').value, password: $('login-password').value });
    kept.set('tusk-name', me.name);
    $('login-password').value = '';
    enter(me);
  } catch (error) {
    $('login-error').textContent = error instanceof Refusal ? error.message : 'The server cannot be reached.';
    if (error.reason === 'wrong-password') {
      $('login-more').open = true;
      $('login-password').focus();
    }
  }
  button.disabled = false;
});

function enter(me) {
  store.clear();
  store.me = me;
  store.talk('all');
  $('door').hidden = true;
  $('app').hidden = false;
  outbox.restore();
  open('all');
  transport.start(kept.get('tusk-transport') ?? 'auto');
}

function leave(message) {
  transport.stop();
  outbox.clear();
  composer.clear();
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  document.title = 'Tusk';
  showDoor(message);
}

async function logout() {
  transport.stop();
  await post('/logout').catch(() => {});
  leave('');
}

function switchTransport(mode) {
  kept.set('tusk-transport', mode);
  transport.start(mode);
}

// ---- talks ----
function open(name) {
  store.active = name;
  const talk = store.talk(name);
  drawer(false);
  timeline.open(talk);
  composer.open(name, name === 'all' ? 'everyone' : name);
  store.changed();
  if (!talk.loaded) loadOlder(talk);
}

const address = (name) => (name === 'all' ? { room: 'all' } : name.startsWith('#') ? { room: name.slice(1) } : { user: name });

async function loadOlder(talk) {
  if (talk.loading) return;
  const page = talk.loading = get('/history', { ...address(talk.with), before: talk.loaded ? talk.messages[0]?.id : null, limit: PAGE });
  let result = null;
  try {
    result = await page;
  } catch (error) {
    if (error instanceof Refusal) result = { messages: [], more: false };
  }
  // A reset or a log-out has come in between: this page belongs to what is no longer here.
  if (talk.loading !== page || store.talks.get(talk.with) !== talk) return;
  talk.loading = null;
  if (result === null) {
    setTimeout(() => store.active === talk.with && store.talks.get(talk.with) === talk && loadOlder(talk), 1500);
    return;
  }
  store.insert(talk, result.messages);
  talk.more = result.more;
  talk.loaded = true;
  store.changed();
}

/** The end of the open talk is in view: read, if somebody is looking. */
function markSeen(talk) {
  if (document.hidden || !document.hasFocus() || !talk.loaded || talk.with !== store.active) return;
  const newest = talk.messages.at(-1)?.id ?? 0;
  if (newest <= talk.upto || (talk.unread === 0 && newest <= (talk.told ?? 0))) return;
  const had = talk.unread;
  talk.upto = newest;
  talk.told = newest;
  talk.unread = 0;
  store.changed();
  if (had > 0) transport.send('read', { with: talk.with, upto: newest }).catch(() => {});
}
for (const name of ['focus', 'visibilitychange']) addEventListener(name, () => store.me && timeline.isAtEnd && markSeen(store.talk(store.active)), true);

// ---- drawing ----
store.addEventListener('changed', () => {
  if (!store.me || $('app').hidden) return;
  timeline.draw();
  sidebar.draw();
  drawHead();
  drawTyping();
  const unread = store.unread();
  document.title = unread > 0 ? `(${unread > 99 ? '99+' : unread}) Tusk` : 'Tusk';
});
store.addEventListener('said', ({ detail: { message, talk } }) => talk.with === store.active && timeline.said(message));
// More people came or left than the event names: asked for in a while, by everybody at another moment, if anybody looks. Where the list is
// seen to be wrong, few are left who ask, and they ask soon.
let crowdTimer = 0;
store.addEventListener('crowd', ({ detail: { wrong } }) => {
  clearTimeout(crowdTimer);
  crowdTimer = setTimeout(() => !document.hidden && store.me && get('/online', { limit: 200 }).then((seen) => store.me && store.seeOnline(seen)).catch(() => {}), wrong ? Math.random() * 500 : 2000 + Math.random() * 8000);
});
store.addEventListener('moved', () => open(store.active));
store.addEventListener('reset', () => loadOlder(store.talk(store.active)));

let headSignature = '';
function drawHead() {
  const name = store.active;
  const isRoom = store.isRoom(name);
  const online = store.online.has(name);
  const members = store.rooms.find((room) => `#${room.name}` === name)?.members ?? 1;
  const subtitle = !store.live ? 'Waiting for the connection' : name === 'all' ? `${store.count.toLocaleString()} here now` : isRoom ? (members === 1 ? 'Only you, so far' : `${members} people`) : online ? 'Here now' : 'Away: your message will be kept';
  const signature = JSON.stringify([name, subtitle]);
  if (signature === headSignature) return;
  headSignature = signature;
  $('title').textContent = name === 'all' ? 'Everyone' : name.replace(/^#/, '');
  $('subtitle').textContent = subtitle;
  $('leave').hidden = !name.startsWith('#');
  $('head-avatar').replaceChildren(isRoom ? h('span', { class: 'hash', 'aria-hidden': 'true' }, '#') : avatar(name, { large: true, online }));
}

let typingShown = '';
function drawTyping() {
  const who = [...store.talk(store.active).typing.keys()];
  const text = who.length === 0 ? '' : who.length > 3 ? 'Several people are typing' : `${names(who)} ${who.length === 1 ? 'is' : 'are'} typing`;
  if (text === typingShown) return;
  typingShown = text;
  $('typing').replaceChildren(...(text === '' ? [] : [h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), text]));
}

function showState(state, kind) {
  for (const pill of [$('state'), $('state-small')]) {
    pill.textContent = STATES[state];
    pill.dataset.state = state;
  }
  $('state').dataset.kind = kind ?? '';
  dialogs.describe(state === 'live' ? `Now over ${KINDS[kind]}.` : 'Not connected at the moment; nothing gets lost.');
  store.live = state === 'live';
  store.changed();
  if (store.live) outbox.pump();
}

// ---- the drawer of small screens ----
function drawer(isOpen) {
  $('app').classList.toggle('drawn', isOpen);
  $('shade').hidden = !isOpen;
  $('drawer').setAttribute('aria-expanded', String(isOpen));
  $('main').inert = isOpen;
  if (isOpen) $('side').querySelector('[aria-current], button')?.focus();
}
$('drawer').append(icon('menu'));
$('drawer').addEventListener('click', () => drawer(true));
$('shade').addEventListener('click', () => drawer(false));
matchMedia('(min-width: 761px)').addEventListener('change', () => drawer(false));
addEventListener('keydown', (event) => {
  // A sheet that lies over the drawer ends first, by itself.
  if (event.key === 'Escape' && $('app').classList.contains('drawn') && document.querySelector('dialog[open]') === null) {
    drawer(false);
    $('drawer').focus();
  }
});
$('leave').addEventListener('click', () => post('/rooms/leave', { room: store.active.slice(1) }).catch(() => {}));

begin();
