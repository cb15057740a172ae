import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A `kruise sandbox` in a separate process, to test that it is killed. */
export interface Process {
  child: ChildProcess;
  ended: Promise<void>;
  /** Its URL with credentials, once it responds; undefined if it ended before. */
  ready: Promise<string | undefined>;
  /** Everything that it has printed. */
  output: () => string;
}

export interface Files {
  state: string;
  kubeconfig: string;
}

const children = new Set<ChildProcess>();

export function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

export function startProcess(
  program: string,
  { state, kubeconfig }: Files,
  args: readonly string[],
): Process {
  const all = ['sandbox', '--state', state, '--kubeconfig', kubeconfig, ...args];
  const child = spawn(process.execPath, [program, ...all], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let text = '';
  let resolveReady: (url: string | undefined) => void = () => {};
  const ready = new Promise<string | undefined>((resolve) => (resolveReady = resolve));
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (text.includes('Ctrl-C')) resolveReady(/server: (.*)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1]);
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => {
      children.delete(child);
      resolveReady(undefined);
      resolve();
    });
  });
  return { child, ended, ready, output: () => text };
}
