// The browser's back button closes what is open: the viewer, a panel, an album.
//
// 1. The address, title and state of the history contain only the depth of the page, never a name.
// 2. The open parts are authoritative, and the history follows: a part closes at once, and only one movement in the
//    history is requested at a time. So if the user goes back twice in one moment, two parts close, and the page is not
//    left.

const closers = [];
/** The current depth of the history. */
let depth = 0;
/** The requested depth, until the history has arrived there. */
let asked = null;

// Nothing is open after the page was reloaded.
history.replaceState({ depth }, '');

function follow() {
  if (asked !== null) return;
  while (depth < closers.length) {
    depth += 1;
    history.pushState({ depth }, '');
  }
  if (depth === closers.length) return;
  asked = closers.length;
  history.go(asked - depth);
}

function closeTo(wanted) {
  while (closers.length > wanted) closers.pop()();
}

/** Registers an opened part; `close` is called when the user goes back. */
export function opened(close) {
  closers.push(close);
  follow();
}

/** Closes the part that was opened last. */
export function back() {
  if (closers.length === 0) return;
  closeTo(closers.length - 1);
  follow();
}

export function closeAll() {
  closeTo(0);
  follow();
}

addEventListener('popstate', (event) => {
  depth = event.state?.depth ?? 0;
  // The user went back, because the history went further than requested, or without a request.
  if (asked === null || depth < asked) closeTo(depth);
  asked = null;
  follow();
});
