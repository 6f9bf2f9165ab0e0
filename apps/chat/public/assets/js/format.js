// SPDX-License-Identifier: MIT
// Times, days and texts as people read them, in the browser's language for dates.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
const date = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'long' });
const fullDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

export const time = (at) => clock.format(at);
export const exactTime = (at) => exact.format(at);

export function dayKey(at) {
  const day = new Date(at);
  return `${day.getFullYear()}-${day.getMonth() + 1}-${day.getDate()}`;
}

export function dayName(at, now = Date.now()) {
  if (dayKey(at) === dayKey(now)) return 'Today';
  if (dayKey(at) === dayKey(now - 86400000)) return 'Yesterday';
  if (now - at < 6 * 86400000) return weekday.format(at);
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? date.format(at) : fullDate.format(at);
}

/** Day and time, the day only when it is not today. */
export const moment = (at) => (dayKey(at) === dayKey(Date.now()) ? time(at) : `${dayName(at)}, ${time(at)}`);

/** An address without what follows it in a sentence; a bracket that it has opened is its own. */
function bare(address) {
  const count = (letter) => address.split(letter).length;
  const left = { ')': count(')') - count('('), ']': count(']') - count('[') }; // more are closed than were opened
  let end = address.length;
  for (;; end--) {
    const last = address[end - 1];
    if (last in left ? left[last]-- <= 0 : !'.,;:!?'.includes(last)) return address.slice(0, end);
  }
}

/** What a link shows is where it leads: its host as the network knows it, as letters of two alphabets look alike, and no name before it that looks like one. */
function honest(address, { username, password, host, protocol, pathname, search, hash }) {
  const isPlain = username === '' && password === '' && !host.split('.').some((part) => part.startsWith('xn--'));
  return isPlain ? address : `${protocol}//${host}${pathname}${search}${hash}`;
}

/** A text as nodes: addresses of pages become links, everything else stays text. */
export function linked(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"']+/giu)) {
    const address = bare(match[0]);
    const link = document.createElement('a');
    link.href = address;
    if (!link.host) continue;
    nodes.push(text.slice(from, match.index));
    link.target = '_blank';
    link.rel = 'noopener noreferrer nofollow';
    link.textContent = honest(address, link);
    nodes.push(link);
    from = match.index + address.length;
  }
  nodes.push(text.slice(from));
  return nodes.filter((node) => node !== '');
}

export const onlyEmoji = (text) => /^(?:\p{Extended_Pictographic}[\u{FE0F}\u{200D}\u{1F3FB}-\u{1F3FF}]*\s?){1,4}$/u.test(text);

/** A name as a part of a sentence: one that is written from right to left turns nothing around it (UAX 9, isolates). */
const apart = (name) => (/\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u.test(name) ? `\u2068${name}\u2069` : name);

export function names(given) {
  const list = given.map(apart);
  if (list.length < 2) return list.join('');
  return `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
}
