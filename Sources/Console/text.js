// The labels of the page in the languages of the messages. What the server says is English.

import english from "./text-en.js";

export const LANGUAGES = {
  en: "English", es: "Español", it: "Italiano", ja: "日本語", pt: "Português", tr: "Türkçe",
};

let texts = english;
export let language = "en";

/// The text for a key, with `{name}` replaced by the value of that name.
export function t(key, values = {}) {
  const text = texts[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/// Whether there is a text for a key, for words that come from the server.
export const known = (key) => key in english;

export async function speak(wanted) {
  language = wanted in LANGUAGES ? wanted : "en";
  texts = language === "en" ? english : (await import(`./text-${language}.js`)).default;
  document.documentElement.lang = language;
}

/// The first language of the browser that the page has.
export function preferred() {
  const wanted = (navigator.languages ?? [navigator.language]).map((name) => name.split("-")[0].toLowerCase());
  return wanted.find((name) => name in LANGUAGES) ?? "en";
}
