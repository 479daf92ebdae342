// cost.mjs CALLS COMMAND…: does the same as cost.py with the TypeScript client.
import { Client } from "../../clients/typescript/lib/index.js";

const [, , calls, executable, ...args] = process.argv;
const client = Client.spawn(executable, args);
for (const part of [1, Number(calls), Number(calls)]) {
  let answer;
  for (let call = 0; call < part; call++) answer = await client.versionInfo.sdkVersion();
  console.log(answer);
}
await client.close();
