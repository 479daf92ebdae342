// Who is registered, enrolled or blocked, why, and when the next check-in is due.

import { endOf, run } from "./actions.js";
import { h } from "./dom.js";
import { moment } from "./format.js";
import { confirm } from "./notices.js";
import { badge, button, card, empty, facts, textField, titledCard, toneOf, viewTitle } from "./parts.js";
import { accounts, nameOf, state } from "./state.js";
import { t } from "./text.js";

const view = { other: "" };

const enroll = (account) => run("enrollmentManager.registerAndEnrollAccount", { account }, endOf);
const signIn = (account) => run("enrollmentManager.loginAndEnrollAccount", { account }, endOf);
const checkIn = (account) => run("tenant.checkIn", { account }, (ends) => endOf(ends[0]));

async function leave(account, withWipe) {
  const name = nameOf(account);
  const losses = withWipe
    ? [t("leave.data"), t("leave.keys"), t("leave.registration"), account.hasTestPolicy && t("leave.testPolicy")]
    : [t("leave.registration"), t("leave.policy")];
  const agreed = await confirm({
    title: t(withWipe ? "leave.wipeTitle" : "leave.title", { account: name }),
    text: t(withWipe ? "leave.wipeText" : "leave.text"), losses: losses.filter(Boolean),
    action: t(withWipe ? "leave.wipe" : "leave.deregister"),
  });
  if (agreed) await run("enrollmentManager.deRegisterAndUnenrollAccount", { account: name, withWipe }, endOf);
}

export function accountsView() {
  const { status } = state;
  return [
    viewTitle(t("nav.accounts"), status.displayName && `${status.displayName}. `, t(`source.${status.source}`)),
    status.error && h("p", { class: "banner is-bad", role: "alert" }, status.error),
    state.information.clockWarning && h("p", { class: "banner is-warning" }, state.information.clockWarning),
    state.information.isRestartPending && h("p", { class: "banner is-warning" }, t("accounts.restart")),
    accounts().length === 0 && empty(t("accounts.none")),
    accounts().map(registered),
    others(),
  ];
}

function registered(account) {
  const name = nameOf(account);
  return card({ "data-key": `account-${name}`, "aria-label": name },
    h("header", { class: "head" },
      h("h2", { class: "long" }, name),
      badge(toneOf(account.life), t(`life.${account.life}`)),
      account.verdict && badge(toneOf(account.verdict),
        t("accounts.launch", { verdict: t(`verdict.${account.verdict}`) })),
      account.hasTestPolicy && badge("warning", t("accounts.testPolicy"))),
    h("p", {}, reason(account)),
    account.unknownRestrictions.map(({ blocks, text }) =>
      h("p", { class: `banner is-${blocks ? "bad" : "warning"}` }, text)),
    facts([
      [t("accounts.lastResult"), account.lastStatus ? result(account.lastStatus) : t("never")],
      [t("accounts.checkedIn"), moment(account.checkedInAt)],
      [t("accounts.next"), moment(account.nextCheckInAt)],
      [t("accounts.enrolled"), moment(account.enrolledAt)],
    ]),
    account.policies.length > 0 && h("details", {},
      h("summary", {}, t("accounts.policies", {
        applied: account.policies.filter(({ applied }) => applied).length, all: account.policies.length })),
      h("ul", { class: "plain" }, account.policies.map((policy) => h("li", {},
        badge(policy.applied ? "good" : "neutral", policy.applied ? t("accounts.applies") : t("accounts.appliesNot")),
        ` ${policy.displayName ?? policy.id} `, !policy.applied && h("span", { class: "quiet" }, policy.text))))),
    h("div", { class: "actions" },
      button(t(account.isEnrolled ? "accounts.checkIn" : "accounts.tryAgain"), () => checkIn(name), { kind: "main" }),
      button(t("leave.deregister"), () => leave(account, false)),
      button(t("leave.wipe"), () => leave(account, true), { kind: "danger" })));
}

const result = ({ status, statusCode }) => [`${status} `, h("span", { class: "quiet" }, `(${statusCode})`)];

/// The explanation without the sentences that the facts below it repeat.
function reason({ explanation, lastStatus }) {
  if (lastStatus?.errorString) return lastStatus.errorString;
  const sentences = explanation.split(/(?<=\.) (?=[A-Z])/);
  const isRepeated = (sentence) => /^The (last check-in at|next check-in)/.test(sentence);
  return sentences.filter((sentence) => !isRepeated(sentence)).join(" ") || explanation;
}

function others() {
  const names = accounts().map(nameOf);
  const users = state.status.users.filter((user) => !names.includes(nameOf(user)));
  return titledCard("others", t("accounts.others"),
    users.length > 0 && h("table", {},
      h("thead", {}, h("tr", {}, ["user", "licensed", "groups", "action"].map((column) =>
        h("th", { scope: "col" }, t(`accounts.${column}`))))),
      h("tbody", {}, users.map(user))),
    state.status.next !== null && h("p", { class: "quiet" },
      t("accounts.more", { count: state.status.userCount - state.status.users.length })),
    h("form", { class: "inline", onsubmit: (event) => { event.preventDefault(); if (view.other) enroll(view.other); } },
      textField(t("accounts.another"), "other-account", { value: view.other, placeholder: "user@contoso.example",
        oninput: (event) => { view.other = event.target.value.trim(); } }),
      h("button", { type: "submit", class: "button" }, t("accounts.enroll")),
      button(t("accounts.signIn"), () => signIn(view.other || undefined))));
}

function user(user) {
  const name = nameOf(user);
  const cell = (column, ...content) => h("td", { "data-column": column }, h("span", {}, content));
  return h("tr", { "data-key": `user-${name}` },
    h("th", { scope: "row", class: "long" },
      user.displayName && h("span", { class: "person" }, user.displayName), name),
    cell(t("accounts.licensed"),
      !user.accountEnabled ? badge("bad", t("accounts.disabled"))
        : user.licensed ? badge("good", t("accounts.hasLicense")) : badge("neutral", t("accounts.noLicense"))),
    cell(t("accounts.groups"), user.groups.join(", ") || t("emptyList")),
    h("td", { "data-column": t("accounts.action") }, h("span", { class: "actions" },
      button(t("accounts.enroll"), () => enroll(name), { "aria-label": `${t("accounts.enroll")}: ${name}` }),
      button(t("accounts.signIn"), () => signIn(name), { "aria-label": `${t("accounts.signIn")}: ${name}` }))));
}
