// The parts of Node that the drivers use. The declarations of Node itself may not be installed.
declare module "node:fs" {
  export function existsSync(path: string): boolean;
}
declare module "node:fs/promises" {
  export function writeFile(path: string, text: string): Promise<void>;
}
declare module "node:os" {
  export const constants: { signals: Record<string, number> };
}
declare module "node:path" {
  export function resolve(...parts: string[]): string;
}
declare module "node:timers/promises" {
  export function setTimeout(milliseconds: number): Promise<void>;
}
declare const process: {
  argv: string[];
  pid: number;
  stdin: { once(event: string, handler: (value: unknown) => void): void };
  once(signal: string, handler: () => void): void;
  kill(pid: number, signal: string): void;
};
declare const performance: { now(): number };
declare const console: { log(text: string): void };
declare function setTimeout(handler: () => void, milliseconds: number): unknown;

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
