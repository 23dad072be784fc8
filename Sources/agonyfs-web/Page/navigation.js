// The browser's way back closes what is open: the viewer, a panel, an album.
//
// 1. Address, title and state of the history say only how deep the page is; no name ever gets there.
// 2. What is open decides, and the history follows: something closes at once, and one way through the history is asked for
//    at a time. So whoever goes back twice in one moment closes two things, and never leaves the page for it.

const closers = [];
/** Where the history is. */
let depth = 0;
/** Where it was asked to go, until it says that it is there. */
let asked = null;

// A page that was loaded anew has nothing open.
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

/** Something was opened; `close` is called when people go back. */
export function opened(close) {
  closers.push(close);
  follow();
}

/** Closes what was opened last. */
export function back() {
  if (closers.length === 0) return;
  closeTo(closers.length - 1);
  follow();
}

/** Closes everything. */
export function closeAll() {
  closeTo(0);
  follow();
}

addEventListener('popstate', (event) => {
  depth = event.state?.depth ?? 0;
  // Further than it was asked, or without having been asked: people went back themselves.
  if (asked === null || depth < asked) closeTo(depth);
  asked = null;
  follow();
});
