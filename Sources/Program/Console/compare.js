// Two policies side by side: of two accounts, or of one account now and a moment ago.

import { h } from "./dom.js";
import { exact, valueText } from "./format.js";
import { breakable, choice, empty, toggle } from "./parts.js";
import { setter, state } from "./state.js";
import { catalog, same } from "./settings.js";
import { t } from "./text.js";

const view = { left: null, right: null, onlyDifferences: true };

/// What can be compared: the accounts now, then what their policies were.
function choices() {
  const present = [...state.policies].map(([account, report]) => ({
    id: `now ${account}`, text: t("compare.now", { account }), account, report }));
  const current = new Set([...state.policies.values()].map((report) => JSON.stringify(report)));
  const past = state.history.filter(({ report }) => !current.has(JSON.stringify(report))).toReversed()
    .map(({ time, account, report }, index) => ({
      id: `then ${time} ${account} ${index}`, text: `${account}, ${exact(time)}`, account, report }));
  return [...present, ...past];
}

export function compareView() {
  const all = choices();
  if (all.length < 2) return empty(t("compare.needsTwo"));
  const find = (id) => all.find((choice) => choice.id === id);
  const left = find(view.left) ?? all.find(({ account }) => account === state.account) ?? all[0];
  const right = find(view.right) ?? all.find((choice) => choice !== left && choice.account === left.account)
    ?? all.find((choice) => choice !== left);
  const options = all.map(({ id, text }) => [id, text]);
  const rows = namesOf(left.report, right.report).filter((name) => !view.onlyDifferences || differs(name, left, right));
  return [
    h("div", { class: "tools" },
      choice(t("compare.left"), options, left.id, setter(view, "left"), "compare-left"),
      choice(t("compare.right"), options, right.id, setter(view, "right"), "compare-right"),
      toggle(t("compare.onlyDifferences"), view.onlyDifferences, setter(view, "onlyDifferences"))),
    rows.length === 0 ? empty(t("compare.equal")) : h("div", { class: "card" }, h("table", { class: "compare" },
      h("thead", {}, h("tr", {},
        [t("policy.setting"), left.text, right.text].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows.map((name) => h("tr", { class: differs(name, left, right) ? "differs" : null },
        h("th", { scope: "row" }, h("code", {}, breakable(name))),
        cell(left, name), cell(right, name)))))),
  ];
}

const differs = (name, left, right) => !same(left.report.settings[name]?.value, right.report.settings[name]?.value);

const cell = ({ text, report }, name) => h("td", { "data-column": text },
  h("span", { class: name in report.settings ? null : "quiet" },
    name in report.settings ? valueText(report.settings[name].value) : t("notSet")));

const namesOf = (left, right) => catalog().map(({ name }) => name)
  .filter((name) => name in left.settings || name in right.settings);
