// The settings in force for an account, with their meaning and the policy that each comes from.

import { copy, printCard, run, save } from "./actions.js";
import { compareView } from "./compare.js";
import { h } from "./dom.js";
import { exact, valueText } from "./format.js";
import { notify, openDialog } from "./notices.js";
import {
  badge, breakable, button, choice, empty, freshId, panel, remark, Search, searchField, tabs, titledCard, viewTitle,
} from "./parts.js";
import { act, choose, chosen, failed, now, people, setter, state } from "./state.js";
import { catalog, grouped, same } from "./settings.js";
import { hasText, t } from "./text.js";

const view = { tab: "settings", search: "" };

export function policyView() {
  const items = [["settings", t("policy.settings")], ["compare", t("policy.compare")]];
  return [
    viewTitle(t("nav.policy"), t("policy.about")),
    tabs(t("nav.policy"), items, view.tab, setter(view, "tab")),
    view.tab === "compare" ? panel("compare", compareView()) : panel("settings", settingsPanel()),
  ];
}

function settingsPanel() {
  const report = state.policies.get(state.account);
  const search = new Search(view.search);
  const matches = ({ name, meaning, setting }) =>
    search.matches(`${name} ${meaning} ${valueText(setting.value)} ${setting.sdkName ?? ""}`);
  const groups = report ? grouped(report.settings, matches) : [];
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    h("div", { class: "tools" },
      choice(t("account"), people(), state.account, choose, "policy-account"),
      searchField(t("policy.search"), view.search, setter(view, "search")),
      h("p", { class: "note", role: "status" }, search.isEmpty ? "" : t("found", { count })),
      canTest() && h("div", { class: "actions" },
        button(t("test.try"), () => editTestPolicy(report)),
        isTested() && button(t("test.clear"), () => run("debug.clearPolicy", { account: state.account },
          () => t("test.cleared"))))),
    !report && empty(t("policy.notRegistered")),
    report && !report.managed && empty(t("policy.unmanaged")),
    report?.managed && summary(report),
    groups.map(({ group, rows }) => titledCard(group, t(group),
      h("ul", { class: "rows" }, rows.map((row) => settingRow(row, report))))),
  ];
}

const canTest = () => state.information.settings?.DebugSettingsEnabled === true;
const isTested = () => chosen()?.hasTestPolicy === true;

/// What the policy means for the questions that apps ask most.
function summary({ properties, policies }) {
  const names = policies.map(({ displayName }) => displayName).join(", ");
  const rows = Object.entries(properties).map(([name, value]) => ({
    name: hasText(`property.${name}`) ? t(`property.${name}`) : name,
    text: typeof value === "boolean" ? t(value ? "yes" : "no") : value,
    tone: typeof value === "boolean" && /Allowed$/.test(name) ? (value ? "good" : "bad") : "neutral" }));
  const lines = rows.map(({ name, text }) => `${name}: ${text}`);
  const text = [`${state.account}, ${exact(now())} UTC`, names, "", ...lines, ""].join("\n");
  return titledCard("summary", t("policy.summary"),
    remark(h("span", { class: "onPaper" }, `${state.account}, ${exact(now())} UTC: `), names),
    h("ul", { class: "chips" }, rows.map(({ name, text, tone }) =>
      h("li", {}, h("span", {}, name), badge(tone, text)))),
    h("div", { class: "actions" },
      button(t("save"), () => save(`${state.account}.txt`, text)),
      button(t("copy"), () => copy(text), { symbol: "copy" }),
      button(t("print"), () => printCard("summary"))));
}

function settingRow({ name, meaning, setting }, report) {
  const policy = report.policies.find(({ id }) => id === setting.policyId);
  const sources = (state.sources.get(state.account) ?? []).find((source) => source.setting === name)?.sources ?? [];
  const overridden = sources.filter((source) => !source.wins && !same(source.value, setting.value));
  return h("li", { class: "row", "data-key": name },
    h("div", { class: "what" },
      h("code", {}, breakable(name)),
      meaning && remark(meaning)),
    h("div", { class: "value" }, shownValue(setting.value)),
    h("div", { class: "from" },
      policy?.displayName ?? setting.policyId ?? t("policy.merged"),
      overridden.length > 0 && h("details", {},
        h("summary", {}, t("policy.overridden", { count: overridden.length })),
        h("ul", { class: "plain" }, overridden.map((source) =>
          h("li", {}, h("s", {}, valueText(source.value)), ` ${source.displayName}`))))));
}

function shownValue(value) {
  if (typeof value === "boolean") return badge(value ? "warning" : "neutral", t(value ? "yes" : "no"));
  return h("span", { class: "long" }, valueText(value));
}

/// Lets the user edit the settings as JSON and tries them out. What was typed stays until the server accepts it.
function editTestPolicy(report) {
  const { account } = state;
  const settings = Object.fromEntries(catalog().filter(({ name }) => report?.settings[name])
    .map(({ name }) => [name, report.settings[name].value]));
  const problem = freshId("problem");
  const text = h("textarea", { rows: "16", spellcheck: "false", "aria-label": t("test.settings"),
    "aria-describedby": problem, value: JSON.stringify(settings, null, 2) });
  const error = h("p", { id: problem, class: "error", role: "alert" });
  const apply = async () => {
    error.textContent = "";
    try {
      await act("debug.setPolicy", { account, settings: JSON.parse(text.value) });
    } catch (refusal) {
      error.textContent = [refusal.message, refusal.data?.hint].filter(Boolean).join(" ");
      return;
    }
    close();
    notify(t("test.set"));
  };
  const close = openDialog("wide", t("test.title", { account }), [
    remark(t("test.about")), text, error,
    h("div", { class: "actions" },
      button(t("cancel"), () => close()), button(t("test.apply"), apply, { kind: "main" })),
  ]);
}
