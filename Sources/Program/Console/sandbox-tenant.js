// The tenant of a sandbox: users, policies, configurations, and who may enroll.

import { endOf, run } from "./actions.js";
import { errorsBelow, settingsForm } from "./ask.js";
import { h } from "./dom.js";
import { valueText } from "./format.js";
import { badge, breakable, button, empty, facts, remark, textField, titledCard } from "./parts.js";
import { edit, methodCard } from "./sandbox-form.js";
import { changed } from "./state.js";
import { t } from "./text.js";

const view = { key: "" };

const done = () => t("sandbox.changed");

/// A button whose name says what it is for.
const act = (label, name, onclick) => button(t(label), onclick, { "aria-label": `${t(label)}: ${name}` });

export function users(contents) {
  return [
    contents.users.length === 0 ? empty(t("sandbox.noUsers")) : titledCard("sandbox-users", t("sandbox.users"),
      h("table", {},
        h("thead", {}, h("tr", {}, ["user", "licensed", "groups", "action"].map((column) =>
          h("th", { scope: "col" }, t(`accounts.${column}`))))),
        h("tbody", {}, contents.users.map(userRow)))),
    methodCard("sandbox.setUser", { title: t("sandbox.setUser"), outcome: done }),
    methodCard("sandbox.wipe", {
      title: t("sandbox.wipe"), action: t("sandbox.wipe"), stays: true,
      choices: { account: contents.users.map(({ name }) => name) },
      outcome: ([end]) => (end ? endOf(end) : t("sandbox.wipeOrdered")) }),
    allowed(contents.allowedAccounts),
  ];
}

function userRow(user) {
  const { name, displayName, licensed, enabled } = user;
  const groups = user.groups.filter((group) => group !== name);
  const cell = (column, ...content) => h("td", { "data-column": t(`accounts.${column}`) }, h("span", {}, content));
  return h("tr", { "data-key": `user-${name}` },
    h("th", { scope: "row", class: "long" }, h("span", { class: "person" }, displayName), name),
    cell("licensed",
      !enabled ? badge("bad", t("accounts.disabled"))
        : licensed ? badge("good", t("accounts.hasLicense")) : badge("neutral", t("accounts.noLicense"))),
    cell("groups", groups.join(", ") || t("emptyList")),
    cell("action", h("span", { class: "actions" },
      act("sandbox.edit", name, () => edit("sandbox.setUser", { ...user, groups })),
      act("form.remove", name, () => run("sandbox.removeUser", { name }, done)))));
}

function allowed(accounts) {
  const set = (event) => {
    event.preventDefault();
    const names = new FormData(event.target).get("accounts").split(/[\s,]+/).filter(Boolean);
    run("sandbox.setAllowedAccounts", { accounts: names.length > 0 ? names : null }, done);
  };
  return titledCard("sandbox-allowed", t("sandbox.allowed"),
    h("form", { class: "inline", onsubmit: set },
      textField(t("sandbox.allowed"), "allowed-accounts", {
        name: "accounts", value: accounts?.join(", ") ?? "", placeholder: t("sandbox.everyAccount") }),
      h("button", { type: "submit", class: "button" }, t("test.apply"))));
}

export function policies(contents) {
  const { policies } = contents;
  const params = (policy) => ({ ...targets(policy), platform: only(policy.platforms) });
  return [
    policies.length === 0 ? empty(t("sandbox.noPolicies")) : titledCard("sandbox-policies", t("sandbox.policies"),
      h("ul", { class: "rows" }, policies.map((policy) => assigned(policy, {
        about: policy.platforms.join(", "), change: () => edit("sandbox.setPolicy", params(policy)) })))),
    methodCard("sandbox.setPolicy", {
      title: t("sandbox.setPolicy"), choices: { audience: audiences(contents) }, others: ["settings"], outcome: done,
      more: ({ values, errors }) => [
        settingsForm(values.settings ??= {}, errorsBelow("/settings", errors)), problem(errors)] }),
  ];
}

export function configurations(contents) {
  const { configurations } = contents;
  return [
    configurations.length === 0 ? empty(t("sandbox.noConfigurations"))
      : titledCard("sandbox-configurations", t("sandbox.configurations"),
        h("ul", { class: "rows" }, configurations.map((configuration) => assigned(configuration, {
          change: () => edit("sandbox.setConfiguration", targets(configuration)) })))),
    methodCard("sandbox.setConfiguration", {
      title: t("sandbox.setConfiguration"), choices: { audience: audiences(contents) }, others: ["settings"],
      outcome: done, more: ({ values, errors }) => [pairs(values.settings ??= {}), problem(errors)] }),
  ];
}

/// Everybody, the groups of users, and users.
const audiences = ({ users }) =>
  [...new Set(["*", ...users.flatMap(({ groups }) => groups), ...users.map(({ name }) => name)])];

const only = (list) => (list.length === 1 ? list[0] : null);

/// What the methods take. They take one audience.
const targets = ({ name, audience, apps, settings }) => ({ name, audience: only(audience), apps, settings });

/// A policy or a configuration.
function assigned({ name, audience, apps, settings }, { about = "", change }) {
  const remove = () => run("sandbox.removePolicy", { name }, done);
  const words = [audience.join(", ") || t("sandbox.nobody"), about, apps ? apps.join(", ") : t("sandbox.everyApp")];
  return h("li", { class: "row", "data-key": `assigned-${name}` },
    h("div", { class: "what" },
      h("strong", {}, breakable(name)), remark(words.filter(Boolean).join(" · ")),
      h("details", {},
        h("summary", {}, t("sandbox.count", { count: Object.keys(settings).length })),
        facts(Object.entries(settings).map(([setting, value]) => [breakable(setting), valueText(value)])))),
    h("div", { class: "actions" }, act("sandbox.edit", name, change), act("form.remove", name, remove)));
}

/// What is wrong with the settings as a whole.
const problem = (errors) => errors["/settings"] && h("p", { class: "error", role: "alert" }, errors["/settings"]);

/// The keys and values of a configuration.
function pairs(settings) {
  const add = () => {
    if (view.key) settings[view.key] ??= "";
    view.key = "";
    changed();
  };
  return [
    Object.entries(settings).map(([key, value], index) => h("div", { class: "element", "data-key": `pair-${key}` },
      textField(key, `pair-${index}`, { value, oninput: ({ target }) => { settings[key] = target.value; } }),
      act("form.remove", key, () => { delete settings[key]; changed(); }))),
    h("div", { class: "inline" },
      textField(t("sandbox.key"), "pair-key", {
        value: view.key, oninput: ({ target }) => { view.key = target.value.trim(); } }),
      act("form.add", t("sandbox.key"), add)),
  ];
}
