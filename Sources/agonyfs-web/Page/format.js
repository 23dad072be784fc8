// Numbers, times and sizes for people. Times are in the time zone where the photo was taken.

import { language, texts } from './texts.js';
import { plain } from './dom.js';

const formats = new Map();
function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }));
  return formats.get(key);
}

const numbers = new Intl.NumberFormat(language);
export const number = (value) => numbers.format(value);

/** Bytes with decimal units, as shops and phones use them. */
export function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 });
  return `${numbers.format(value)} ${units[unit]}`;
}

/** Seconds as 1:05 or 1:02:05. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60) % 60;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const known = {
  year: { year: 'numeric' },
  month: { month: 'long', year: 'numeric' },
  day: { day: 'numeric', month: 'long', year: 'numeric' },
};

/** A day, counted from 1900-01-01, or its month or year if only that is known; 0 means no date. */
export const day = (days, precision) =>
  days === 0 ? texts.undated : format(known[precision]).format(Date.UTC(1900, 0, 1) + days * 86_400_000);

/** 2019-07 as July 2019; 2019-07-14 as Sunday, July 14, 2019; any other text unchanged. */
export function date(text) {
  const found = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text);
  if (!found) return plain(text);
  const time = Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3] ?? 1));
  return format(found[3] ? { weekday: 'long', ...known.day } : known.month).format(time);
}

// The parts of a time: a day, hour and minute, perhaps seconds with a fraction, and the UTC offset.
const times = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)?$/;

function told(text, hasSeconds) {
  const found = times.exec(text ?? '');
  if (!found) return text ? date(text) : texts.undated;
  const [year, month, of, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const shown = format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric', hour: 'numeric',
    minute: '2-digit', second: hasSeconds && found[6] ? '2-digit' : undefined })
    .format(Date.UTC(year, month - 1, of, hour, minute, second));
  return hasSeconds && found[7] ? `${shown} ${found[7] === 'Z' ? 'UTC' : found[7]}` : shown;
}

/** When a photo was taken, as exactly as it is known: 2019, 2019-07, 2019-07-14T21:30:05+02:00; without seconds. */
export const taken = (text) => told(text, false);

/** A time with seconds and the UTC offset. */
export const moment = (text) => told(text, true);

/** The title of a section in a grouping. */
export function section(title, group) {
  if (title === '') {
    return { day: texts.undated, month: texts.undated, place: texts.noPlace, tag: texts.noTag, album: texts.noAlbum }[group] ?? '';
  }
  if (group === 'type') return title.toUpperCase();
  return group === 'day' || group === 'month' ? date(title) : plain(title);
}
