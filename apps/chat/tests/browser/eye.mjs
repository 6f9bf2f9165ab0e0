// SPDX-License-Identifier: MIT
// What a person would look for on a screenshot, asked of the page itself. Both run in the page and give sentences about what is wrong.

/** Texts that are seen and too faint for where they stand, by WCAG 2.2, 1.4.3. */
export function faint() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      layers.unshift(rgba(getComputedStyle(one).backgroundColor));
      if (one.matches('dialog')) break; // what is under it is not seen through it
    }
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const box = element.getBoundingClientRect();
    if (node.data.trim() === '' || box.width < 2 || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || element.closest('.sr, .skip, noscript, :disabled')) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const [one, other] = [luminance(over(rgba(style.color), ground)), luminance(ground)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) found.push(`${element.className || element.id || element.tagName} "${node.data.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}

/**
 * What is out of place: outside the window, cut off, on top of something else, too small to hit or to read.
 *
 * @param least.target height and width of what is pressed, in CSS pixels (WCAG 2.2, 2.5.8 has 24)
 * @param least.font   size of a text
 * @param least.field  size of the text in a field: below 16 phones zoom in
 */
export function crooked(least) {
  const found = [];
  const name = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ''}${element.className && typeof element.className === 'string' ? `.${element.className.trim().replaceAll(/\s+/g, '.')}` : ''} "${(element.textContent ?? '').trim().slice(0, 24)}"`;
  const round = ({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round).join(' ');
  const dialog = document.querySelector('dialog[open]');
  const app = document.querySelector('#app');
  const drawer = app.classList.contains('drawn') ? document.querySelector('#side') : null;
  const root = dialog ?? drawer ?? (app.hidden ? document.querySelector('#door') : app);
  const isSeen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !element.closest('.sr, .skip, noscript, [inert]');
  /** The part of a box that the scrolling parts around it let through; null: nothing. */
  const shown = (element, box) => {
    let { left, top, right, bottom } = box;
    for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
      if (getComputedStyle(one).overflowY === 'visible') continue;
      const around = one.getBoundingClientRect();
      top = Math.max(top, around.top);
      bottom = Math.min(bottom, around.bottom);
    }
    return bottom - top > 1 && right - left > 1 ? { left, top, right, bottom } : null;
  };
  const boxes = [];
  for (const element of root.querySelectorAll('*')) {
    if (!isSeen(element) || element.closest('svg') !== null) continue;
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    const isPressed = element.matches('button, a, summary, input, textarea') && style.opacity !== '0';
    if (!hasText && !isPressed) continue;
    const box = shown(element, element.getBoundingClientRect());
    if (box === null) continue;
    if (box.left < -0.5 || box.right > innerWidth + 0.5 || box.top < -0.5 || box.bottom > innerHeight + 0.5) found.push(`outside the window: ${name(element)} at ${round(box)} of ${innerWidth} ${innerHeight}`);
    const isField = element.matches('input, textarea');
    const clips = style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis' && !isField;
    if (hasText && clips && element.scrollWidth > element.clientWidth + 1) found.push(`cut off: ${name(element)} ${element.scrollWidth} in ${element.clientWidth}`);
    if (hasText && parseFloat(style.fontSize) < least.font) found.push(`too small to read: ${name(element)} ${style.fontSize}`);
    if (isField && parseFloat(style.fontSize) < least.field) found.push(`a phone would zoom in: ${name(element)} ${style.fontSize}`);
    const isInline = style.display === 'inline';
    if (isPressed && !isInline && (element.offsetWidth < least.target || element.offsetHeight < least.target)) found.push(`too small to hit: ${name(element)} ${element.offsetWidth}×${element.offsetHeight}`);
    boxes.push({ element, box });
  }
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length; j++) {
      const [a, b] = [boxes[i], boxes[j]];
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      // The way down floats above the messages, and the count of characters below the field, as they are meant to.
      const floats = (one, other) => one.element.closest('.left') || (one.element.closest('.jump') && !other.element.closest('.composer'));
      if (floats(a, b) || floats(b, a)) continue;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 1 && high > 1) found.push(`on top of each other: ${name(a.element)} at ${round(a.box)}, ${name(b.element)} at ${round(b.box)}`);
    }
  }
  for (const element of [document.documentElement, document.body, root]) {
    if (element.scrollWidth > element.clientWidth + 1) found.push(`wider than the window: ${name(element).slice(0, 30)} ${element.scrollWidth}`);
  }
  if (root === app) {
    const [scroll, field] = ['#scroll', '#composer'].map((one) => document.querySelector(one).getBoundingClientRect());
    if (scroll.height < innerHeight / 2) found.push(`little room for messages: ${Math.round(scroll.height)} of ${innerHeight}`);
    if (innerHeight - field.bottom > 40 || field.top < scroll.bottom - 30) found.push(`the field is not at the bottom: ${round(field)}`);
  }
  return found.slice(0, 20);
}
