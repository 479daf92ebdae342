// What the page knows about the server, and the calls that the user makes.

import { Recorder } from "./record.js";

const NO_SUCH_NUMBER = Number.MAX_SAFE_INTEGER - 1;
const LONGEST_HISTORY = 20;
const watchers = new Set();

export const state = {
  server: null, schema: null, online: true, refused: false,
  /// The answers of tenant.status, diagnosticConsole.getDiagnosticInformation and device.get.
  status: null, information: null, device: null, due: [],
  /// The answers of policyManager.policy and policyManager.settingSources, by account.
  policies: new Map(), sources: new Map(),
  /// Policies as they were, the oldest first: [{time, account, report}].
  history: [],
  account: null, isManual: false,
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

export const now = () => Date.parse(state.information?.time ?? new Date().toISOString());
export const accounts = () => state.status?.accounts ?? [];
export const nameOf = (account) => account?.identity ?? account?.accountId ?? "";
export const chosen = () => accounts().find((account) => nameOf(account) === state.account) ?? null;
export const methodOf = (name) => state.schema?.methods.find((method) => method.name === name) ?? null;

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

/// Reads the schema and everything that the page shows.
export async function start(server) {
  state.server = server;
  const [schema, first, events] = await server.batch([
    ["rpc.discover"], ["diagnosticConsole.getDiagnosticInformation"],
    ["events.list", { after: NO_SUCH_NUMBER, limit: 1 }],
  ]);
  if (schema instanceof Error) throw schema;
  state.schema = schema;
  state.newest = events.next ?? 0;
  await refresh();
  // The system clock moves between two reads; a manual clock stands still.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const [again] = await server.batch([["diagnosticConsole.getDiagnosticInformation"]]);
  state.isManual = again.time === first.time;
  state.recorder.begin({ time: first.time, isNew: accounts().length === 0 && state.newest === 0 });
  changed();
}

let refreshing = null;
let again = false;

/// Reads the state of the server. Calls during a reading lead to one more.
export function refresh() {
  if (refreshing) {
    again = true;
    return refreshing;
  }
  refreshing = (async () => {
    do {
      again = false;
      await read();
    } while (again);
  })().finally(() => { refreshing = null; });
  return refreshing;
}

async function read() {
  const [status, information, device, timeline] = await state.server.batch([
    ["tenant.status"], ["diagnosticConsole.getDiagnosticInformation"], ["device.get"], ["tenant.timeline"],
  ]);
  Object.assign(state, kept({ status, information, device, due: timeline.entries ?? [] }));
  if (!people().includes(state.account)) state.account = people()[0] ?? null;
  await readPolicies(accounts().map(nameOf));
  changed();
}

async function readPolicies(names) {
  const calls = ["policyManager.policy", "policyManager.settingSources"].flatMap((method) =>
    names.map((account) => [method, { account }]));
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

const kept = (answers) => Object.fromEntries(
  Object.entries(answers).filter(([, answer]) => !(answer instanceof Error)));

/// Makes a call of the user: it is recorded with the events that it causes, and everything is read again. Throws the
/// call's error after that.
export async function act(method, params = {}) {
  const { recorder, server } = state;
  const entry = recorder.add({ id: server.newId(), method, params, time: state.information?.time });
  changed();
  const before = state.newest;
  let failure = null;
  try {
    entry.result = await server.call(method, params, entry.id);
  } catch (error) {
    failure = error;
    entry.error = { code: error.code ?? 0, message: error.message, data: error.data ?? {} };
  }
  recorder.finish(entry);
  changed();
  await Promise.all([refresh(), readEvents(entry, before)]).catch(lost);
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

/// Notes that the server is gone, or that it refuses the token.
export function lost(error) {
  if (error?.status === 401) state.refused = true;
  else if (error?.status !== undefined) state.online = false;
  else throw error;
  changed();
}
