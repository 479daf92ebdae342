// Any question or action: a form, the verdict, the reasons, and what would have to change.

import { h } from "./dom.js";
import { valueText } from "./format.js";
import { Form, errorsOf, exampleValues } from "./form.js";
import { icon } from "./icons.js";
import { launchTone } from "./launch.js";
import { badge, breakable, button, card, choice, remark, Search, searchField, titledCard, viewTitle } from "./parts.js";
import { catalog, rowOf } from "./settings.js";
import { act, changed, failed, methodOf, setter, state } from "./state.js";
import { t } from "./text.js";

const OTHERS = new Set([
  "policyManager.isIdentityManaged", "policyManager.isManagementEnabled", "conditionalLaunch.evaluate",
  "conditionalLaunch.didBecomeActive",
]);
const NO_QUESTIONS = new Set(["policy.explain", "policy.whatWouldChange"]);
const STEPS = {
  identity: "account", managed: "step.managed", lockDown: "step.lockDown", policy: "nav.policy",
  setting: "policy.setting", rule: "step.rule", verdict: "ask.answer",
};
const FIRST = "policy.isSaveToAllowedForLocation";

/// `asked` counts the questions, so that a late answer to a former one is not shown under another.
const view = {
  query: FIRST, search: "", values: new Map(), assuming: {}, asked: 0, answer: null, changes: null, errors: {},
};

/// The methods that policy.explain takes.
function questions() {
  return state.schema.methods.filter(({ name }) =>
    OTHERS.has(name) || (/^(policy|enforcement)\./.test(name) && !NO_QUESTIONS.has(name)));
}

function valuesOf(method) {
  if (!view.values.has(method.name)) {
    const values = exampleValues(method);
    if (method.params.some(({ name }) => name === "account") && state.account) values.account = state.account;
    if (values.locationAccount !== undefined && state.account) values.locationAccount = state.account;
    view.values.set(method.name, values);
  }
  return view.values.get(method.name);
}

export function askView() {
  const method = methodOf(view.query);
  return [
    viewTitle(t("nav.ask"), t("ask.about")),
    h("div", { class: "split" }, picker(), h("div", { class: "stack" }, question(method), verdict(), changes())),
  ];
}

function picker() {
  const search = new Search(view.search);
  const found = questions().filter(({ name, summary }) => search.matches(`${name} ${summary}`));
  return h("nav", { class: "picker", "aria-label": t("ask.questions") },
    searchField(t("ask.search"), view.search, setter(view, "search")),
    h("div", { class: "narrow" },
      choice(t("ask.questions"), questions().map(({ name }) => name), view.query, select, "ask-question")),
    h("ul", { class: "list", tabindex: "-1" }, found.map(({ name, summary }) => h("li", {},
      h("button", { type: "button", "aria-current": name === view.query ? "true" : null, onclick: () => select(name) },
        h("span", {}, title(summary)), h("code", {}, breakable(name)))))));
}

/// The summary of a method without the words that all of them begin with.
function title(summary) {
  const text = summary
    .replace(/^(Report|Decide|Return) (?!that )(whether |for each location whether )?/, "").replace(/\.$/, "");
  return text[0].toUpperCase() + text.slice(1);
}

function select(name) {
  Object.assign(view, { query: name, asked: view.asked + 1, answer: null, changes: null, errors: {} });
  changed();
}

function question(method) {
  const submit = (event) => { event.preventDefault(); ask(); };
  const form = new Form(method, valuesOf(method), { onchange: changed, errors: view.errors });
  return h("form", { class: "card", onsubmit: submit, novalidate: true, "data-key": `question-${method.name}` },
    h("h2", {}, title(method.summary)),
    remark(method.description ?? ""),
    form.render(),
    assumptions(),
    view.errors[""] && h("p", { class: "error", role: "alert" }, view.errors[""]),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "button main" }, t("ask.ask"))));
}

/// Settings that the answer takes as given, whatever the policy says.
function assumptions() {
  const count = Object.keys(view.assuming).length;
  return h("details", { class: "assume", "data-key": "assume", open: count > 0 || undefined },
    h("summary", {}, count ? t("ask.assumingCount", { count }) : t("ask.assuming")),
    settingsForm(view.assuming, errorsBelow("/assuming", view.errors),
      count > 0 && button(t("ask.assumeNothing"), () => { view.assuming = {}; changed(); })));
}

/// The settings in `values` as fields, a choice that adds one, and buttons beside it.
export function settingsForm(values, errors, ...buttons) {
  const names = Object.keys(values);
  const params = names.map((name) => ({
    name, summary: rowOf(name)?.meaning, schema: rowOf(name)?.schema ?? {} }));
  const open = catalog().map(({ name }) => name).filter((name) => !names.includes(name));
  const add = (name) => { if (name) { values[name] = startOf(name); changed(); } };
  const remove = (name) => { delete values[name]; changed(); };
  return [
    names.length > 0 && new Form({ params }, values, { onchange: changed, errors, remove }).render(),
    h("div", { class: "inline" },
      choice(t("policy.setting"), [["", t("form.choose")], ...open], "", add, "assume-setting"), buttons),
  ];
}

/// The errors at paths below a path, by the rest of theirs.
export const errorsBelow = (path, errors) => Object.fromEntries(Object.entries(errors)
  .filter(([place]) => place.startsWith(`${path}/`)).map(([place, text]) => [place.slice(path.length), text]));

/// The value in force, or the first of its kind.
function startOf(name) {
  const inForce = state.policies.get(state.account)?.settings[name]?.value;
  if (inForce !== undefined && inForce !== null) return structuredClone(inForce);
  const { schema } = rowOf(name);
  if (schema.enum) return schema.enum[0];
  return { boolean: true, integer: schema.minimum ?? 0, array: [] }[schema.type] ?? "";
}

async function ask() {
  const params = { query: view.query, params: structuredClone(valuesOf(methodOf(view.query))) };
  const assuming = structuredClone(view.assuming);
  const isAssuming = Object.keys(assuming).length > 0;
  const number = view.asked + 1;
  const show = (found) => { if (view.asked === number) Object.assign(view, found); };
  Object.assign(view, { asked: number, errors: {}, changes: null });
  let answer = null;
  try {
    answer = await act("policy.explain", isAssuming ? { ...params, assuming } : params);
    show({ answer });
    changed();
    if (!isAssuming && view.asked === number) show({ changes: await act("policy.whatWouldChange", params) });
  } catch (error) {
    const errors = error.data?.path?.startsWith("/assuming") ? errorsOf(error) : errorsOf(error, "/params");
    show({ answer, errors });
    if (!Object.keys(errors).length) failed(error);
  }
  changed();
}

function verdict() {
  if (!view.answer) return h("div", { class: "card hollow", "data-key": "verdict" }, h("p", {}, t("ask.noAnswer")));
  const { verdict, because, refusal } = view.answer;
  const [first, ...steps] = because;
  const tone = verdictTone(view.query, verdict);
  return h("section", { class: `card verdict is-${tone}`, "data-key": "verdict", "aria-labelledby": "verdict-text" },
    h("div", { role: "status" },
      h("h2", { id: "verdict-text" },
        icon({ bad: "cross", warning: "warn" }[tone] ?? "check"), h("span", {}, first?.text ?? "")),
      remark(`${t("ask.answer")}: `, h("code", {}, answerText(verdict)))),
    refusal && h("p", { class: "refusal" }, h("strong", {}, refusal.title), h("br"), refusal.message),
    h("h3", {}, t("ask.because")),
    h("ol", { class: "steps" }, steps.map((step) => h("li", { class: `step-${step.step}` },
      h("span", { class: "kind" }, t(STEPS[step.step])), h("p", {}, step.text)))));
}

/// A launch in a word, because its rules are among the reasons; any other answer whole.
const answerText = (verdict) => (verdict?.rules ? verdict.verdict : JSON.stringify(verdict));

function verdictTone(query, verdict) {
  if (typeof verdict === "boolean") {
    return /Allowed|canReceive/.test(query) ? (verdict ? "good" : "bad") : "neutral";
  }
  if (verdict?.rules) return launchTone(verdict);
  if (verdict && typeof verdict === "object") {
    const word = verdict.action ?? verdict.clipboard ?? verdict.allowed ?? verdict.show;
    if (word === "block" || word === "blocked" || word === false) return "bad";
    if (word !== undefined) return "good";
  }
  return "neutral";
}

function changes() {
  if (!view.changes) return null;
  const list = view.changes.changes;
  return titledCard("changes", t("ask.changes"),
    remark(t(`ask.changes${["None", "One"][list.length] ?? "About"}`)),
    h("ul", { class: "rows" }, list.map((change) => h("li", { class: "row" },
      h("div", { class: "what" }, change.settings.map(({ setting, value, newValue, text }) => h("div", {},
        h("p", {}, text),
        remark(h("code", {}, breakable(setting)), " ", h("s", {}, valueText(value)), " → ",
          badge("good", valueText(newValue)))))),
      button(t("ask.assumeThis"), () => assume(change))))));
}

function assume(change) {
  view.assuming = Object.fromEntries(change.settings.map(({ setting, newValue }) => [setting, newValue]));
  ask();
}
