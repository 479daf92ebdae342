// The drawer that shows the recorded calls and hands them on.

import { h } from "./dom.js";
import { LEFT_OUT, pythonScript, shellScript, transcript } from "./export.js";
import { shortTime } from "./format.js";
import { notify } from "./notices.js";
import { badge, button, iconButton, panel, remark, tabs } from "./parts.js";
import { resolved } from "./form.js";
import { changed, isManual, methodOf, setter, state, takesInventions } from "./state.js";
import { t } from "./text.js";

const FORMS = { calls: null, shell: shellScript, python: pythonScript, transcript };
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

/// The recorded calls that the server has answered, and the options of a server that answers them again.
export function session() {
  const { status, information, recorder } = state;
  const source = status.source === "folder" ? status.path : status.source;
  const options = [];
  if (source === "program") options.push(["--tenant", "exec:COMMAND"]);
  else if (source !== "none") options.push(["--tenant", source]);
  options.push(["--app-id", information.appId], ["--locale", information.language]);
  for (const [name, value] of Object.entries(information.settings)) {
    options.push(["--set", `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`]);
  }
  const entries = recorder.entries.filter(({ took, error }) => took !== undefined && error?.code !== 0)
    .map((entry) => ({ ...entry, params: withoutSecrets(entry) }));
  return { options, entries, ...recorder.beginning, isManual: isManual(), version: information.version };
}

/// The parameters of a call with … for PINs and tokens, unless they cannot be real: those of a state that was new and
/// whose policy source accepts all.
function withoutSecrets({ method, params }) {
  if (state.session.isNew && takesInventions()) return params;
  const secrets = (methodOf(method)?.params ?? []).filter(({ schema }) => resolved(schema).format === "password")
    .map(({ name }) => name);
  return Object.fromEntries(Object.entries(params).map(([name, value]) =>
    [name, secrets.includes(name) && typeof value === "string" ? LEFT_OUT : value]));
}
