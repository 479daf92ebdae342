// What the page knows about the server, and the calls that the user makes.

import { notify } from "./notices.js";
import { Recorder } from "./record.js";
import { withoutSecrets } from "./session.js";

const NO_SUCH_NUMBER = Number.MAX_SAFE_INTEGER - 1;
const LONGEST_HISTORY = 20;
const watchers = new Set();

export const state = {
  server: null, schema: null, online: true, refused: false,
  /// What the command says: whether it works on a copy of a state, and whether that state was new. In a sandbox, `seed` is
  /// what it began with.
  session: { isCopy: false, isNew: false },
  /// The answers of tenant.status, diagnosticConsole.getDiagnosticInformation and device.get.
  status: null, information: null, device: null, due: [],
  /// The answers of policyManager.policy and policyManager.settingSources, by account.
  policies: new Map(), sources: new Map(),
  /// Policies as they were, the oldest first: [{time, account, report}].
  history: [],
  account: null,
  recorder: new Recorder(),
  /// The number of the newest event.
  newest: 0,
};

export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function changed() {
  for (const watcher of watchers) watcher();
}

/// A handler that puts what the user entered into a member of a view's state.
export const setter = (view, name) => (value) => {
  view[name] = value;
  changed();
};

export const now = () => Date.parse(state.information?.time ?? new Date().toISOString());
export const accounts = () => state.status?.accounts ?? [];
export const nameOf = (account) => account?.identity ?? account?.accountId ?? "";
export const chosen = () => accounts().find((account) => nameOf(account) === state.account) ?? null;
export const methodOf = (name) => state.schema?.methods.find((method) => method.name === name) ?? null;
export const isManual = () => state.information?.clock === "manual";

/// The accounts of the policy source that are registered, then the others.
export function people() {
  const registered = accounts().map(nameOf);
  const users = (state.status?.users ?? []).map(nameOf).filter((name) => !registered.includes(name));
  return [...registered, ...users];
}

export function choose(account) {
  state.account = account;
  changed();
}

/// Whether PINs and tokens may be invented, because the policy source accepts all and nothing lasts.
export const takesInventions = () => state.session.isCopy && state.status.source !== "program";

/// Reads the schema and everything that the page shows.
export async function start(server) {
  const [session, lines, [schema, events]] = await Promise.all([
    server.session(), server.record(),
    server.batch([["rpc.discover"], ["events.list", { after: NO_SUCH_NUMBER, limit: 1 }]])]);
  if (schema instanceof Error) throw schema;
  Object.assign(state, { server, session, schema, newest: events.next ?? 0 });
  await refresh();
  const isNew = session.isNew && (!!session.seed || accounts().length === 0 && state.newest === 0);
  state.recorder.begin({ time: state.information.time, isNew }, lines, keep);
  changed();
}

/// Hands a line of the record to the server, without PINs and tokens that may be real.
async function keep({ entry, ...line }, isFirst) {
  if (entry) line.entry = { ...entry, params: withoutSecrets(entry) };
  await state.server.keep(line, isFirst).catch(failed);
}

let refreshing = null;
let isReadAgain = false;

/// Reads the state of the server. Calls during a reading lead to one more. What cannot be read stays as it was, and the
/// first error is thrown in the end.
export function refresh() {
  if (refreshing) {
    isReadAgain = true;
    return refreshing;
  }
  refreshing = (async () => {
    do {
      isReadAgain = false;
      await read();
    } while (isReadAgain);
  })().finally(() => { refreshing = null; });
  return refreshing;
}

async function read() {
  const [status, information, device, timeline] = await state.server.batch([
    ["tenant.status"], ["diagnosticConsole.getDiagnosticInformation"], ["device.get"], ["tenant.timeline"],
  ]);
  const due = timeline instanceof Error ? timeline : timeline.entries;
  const answers = { status, information, device, due };
  Object.assign(state, withoutErrors(answers));
  const error = Object.values(answers).find((answer) => answer instanceof Error);
  if (error) throw error;
  if (!people().includes(state.account)) state.account = people()[0] ?? null;
  await readPolicies(accounts().map(nameOf));
  changed();
}

async function readPolicies(names) {
  const calls = ["policyManager.policy", "policyManager.settingSources"]
    .flatMap((method) => names.map((account) => [method, { account }]));
  const answers = calls.length ? await state.server.batch(calls) : [];
  const wasEmpty = state.policies.size === 0;
  const policies = new Map();
  for (const [index, name] of names.entries()) {
    const report = answers[index];
    if (report instanceof Error) continue;
    policies.set(name, report);
    const sources = answers[names.length + index];
    if (!(sources instanceof Error)) state.sources.set(name, sources.settings);
    const before = state.policies.get(name);
    if (!wasEmpty && before && JSON.stringify(before) === JSON.stringify(report)) continue;
    state.history.push({ time: state.information.time, account: name, report });
  }
  state.history = state.history.slice(-LONGEST_HISTORY);
  state.policies = policies;
}

const withoutErrors = (answers) => Object.fromEntries(
  Object.entries(answers).filter(([, answer]) => !(answer instanceof Error)));

let last = Promise.resolve();

/// Makes a call of the user, after the former ones: it is recorded with the events that it causes, and everything is
/// read again. Throws the call's error after that.
export function act(method, params = {}) {
  const entry = state.recorder.add({ id: state.server.newId(), method, params, time: state.information.time });
  changed();
  const answer = last.then(() => perform(entry));
  last = answer.catch(() => {});
  return answer;
}

async function perform(entry) {
  const { recorder, server } = state;
  const before = state.newest;
  recorder.start(entry, state.information.time);
  let failure = null;
  try {
    entry.result = await server.call(entry.method, entry.params, entry.id);
  } catch (error) {
    failure = error;
    entry.error = { code: error.code ?? 0, message: error.message, data: error.data ?? {} };
  }
  recorder.finish(entry);
  changed();
  await recorder.keep(entry);
  await Promise.all([refresh(), readEvents(entry, before)]).catch(failed);
  if (entry.events.length) await recorder.keep(entry);
  if (failure) throw failure;
  return entry.result;
}

async function readEvents(entry, before) {
  const [list] = await state.server.batch([["events.list", { after: before, limit: 1000 }]]);
  if (list instanceof Error) return;
  entry.gap = list.gap;
  entry.events = list.events.filter(({ params }) => params.cause?.id === entry.id);
  state.newest = Math.max(state.newest, list.next);
  changed();
}

/// Says why a call failed, or notes that the server does not accept the token. Errors of the page itself are thrown
/// again. As long as the server cannot be reached, the page says so anyway.
export function failed(error) {
  if (error.status === undefined && error.code === undefined) throw error;
  if (error.status === 401) state.refused = true;
  else if (state.online) notify(error.message, "bad", error.data?.hint);
  changed();
}

/// Notes whether the server can be reached.
export function reached(isReached) {
  if (state.online === isReached) return;
  state.online = isReached;
  changed();
}
