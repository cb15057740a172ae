import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../cli/dispatch.ts';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import type { Machine } from '../../../cli/host.ts';

/** `kruise sandbox` in this process, in its own folder. */
export interface SandboxRun {
  folder: string;
  out: string;
  err: string;
  /** Resolves when it reports that it is ready, or has ended. */
  ready: Promise<void>;
  /** Stops it as Ctrl-C does. */
  stop(): void;
  /** Its exit code. */
  code: Promise<number>;
}

const folders: string[] = [];

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-sandbox-'));
  folders.push(folder);
  return folder;
}

const running: SandboxRun[] = [];

/** Starts one that `endSandboxes` ends, and waits until it is ready. */
export async function startReady(args: readonly string[], options: RunOptions = {}): Promise<SandboxRun> {
  const run = startSandbox(args, options);
  running.push(run);
  await run.ready;
  return run;
}

/** After each test: ends everything that it has started, and removes the folders. */
export async function endSandboxes(): Promise<void> {
  for (const run of running.splice(0)) {
    run.stop();
    await run.code;
  }
  removeFolders();
}

function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface RunOptions {
  folder?: string;
  machine?: Partial<Machine>;
}

export function startSandbox(args: readonly string[], options: RunOptions = {}): SandboxRun {
  const folder = options.folder ?? emptyFolder();
  let stop: () => void = () => {};
  let resolveReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => (resolveReady = resolve));
  const run: SandboxRun = { folder, out: '', err: '', ready, stop: () => stop(), code: Promise.resolve(0) };
  const host = {
    ...nodeHost(),
    cwd: folder,
    env: {},
    stdoutIsTTY: false,
    stdout(text: string) {
      run.out += text;
      if (run.out.includes('Ctrl-C')) resolveReady();
    },
    stderr(text: string) {
      run.err += text;
    },
    machine: {
      ...nodeMachine(),
      onSignal(listener: () => void) {
        stop = listener;
        return () => {};
      },
      ...options.machine,
    },
  };
  run.code = main(host, ['sandbox', ...args]).finally(resolveReady);
  return run;
}

/** Runs it until it is ready, then stops it. */
export async function onceThrough(args: readonly string[], options: RunOptions = {}): Promise<SandboxRun> {
  const run = startSandbox(args, options);
  await run.ready;
  run.stop();
  await run.code;
  return run;
}
