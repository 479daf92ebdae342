// A program that uses much of the client and that the compiler accepts.
import { Client, ConnectionLost, errors, MambridgeError, readEvent, VERSION } from "mambridge";
import type {
  AccessToken, Account, ErrorName, Host, LaunchVerdict, MambridgeEvent, PolicyDidChange, Progress, SaveLocation, TestSettings,
} from "mambridge";
import { Sandbox, withSandbox } from "mambridge/testing";

const ALICE = "alice@contoso.example";

const host: Host = {
  promptForPIN: ({ challenge }) => ({ pin: challenge.kind === "enterPIN" ? "2580" : null }),
  identitySwitchRequired: async ({ window }) => (window ? "success" : 1),
  managementWillBeRemoved() {},
  acquireToken: async (): Promise<AccessToken> => ({ accessToken: "a token", expires: new Date() }),
  captureWindow: () => {
    throw new errors.Canceled();
  },
};

function heard(event: MambridgeEvent): void {
  switch (event.event) {
    case "policyManager.launchReport": {
      const verdict: LaunchVerdict = event.verdict;
      return console.log(`${verdict} at ${event.time.toISOString()}`);
    }
    case "policyManager.policyDidChange":
      return changed(event);
    case "unknown":
      return console.log(event.name);
  }
}

function changed({ identity }: PolicyDidChange): void {
  const name: string | null | undefined = identity;
  console.log(name ?? "nobody");
}

async function ask(client: Client, signal: AbortSignal): Promise<void> {
  await client.initialize({ client: { name: "app" }, events: ["policyManager.policyDidChange"], sdkLevel: 21 });
  const status = await client.enrollmentManager.registerAndEnrollAccount(ALICE);
  if (status.status === "newPoliciesReceived" && !status.error) {
    const code: number = status.statusCode;
    console.log(String(code));
  }
  const onProgress = ({ percentage }: Progress) => console.log(`${percentage ?? "?"} %`);
  const locations: readonly SaveLocation[] = ["localDrive"];
  for (const location of locations) {
    const allowed: boolean = await client.policy.isSaveToAllowedForLocation(location, { account: ALICE, signal });
    const also: boolean = await client.policy.isSaveToAllowedForLocation(64, { timeout: 1500, signal, onProgress });
    console.log(`${allowed} ${also}`);
  }
  const sealed: Uint8Array = await client.dataProtectionManager.protect(Uint8Array.of(1), ALICE);
  const accounts: Account[] = await client.enrollmentManager.enrolledAccounts();
  const seen: Date | null | undefined = (await client.tenant.status()).accounts[0]?.checkedInAt;
  await client.diagnosticsLog.query({ since: seen ?? new Date(), level: "warning" });
  await client.debug.advanceClock(90 * 86_400_000);
  await client.settings.set({ AccentColor: null, "SplashIconFile~ipad": "icon.png", SplashDuration: 2 });
  const settings: TestSettings = { pinRequired: true, periodBeforePinReset: 30 * 86_400_000, "A name of the SDK": 1 };
  await client.debug.setPolicy(settings);
  const ended: void = await client.pin.set("2580", { account: null });
  for (const { type, params } of (await client.events.list()).events) heard(readEvent(type, params));
  for await (const event of client.listen({ signal })) heard(event);
  console.log(`${sealed.length} ${accounts.length} ${ended} ${await client.call("rpc.discover", {}, { timeout: 1000 })}`);
}

function explain(error: unknown): string {
  if (error instanceof errors.FileInUse || error instanceof errors.PolicyRequired) return error.hint ?? error.name;
  if (error instanceof MambridgeError) {
    const name: ErrorName | "MambridgeError" = error.name;
    return error.name === "diskFull" ? "make room" : name;
  }
  return error instanceof ConnectionLost ? `${error.exitCode} ${error.signal}` : VERSION;
}

export const tested = withSandbox({ seed: "empty", settings: { MultiIdentity: true } }, async (mam, test) => {
  await mam.policy("*", { saveAsBlocked: true }, { apps: ["com.example.app"], checkIn: false });
  await mam.user({ pin: "482913", signIn: true });
  await mam.fault("source", "slow", { times: 2, delay: 40_000 });
  await mam.advance({ days: 91, hours: 1 });
  changed(await mam.waitFor("policyManager.policyDidChange", { user: "alice" }));
  await test.diagnostic(await mam.story());
});
export const started: Promise<Sandbox> = Sandbox.start();

const client = Client.spawn("mambridge", ["--tenant", "sample"], { host, onEvent: heard, env: { LANG: "C" } });
await ask(client, new AbortController().signal).catch((error) => console.log(explain(error)));
await client.close();
const other: Client = await Client.connect("tcp://127.0.0.1:4711", { tokenFile: "token", onEvent: async () => {} });
await other.close();
