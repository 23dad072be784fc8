// The controls around a photo in the viewer: its name, the tabs of the groups, the buttons, the panel of facts.

import * as actions from './actions.js';
import { button, make, plain } from './dom.js';
import { FactsPanel } from './facts.js';
import * as format from './format.js';
import { back } from './navigation.js';
import { readOnly } from './session.js';
import { kinds } from './snapshot.js';
import { texts } from './texts.js';
import { ViewerTabs } from './viewer-tabs.js';

export class ViewerBars {
  #shown = 0;

  constructor(viewer) {
    this.viewer = viewer;
    const one = () => [viewer.item];
    this.name = make('bdi', { class: 'name' });
    this.time = make('span', { class: 'time' });
    this.heart = button('heart', texts.favourite, () => this.favourite());
    this.info = button('info', texts.facts, () => this.toggleFacts(), { 'aria-expanded': 'false' });
    const canWrite = !readOnly();
    this.tabs = viewer.snapshot.groups.length > 1 ? new ViewerTabs(viewer) : undefined;
    const top = make('div', { class: 'viewer-bar top' }, button('back', texts.close, back),
      make('div', { class: 'titles', 'aria-live': 'polite' }, this.name, this.time), this.info, this.tabs?.element);
    const bottom = make('div', { class: 'viewer-bar bottom', role: 'toolbar', 'aria-label': texts.actions }, ...[
      !viewer.inTrash && canWrite && this.heart,
      button('download', texts.download, () => actions.download(viewer.snapshot, one())),
      !viewer.inTrash && canWrite && button('album', texts.addToAlbum, () => actions.addToAlbum(viewer.snapshot, one())),
      button('minus', texts.smaller, () => viewer.zoomBy(1 / 1.5)), button('fit', texts.fit, () => viewer.toggleZoom()),
      button('add', texts.larger, () => viewer.zoomBy(1.5)),
      canWrite && (viewer.inTrash ? button('restore', texts.restore, () => this.restore())
        : button('trash', texts.toTrash, () => this.trash())),
    ].filter(Boolean));
    this.before = button('back', texts.before, () => viewer.page(-1), { class: 'button round side before' });
    this.next = button('forward', texts.next, () => viewer.page(1), { class: 'button round side next' });
    this.panel = new FactsPanel(() => this.toggleFacts(), (item) => this.#changed(item));
    this.elements = [top, this.before, this.next, bottom, this.panel.element];
  }

  /** Updates the controls for a photo. */
  async show(item) {
    const { snapshot } = this.viewer;
    this.#shown += 1;
    const shown = this.#shown;
    this.#marks(item);
    this.tabs?.show(item);
    this.before.disabled = item === 0;
    this.next.disabled = item === snapshot.count - 1;
    this.name.textContent = '';
    this.time.textContent = format.day(snapshot.day(item), snapshot.precision(item));
    this.panel.show(snapshot, item);
    const facts = await snapshot.facts(item).catch(() => null);
    // A record requested before an edit may arrive after a newer one.
    if (!facts || shown !== this.#shown) return;
    this.name.textContent = plain(facts.title || facts.name);
    // Only a converted photo needs a remark about its format.
    const isMade = facts.type && this.viewer.snapshot.kind(item) !== kinds.video
      && !['jpeg', 'png', 'gif', 'webp'].includes(facts.type);
    this.time.textContent = [format.taken(facts.taken), isMade && texts.shownAsJPEG(facts.type)].filter(Boolean).join(' · ');
    this.viewer.stage.setAttribute('aria-label', plain(texts.photoLabel(facts, texts.place(item + 1, snapshot.count))));
  }

  #marks(item) {
    const isFavourite = this.viewer.snapshot.isFavourite(item);
    this.heart.classList.toggle('on', isFavourite);
    this.heart.setAttribute('aria-pressed', String(isFavourite));
  }

  #changed(item) {
    this.viewer.snapshot.forget();
    this.viewer.grid.refresh(item);
    if (item === this.viewer.item) this.show(item);
  }

  async favourite() {
    if (this.viewer.inTrash || readOnly()) return;
    const { item, snapshot } = this.viewer;
    await actions.favourite(snapshot, [item], () => {});
    this.viewer.grid.refresh(item);
    this.#marks(this.viewer.item);
  }

  async trash() {
    if (this.viewer.inTrash || readOnly()) return;
    if ((await actions.toTrash(this.viewer.snapshot, [this.viewer.item])) > 0) this.#gone();
  }

  async restore() {
    if ((await actions.fromTrash(this.viewer.snapshot, [this.viewer.item])) > 0) this.#gone();
  }

  // The photos have changed, so the list is reloaded.
  #gone() {
    if (this.viewer.element.isConnected) back();
    this.viewer.changed();
  }

  toggle() { this.viewer.element.classList.toggle('bare'); }

  toggleFacts() {
    const isOpen = this.viewer.element.classList.toggle('with-facts');
    this.info.setAttribute('aria-expanded', String(isOpen));
    this.panel.setOpen(isOpen);
    if (!isOpen) this.info.focus();
  }

  close() { this.panel.close(); }
}
