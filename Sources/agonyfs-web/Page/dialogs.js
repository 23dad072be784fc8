// Dialogs. The browser's own element keeps the keyboard focus inside, and restores it at the end.

import { button, icon, make } from './dom.js';
import { texts } from './texts.js';

let number = 0;

/** Shows a dialog; the promise has the argument of `close(value)`, or undefined if the dialog was dismissed. */
export function show(title, fill, facts = {}) {
  number += 1;
  const heading = make('h2', { id: `dialog-${number}`, text: title, dir: 'auto' });
  const element = make('dialog', { class: 'dialog', 'aria-labelledby': heading.id, ...facts }, heading);
  let value;
  const close = (answer) => {
    value = answer;
    element.close();
  };
  element.append(...fill(close));
  // A press that began before the dialog was shown must not dismiss it.
  let isBeside = false;
  element.addEventListener('pointerdown', (event) => { isBeside = event.target === element; });
  element.addEventListener('click', (event) => event.target === element && isBeside && close());
  element.addEventListener('keydown', (event) => event.stopPropagation());
  document.body.append(element);
  element.showModal();
  return new Promise((resolve) => {
    element.addEventListener('close', () => {
      element.remove();
      resolve(value);
    });
  });
}

/** The row of answers at the end of a dialog, and an answer. */
export const row = (...buttons) => make('div', { class: 'answers' }, ...buttons);
export const answer = (name, onclick, isMain, isDanger) =>
  make('button', { type: 'button', class: `button${isMain ? ' main' : ''}${isDanger ? ' danger' : ''}`, text: name,
    onclick });

/** Asks for a confirmation; returns whether the user gave it. */
export const question = (title, text, yes, isDanger = false) => show(title, (close) => [
  make('p', { text, dir: 'auto' }),
  row(answer(texts.cancel, () => close(false)), answer(yes, () => close(true), true, isDanger)),
]).then(Boolean);

/**
 * Asks for a text; `accept(text)` returns what is wrong with it, or undefined. The promise has the text, or undefined.
 */
export const ask = (title, label, value, yes, accept) => show(title, (close) => {
  const field = make('input', { type: 'text', id: `field-${number}`, value, autocomplete: 'off', dir: 'auto',
    'aria-describedby': `problem-${number}` });
  const problem = make('p', { class: 'problem', id: `problem-${number}`, role: 'alert' });
  const done = async () => {
    problem.textContent = '';
    const wrong = await accept(field.value);
    if (wrong === undefined) return close(field.value);
    problem.textContent = wrong;
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  };
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      done();
    }
  });
  queueMicrotask(() => {
    field.focus();
    field.select();
  });
  return [make('label', { htmlFor: field.id, text: label }), field, problem,
    row(answer(texts.cancel, () => close()), answer(yes, done, true))];
});

/**
 * Offers a choice of entries with `name`, `value`, and optionally `drawing`, `isChosen`, `isDanger`. A `heading` begins
 * a section.
 */
export const choose = (title, entries) => show(title, (close) => [
  make('div', { class: 'choices' }, ...entries.map((entry) => (entry.heading
    ? make('h3', { text: entry.heading })
    : make('button', { type: 'button', class: `choice${entry.isDanger ? ' danger' : ''}`, 'aria-pressed': entry.isChosen,
      onclick: () => close(entry.value) }, entry.drawing && icon(entry.drawing), make('bdi', { text: entry.name }),
    entry.isChosen && icon('check'))))),
  row(answer(texts.cancel, () => close())),
]);

/** Zero to five stars. If `chosen(rating)` returns a reason, the rating was refused, and the stars stay. */
export function stars(rating, chosen) {
  const group = make('div', { class: 'stars', role: 'radiogroup', 'aria-label': texts.rating });
  let isAsking = false;
  const draw = (now) => {
    group.replaceChildren(...[1, 2, 3, 4, 5].map((value) => button('star', texts.stars(value), async () => {
      if (isAsking) return;
      isAsking = true;
      const next = value === now ? 0 : value;
      const refusal = await chosen(next);
      isAsking = false;
      if (refusal !== undefined) return;
      const hasFocus = group.contains(document.activeElement);
      draw(next);
      if (hasFocus) group.children[value - 1].focus();
    }, { class: value <= now ? 'star on' : 'star', role: 'radio', 'aria-checked': String(value === now) })));
  };
  draw(rating);
  return group;
}
