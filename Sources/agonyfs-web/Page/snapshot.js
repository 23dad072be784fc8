// A list of photos that never changes: their order, their sections, and the geometry of each photo.
//
// 1. A photo is identified by its index in the list. Only the names of at most 24 sections are in memory.

import * as api from './api.js';
import { lastUpTo } from './layout.js';

// A kind plus 8 may not be chosen.
export const kinds = { photo: 0, video: 1, live: 2, motion: 3, raw: 4, other: 5 };
const keptSections = 24;

export class Snapshot {
  #bytes;
  #words;
  #loaded = new Map();

  constructor(answer, geometry, question) {
    this.id = answer.snapshot;
    this.question = question;
    this.count = answer.count;
    this.sections = answer.sections;
    this.months = answer.months ?? [];
    this.pending = answer.pending ?? 0;
    this.examining = Boolean(answer.examining);
    this.error = answer.error ?? null;
    this.#bytes = new Uint8Array(geometry);
    this.#words = new Uint16Array(geometry);
    this.groups = Snapshot.#grouped(answer.sections);
  }

  /** Fetches a list; an invalid query returns an empty one with `error`. */
  static async open(question, signal) {
    const answer = await api.sections(question, signal);
    const geometry = answer.count > 0 ? await api.geometry(answer.snapshot, signal) : new ArrayBuffer(0);
    if (geometry.byteLength !== answer.count * 8) throw new api.Problem(0, 'geometry', 'The list of photos is incomplete.');
    return new Snapshot(answer, geometry, question);
  }

  // Consecutive sections with the same title are shown as one group.
  static #grouped(sections) {
    const groups = [];
    for (const section of sections) {
      const last = groups[groups.length - 1];
      if (last && last.title === section.title) last.count += section.count;
      else groups.push({ title: section.title, first: section.first, count: section.count });
    }
    return groups;
  }

  /** Width divided by height; 4:3 if it is unknown. */
  aspect(item) { return this.#words[item * 4] / 1000 || 4 / 3; }
  colour(item) {
    const at = item * 8 + 2;
    return `rgb(${this.#bytes[at]} ${this.#bytes[at + 1]} ${this.#bytes[at + 2]})`;
  }
  kind(item) { return this.#bytes[item * 8 + 5] & 7; }
  isRefused(item) { return (this.#bytes[item * 8 + 5] & 8) !== 0; }
  isFavourite(item) { return (this.#bytes[item * 8 + 5] & 16) !== 0; }
  setFavourite(item, favourite) {
    if (favourite) this.#bytes[item * 8 + 5] |= 16;
    else this.#bytes[item * 8 + 5] &= ~16;
  }
  /** Days since 1900-01-01; 0 if the day is unknown. */
  day(item) { return this.#words[item * 4 + 3]; }
  /** The known part of that day: the year, the month, or the whole day. */
  precision(item) {
    const kind = this.#bytes[item * 8 + 5];
    return (kind & 128) !== 0 ? 'year' : (kind & 64) !== 0 ? 'month' : 'day';
  }

  /** The last entry of `list` whose `first` is at or before `item`. */
  static at(list, item) { return lastUpTo(list.length, (place) => list[place].first <= item); }

  groupOf(item) { return Snapshot.at(this.groups, item); }

  /** The record of a photo, if it is loaded. */
  known(item) {
    const number = Snapshot.at(this.sections, item);
    const section = this.#loaded.get(number);
    return Array.isArray(section) ? section[item - this.sections[number].first] : undefined;
  }

  /** Loads the record of a photo. */
  async facts(item) {
    const number = Snapshot.at(this.sections, item);
    let section = this.#loaded.get(number);
    if (!section) {
      section = api.section(this.id, number);
      this.#loaded.set(number, section);
      for (const key of this.#loaded.keys()) {
        if (this.#loaded.size <= keptSections) break;
        this.#loaded.delete(key);
      }
      try {
        const items = await section;
        // A request that began before `forget` must not fill the cache.
        if (this.#loaded.get(number) === section) this.#loaded.set(number, items);
      } catch (error) {
        if (this.#loaded.get(number) === section) this.#loaded.delete(number);
        throw error;
      }
    }
    return (await section)[item - this.sections[number].first];
  }

  /** Drops all records after an edit. */
  forget() { this.#loaded.clear(); }
}
