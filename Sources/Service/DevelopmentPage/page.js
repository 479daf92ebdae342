// The page of a development tenant. Each click is a request, which the page shows and copies as curl.

import { h, perFrame, render } from "./dom.js";

// Storage belongs to the origin with its port. A cookie would go to each port of this machine.
const PLACE = "mambridge-development-secret";
const MOST = 50;
const FLOW = { mfaRequired: "needs a second factor", consentRequired: "has not consented", expired: "takes too long",
  disabled: "is disabled" };
const TYPES = ["iosManagedAppProtections", "androidManagedAppProtections", "windowsManagedAppProtections",
  "targetedManagedAppConfigurations", "defaultManagedAppProtections"];
const ABOVE = "/beta/deviceAppManagement";

const given = location.hash.slice(1);
if (given) {
  localStorage.setItem(PLACE, given);
  history.replaceState(null, "", location.pathname);
}
const state = { secret: localStorage.getItem(PLACE), users: [], groups: [], policies: [], registrations: [], signIns: [],
  faults: [], kinds: {}, snapshots: [], requests: [], asked: [], open: null };
const find = (id) => document.getElementById(id);

// MARK: requests

class Refused extends Error {}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const secretCommand = `"$(mambridge-tenant dev-token --secret --service ${location.origin})"`;

function curl(method, path, body, as) {
  const words = ["curl", "--cacert", '"$SSL_CERT_FILE"', "-X", method, quoted(location.origin + path)];
  if (as === "form") {
    for (const [name, value] of Object.entries(body)) words.push("--data-urlencode", quoted(`${name}=${value}`));
    words.push("--data-urlencode", `secret=${secretCommand}`);
    return words.join(" ");
  }
  const token = as === "dev" ? "--secret" : "erin";
  words.push("-H", `"Authorization: Bearer $(mambridge-tenant dev-token ${token} --service ${location.origin})"`);
  if (body !== undefined) words.push("-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body)));
  return words.join(" ");
}

let token = null;

async function graphToken() {
  if (token) return token;
  const form = new URLSearchParams({ grant_type: "client_credentials", client_secret: state.secret,
    client_id: "de5c11e7-0000-4000-8000-000000000001", scope: `${location.origin}/.default` });
  const response = await fetch("/common/oauth2/v2.0/token",
    { method: "POST", body: form, headers: { "Mambridge-Page": state.secret } });
  const answer = await response.json();
  if (!response.ok) {
    if (response.status === 401) forget();
    throw new Refused(answer.error_description);
  }
  return (token = answer.access_token);
}

/// The secret is that of an earlier run.
function forget() {
  localStorage.removeItem(PLACE);
  state.secret = null;
  draw();
}

/// `as` says with what: a token of Graph, the secret of the run for /dev, or a form with the secret. A read that the
/// page repeats by itself is `quiet`.
async function send(method, path, body, as = "graph", quiet = false) {
  const entry = { method, path, curl: curl(method, path, body, as), status: "…", why: "" };
  if (!quiet) {
    state.asked = [entry, ...state.asked].slice(0, MOST);
    draw();
  }
  try {
    return await answered(entry, body, as);
  } finally {
    draw();
  }
}

/// `tries` are left for an answer that a later one may replace: a new token, or a folder that others change.
async function answered(entry, body, as, tries = 3) {
  const headers = { "Mambridge-Page": state.secret };
  let sent;
  if (as === "form") sent = new URLSearchParams({ ...body, secret: state.secret });
  else {
    headers.Authorization = `Bearer ${as === "dev" ? state.secret : await graphToken()}`;
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      sent = JSON.stringify(body);
    }
  }
  const response = await fetch(entry.path, { method: entry.method, headers, body: sent, cache: "no-store" });
  entry.status = response.status;
  const text = await response.text();
  if (response.status === 401 && as === "graph" && tries > 0) {
    token = null;
    return answered(entry, body, as, 0);
  }
  const pause = Number(response.headers.get("Retry-After"));
  if (response.status === 503 && pause > 0 && tries > 0) {
    await new Promise((resume) => setTimeout(resume, pause * 1000));
    return answered(entry, body, as, tries - 1);
  }
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  if (response.ok) return answer;
  if (response.status === 401 && as === "dev") forget();
  const shown = new DOMParser().parseFromString(text, "text/html").querySelector("[role=alert]")?.textContent;
  entry.why = answer?.error?.message ?? shown ?? `status ${response.status}`;
  throw new Refused(`${entry.method} ${entry.path}: ${entry.why}`);
}

async function list(path) {
  const all = [];
  const seen = new Set();
  for (let next = path; next && !seen.has(next); ) {
    seen.add(next);
    const page = await send("GET", next, undefined, "graph", true);
    all.push(...page.value);
    const link = page["@odata.nextLink"];
    next = link ? new URL(link).pathname + new URL(link).search : null;
  }
  return all;
}

function fail(error) {
  find("failure").textContent = error.message;
  find("failure").hidden = false;
}

/// What a click does: requests, and then everything is read again.
const act = (work) => async (event) => {
  event?.preventDefault?.();
  find("failure").hidden = true;
  try {
    await work(event);
  } catch (error) {
    fail(error);
  }
  await read();
};

// MARK: reading

let reading = null;
let isOld = false;

/// Reads everything, once more if it was asked for meanwhile: an answer that comes late must not replace a newer one.
function read() {
  isOld = true;
  reading ??= (async () => {
    while (isOld) {
      isOld = false;
      await readOnce();
    }
    reading = null;
  })();
  return reading;
}

async function readOnce() {
  if (!state.secret) return;
  try {
    const dev = async (path) => send("GET", `/dev/${path}`, undefined, "dev", true);
    const [faults, snapshots, signIns] = await Promise.all(["faults", "snapshots", "sign-ins"].map(dev));
    Object.assign(state, { faults: faults.faults, kinds: faults.kinds, snapshots: snapshots.snapshots,
      signIns: signIns.signIns });
    const [tenant, users, groups, policies, registrations] = await Promise.all(["/v1.0/organization", "/v1.0/users",
      "/v1.0/groups", `${ABOVE}/managedAppPolicies`,
      `${ABOVE}/managedAppRegistrations?$expand=operations&includeEnded=true`].map(list));
    await Promise.all([
      ...users.slice(0, MOST).map(async (user) => { user.groups = await list(`/v1.0/users/${user.id}/memberOf`); }),
      ...policies.slice(0, MOST).map(async (policy) => {
        policy.assignments = collection(policy) && await list(`${place(policy)}/assignments`);
      }),
    ].map((work) => work.catch(() => null)));
    users.sort((one, other) => one.displayName.localeCompare(other.displayName));
    Object.assign(state, { users, groups, policies, registrations });
    find("tenant").textContent = tenant[0]?.displayName ?? "";
  } catch (error) {
    if (state.secret) fail(error);
  }
  draw();
}

const readSoon = perFrame(read);

/// Follows the last requests for as long as the page is open.
async function follow() {
  let last = 0;
  while (state.secret) {
    try {
      const found = await send("GET", `/dev/requests?since=${last}&wait=20`, undefined, "dev", true);
      if (found.last < last) state.requests = [];
      last = found.last;
      state.requests = [...found.requests.reverse(), ...state.requests].slice(0, MOST);
      if (found.requests.some(({ method }) => method !== "GET")) readSoon();
      draw();
    } catch {
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

// MARK: parts

const button = (label, work, attributes = {}) => h("button", { type: "button", onclick: act(work), ...attributes }, label);
const card = (title, ...content) => h("section", { class: "card", "data-key": title, "aria-label": title },
  h("h2", {}, title), ...content);
const table = (heads, rows, nothing) => rows.length === 0 ? h("p", { class: "quiet" }, nothing)
  : h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", {}, head)))),
    h("tbody", {}, ...rows)));
const field = (label, name, attributes = {}) => h("label", {}, label, h("input", { name, ...attributes }));
const choice = (label, name, options) => h("label", {}, label,
  h("select", { name }, ...options.map(([value, text]) => h("option", { value }, text))));
/// Runs with the values of the form's fields, and empties it if that succeeds.
const form = (key, work, ...content) => h("form", { "data-key": key, onsubmit: act(async (event) => {
  const form = event.currentTarget ?? event.target;
  await work(Object.fromEntries(new FormData(form)));
  form.reset();
}) }, ...content);

// MARK: the tenant

function users() {
  const rows = state.users.map((user) => h("tr", { "data-key": user.id },
    h("td", {}, user.displayName, h("br"), h("span", { class: "quiet" }, user.userPrincipalName)),
    h("td", {},
      ...(user.groups ?? []).map((group) => h("span", { class: "chip" }, group.displayName, button("×", () =>
        send("DELETE", `/v1.0/groups/${encodeURIComponent(group.id)}/members/${user.id}/$ref`),
      { "aria-label": `Take ${user.displayName} out of ${group.displayName}` }))),
      form(`join ${user.id}`, ({ group }) => send("POST", `/v1.0/groups/${encodeURIComponent(group.toLowerCase())}/members/$ref`,
        { "@odata.id": `${location.origin}/v1.0/directoryObjects/${user.id}` }),
      h("input", { name: "group", required: true, "aria-label": `Group for ${user.displayName}`, list: "groups" }),
      h("button", {}, "Add to group"))),
    h("td", { class: "short" },
      button(user.accountEnabled ? "Disable" : "Enable", () =>
        send("PATCH", `/v1.0/users/${user.id}`, { accountEnabled: !user.accountEnabled }),
      { "aria-label": `${user.accountEnabled ? "Disable" : "Enable"} ${user.displayName}` }), " ",
      button("Delete", () => send("DELETE", `/v1.0/users/${user.id}`),
        { class: "bad", "aria-label": `Delete ${user.displayName}` }))));
  return card("Users and groups",
    table(["User", "Groups", ""], rows, "There is no user."),
    h("datalist", { id: "groups" }, ...state.groups.map(({ displayName }) => h("option", { value: displayName }))),
    form("new user", async ({ displayName, userPrincipalName }) => {
      const user = await send("POST", "/v1.0/users", { displayName, userPrincipalName, accountEnabled: true });
      await send("POST", `/v1.0/users/${user.id}/assignLicense`,
        { addLicenses: [{ skuId: "c1ec4a95-1f05-45b3-a911-aa3fa01094f5", disabledPlans: [] }], removeLicenses: [] });
    }, field("Name", "displayName", { required: true }),
    field("User principal name", "userPrincipalName", { required: true, placeholder: "dave@contoso.example" }),
    h("button", {}, "Add user")));
}

/// The collection of a policy, by its type.
const collection = (policy) => {
  const type = policy["@odata.type"]?.replace("#microsoft.graph.", "");
  return TYPES.find((name) => name === `${type}s`);
};
const place = (policy) => `${ABOVE}/${collection(policy)}/${encodeURIComponent(policy.id)}`;

function target(group) {
  if (group === "*") return { "@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget" };
  return { "@odata.type": "#microsoft.graph.groupAssignmentTarget", groupId: group };
}

function policies() {
  const rows = state.policies.map((policy) => h("tr", { "data-key": policy.id },
    h("td", {}, policy.displayName, h("br"), h("span", { class: "quiet" }, collection(policy) ?? policy["@odata.type"])),
    h("td", {}, policy.assignments?.map(({ target }) => target.groupId ?? "all users").join(", ") || "nobody",
      form(`assign ${policy.id}`, ({ groups }) => {
        const names = groups.split(",").map((name) => name.trim().toLowerCase()).filter(Boolean);
        return send("POST", `${place(policy)}/assign`, { assignments: names.map((name) => ({ target: target(name) })) });
      }, h("input", { name: "groups", "aria-label": `Groups for ${policy.displayName}`,
        placeholder: "sales, finance; * for all; none" }), h("button", {}, "Assign"))),
    h("td", { class: "short" },
      button(state.open?.id === policy.id ? "Close" : "Edit", async () => {
        state.open = state.open?.id === policy.id ? null : await send("GET", place(policy));
      }, { "aria-label": `${state.open?.id === policy.id ? "Close" : "Edit"} ${policy.displayName}` }), " ",
      button("Delete", () => send("DELETE", place(policy)), { class: "bad", "aria-label": `Delete ${policy.displayName}` }))));
  return card("Policies and assignments",
    table(["Policy", "For", ""], rows, "There is no policy."), state.open && editor(state.open),
    form("new policy", ({ displayName, type }) => send("POST", `${ABOVE}/${type}`, { displayName }),
      field("Name", "displayName", { required: true }), choice("Type", "type", TYPES.map((name) => [name, name])),
      h("button", {}, "Add policy")));
}

/// All settings as JSON; what differs is sent.
function editor(policy) {
  const before = Object.fromEntries(Object.entries(policy).filter(([name]) => !/^@|^id$|^version$|DateTime$/.test(name)));
  return form(`edit ${policy.id}`, async ({ settings }) => {
    const after = JSON.parse(settings);
    const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value));
    if (changed.length > 0) await send("PATCH", place({ ...policy, "@odata.type": typeOf(policy) }), Object.fromEntries(changed));
    state.open = null;
  }, h("label", { class: "scroll" }, `Settings of ${policy.displayName}, as Graph names them`,
    h("textarea", { name: "settings", spellcheck: "false", rows: 16, cols: 80 }, JSON.stringify(before, null, 2))),
  h("button", {}, "Save settings"));
}

const typeOf = (policy) => state.policies.find(({ id }) => id === policy.id)?.["@odata.type"];

const nameOf = (id) => state.users.find((user) => user.id === id)?.userPrincipalName ?? id;

function registrations() {
  const rows = state.registrations.map((one) => {
    const app = one.appIdentifier?.bundleId ?? one.appIdentifier?.packageId ?? one.appIdentifier?.windowsAppId ?? "";
    const wipes = (one.operations ?? []).map(({ displayName, state }) => `${displayName}: ${state}`).join(", ");
    return h("tr", { "data-key": one.id },
      h("td", {}, nameOf(one.userId)), h("td", {}, app), h("td", {}, one.deviceName, h("br"),
        h("span", { class: "quiet" }, one.deviceTag)),
      h("td", { class: "short" }, one.lastSyncDateTime), h("td", {}, wipes),
      h("td", { class: "short" }, button("Wipe", async () => {
        if (!confirm(`Wipe the data of ${nameOf(one.userId)} on ${one.deviceName || one.deviceTag}?`)) return;
        await send("POST", `/v1.0/users/${one.userId}/wipeManagedAppRegistrationsByDeviceTag`, { deviceTag: one.deviceTag });
      }, { class: "bad", "aria-label": `Wipe ${nameOf(one.userId)} on ${one.deviceTag}` })));
  });
  return card("Registrations", table(["User", "App", "Device", "Last check-in", "Operations", ""], rows,
    "No app has enrolled yet."));
}

// MARK: control

function signIns() {
  const rows = state.signIns.map(({ userCode, scope }) => h("tr", { "data-key": userCode },
    h("td", { class: "short" }, h("code", {}, userCode)), h("td", { class: "quiet" }, scope),
    h("td", {}, form(`sign in ${userCode}`, ({ user, outcome }) =>
      send("POST", "/devicelogin", { otc: userCode, user, outcome }, "form"),
    choice("User", "user", state.users.map((user) => [user.userPrincipalName, user.displayName])),
    choice("who", "outcome", [["", "signs in"], ...Object.entries(FLOW)]),
    h("button", { "aria-label": `Sign in ${userCode}` }, "Go"),
    button("Decline", () => send("POST", "/devicelogin", { otc: userCode, decline: "1" }, "form"),
      { "aria-label": `Decline ${userCode}` })))));
  return card("Sign-ins waiting", table(["Code", "Scope", ""], rows, "No program waits for a sign-in by code."),
    h("p", {}, h("a", { href: "/devicelogin" }, "Sign in with a code")));
}

function faults() {
  return card("Faults", h("p", { class: "quiet" }, "A fault hits answers to apps, never those to this page."),
    ...Object.entries(state.kinds).map(([place, kinds]) => {
      const planted = state.faults.find(({ at }) => at === place);
      return h("div", { class: "line", "data-key": place, role: "group", "aria-label": `Fault of ${place}` },
        h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", checked: planted !== undefined,
          onchange: act(({ target }) => toggle(place, target)) }), place),
        choice("Kind", "kind", kinds.map((kind) => [kind, kind])),
        field("Times", "times", { type: "number", min: 1, max: 1000, placeholder: "all" }),
        field("Delay", "delay", { placeholder: "PT1.5S" }),
        planted && h("span", { class: "fault" }, [planted.kind, planted.times && `${planted.times} more`, planted.delay]
          .filter(Boolean).join(", ")));
    }));
}

function toggle(place, target) {
  const line = target.closest(".line");
  const value = (name) => line.querySelector(`[name=${name}]`).value;
  if (!target.checked) return send("PUT", "/dev/faults", { faults: state.faults.filter(({ at }) => at !== place) }, "dev");
  const fault = { at: place, kind: value("kind") };
  if (value("times")) fault.times = Number(value("times"));
  if (value("delay")) fault.delay = value("delay");
  return send("POST", "/dev/faults", fault, "dev");
}

function snapshots() {
  const rows = state.snapshots.map((name) => h("tr", { "data-key": name }, h("td", {}, name), h("td", { class: "short" },
    button("Restore", () => send("POST", `/dev/snapshots/${name}`, undefined, "dev"), { "aria-label": `Restore ${name}` }), " ",
    button("Delete", () => send("DELETE", `/dev/snapshots/${name}`, undefined, "dev"),
      { class: "bad", "aria-label": `Delete the snapshot ${name}` }))));
  return card("Snapshots", table(["Name", ""], rows, "Nothing was saved yet."),
    form("snapshot", ({ name }) => send("PUT", `/dev/snapshots/${name}`, undefined, "dev"),
      field("Name", "name", { required: true, pattern: "[A-Za-z0-9_\\-]+", maxlength: 100 }), h("button", {}, "Save"),
      button("Reset", () => send("POST", "/dev/reset", undefined, "dev"), { class: "bad" })));
}

// MARK: what happened

function requests() {
  const rows = state.requests.map((one) => h("tr", { "data-key": `${one.number}` },
    h("td", { class: "short" }, one.time.slice(11, 19)), h("td", {}, one.who ?? "–"),
    h("td", {}, h("code", {}, `${one.method} ${one.path}`)),
    h("td", { class: one.status >= 400 || one.status === 0 ? "short failed" : "short" }, one.status || "no answer"),
    h("td", {}, one.why, one.fault && h("div", { class: "fault" }, one.fault))));
  return card("Last requests", table(["Time", "Who", "What", "Status", "Why"], rows, "Nobody has asked anything yet."));
}

function asked() {
  const rows = state.asked.map((entry) => h("tr", {},
    h("td", {}, h("code", {}, entry.curl)),
    h("td", { class: entry.status >= 400 ? "short failed" : "short" }, entry.status),
    h("td", { class: "short" }, button("Copy", () => navigator.clipboard.writeText(entry.curl),
      { "aria-label": `Copy ${entry.method} ${entry.path}` }))));
  return card("What this page asked", table(["As curl", "Status", ""], rows, "Each click is a request, which comes here."));
}

function unknown() {
  return card("Secret", h("p", {}, "Open the Browser link that mambridge-tenant dev has printed: it has the secret of the run."),
    h("p", {}, h("a", { href: "/devicelogin" }, "Sign in with a code")));
}

const draw = perFrame(() => render(find("main"), ...(state.secret
  ? [h("p", { class: "quiet", "data-key": "known" }, "This browser now has the secret of the run."), users(), policies(),
    registrations(), signIns(), faults(), snapshots(), requests(), asked()] : [unknown()])));

draw();
read();
follow();
