// The page as a dialog: photos are chosen for a program on this machine, which ends with it.
//
// 1. The server says what may be chosen, and checks what was.
// 2. What is chosen is what is selected in the list that is shown, and what the server keeps of the lists before. It is the
//    server that knows which photos are in two lists. Lists are told to it one after the other.

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
/** How many are chosen in other lists. */
let others = 0;
/** How many lists are shown of which the server has not answered yet, and the end of that. */
let waiting = 0;
let told = Promise.resolve();
let count;
let buttons = [];

session.onForget(() => {
  snapshot = selection = undefined;
  others = 0;
});

export function beginChoice(said) { limits = said; }

/** The selection of a list that is shown. */
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
    // Once while somebody drags.
    if (document.getElementById('said').lastChild?.textContent !== text) say(text);
  });
  draw();
  return selection;
}

/** How many may be chosen in the list that is shown. Of one, another takes the place. */
const room = () => (limits.most === 1 ? 1 : Math.max(0, (limits.most ?? Infinity) - others));

/** Tells the server that a list is shown after another one, and selects what was chosen of it before. */
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
    // Some of the others may be gone.
    tell({ snapshot, selection }, { snapshot, selection });
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
