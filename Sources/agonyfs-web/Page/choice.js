// The page as a dialog: the user chooses photos for a program on this machine, which ends afterwards.
//
// 1. The server decides what may be chosen, and checks the choice.
// 2. The choice consists of the selection in the current list, and of photos from earlier lists, which the server
//    keeps, because only the server knows which photos are in two lists. Lists are reported to it one after the other.

import * as api from './api.js';
import { make, say } from './dom.js';
import { answer } from './dialogs.js';
import { Selection } from './selection.js';
import * as session from './session.js';
import { texts } from './texts.js';

/** The limits of the choice (`most`, `type`, `minDuration`, `maxDuration`); undefined if the page is not a dialog. */
let limits;
let snapshot;
let selection;
/** The number of photos chosen in other lists. */
let others = 0;
/** The number of reported lists without an answer, and a promise for the last of these answers. */
let waiting = 0;
let told = Promise.resolve();
let count;
let buttons = [];

session.onForget(() => {
  snapshot = selection = undefined;
  others = 0;
});

export function beginChoice(said) { limits = said; }

/** The selection of a new list. */
export function newSelection(shown) {
  if (!limits) return new Selection(shown.count);
  const before = { snapshot, selection };
  others += selection?.count ?? 0;
  snapshot = shown;
  selection = new Selection(shown.count,
    { most: room(), isOne: limits.most === 1, isAllowed: (item) => !shown.isRefused(item), isAsked: true });
  tell(before, { snapshot, selection });
  selection.addEventListener('change', draw);
  selection.addEventListener('refused', ({ detail }) => {
    const text = detail === 'most' ? texts.refusedMost(limits.most) : texts.refusedKind;
    // Shown once while the user drags over many photos.
    if (document.getElementById('said').lastChild?.textContent !== text) say(text);
  });
  draw();
  return selection;
}

/** The number of photos that may be chosen in the current list. If only one may be chosen, a new one replaces it. */
const room = () => (limits.most === 1 ? 1 : Math.max(0, (limits.most ?? Infinity) - others));

/** Reports a new list to the server, and selects the photos in it that were chosen before. */
function tell(before, now) {
  waiting += 1;
  told = told.then(async () => {
    try {
      const answer = await api.chooseIn(now.snapshot.id, before.snapshot?.id, before.selection?.items() ?? []);
      others = answer.others;
      now.selection.most = room();
      now.selection.add(answer.items);
    } catch (problem) {
      if (problem.status !== 401) say(problem.message, true);
    }
    waiting -= 1;
    draw();
  });
}

function draw() {
  if (!selection) return;
  if (limits.most === 1 && !selection.isEmpty) others = 0;
  count.textContent = texts.chosen(others + selection.count, limits.most);
  buttons[1].disabled = others + selection.count === 0 || waiting > 0;
}

async function end(isDone) {
  for (const button of buttons) button.disabled = true;
  try {
    await (isDone ? api.choose(snapshot.id, selection.items()) : api.cancelChoice());
    session.over(isDone ? texts.choiceDone : texts.choiceCancelled);
  } catch (problem) {
    if (!session.isUnlocked()) return;
    say(problem.message, true);
    buttons[0].disabled = false;
    // Some of the photos in other lists may be gone.
    tell({ snapshot, selection }, { snapshot, selection });
    draw();
  }
}

/** The bar with the limits, the number of chosen photos, and the two answers. */
export function choiceBar() {
  count = make('output', { class: 'count', text: texts.chosen(0, limits.most) });
  buttons = [answer(texts.cancel, () => end(false)), answer(texts.done, () => end(true), true)];
  buttons[1].disabled = true;
  return make('section', { class: 'choice-bar', 'aria-label': texts.choice },
    make('p', { text: texts.mayChoose(limits) }), count, ...buttons);
}
