// Touch, mouse and keyboard input of the grid.
//
// 1. Every gesture has an equivalent key and button: the mark in the corner of a photo, the title of a section, the
//    bar.

const longPress = 450;
const slack = 8;
const corner = 44;

/** Attaches the listeners to a grid; `open(item)` shows a photo, `zoom(step)` changes the size of rows. */
export function listenToGrid(grid, { open, zoom }) {
  const { element, canvas, selection, snapshot } = grid;
  let press = null;
  let autoScroll = 0;
  let isEaten = false;

  const itemAt = (x, y) => document.elementFromPoint(x, y)?.closest?.('.cell')?.item;
  const isCorner = (cell, event) => {
    const box = cell.getBoundingClientRect();
    return event.clientX - box.left < corner && event.clientY - box.top < corner;
  };

  function end() {
    clearTimeout(press?.timer);
    cancelAnimationFrame(autoScroll);
    press = null;
  }

  function beginDrag() {
    press.drag = selection.drag(press.item);
    isEaten = true;
    navigator.vibrate?.(10);
    element.setPointerCapture(press.id);
  }

  canvas.addEventListener('pointerdown', (event) => {
    const cell = event.target.closest('.cell');
    if (!cell || event.button !== 0 || press) return end();
    isEaten = false;
    press = { id: event.pointerId, item: cell.item, x: event.clientX, y: event.clientY, at: event,
      isTouch: event.pointerType === 'touch' };
    if (press.isTouch) press.timer = setTimeout(() => press && beginDrag(), longPress);
    else press.isMark = isCorner(cell, event) || selection.isActive;
  });

  element.addEventListener('pointermove', (event) => {
    if (!press || event.pointerId !== press.id) return;
    const isFar = Math.hypot(event.clientX - press.x, event.clientY - press.y) > slack;
    if (!press.drag) {
      if (!isFar) return;
      if (press.isTouch || !press.isMark) return end();
      beginDrag();
    }
    press.at = event;
    dragOn();
    cancelAnimationFrame(autoScroll);
    autoScroll = requestAnimationFrame(scrollOn);
  });

  function dragOn() {
    const item = itemAt(press.at.clientX, press.at.clientY);
    if (item !== undefined) press.drag(item);
  }

  // During a drag near an edge, the grid scrolls.
  function scrollOn() {
    if (!press?.drag) return;
    const box = element.getBoundingClientRect();
    const above = box.top + 70 - press.at.clientY;
    const below = press.at.clientY - (box.bottom - 70);
    if (above > 0 || below > 0) {
      grid.scroll.by(above > 0 ? -above / 4 : below / 4);
      dragOn();
      autoScroll = requestAnimationFrame(scrollOn);
    }
  }

  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
  // A drag to select must not scroll the page.
  element.addEventListener('touchmove', (event) => { if (press?.drag) event.preventDefault(); }, { passive: false });
  canvas.addEventListener('contextmenu', (event) => {
    if (event.target.closest('.cell') && (press || isEaten)) event.preventDefault();
  });

  canvas.addEventListener('click', (event) => {
    const cell = event.target.closest('.cell');
    if (!cell || isEaten) {
      isEaten = false;
      return;
    }
    if (event.shiftKey && !selection.isEmpty) selection.extend(cell.item);
    else if (selection.isActive || event.ctrlKey || event.metaKey
      || (isCorner(cell, event) && matchMedia('(hover: hover)').matches)) {
      selection.toggle(cell.item);
    } else open(cell.item);
    grid.focused = cell.item;
  });

  // In a choice, a single click selects, so a double click shows the photo.
  canvas.addEventListener('dblclick', (event) => {
    const cell = event.target.closest('.cell');
    if (cell && selection.isAsked) open(cell.item);
  });

  element.addEventListener('keydown', (event) => {
    // The parts above and below the photos handle their own keys.
    if (event.target !== element && !canvas.contains(event.target)) return;
    const isHeader = event.target.closest('.header');
    const { layout } = grid;
    if (!layout || snapshot.count === 0 || event.altKey) return;
    const row = layout.rowOf(grid.focused);
    const page = Math.max(1, Math.floor(grid.scroll.view / layout.height) - 1);
    const inRow = (number) => {
      const other = Math.max(0, Math.min(layout.rows - 1, number));
      const edges = layout.edges(row);
      const middle = edges[grid.focused - layout.first[row]];
      const others = layout.edges(other);
      let column = others.findIndex((edge) => edge > middle) - 1;
      if (column < 0) column = others.length - 2;
      return layout.first[other] + Math.min(column, layout.end(other) - layout.first[other] - 1);
    };
    const targets = {
      ArrowLeft: () => grid.focused - 1, ArrowRight: () => grid.focused + 1, ArrowUp: () => inRow(row - 1),
      ArrowDown: () => inRow(row + 1), PageUp: () => inRow(row - page), PageDown: () => inRow(row + page),
      Home: () => 0, End: () => snapshot.count - 1,
    };
    if (targets[event.key]) {
      const from = grid.focused;
      grid.focus(targets[event.key]());
      if (event.shiftKey) {
        if (selection.isEmpty) selection.anchor = from;
        selection.extend(grid.focused);
      }
    } else if (event.key === 'Enter' && !isHeader) open(grid.focused);
    else if (event.key === ' ' && !isHeader) selection.toggle(grid.focused);
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) selection.toggleAll(0, snapshot.count);
    else if (event.key === 'Escape' && !selection.isEmpty) selection.clear();
    else if (event.key === '+' || event.key === '=') zoom(1);
    else if (event.key === '-') zoom(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
