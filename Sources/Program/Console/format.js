// Times, durations and values for people.

import { h } from "./dom.js";
import { hasText, language, t } from "./text.js";
import { now } from "./state.js";

const UNITS = [
  ["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1],
];
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const dates = new Map();

function dateFormat(options) {
  const key = language + JSON.stringify(options);
  if (!dates.has(key)) dates.set(key, new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }));
  return dates.get(key);
}

/// A time in UTC, such as "Nov 24, 2026, 05:50".
export function exact(time, { seconds = false } = {}) {
  const timeStyle = seconds ? "medium" : "short";
  return dateFormat({ dateStyle: "medium", timeStyle, hourCycle: "h23" }).format(new Date(time));
}

/// Day and time, such as "11-24 05:50:25".
export const shortTime = (time) => new Date(time).toISOString().slice(5, 19).replace("T", " ");

/// "in 29 minutes", "2 days ago".
function distance(time) {
  const seconds = Math.round((Date.parse(time) - now()) / 1000);
  if (Math.abs(seconds) < 1) return t("justNow");
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  return new Intl.RelativeTimeFormat(language, { numeric: "always" }).format(Math.trunc(seconds / size), unit);
}

/// A moment as its distance, with the exact time on hover.
export function moment(time) {
  if (!time) return h("span", { class: "quiet" }, t("never"));
  return h("time", { datetime: time, title: `${exact(time, { seconds: true })} UTC` }, distance(time));
}

/// The milliseconds of an ISO 8601 duration; null if it is none.
function milliseconds(duration) {
  const parts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(duration ?? "");
  if (!parts || duration.length < 3) return null;
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((weeks * 7 + days) * 24 + hours) * HOUR + minutes * MINUTE + seconds * 1000;
}

/// The ISO 8601 duration of milliseconds, such as P1DT2H.
export function isoDuration(length) {
  const days = Math.floor(length / DAY);
  const hours = Math.floor((length % DAY) / HOUR);
  const minutes = Math.floor((length % HOUR) / MINUTE);
  const seconds = (length % MINUTE) / 1000;
  const part = (count, unit) => (count ? `${count}${unit}` : "");
  const time = part(hours, "H") + part(minutes, "M") + part(seconds, "S");
  return `P${part(days, "D")}${time && `T${time}`}`.replace(/^P$/, "PT0S");
}

/// "90 days", "1 day 2 hours".
export function lengthText(length) {
  const parts = [];
  let rest = Math.round(length / 1000);
  for (const [unit, size] of UNITS.slice(2)) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count || (unit === "second" && parts.length === 0)) {
      parts.push(new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count));
    }
  }
  return parts.slice(0, 2).join(" ");
}

/// A value of JSON in words: durations as lengths, lists with commas, pairs as "name: value".
export function valueText(value) {
  if (value === null || value === undefined) return t("notSet");
  if (Array.isArray(value)) return value.length ? value.map(valueText).join(", ") : t("emptyList");
  if (typeof value === "object") {
    const { name, value: inner, ...others } = value;
    if (name !== undefined && Object.keys(others).length === 0) return `${name}: ${valueText(inner)}`;
    return JSON.stringify(value);
  }
  const length = typeof value === "string" ? milliseconds(value) : null;
  return length === null ? String(value) : lengthText(length);
}

/// An event in words: what it is, about whom, and how it ended.
export function eventText(type, params) {
  const name = hasText(`event.${type}`) ? t(`event.${type}`) : type;
  return [name, params.identity ?? params.accountId, params.status ?? params.verdict].filter(Boolean).join(" · ");
}
