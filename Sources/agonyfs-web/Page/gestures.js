// Touch and mouse gestures on a picture: taps, drags and pinches become calls.
//
// 1. A single tap waits 0.2 s for a second one. A movement of more than 8 px is a drag and not a tap.

const tapWait = 200;
const slack = 8;
const holdWait = 500;

/**
 * Calls functions of `on`, with coordinates in pixels from the element's middle: `tap(x, y)`, `double(x, y)`, `hold()`,
 * `released()`, `begin()`, `drag(dx, dy, isTouch)`, `drop({x, y})` with the speed in px/ms, `pinch(factor, x, y, dx,
 * dy)`, `pinched()`, `wheel(event, x, y)`.
 */
export function listen(element, on) {
  const fingers = new Map();
  let start = null;
  let isDragged = false;
  let isPinched = false;
  let isHeld = false;
  let lastTap = null;
  let timer;
  let holding;
  let trace = [];

  const middle = (x, y) => {
    const box = element.getBoundingClientRect();
    return [x - box.left - box.width / 2, y - box.top - box.height / 2];
  };
  const two = () => {
    const [a, b] = [...fingers.values()];
    return { distance: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('button, a, input, .own')) return;
    const { target } = event;
    // The browser's controls at the bottom of a video keep their events.
    if (target.tagName === 'VIDEO' && target.controls && target.getBoundingClientRect().bottom - event.clientY < 72) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(holding);
    if (fingers.size === 1) {
      start = { x: event.clientX, y: event.clientY };
      isDragged = isPinched = isHeld = false;
      trace = [];
      if (lastTap && Math.hypot(lastTap.x - start.x, lastTap.y - start.y) < 40) clearTimeout(timer);
      else lastTap = null;
      on.begin();
      holding = setTimeout(() => {
        isHeld = true;
        on.hold();
      }, holdWait);
    } else isPinched = true;
  });

  element.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const before = fingers.size === 2 ? two() : null;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    if (before) {
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      const after = two();
      on.pinch(after.distance / before.distance, ...middle(after.x, after.y), after.x - before.x, after.y - before.y);
      return;
    }
    if (!isDragged && Math.hypot(event.clientX - start.x, event.clientY - start.y) < slack) return;
    if (!isDragged) {
      isDragged = true;
      clearTimeout(holding);
      element.setPointerCapture(event.pointerId);
    }
    Object.assign(finger, { x: event.clientX, y: event.clientY });
    trace.push({ x: event.clientX, y: event.clientY, time: event.timeStamp });
    if (trace.length > 6) trace.shift();
    on.drag(dx, dy, event.pointerType !== 'mouse');
  });

  function speed(now) {
    const first = trace.find((each) => now - each.time < 100);
    const last = trace[trace.length - 1];
    const time = last && first ? last.time - first.time : 0;
    return time > 0 ? { x: (last.x - first.x) / time, y: (last.y - first.y) / time } : { x: 0, y: 0 };
  }

  function up(event) {
    if (!fingers.delete(event.pointerId)) return;
    clearTimeout(holding);
    if (fingers.size > 0) {
      // A pinch continues as a drag when one finger is lifted.
      const [left] = fingers.values();
      start = { ...left };
      isDragged = true;
      trace = [];
      on.pinched();
      return;
    }
    if (isHeld) on.released();
    if (isDragged || isPinched) {
      lastTap = null;
      if (isPinched) on.pinched();
      on.drop(event.type === 'pointercancel' ? { x: 0, y: 0 } : speed(event.timeStamp));
    } else if (event.type === 'pointerup' && !isHeld) {
      const at = middle(event.clientX, event.clientY);
      if (lastTap) {
        lastTap = null;
        on.double(...at);
      } else {
        lastTap = { x: event.clientX, y: event.clientY };
        timer = setTimeout(() => {
          lastTap = null;
          on.tap(...at, event.target);
        }, tapWait);
      }
    }
  }
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    on.wheel(event, ...middle(event.clientX, event.clientY));
  }, { passive: false });
  element.addEventListener('contextmenu', (event) => isHeld && event.preventDefault());
}
