// A recorded session as a test for `mambridge tenant test`: the same verbs, with the answers as expectations.

import { LEFT_OUT } from "./export.js";

/// What no run repeats: ids of challenges, protected content, times of a clock that goes by itself, and the machine.
const VOLATILE = [/^[0-9a-f]{32}$/, /^iU1BTUJVRg0K/, /mambridge-console-\d+-[0-9a-f]+/];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const PLAIN = /^[\w@+./:-]+$/;
const LAUNCHES = { "conditionalLaunch.evaluate": "launch", "conditionalLaunch.didBecomeActive": "active" };
const ENROLL = "enrollmentManager.registerAndEnrollAccount";

/// A text as one word: in quotes if it could be read as something else.
function word(text) {
  const isReserved = ["error", "challenge", "unordered", "->"].includes(text);
  let readsAsJSON = true;
  try { JSON.parse(text); } catch { readsAsJSON = false; }
  return PLAIN.test(text) && !isReserved && !readsAsJSON ? text : JSON.stringify(text);
}

function assignments(params) {
  return Object.entries(params).filter(([, value]) => value !== null).map(([name, value]) =>
    typeof value === "string" ? ` ${name}=${word(value)}` : ` ${name}:=${JSON.stringify(value)}`).join("");
}

/// The part of an answer that every run repeats; undefined if there is none.
function repeatable(value, isManual) {
  if (typeof value === "string") {
    return VOLATILE.some((form) => form.test(value)) || !isManual && TIME.test(value) ? undefined : value;
  }
  if (Array.isArray(value)) {
    const elements = value.map((element) => repeatable(element, isManual));
    const isWhole = value.every((element, index) => JSON.stringify(element) === JSON.stringify(elements[index]));
    return isWhole ? value : undefined;
  }
  if (!value || typeof value !== "object") return value;
  const members = Object.entries(value).filter(([name]) => name !== "host")
    .map(([name, inner]) => [name, repeatable(inner, isManual)]).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members);
}

function result(value, isManual) {
  if (value === null || value === undefined) return " -> null";
  const kept = repeatable(value, isManual);
  if (kept === undefined) return "";
  if (typeof kept === "string") return ` -> ${word(kept)}`;
  return ` -> ${JSON.stringify(kept)}`;
}

function failure(error) {
  const kind = error.data?.challenge?.kind;
  return kind ? ` -> challenge ${kind}` : ` -> error ${error.data?.name ?? error.code}`;
}

function launch(verb, { result: report, error }) {
  if (error) return `${verb} ${failure(error).trim()}`;
  const kind = report.challenges?.[0]?.kind;
  if (kind) return `${verb} -> challenge ${kind}`;
  const fired = (report.rules ?? []).filter(({ outcome }) => outcome !== "passed" && outcome !== "notApplicable");
  const settings = [...new Set(fired.map(({ setting }) => setting).filter(Boolean))];
  return `${verb} -> ${report.verdict}${settings.length > 0 ? ` because ${settings.join(" ")}` : ""}`;
}

/// What the user did, as the line of a test before the launch that asks again.
function answer({ params }) {
  if (params.pin) return `answer pin=${params.pin}`;
  if (params.accessToken) return "answer signIn";
  if (params.accepted) return "answer accept";
  return params.canceled ? "answer cancel" : "answer refuse";
}

/// A question with its reasons, which the page asks where a test says because.
function explained({ params, result }) {
  const settings = (result.because ?? []).filter(({ step, setting }) => step === "setting" && setting)
    .map(({ setting }) => setting);
  const because = settings.length > 0 ? ` because ${[...new Set(settings)].join(" ")}` : "";
  const verdict = typeof result.verdict === "string" ? word(result.verdict) : JSON.stringify(result.verdict);
  return `${params.query}${assignments(params.params ?? {})} -> ${verdict}${because}`;
}

const asks = ({ result, error }) => Boolean(error?.data?.challenge ?? result?.challenges?.length);

/// The line of a test for a call; a comment for what a test cannot say, and nothing for what only the page asks.
function line(entry, earlier, later, { isManual, app }) {
  const { method, params, error } = entry;
  if (method === ENROLL && !error && params.account) {
    const status = entry.result.didSucceed ? "" : ` -> ${entry.result.status}`;
    return `as ${word(params.account)} in ${word(app)}${status}`;
  }
  if (method in LAUNCHES && !params.window) return launch(LAUNCHES[method], entry);
  if (method === "conditionalLaunch.answer" && !error) {
    const asking = earlier.findLast(asks)?.method;
    const isAsked = later.some((other) => other.method in LAUNCHES || other.method === asking);
    return isAsked ? answer(entry) : `# ${answer(entry)}: nothing asked for it again`;
  }
  if (method === "policy.whatWouldChange") return null;
  if (method === "policy.explain" && !error && !params.assuming) return explained(entry);
  if (method === "device.set" && !error) return `device${assignments(params)}`;
  if (method === "debug.advanceClock" && !error) return `clock +${params.by}`;
  if (JSON.stringify(params).match(/"[0-9a-f]{32}"/)) return `# ${method}: its parameters are different at every run`;
  return `${method}${assignments(params)}${error ? failure(error) : result(entry.result, isManual)}`;
}

/// A file for `mambridge tenant test`.
export function expectations(session) {
  const { entries, options, isManual, time } = session;
  const app = options.find(([name]) => name === "--app-id")?.[1] ?? "com.example.host";
  const settings = options.filter(([name]) => name === "--set").map(([, value]) => value)
    .filter((value) => !value.startsWith("DebugSettingsEnabled="));
  const hasSecrets = entries.some(({ params }) => Object.values(params).includes(LEFT_OUT));
  const lines = entries.map((entry, index) =>
    line(entry, entries.slice(0, index), entries.slice(index + 1), { isManual, app }));
  return [
    "# A session of mambridge console. Run it with mambridge tenant test FILE --tenant TENANT.",
    "# Read the answers: the test fails until the line \"unreviewed\" is removed.",
    ...(session.isNew ? [] : ["# It was recorded on a state that was not new; the test begins with a new one."]),
    ...(hasSecrets ? [`# PINs and tokens are left out: replace "${LEFT_OUT}".`] : []),
    ...settings.map((setting) => {
      const [name, value] = [setting.slice(0, setting.indexOf("=")), setting.slice(setting.indexOf("=") + 1)];
      return `set ${name}=${PLAIN.test(value) ? value : JSON.stringify(value)}`;
    }),
    "",
    `test "A session of mambridge console"${isManual && time ? ` at ${time}` : ""}`,
    "unreviewed",
    ...lines.filter((text) => text !== null), "",
  ].join("\n");
}
