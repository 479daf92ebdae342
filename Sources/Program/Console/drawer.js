// The drawer that shows the recorded calls and hands them on.

import { copy } from "./actions.js";
import { h } from "./dom.js";
import { expectations } from "./expectations.js";
import { pythonScript, shellScript, transcript } from "./export.js";
import { shortTime } from "./format.js";
import { badge, button, iconButton, panel, remark, tabs } from "./parts.js";
import { session, withoutSecrets } from "./session.js";
import { changed, failed, setter, state } from "./state.js";
import { t } from "./text.js";

export const FORMS = { calls: null, shell: shellScript, python: pythonScript, transcript, test: expectations };
const view = { form: "calls" };

export function drawer(close) {
  const { entries } = state.recorder;
  const items = Object.keys(FORMS).map((form) => [form, t(`record.${form}`)]);
  return [
    h("header", {},
      h("h2", {}, t("record.title")),
      iconButton(t("close"), "close", close)),
    remark(t(state.recorder.beginning.isNew ? "record.about" : "record.aboutCopy")),
    tabs(t("record.open"), items, view.form, setter(view, "form")),
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
      h("pre", { tabindex: "0", "aria-label": t("record.params") }, JSON.stringify(withoutSecrets(entry), null, 1)),
      h("pre", { tabindex: "0", "aria-label": t("ask.answer") },
        JSON.stringify(entry.error ?? entry.result ?? null, null, 1))))));
}

function outcome(entry) {
  if (entry.took === undefined) return badge("neutral", t("record.running"));
  if (entry.error?.code === 8001) return badge("warning", t("outcome.challenge"));
  return entry.error ? badge("bad", String(entry.error.code)) : badge("good", t("record.done"));
}

function startAgain() {
  state.recorder.clear(state.information?.time ?? null).catch(failed);
  changed();
}

function script(write) {
  const text = write(session());
  return [
    h("div", { class: "actions" },
      button(t("copy"), () => copy(text), {
        kind: "main", symbol: "copy", disabled: state.recorder.entries.length === 0 }),
      button(t("record.clear"), startAgain)),
    h("pre", { class: "script", tabindex: "0", "aria-label": t(`record.${view.form}`) }, text),
  ];
}
