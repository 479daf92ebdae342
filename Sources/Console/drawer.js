// The drawer that shows the recorded calls and hands them on.

import { h } from "./dom.js";
import { pythonScript, shellScript, transcript } from "./export.js";
import { shortTime } from "./format.js";
import { notify } from "./notices.js";
import { badge, button, iconButton, panel, tabs } from "./parts.js";
import { changed, state } from "./state.js";
import { t } from "./text.js";

const FORMS = { calls: null, shell: shellScript, python: pythonScript, transcript };
const view = { form: "calls" };

export function drawer(close) {
  const { entries } = state.recorder;
  const items = Object.keys(FORMS).map((form) => [form, t(`record.${form}`)]);
  const select = (form) => { view.form = form; changed(); };
  return [
    h("header", {},
      h("h2", {}, t("record.title")),
      iconButton(t("close"), "close", close)),
    h("p", { class: "note" }, t(state.recorder.beginning.isNew ? "record.about" : "record.aboutCopy")),
    tabs(t("record.open"), items, view.form, select),
    panel(view.form, view.form === "calls" ? callList(entries) : script(FORMS[view.form])),
  ];
}

function callList(entries) {
  if (entries.length === 0) return h("p", { class: "empty" }, t("record.none"));
  return h("ol", { class: "calls" }, entries.toReversed().map((entry) => h("li", { "data-key": `call-${entry.number}` },
    h("details", {},
      h("summary", {},
        h("span", { class: "number" }, String(entry.number)),
        h("code", {}, entry.method),
        outcome(entry)),
      h("p", { class: "quiet" }, `${shortTime(entry.time)} UTC`,
        entry.took !== undefined && ` · ${entry.took.toFixed(0)} ms`,
        entry.events.length > 0 && ` · ${t("record.events", { count: entry.events.length })}`),
      h("pre", { tabindex: "0", "aria-label": t("record.params") }, JSON.stringify(hidden(entry.params), null, 1)),
      h("pre", { tabindex: "0", "aria-label": t("ask.answer") },
        JSON.stringify(entry.error ?? entry.result ?? null, null, 1))))));
}

function outcome(entry) {
  if (entry.took === undefined) return badge("neutral", t("record.running"));
  if (entry.error?.code === 8001) return badge("warning", t("outcome.challenge"));
  return entry.error ? badge("bad", String(entry.error.code)) : badge("good", t("record.done"));
}

function script(write) {
  const text = write(session());
  return [
    h("div", { class: "actions" },
      button(t("copy"), () => copy(text), {
        kind: "main", symbol: "copy", disabled: state.recorder.entries.length === 0 }),
      button(t("record.clear"), () => { state.recorder.clear(state.information?.time ?? null); changed(); })),
    h("pre", { class: "script", tabindex: "0", "aria-label": t(`record.${view.form}`) }, text),
  ];
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify(t("copied"));
  } catch {
    notify(t("notCopied"), "bad");
  }
}

/// The recorded calls and the options of a server that answers them again.
export function session() {
  const { status, information, recorder } = state;
  const source = status?.source === "folder" ? status.path : status?.source;
  const options = [];
  if (source === "program") options.push(["--tenant", "exec:COMMAND"]);
  else if (source && source !== "none") options.push(["--tenant", source]);
  if (information?.appId) options.push(["--app-id", information.appId]);
  for (const [name, value] of Object.entries(information?.settings ?? {})) {
    options.push(["--set", `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`]);
  }
  const entries = recorder.entries.filter(({ took }) => took !== undefined)
    .map((entry) => ({ ...entry, params: hidden(entry.params) }));
  return { options, entries, ...recorder.beginning, isManual: state.isManual, version: information?.version };
}

/// Parameters without a real PIN or token: those of a copy are inventions, those of a live state are not.
function hidden(params) {
  if (state.isManual) return params;
  const secrets = ["pin", "newPin", "accessToken"].filter((name) => typeof params[name] === "string");
  return { ...params, ...Object.fromEntries(secrets.map((name) => [name, "…"])) };
}
