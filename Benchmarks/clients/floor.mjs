// floor.mjs CALLS COMMAND…: does the same as floor.py.
import { spawn } from "node:child_process";

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n';

const [, , calls, executable, ...args] = process.argv;
const server = spawn(executable, args, { stdio: ["pipe", "pipe", "inherit"] });
let [text, answered] = ["", () => {}];
server.stdout.setEncoding("utf8").on("data", (piece) => {
  text += piece;
  const end = text.indexOf("\n");
  if (end < 0) return;
  const line = text.slice(0, end);
  text = text.slice(end + 1);
  answered(JSON.parse(line).result);
});
const ask = () => new Promise((resolve) => {
  answered = resolve;
  server.stdin.write(REQUEST);
});
for (const part of [1, Number(calls), Number(calls)]) {
  let answer;
  for (let call = 0; call < part; call++) answer = await ask();
  console.log(answer);
}
server.stdin.end();
