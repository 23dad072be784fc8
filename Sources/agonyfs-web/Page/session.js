// The life of a session: it opens by the password, and locks by the button, in idleness, and when the page was hidden.
//
// 1. A lock leaves nothing of the space in the document, in blobs and in what modules remember; then the page is loaded
//    anew.
// 2. The page is locked when it was hidden for a minute, unless something is being uploaded; whoever comes back later
//    sees nothing first.

import * as api from './api.js';
import { empty } from './dom.js';

const hiddenLimit = 60_000;
// The server ends a session of which it hears nothing for 90 s.
const signEvery = 25_000;
const forgetting = new Set();
let busy = () => false;
let idleLimit = 600_000;
let isOpen = false;
let isReadOnly = false;
let hiddenSince = null;
let lastUse = Date.now();
let lastSign = Date.now();
let lastUseTold = Date.now();

/** Calls `call` when everything of the space has to be forgotten. */
export function onForget(call) { forgetting.add(call); }
/** `call` says whether work goes on that a hidden page must not end. */
export function keepOpenWhile(call) { busy = call; }

/** Whether nothing can be changed. */
export const readOnly = () => isReadOnly;

export async function opened() {
  const state = await api.state();
  idleLimit = (state.idleSeconds || 600) * 1000;
  isOpen = !state.locked;
  isReadOnly = Boolean(state.readOnly);
  lastUse = Date.now();
  return state;
}

/** Forgets at once, tells the server if it does not know yet, and loads the page anew. */
export async function lock(serverKnows = false) {
  if (!isOpen) return;
  isOpen = false;
  for (const call of forgetting) {
    try {
      call();
    } catch {
      // The others must forget all the same.
    }
  }
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
  for (const name of ['app', 'viewer', 'said']) empty(document.getElementById(name));
  const told = serverKnows || (await Promise.race([
    api.lock().then(() => true, (problem) => problem.status === 401),
    new Promise((resolve) => setTimeout(resolve, 3000, false)),
  ]));
  // Without a connection there is nothing to load; the page is empty as it is.
  if (told) location.replace('/');
  else dispatchEvent(new Event('locked'));
}

function hiddenTooLong() {
  return hiddenSince !== null && Date.now() - hiddenSince >= hiddenLimit && !busy();
}

function watch() {
  if (!isOpen) return;
  if (busy()) lastUse = Date.now();
  if (hiddenTooLong() || Date.now() - lastUse >= idleLimit) lock();
  else if (Date.now() - lastSign >= signEvery) sign();
}

/** Tells the server that the page is there, and whether somebody uses it: the server sees requests only. */
function sign() {
  lastSign = Date.now();
  const used = lastUse > lastUseTold;
  lastUseTold = lastUse;
  api.state(used).then((state) => { if (state.locked) lock(true); }, () => {});
}

/** Looks at the clock, the page's visibility and its use from now on. */
export function start() {
  api.listen('locked', () => lock(true));
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenSince = Date.now();
    else {
      if (isOpen && hiddenTooLong()) lock();
      hiddenSince = null;
    }
  });
  // A page that the browser kept as it was shows nothing of before.
  addEventListener('pageshow', (event) => { if (event.persisted) lock(); });
  const used = () => { lastUse = Date.now(); };
  for (const name of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
    addEventListener(name, used, { passive: true, capture: true });
  }
  setInterval(watch, 5000);
}
