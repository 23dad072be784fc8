// The groups of the grid as tabs above a photo.
//
// 1. However many groups there are, few tabs are in the document: that of the current photo, and the next ones on both
//    sides.

import { make } from './dom.js';
import * as format from './format.js';
import { texts } from './texts.js';

/** The number of tabs on each side of the selected one. */
const reach = 24;

export class ViewerTabs {
  #tabs = new Map();
  #selected;

  constructor(viewer) {
    this.viewer = viewer;
    this.groups = viewer.snapshot.groups;
    this.element = make('div', { class: 'tabs', role: 'tablist', 'aria-label': texts.groups,
      onkeydown: (event) => this.#key(event) });
  }

  /** Selects the tab of a photo's group. */
  show(item) {
    const selected = this.viewer.snapshot.groupOf(item);
    if (selected === this.#selected) return;
    this.#selected = selected;
    const hasKeyboard = this.element.contains(document.activeElement);
    for (const [group, tab] of this.#tabs) {
      if (Math.abs(group - selected) <= reach) continue;
      tab.remove();
      this.#tabs.delete(group);
    }
    const first = Math.max(0, selected - reach);
    const last = Math.min(this.groups.length - 1, selected + reach);
    for (let group = first; group <= last; group += 1) {
      if (!this.#tabs.has(group)) {
        this.#tabs.set(group, this.#tab(group));
        this.element.insertBefore(this.#tabs.get(group), this.element.children[group - first] ?? null);
      }
      const tab = this.#tabs.get(group);
      tab.setAttribute('aria-selected', group === selected);
      tab.tabIndex = group === selected ? 0 : -1;
    }
    if (hasKeyboard) this.#tabs.get(selected).focus({ preventScroll: true });
    this.reveal();
  }

  /** Scrolls the selected tab to the middle. */
  reveal() {
    const tab = this.#tabs.get(this.#selected);
    if (tab) this.element.scrollLeft = tab.offsetLeft - (this.element.clientWidth - tab.offsetWidth) / 2;
  }

  #tab(group) {
    const { title, count } = this.groups[group];
    return make('button', { type: 'button', class: 'tab', role: 'tab', 'aria-posinset': group + 1,
      'aria-setsize': this.groups.length, onclick: (event) => {
        this.#go(group);
        // After a tap or click, the arrow keys still go from photo to photo.
        if (event.detail > 0) this.viewer.stage.focus();
      } },
    make('bdi', { text: format.section(title, this.viewer.snapshot.question.group) }),
    make('span', { text: ` (${format.number(count)})` }));
  }

  #go(group) { this.viewer.go(this.groups[group].first); }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.groups.length - 1;
    const group = { ArrowLeft: this.#selected - 1, ArrowRight: this.#selected + 1, Home: 0, End: last }[event.key];
    if (group === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#go(Math.max(0, Math.min(last, group)));
  }
}
