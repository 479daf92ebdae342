/**
 * A sandbox for each test of an app: a fresh tenant, a clock that stands still, and a user who answers.
 *
 *     test("a policy forbids saving", withSandbox(async (mam) => {
 *       await mam.policy("bob", { saveAsBlocked: true });
 *       await mam.enroll("bob");
 *       await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: "bob@contoso.example" });
 *       await mam.assertBlocked("saveAsBlocked");
 *     }));
 */
import type { Client, SpawnOptions } from "./client.js";
import type { MambridgeEvent } from "./events.js";
import type { DeviceMethods } from "./methods/device.js";
import type { SandboxMethods } from "./methods/sandbox.js";
import type {
  ClockTime, Device, EnrollmentStatus, EventName, FaultKind, FaultPlace, NetworkAnswer, NetworkRequest, SandboxNetwork,
  TestSettings,
} from "./types.js";

export interface SandboxOptions {
  /** `sample`, `empty`, a tenant folder, or the folder of `sandbox.export`; defaults to `sample`. */
  seed?: string | undefined;
  /** When the clock starts, such as 2026-01-31T09:30:00Z; defaults to now, or to the time of an export. */
  at?: Date | string | undefined;
  /** The program; defaults to MAMBRIDGE in the environment, or else to `mambridge`. */
  binary?: string | undefined;
  /** Settings of the app, such as `{ MultiIdentity: true }`. */
  settings?: Readonly<Record<string, boolean | number | string>> | undefined;
  /** The id of the app. */
  appId?: string | undefined;
  /** How long a call may take, in milliseconds; 60,000 by default. */
  timeout?: number | undefined;
}

/** Whether the accounts check in after a change of the tenant; true by default. */
interface CheckIn {
  checkIn?: boolean | undefined;
}

type AnswerOptions = NonNullable<Parameters<SandboxMethods["answer"]>[0]>;
type ConfigurationOptions = NonNullable<Parameters<SandboxMethods["setConfiguration"]>[2]>;
type DeviceOptions = NonNullable<Parameters<DeviceMethods["set"]>[0]>;
type FaultOptions = NonNullable<Parameters<SandboxMethods["fault"]>[2]>;
type PolicyOptions = NonNullable<Parameters<SandboxMethods["setPolicy"]>[2]>;
type UserOptions = NonNullable<Parameters<SandboxMethods["setUser"]>[1]>;
type WipeOptions = NonNullable<Parameters<SandboxMethods["wipe"]>[1]>;

/** A sandbox cannot start. The message says why, and what to do. */
export declare class SandboxError extends Error {
  name: string;
}

/** `alice`, `bob`, `carol` and `dave` are short for users of the sample tenant. Every other name is as written. */
export declare function fullName(user: string): string;

/**
 * A function for `test` of node:test that gives `work` a sandbox of its own, and the context of the test. The sandbox
 * ends with the test. A failing test or subtest prints on stderr what happened, and how to run a script that replays it.
 */
export declare function withSandbox(
  work: (mam: Sandbox, ...context: any[]) => unknown,
): (...context: any[]) => Promise<void>;
export declare function withSandbox(
  options: SandboxOptions,
  work: (mam: Sandbox, ...context: any[]) => unknown,
): (...context: any[]) => Promise<void>;

/** A sandbox, which the caller must close. Verbs reject with the errors of the client, or with AssertionError. */
export declare class Sandbox {
  private constructor();

  /** Rejects with SandboxError if the sandbox cannot start. */
  static start(options?: SandboxOptions): Promise<Sandbox>;

  /** The typed client of the sandbox. */
  readonly client: Client;

  /** Writes a policy for a user, a group or everybody (`"*"`), by names of Graph or the SDK. */
  policy(audience: string, settings: TestSettings, options?: PolicyOptions & CheckIn): Promise<void>;

  /** Writes an app configuration for a user, a group or everybody (`"*"`). */
  configuration(
    audience: string,
    settings: Readonly<Record<string, string>>,
    options?: ConfigurationOptions & CheckIn,
  ): Promise<void>;

  /** Adds a user to the tenant, or changes one. */
  setUser(name: string, options?: UserOptions & CheckIn): Promise<void>;

  /** Orders a wipe of the data of a user, and lets the account do it. */
  wipe(user: string, options?: Omit<WipeOptions, "push">): Promise<void>;

  /** Enrolls a user as an app does; defaults to alice. Rejects if the tenant does not list the user. */
  enroll(user?: string): Promise<EnrollmentStatus>;

  /** Checks in one account, or all. */
  checkIn(user?: string): Promise<EnrollmentStatus[]>;

  /** How the user answers from now on. */
  user(answers: AnswerOptions): Promise<void>;

  /** What the device is like. */
  device(properties: DeviceOptions): Promise<Device>;

  /** Takes the network away. */
  offline(): Promise<Device>;

  /** Gives the network back. */
  online(): Promise<Device>;

  /** Lets the policy source, its tokens or the clock fail, until `clearFaults` or `options.times` times. */
  fault(at: FaultPlace, kind: FaultKind, options?: FaultOptions): Promise<void>;

  /** Ends all faults. */
  clearFaults(): Promise<void>;

  /** Moves the clock by at most 366 days, and runs what becomes due on the way. */
  advance(amounts: { days?: number; hours?: number; minutes?: number; seconds?: number }): Promise<ClockTime>;

  /** Returns the first event of a kind that no earlier wait has returned. `timeout` is 10,000 ms by default. */
  waitFor<Name extends EventName>(
    event: Name,
    options?: { user?: string | undefined; timeout?: number | undefined },
  ): Promise<Extract<MambridgeEvent, { event: Name }>>;

  /** Fails unless the newest question was answered by no; with `setting`, unless this setting is the reason. */
  assertBlocked(setting?: string): Promise<void>;

  /** Fails unless the newest question was answered by yes. */
  assertAllowed(): Promise<void>;

  /** What happened, in plain words. */
  story(): Promise<string>;

  /** A script for bash that starts a sandbox like this and repeats the calls. */
  replay(): Promise<string>;

  /** The story and the replay of a test that fails for a reason, or why there is none. */
  report(failure?: string): Promise<string>;

  /** Keeps the state, the tenant and the time under a name. */
  save(name: string): Promise<void>;

  /** Brings back what was saved under a name. */
  restore(name: string): Promise<void>;

  /** Brings back what the sandbox began with. */
  reset(): Promise<void>;

  /** The variables with which an app that starts mambridge itself joins the sandbox. */
  environment(): Promise<Record<string, string>>;

  /**
   * Starts a server that joins the sandbox, with a client of its own, as an app does. It ends with the sandbox. Until
   * it is closed, `restore` and `reset` fail.
   */
  join(options?: SpawnOptions): Promise<Client>;

  /** Serves the tenant over the network, the same one each time. Needs mambridge-tenant; rejects with NetworkFailed. */
  network(): Promise<Network>;

  /** Throws AssertionError if a verb was never awaited, as `close` does, and the end of a test with `withSandbox`. */
  checkAwaited(): void;

  /** Ends the sandbox. Nothing is left of it. In a test: `t.after(() => mam.close())`. */
  close(): Promise<void>;
}

/**
 * The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine. It ends
 * with the sandbox, with all that it keeps on disk. When a verb of the sandbox returns, the network has read what the verb
 * changed.
 */
export interface Network extends SandboxNetwork {
  /** An access token of a user, for the service and for Graph. */
  token(user: string): Promise<string>;

  /** Starts a server with a state of its own, whose policy source is the service; alice or another user is signed in. */
  join(user?: string, options?: SpawnOptions): Promise<Client>;

  /** Makes checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says. */
  fault: SandboxMethods["networkFault"];

  /** Ends all faults. */
  clearFaults(): Promise<void>;

  /** The last requests. */
  requests(): Promise<NetworkRequest[]>;

  /** Sends a request to the service or to Graph, with JSON. */
  send(method: string, path: string, token: string, body?: unknown): Promise<NetworkAnswer>;

  /** What the service has written to its log. */
  log(): Promise<string>;
}
