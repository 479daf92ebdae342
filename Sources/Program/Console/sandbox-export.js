// The record of a sandbox as scripts: each starts a sandbox and makes all calls there, because a sandbox ends with its
// server.

import * as texts from "./export.js";
import { state } from "./state.js";

/// A session with what it begins with.
function begun(session) {
  const about = session.isNew ? "It begins with a new sandbox and stops at the first answer that differs."
    : "It was recorded in a sandbox that had changed before: set SEED to an export of that sandbox.";
  return { ...session, tenant: "none", isManual: false, about, seed: state.session.seed };
}

/// A program for bash.
export function shellScript(session) {
  const { time, options, ...rest } = begun(session);
  const { word, quoted } = texts;
  const words = [["--at", time], ...options].map((pair) => pair.map(word).join(" ")).join(" ");
  const steps = texts.steps(rest).flatMap(({ time, method, params, answer }) => [
    "", `step ${time} ${method} ${quoted(params)} \\`, `  ${quoted(answer)}`]);
  return [
    "#!/usr/bin/env bash",
    ...texts.beginnings(rest).map((line) => `# ${line}`),
    "set -euo pipefail",
    "trap '' PIPE",
    `coproc sandbox { exec mambridge sandbox --seed "\${SEED:-${word(rest.seed)}}" ${words}; }`,
    '{ exec 3>&"${sandbox[1]-}" 4<&"${sandbox[0]-}"; } 2>/dev/null || true',
    "number=0 reply= ids=()",
    "",
    "# call METHOD PARAMS: makes a call. Its answer is in reply.",
    "call() {",
    "  number=$((number + 1))",
    `  printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\\n' "$number" "$1" "$2" 2>/dev/null >&3 || true`,
    "  while IFS= read -r -t 120 reply 2>/dev/null <&4; do",
    `    if [[ $reply == '{"jsonrpc":"2.0","id":'"$number",* ]]; then return; fi`,
    "  done",
    '  echo "mambridge has ended, or did not answer $1 within 120 s" >&2',
    "  exit 1",
    "}",
    "call sandbox.environment '{}'",
    `state=\${reply#*'"MAMBRIDGE_STATE":"'} state=\${state%%'"'*}`,
    "",
    "# step TIME METHOD PARAMS ANSWER: makes a call and compares its answer. challenge-1 is the first challenge.",
    "step() {",
    "  local params=$3 answer id i",
    '  for i in "${!ids[@]}"; do params=${params//\\"challenge-$((i + 1))\\"/\\"${ids[i]}\\"}; done',
    '  call "$2" "$params"',
    `  answer=\${reply#*,*,*:} answer=\${answer%\\}}`,
    ...texts.COMPARISON,
    ...steps, "",
  ].join("\n");
}

/// A program for the client in clients/python.
export function pythonScript(session) {
  const { time, options, ...rest } = begun(session);
  const words = [["--at", time], ...options].flat().map((option) => `    ${JSON.stringify(option)},`);
  const calls = texts.steps(rest).map(({ method, params, answer }) =>
    `    (${JSON.stringify(method)}, ${texts.python(params)},\n     ${texts.python(answer)}),`);
  return [
    ...texts.beginnings(rest).map((line) => `# ${line}`),
    "import json", "import os", "import re", "",
    "from mambridge import Client, MambridgeError", "",
    `SEED = os.environ.get("SEED", ${JSON.stringify(rest.seed)})`,
    "OPTIONS = [", ...words, "]",
    "# Method, parameters, answer. In both, challenge-1 is the first challenge.",
    "STEPS = [", ...calls, "]", "",
    "ids = []", "", "",
    ...texts.CALL,
    'with Client.spawn("mambridge", "sandbox", "--seed", SEED, *OPTIONS) as client:',
    '    state = client.sandbox.environment()["MAMBRIDGE_STATE"]',
    "    for method, params, expected in STEPS:",
    "        answer = call(client, method, params)",
    "        print(method, answer)",
    "        if json.loads(answer) != json.loads(expected):",
    '            raise SystemExit(f"{method} answered {answer} and not {expected}")', "",
  ].join("\n");
}

/// The messages, for a server that starts as the first lines say.
export function transcript(session) {
  const { time, options, seed, ...rest } = begun(session);
  return texts.transcript({ ...rest, options: [["sandbox"], ["--seed", seed], ["--at", time], ...options] });
}
