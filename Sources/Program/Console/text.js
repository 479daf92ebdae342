// The texts of the page: labels in the language of the user, sentences in English, like what the server says.

import { LANGUAGES, labels } from "./labels.js";
import sentences from "./sentences.js";

export { LANGUAGES };
export let language = "en";

let more = "";
let chosen = labels("en");

/// The text for a key, with `{name}` replaced by the value of that name.
export function t(key, values = {}) {
  const text = chosen.get(key) ?? sentences[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/// Whether there is a text for a key, for words that come from the server.
export const hasText = (key) => chosen.has(key) || key in sentences;

export function speak(wanted) {
  language = wanted in LANGUAGES ? wanted : "en";
  chosen = labels(language, more);
  document.documentElement.lang = language;
}

/// Adds labels, as rows of their table, and sentences.
export function extend(rows, texts) {
  more += rows;
  Object.assign(sentences, texts);
  speak(language);
}

/// The first language of the browser that the page has.
export function preferred() {
  const wanted = (navigator.languages ?? [navigator.language]).map((name) => name.split("-")[0].toLowerCase());
  return wanted.find((name) => name in LANGUAGES) ?? "en";
}
