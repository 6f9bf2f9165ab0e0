// SPDX-License-Identifier: MIT
// Elements from values. Text is set as text: there is no way from a message to markup.

export const $ = (id) => document.getElementById(id);

/** h('button', {class: 'talk', 'aria-current': 'true', onclick: f}, 'text', node, …); null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

const PATHS = {
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h10',
  send: 'M5 12h13M12.500 5.500L19 12l-6.500 6.500',
  down: 'M12 5v14M6 13l6 6 6-6',
  gear: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18',
  warn: 'M12 8v5M12 16.500v.010M12 3l9.500 17h-19z',
};

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true' })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** A circle with initials; the hue comes from the name, so that it is the same everywhere. */
export function avatar(name, { large = false, online = null } = {}) {
  let hash = 7;
  for (const letter of name.toLowerCase()) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
  const parts = name.split(/[-_]+/).filter(Boolean);
  const letters = parts.length > 1 ? [...parts[0]][0] + [...parts[1]][0] : [...name].slice(0, 2).join('');
  const element = h('span', { class: large ? 'avatar large' : 'avatar', 'aria-hidden': 'true', 'data-online': online === null ? null : String(online) }, letters.toUpperCase());
  element.style.setProperty('--hue', String((hash * 137 + 20) % 360));
  return element;
}

/** Makes a list's children be `nodes`, in that order, touching only what differs. */
export function place(parent, nodes) {
  let at = parent.firstChild;
  for (const node of nodes) {
    if (node === at) {
      at = at.nextSibling;
    } else {
      parent.insertBefore(node, at);
    }
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
