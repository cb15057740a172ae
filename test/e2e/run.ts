import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** What a command answered. */
export interface Answer {
  code: number;
  out: string;
  err: string;
}

export interface Command {
  path: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  stdin?: string | undefined;
}

export interface Running {
  /** What was printed so far. */
  printed(): string;
  /** The same of standard error. */
  complained(): string;
  stop(): void;
  done: Promise<Answer>;
}

const patience = 60_000;

/** Starts a command; one that does not end within a minute is ended, and answers with code 124. */
export function start({ path, args, env, cwd, stdin }: Command): Running {
  const child = spawn(path, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, patience);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // A command that ends without having read its input is no failure of the test.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin ?? '');
  const done = new Promise<Answer>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: late ? 124 : (code ?? 1), out, err });
    });
  });
  return { printed: () => out, complained: () => err, stop: () => child.kill('SIGINT'), done };
}

/**
 * Starts a kubectl that waits or watches, and answers once the server has its watch, or has answered that the object is not there
 * yet: what a case does from then on is seen, however slowly the program started. What it logs of that is not in its answer.
 *
 * @throws if it ends before
 */
export async function startWatching(command: Command): Promise<Running> {
  const running = start({ ...command, args: [...command.args, '-v=6'] });
  let ended = false;
  const done = running.done.then((answer) => {
    ended = true;
    return { ...answer, err: answer.err.replaceAll(/^[IWE]\d{4} .*\n/gm, '') };
  });
  while (!/watch=true| 404 Not Found|status="404 /.test(running.complained())) {
    if (ended) throw new Error(`kubectl ended and watched nothing: ${JSON.stringify(await done)}`);
    await pause(20);
  }
  return { ...running, done };
}

/** Splits a command line at its spaces, except within single quotes. */
export function words(line: string): string[] {
  const found = line.match(/(?:[^\s']+|'[^']*')+/g) ?? [];
  return found.map((word) => word.replaceAll(/'([^']*)'/g, '$1'));
}
