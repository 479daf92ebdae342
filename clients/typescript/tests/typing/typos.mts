// Each line that ends in `// wrong` has one mistake, which the compiler must reject; it must accept the others.
import { Client, errors } from "mambridge";
import type { Host, MambridgeEvent } from "mambridge";
import type { PolicyChanged } from "mambridge"; // wrong
import { withSandbox } from "mambridge/testing";

const screen: Host = {
  promptForPIN: () => ({ pim: "2580" }), // wrong
  showAlert: ({ title }) => title, // wrong
  addIdentity: () => "sucess", // wrong
  blockAccount: ({ reson }) => "success", // wrong
};
const misnamed: Host = { promptForPassword: () => null }; // wrong

async function ask(client: Client): Promise<void> {
  await client.policy.isPINRequird(); // wrong
  await client.polcy.isPINRequired(); // wrong
  await client.policyManager.policies(); // wrong
  await client.policy.isPINRequired({ acount: "alice" }); // wrong
  await client.policy.isPINRequired("alice"); // wrong
  await client.policy.isPINRequired({ account: Uint8Array.of(1) }); // wrong
  await client.policy.isPINRequired({ account: "alice", timeout: "1 s" }); // wrong
  await client.policy.isPINRequired({ account: "alice", cancel: true }); // wrong
  await client.policy.isSaveToAllowedForLocation("localDisk"); // wrong
  await client.policy.isSaveToAllowedForLocation(3); // wrong
  await client.policy.isSaveToAllowedForLocation(); // wrong
  await client.dataProtectionManager.protect(Uint8Array.of(1)); // wrong
  await client.dataProtectionManager.protect("text", "alice"); // wrong
  const text: string = await client.dataProtectionManager.protect(Uint8Array.of(1), "alice"); // wrong
  const allowed: boolean = client.policy.isPINRequired(); // wrong
  const status = await client.enrollmentManager.registerAndEnrollAccount("alice");
  console.log(status.statuscode); // wrong
  console.log(status.status === "newPolicyReceived", text, allowed); // wrong
  console.log((await client.enrollmentManager.enrolledAccount()).identity); // wrong
  await client.initialize({ events: ["policyManager.policyChanged"] }); // wrong
  await client.initialize({ sdkLevel: 20 }); // wrong
  await client.initialize({ client: { nam: "app" } }); // wrong
  await client.settings.set({ AccentColour: null }); // wrong
  await client.settings.set({ SupportsDarkMode: "yes" }); // wrong
  await client.debug.setPolicy({ pinRequired: "yes" }); // wrong
  await client.debug.advanceClock("P1D"); // wrong
  await client.diagnosticsLog.query({ since: "2024-01-01T00:00:00Z" }); // wrong
  await client.file.open("/tmp/x", { flags: ["readonly"] }); // wrong
  await client.enforcement.filterShareTargets([{ id: "com.example.notes" }]); // wrong
  throw new errors.PolicyNeeded(); // wrong
}

function explain(error: errors.FileInUse): string {
  if (error.name === "fileIsInUse") return "in use"; // wrong
  return error.hints; // wrong
}

function heard(event: MambridgeEvent): void {
  if (event.event === "policyManager.policyDidChange") {
    console.log(event.sequence); // wrong
  }
  if (event.event === "policyManager.policyChanged") console.log("new policy"); // wrong
}

export const tested = withSandbox({ sed: "empty" }, async (mam) => mam.enroll()); // wrong
export const other = withSandbox(async (mam) => {
  await mam.policy("bob", { saveAsBlocked: "yes" }); // wrong
  await mam.waitFor("policyManager.policyChanged"); // wrong
  await mam.advance({ weeks: 13 }); // wrong
  await mam.device({ jailbreak: true }); // wrong
});

const client = Client.spawn("mambridge", ["--tenant", "sample"], { hots: screen }); // wrong
const listening = Client.spawn("mambridge", ["--tenant", "sample"], { host: screen, onEvent: heard });
await ask(client).catch(explain);
await ask(listening);
await Client.connect("unix:///run/socket", { host: misnamed, tokenfile: "token" }); // wrong
