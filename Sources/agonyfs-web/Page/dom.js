// Creates elements.
//
// 1. Text from a vault becomes textContent or an attribute, never markup, style or script.
// 2. Characters that would change the order or the look of the text around them are shown as U+FFFD.

const properties = new Set(['value', 'checked', 'disabled', 'hidden', 'inert', 'htmlFor', 'muted', 'loop', 'tabIndex']);

/**
 * Creates an element. `text` is its text, `onNAME` a listener; `class` and others are attributes. Values of undefined,
 * null and false are left out; true is an empty attribute.
 */
export function make(tag, facts = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (properties.has(name)) node[name] = value;
    else if (name.startsWith('aria-') && typeof value === 'boolean') node.setAttribute(name, String(value));
    else if (value === undefined || value === null || value === false) continue;
    else if (name === 'text') node.textContent = value;
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

const namespace = 'http://www.w3.org/2000/svg';
const shapes = {
  add: 'M12 5v14M5 12h14',
  album: 'M4 8h16v11H4zM7 5h10M9 2.5h6',
  back: 'M15 5l-7 7 7 7',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  forward: 'M9 5l7 7-7 7',
  group: 'M4 6h16M7 12h10M10 18h4',
  heart: 'M12 20S4 15 4 9.2C4 6.6 6 5 8 5c1.7 0 3.2 1 4 2.5C12.8 6 14.3 5 16 5c2 0 4 1.6 4 4.2C20 15 12 20 12 20z',
  info: 'M12 11v6M12 7.5v.1M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17z',
  live: 'M12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM12 5.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13z',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3',
  minus: 'M5 12h14',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  photos: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9v.1',
  restore: 'M5 8h9a5 5 0 010 10H8M9 4L5 8l4 4',
  search: 'M10.5 4.5a6 6 0 100 12 6 6 0 000-12zM15 15l5 5',
  star: 'M12 4l2.4 5.2 5.6.6-4.2 3.8 1.2 5.6-5-2.9-5 2.9 1.2-5.6L4 9.800l5.6-.6z',
  tag: 'M4 4h8l8 8-8 8-8-8zM8 8v.1',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13',
  upload: 'M12 20V8M7 12.5l5-5 5 5M5 4h14',
};

/** A drawing from the table above. It must not be the only label of something. */
export function icon(name) {
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `icon ${name}`);
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', shapes[name]);
  svg.append(path);
  return svg;
}

/** A button with a drawing. Its name is read aloud and shown as a tooltip, or next to the drawing with `label`. */
export function button(drawing, name, onclick, facts = {}) {
  const { label, ...others } = facts;
  return make('button', { type: 'button', class: label ? 'button' : 'button round', 'aria-label': label ? undefined : name,
    title: label ? undefined : name, onclick, ...others }, drawing && icon(drawing), label && make('span', { text: name }));
}

/** Text from a vault with unsafe characters replaced. */
export function plain(text) {
  return String(text ?? '').replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g, '\ufffd');
}

/** Removes all children, and releases the memory of pictures and videos in them. */
export function empty(node) {
  for (const media of node.querySelectorAll('img, video')) media.removeAttribute('src');
  node.replaceChildren();
}

/** Shows a message for a while; screen readers read it aloud. */
export function say(text, isBad = false) {
  // An action that ends after the space was locked must not reveal names.
  if (!document.querySelector('#app.open')) return;
  const place = document.getElementById('said');
  const line = make('div', { class: isBad ? 'said bad' : 'said', text });
  place.append(line);
  while (place.childElementCount > 3) place.firstChild.remove();
  setTimeout(() => line.remove(), isBad ? 9000 : 4500);
}

const still = matchMedia('(prefers-reduced-motion: reduce)');
export const isStill = () => still.matches;
