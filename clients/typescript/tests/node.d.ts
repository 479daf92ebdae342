// The parts of Node that the blocks of the documents use. The declarations of Node itself may not be installed.

declare const Buffer: { from(content: string | Uint8Array): Uint8Array };
declare const console: { log(...values: unknown[]): void };
declare const process: { readonly argv: string[]; cwd(): string };
interface AbortSignal { readonly aborted: boolean }
declare const AbortSignal: { timeout(milliseconds: number): AbortSignal };

declare module "node:child_process" {
  interface ChildProcess { readonly stderr: unknown; kill(): boolean }
  export function spawn(command: string, args: string[], options: { stdio: string[] }): ChildProcess;
}
declare module "node:events" {
  export function once(emitter: unknown, event: string): Promise<any[]>;
}
declare module "node:fs/promises" {
  export function readFile(path: string): Promise<Uint8Array>;
  export function readFile(path: string, encoding: "utf8" | "latin1"): Promise<string>;
}
declare module "node:path" {
  export function resolve(path: string): string;
}
