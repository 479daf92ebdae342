// A recorded session as a program that plays it again and stops at the first answer that differs.
//
// Ids of challenges, protected content and the machine are different at every run. In the scripts, challenge-1 is the
// first id that an answer had, and … stands for the others.

/// Stands for a PIN or a token.
export const LEFT_OUT = "…";
/// Stands for a policy source that is a program or a service.
const SOURCE = "exec:COMMAND";
const PROTECTED = /^iU1BTUJVRg0K/;
const CHALLENGE = /^[0-9a-f]{32}$/;
/// The state of a console, which ends with it.
const THROWAWAY = /\/[^\s"]*\/mambridge-(console|sandbox)-\d+-[0-9a-f]+\/state/g;

/// Replaces what no run repeats. The ids get their names in the order in which they appear.
class Names {
  #ids = new Map();

  replaced(value) {
    if (Array.isArray(value)) return value.map((element) => this.replaced(element));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) =>
        [key, key === "host" && inner?.architecture ? "…" : this.replaced(inner)]));
    }
    if (typeof value !== "string") return value;
    if (CHALLENGE.test(value)) return this.#name(value);
    return PROTECTED.test(value) ? "…" : value.replace(THROWAWAY, "…");
  }

  #name(id) {
    if (!this.#ids.has(id)) this.#ids.set(id, `challenge-${this.#ids.size + 1}`);
    return this.#ids.get(id);
  }
}

/// [{time, method, params, answer}], where an answer is a result or an error.
export function steps({ entries }) {
  const names = new Names();
  return entries.map(({ time, method, params, result, error }) => ({
    time, method,
    params: JSON.stringify(names.replaced(params)),
    answer: JSON.stringify(names.replaced(error ?? result ?? null)),
  }));
}

export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
export const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text));

/// What a text says about itself. `about` says what it begins with, if that is no state folder.
export function beginnings({ isNew, version, entries, tenant, about }) {
  const lines = [`A session of mambridge console${version ? ` ${version}` : ""}.`, about ?? (isNew
    ? "It begins with a new state folder and stops at the first answer that differs."
    : "It was recorded on a state that was not new: set STATE to a copy of that state.")];
  if (tenant !== "none") lines.push("Set TENANT to replay it with another policy source.");
  if (entries.some(({ params }) => Object.values(params).includes(LEFT_OUT))) {
    lines.push(`PINs and tokens are left out: replace "${LEFT_OUT}" in the parameters.`);
  }
  return lines;
}

/// The end of a function of bash that has an answer, and compares it with $4, the expected one.
export const COMPARISON = [
  `  for id in $(grep -oE '"[0-9a-f]{32}"' <<<"$answer" | tr -d '"'); do`,
  '    [[ " ${ids[*]-} " == *" $id "* ]] || ids+=("$id")',
  "  done",
  '  for i in "${!ids[@]}"; do answer=${answer//\\"${ids[i]}\\"/\\"challenge-$((i + 1))\\"}; done',
  `  answer=$(sed -E 's/"iU1BTUJVRg0K[^"]*"/"…"/g; s/"host":\\{[^}]*\\}/"host":"…"/' <<<"$answer")`,
  '  answer=${answer//"$state"/…}',
  '  if [[ $answer != "$4" ]]; then',
  `    printf '%s\\n' "$2 answered" "$answer" "and not" "$4" >&2`,
  "    exit 1",
  "  fi",
  `  printf '%s %s\\n' "$2" "$answer"`,
  "}",
];

/// Lines of `mambridge call`, which bash runs.
export function shellScript(session) {
  const options = session.options.map((pair) => pair.map(word).join(" ")).join(" ");
  const clock = session.isManual ? '--clock "manual=$1" ' : "";
  const tenant = { none: "", program: `tenant=\${TENANT:?set it to ${SOURCE}}` }[session.tenant]
    ?? `tenant=\${TENANT:-${word(session.tenant)}}`;
  const calls = steps(session).flatMap(({ time, method, params, answer }) => [
    "", `step ${time} ${method} ${quoted(params)} \\`, `  ${quoted(answer)}`]);
  return [
    "#!/usr/bin/env bash",
    ...beginnings(session).map((line) => `# ${line}`),
    "set -euo pipefail",
    'folder=$(mktemp -d)',
    `trap 'rm -r "$folder"' EXIT`,
    "state=${STATE:-$folder/state}",
    ...(tenant ? [tenant] : []),
    `options=(--state "$state"${tenant ? ' --tenant "$tenant"' : ""} ${options})`,
    "ids=()",
    "",
    "# step TIME METHOD PARAMS ANSWER: makes a call and compares its answer. challenge-1 is the first challenge.",
    "step() {",
    "  local params=$3 answer id i",
    '  for i in "${!ids[@]}"; do params=${params//\\"challenge-$((i + 1))\\"/\\"${ids[i]}\\"}; done',
    `  answer=$(mambridge call "\${options[@]}" ${clock}"$2" - 2>&1 <<<"$params" | tail -n 1) || true`,
    ...COMPARISON,
    ...calls, "",
  ].join("\n");
}

export const python = (text) => (text.includes("'") || text.includes("\\") ? JSON.stringify(text) : `'${text}'`);

/// A function that makes a call in the form of the record. `state` is the path of the state folder.
export const CALL = [
  "def call(client, method, params):",
  "    for number, challenge in enumerate(ids, 1):",
  `        params = params.replace(f'"challenge-{number}"', f'"{challenge}"')`,
  "    try:",
  "        answer = client.call(method, json.loads(params))",
  "    except MambridgeError as error:",
  '        answer = {"code": error.code, "message": error.message, "data": error.data}',
  '    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))',
  `    ids.extend(new for new in dict.fromkeys(re.findall('"([0-9a-f]{32})"', text)) if new not in ids)`,
  "    for number, challenge in enumerate(ids, 1):",
  `        text = text.replace(f'"{challenge}"', f'"challenge-{number}"')`,
  "    text = text.replace(json.dumps(state)[1:-1], '…')",
  `    return re.sub('"iU1BTUJVRg0K[^"]*"|(?<="host":)\\\\{[^}]*}', '"…"', text)`, "", "",
];

/// A program for the client in clients/python.
export function pythonScript(session) {
  const { tenant } = session;
  const source = tenant === "program" ? 'os.environ["TENANT"]' : `os.environ.get("TENANT", ${JSON.stringify(tenant)})`;
  const options = session.options.flat().map((option) => `    ${JSON.stringify(option)},`);
  if (tenant !== "none") options.unshift(`    "--tenant", ${source},`);
  const clock = session.isManual && session.time ? [`    "--clock", "manual=${session.time}",`] : [];
  const calls = steps(session).map(({ method, params, answer }) =>
    `    (${JSON.stringify(method)}, ${python(params)},\n     ${python(answer)}),`);
  return [
    ...beginnings(session).map((line) => `# ${line}`),
    "import json", "import os", "import re", "import tempfile", "",
    "from mambridge import Client, MambridgeError", "",
    "OPTIONS = [", ...options, ...clock, "]",
    "# Method, parameters, answer. In both, challenge-1 is the first challenge.",
    "STEPS = [", ...calls, "]", "",
    "ids = []", "", "",
    ...CALL,
    "with tempfile.TemporaryDirectory() as folder:",
    '    state = os.environ.get("STATE", f"{folder}/state")',
    '    with Client.spawn("mambridge", "--state", state, *OPTIONS) as client:',
    "        for method, params, expected in STEPS:",
    "            answer = call(client, method, params)",
    "            print(method, answer)",
    "            if json.loads(answer) != json.loads(expected):",
    '                raise SystemExit(f"{method} answered {answer} and not {expected}")', "",
  ].join("\n");
}

/// The messages in the form of Tests/Transcripts: an id that no run repeats is … in an answer.
export function transcript(session) {
  const tenant = session.tenant === "program" ? SOURCE : session.tenant;
  const named = tenant === "none" ? session.options : [["--tenant", tenant], ...session.options];
  const options = named.map((pair) => pair.map(word).join(" ")).join(" ");
  const clock = session.isManual && session.time ? ` --clock manual=${session.time}` : "";
  const lines = steps(session).flatMap(({ method, params }, index) => {
    const { result, error } = session.entries[index];
    const names = new Names();
    const answer = error ? { error: names.replaced(error) } : { result: names.replaced(result ?? null) };
    const reply = JSON.stringify({ jsonrpc: "2.0", id: index + 1, ...answer }).replace(/"challenge-\d+"/g, '"…"')
      .replaceAll('"host":"…"', '"host":…');
    const request = `{"jsonrpc":"2.0","id":${index + 1},"method":${JSON.stringify(method)},"params":${params}}`;
    return [`--> ${request}`, `<-- ${reply}`];
  });
  return [...beginnings(session).map((line) => `# ${line}`), `# mambridge ${options}${clock}`,
    "# In a request, challenge-1 is the id of the first challenge.", ...lines, ""].join("\n");
}
