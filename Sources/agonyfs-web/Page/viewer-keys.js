// The keys of the viewer.

import { back } from './navigation.js';

/** Handles a key, unless it belongs to a field or to the browser. */
export function viewerKeys(viewer, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === 'Escape') viewer.stage.focus();
    event.stopPropagation();
    return;
  }
  const isButton = event.target.tagName === 'BUTTON' || event.target.tagName === 'A';
  const keys = {
    ArrowLeft: () => viewer.page(-1), ArrowRight: () => viewer.page(1), Home: () => viewer.go(0),
    End: () => viewer.go(viewer.snapshot.count - 1), Escape: back, z: () => viewer.toggleZoom(),
    '+': () => viewer.zoomBy(1.5), '=': () => viewer.zoomBy(1.5), '-': () => viewer.zoomBy(1 / 1.5),
    i: () => viewer.bars.toggleFacts(), f: () => viewer.bars.favourite(), Delete: () => viewer.bars.trash(),
    Enter: isButton ? null : () => viewer.bars.toggle(),
    ' ': isButton ? null
      : () => (viewer.slide.hasMotion ? viewer.slide.playMotion() : viewer.slide.isZoomable || viewer.slide.play()),
  };
  // A focused video handles the arrow keys itself.
  if (event.target.tagName === 'VIDEO' && event.key !== 'Escape') return;
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
