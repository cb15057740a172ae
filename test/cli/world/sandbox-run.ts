import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../cli/dispatch.ts';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import type { Machine } from '../../../cli/host.ts';

/** `kruise sandbox` in this process, in a folder of its own. */
export interface SandboxRun {
  folder: string;
  out: string;
  err: string;
  /** Resolves when it says that it is ready, or has ended. */
  ready: Promise<void>;
  /** As Ctrl-C does. */
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
export async function startReady(words: readonly string[], options: RunOptions = {}): Promise<SandboxRun> {
  const run = startSandbox(words, options);
  running.push(run);
  await run.ready;
  return run;
}

/** After each test: whatever it has started ends, and its folders go. */
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

export function startSandbox(words: readonly string[], options: RunOptions = {}): SandboxRun {
  const folder = options.folder ?? emptyFolder();
  let stop: () => void = () => {};
  let tellReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => (tellReady = resolve));
  const run: SandboxRun = { folder, out: '', err: '', ready, stop: () => stop(), code: Promise.resolve(0) };
  const host = {
    ...nodeHost(),
    cwd: folder,
    env: {},
    stdoutIsTTY: false,
    stdout(text: string) {
      run.out += text;
      if (run.out.includes('Ctrl-C')) tellReady();
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
  run.code = main(host, ['sandbox', ...words]).finally(tellReady);
  return run;
}

/** Runs it until it is ready, then ends it. */
export async function onceThrough(words: readonly string[], options: RunOptions = {}): Promise<SandboxRun> {
  const run = startSandbox(words, options);
  await run.ready;
  run.stop();
  await run.code;
  return run;
}
