// The page as a dialog: photos are chosen for a program on this machine, which ends with it.
//
// 1. The server says what may be chosen, and checks what was.
// 2. What is chosen is what is selected in the list that is shown; another list begins anew.

import * as api from './api.js';
import { make, say } from './dom.js';
import { answer } from './dialogs.js';
import { Selection } from './selection.js';
import * as session from './session.js';
import { texts } from './texts.js';

/** What may be chosen (`most`, `type`, `minDuration`, `maxDuration`); undefined if the page is no dialog. */
let limits;
let snapshot;
let selection;
let count;
let buttons = [];

export function beginChoice(said) { limits = said; }

/** The selection of a list that is shown. */
export function newSelection(shown) {
  if (!limits) return new Selection(shown.count);
  snapshot = shown;
  selection = new Selection(shown.count,
    { most: limits.most, isAllowed: (item) => !shown.isRefused(item), isAsked: true });
  selection.addEventListener('change', draw);
  selection.addEventListener('refused', ({ detail }) => {
    const text = detail === 'most' ? texts.refusedMost(limits.most) : texts.refusedKind;
    // Once while somebody drags.
    if (document.getElementById('said').lastChild?.textContent !== text) say(text);
  });
  draw();
  return selection;
}

function draw() {
  count.textContent = texts.chosen(selection.count, limits.most);
  buttons[1].disabled = selection.isEmpty;
}

async function end(isDone) {
  for (const button of buttons) button.disabled = true;
  try {
    await (isDone ? api.choose(snapshot.id, selection.items()) : api.cancelChoice());
    session.over(isDone ? texts.choiceDone : texts.choiceCancelled);
  } catch (problem) {
    say(problem.message, true);
    buttons[0].disabled = false;
    draw();
  }
}

/** The bar with what may be chosen, how many are, and the two answers. */
export function choiceBar() {
  count = make('output', { class: 'count', text: texts.chosen(0, limits.most) });
  buttons = [answer(texts.cancel, () => end(false)), answer(texts.done, () => end(true), true)];
  buttons[1].disabled = true;
  return make('section', { class: 'choice-bar', 'aria-label': texts.choice },
    make('p', { text: texts.mayChoose(limits) }), count, ...buttons);
}
