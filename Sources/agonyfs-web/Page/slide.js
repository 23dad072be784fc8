// One photo or video in the viewer, shown with the best version that is loaded.
//
// 1. The thumbnail comes first, then 1024 pixels, then the original. The originals of neighbours are loaded last.
// 2. A closed slide holds no bytes and loads none.

import * as api from './api.js';
import { button, empty, make, plain } from './dom.js';
import { kinds } from './snapshot.js';
import { texts } from './texts.js';
import { Zoom } from './zoom.js';

export class Slide {
  #stage = 0;
  #isClosed = false;
  #loading = new Map();
  #images = new Set();

  constructor(snapshot, item, thumb) {
    Object.assign(this, { snapshot, item, zoom: new Zoom(), kind: snapshot.kind(item) });
    this.size = { width: 4000, height: 4000 / snapshot.aspect(item) };
    this.picture = make('div', { class: 'picture', role: 'img', 'aria-label': texts.photo });
    this.picture.style.backgroundColor = snapshot.colour(item);
    if (thumb) this.picture.append(make('img', { src: thumb, alt: '', draggable: 'false' }));
    this.element = make('div', { class: 'slide' }, this.picture);
    if (this.kind === kinds.video) this.#offer();
    if (this.hasMotion) this.element.append(button('live', texts.playMotion, () => this.playMotion(),
      { class: 'button live', label: true }));
    snapshot.facts(item).then((facts) => {
      if (facts?.width > 0 && facts.height > 0 && this.#stage < 2) this.#measured(facts.width, facts.height);
      if (!this.#isClosed) this.picture.setAttribute('aria-label', plain(facts?.name ?? texts.photo));
    }, () => {});
  }

  get hasMotion() { return this.kind === kinds.live || this.kind === kinds.motion; }
  get isZoomable() { return this.kind !== kinds.video; }

  #measured(width, height) {
    this.size = { width, height };
    if (this.view) this.measure(this.view);
  }

  /** Fits the picture into the view. */
  measure(view) {
    this.view = view;
    this.zoom.measure(view, this.size.width, this.size.height, devicePixelRatio);
    this.picture.style.width = `${this.zoom.width}px`;
    this.picture.style.height = `${this.zoom.height}px`;
    this.draw();
  }

  draw() {
    const { x, y, scale } = this.zoom;
    this.picture.style.transform = `translate(-50%, -50%) translate(${x}px, ${y}px) scale(${scale})`;
  }

  /** Loads up to a stage: 1 is the preview, 2 the original. */
  async load(wanted) {
    for (const [stage, form] of [[1, 'preview'], [2, 'full']]) {
      if (stage > wanted || stage <= this.#stage || this.#isClosed || (stage === 2 && !this.isZoomable)) continue;
      let loading = this.#loading.get(stage);
      if (!loading) {
        loading = this.#image(stage, form);
        this.#loading.set(stage, loading);
      }
      await loading;
    }
  }

  async #image(stage, form) {
    const image = make('img', { alt: '', draggable: 'false', decoding: 'async',
      src: api.address(this.snapshot.id, this.item, form) });
    this.#images.add(image);
    try {
      await image.decode();
    } catch {
      if (this.#isClosed) return;
      image.removeAttribute('src');
      const isThere = await this.#isThere(form);
      // It is requested again the next time.
      if (!isThere) this.#loading.delete(stage);
      if (stage === 2 && this.#stage === 0) this.#unseen(isThere ? texts.notShown : texts.noConnection);
      return;
    } finally {
      this.#images.delete(image);
    }
    this.element.querySelector('.unseen')?.remove();
    if (this.#isClosed || stage <= this.#stage) return image.removeAttribute('src');
    this.#stage = stage;
    this.element.dataset.stage = form;
    if (stage === 2 && this.kind !== kinds.raw) this.#measured(image.naturalWidth, image.naturalHeight);
    const before = [...this.picture.querySelectorAll('img')];
    this.picture.append(image);
    // The blurred picture is removed after the sharp one was painted over it.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      for (const each of before) {
        each.removeAttribute('src');
        each.remove();
      }
    }));
    return undefined;
  }

  /** Whether the server can be reached. If so, the browser cannot show the form; otherwise the transfer failed. */
  async #isThere(form) {
    try {
      await api.ask('HEAD', api.address(this.snapshot.id, this.item, form));
      return true;
    } catch (problem) {
      return problem.status !== 0;
    }
  }

  #offer() {
    this.element.append(button('forward', texts.play, () => this.play(), { class: 'button round play' }));
  }

  #unseen(text) {
    if (this.#isClosed) return;
    this.element.querySelector('.unseen')?.remove();
    this.element.append(make('p', { class: 'unseen', text }));
  }

  /** Plays or pauses a video. */
  play() {
    if (this.video) return this.video.paused ? this.video.play() : this.video.pause();
    this.element.querySelector('.play')?.remove();
    this.element.querySelector('.unseen')?.remove();
    this.video = this.#player('original', { controls: true, playsinline: true });
    return undefined;
  }

  /** Plays the video of a live or motion photo once. */
  playMotion() {
    if (this.video || !this.hasMotion) return;
    this.video = this.#player('motion', { playsinline: true, class: 'motion' });
    this.video.addEventListener('ended', () => this.stop());
  }

  #player(form, facts) {
    const video = make('video', { ...facts, 'aria-label': texts.video,
      src: api.address(this.snapshot.id, this.item, form) });
    video.addEventListener('error', async () => {
      if (this.#isClosed || this.video !== video) return;
      const isThere = await this.#isThere(form);
      if (this.#isClosed || this.video !== video) return;
      this.stop();
      if (!isThere) return this.#unseen(texts.noConnection);
      this.element.querySelector('.unseen')?.remove();
      this.element.append(make('div', { class: 'unseen own' }, make('p', { text: texts.codecUnknown }),
        make('a', { class: 'button', href: api.address(this.snapshot.id, this.item, 'original', true), download: true,
          text: texts.download })));
    });
    this.element.append(video);
    video.play().catch(() => {});
    return video;
  }

  stop() {
    const { video } = this;
    this.video = undefined;
    if (!video) return;
    video.pause();
    video.removeAttribute('src');
    video.load();
    video.remove();
    if (this.kind === kinds.video && !this.#isClosed && !this.element.querySelector('.play')) this.#offer();
  }

  close() {
    this.#isClosed = true;
    this.stop();
    // Loads in progress would occupy connections that the next photo needs.
    for (const image of this.#images) image.removeAttribute('src');
    empty(this.element);
    this.element.remove();
  }
}
