import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A `kruise sandbox` in a process of its own, for what only an end without warning can show. */
export interface Process {
  child: ChildProcess;
  ended: Promise<void>;
  /** Its address, with what opens it, once it answers; undefined when it ended before. */
  ready: Promise<string | undefined>;
  /** Everything that it has printed. */
  said: () => string;
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
  words: readonly string[],
): Process {
  const all = ['sandbox', '--state', state, '--kubeconfig', kubeconfig, ...words];
  const child = spawn(process.execPath, [program, ...all], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let text = '';
  let tell: (url: string | undefined) => void = () => {};
  const ready = new Promise<string | undefined>((resolve) => (tell = resolve));
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (text.includes('Ctrl-C')) tell(/server: (.*)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1]);
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => {
      children.delete(child);
      tell(undefined);
      resolve();
    });
  });
  return { child, ended, ready, said: () => text };
}
