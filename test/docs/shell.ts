import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a command printed, and its exit code. */
export interface Result {
  out: string;
  code: number;
}

/** A shell as a reader has it: the folder and exported variables stay from one command to the next. */
export interface Shell {
  run: (command: string) => Promise<Result>;
  /** Starts what runs until Ctrl-C; what it has printed once `ready` matches, or until it ended. */
  start: (command: string, ready: RegExp) => Promise<{ out: string; interrupt: () => Promise<number> }>;
  /** Ends everything that was started. */
  close: () => void;
}

/** A shell in `folder`, with `programs` (name: script) before all others on its path. */
export function createShell(folder: string, programs: Readonly<Record<string, string>>): Shell {
  const bin = join(folder, '.bin');
  const state = join(folder, '.cwd');
  mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'mona'],
        [`GIT_${who}_EMAIL`, 'mona@example.com'],
      ]),
    ),
  };
  const started = new Set<ChildProcess>();
  let exported = '';
  const cwd = (): string => (existsSync(state) ? readFileSync(state, 'utf8').trim() : join(folder, 'clone'));
  return {
    run: (command) => {
      if (command.startsWith('export ')) exported += `${command.replace('$PWD', cwd())}\n`;
      const script = `${exported}${command}\npwd > '${state}'`;
      return new Promise((resolve) => {
        execFile('/bin/sh', ['-ec', script], { cwd: cwd(), env, timeout: 120_000 }, (error, out, err) =>
          resolve({ out: `${out}${err}`, code: error === null ? 0 : Number(error.code ?? 130) }),
        );
      });
    },
    start: async (command, ready) => {
      const child = spawn('/bin/sh', ['-c', `${exported}exec ${command}`], {
        cwd: cwd(),
        env,
        detached: true,
      });
      started.add(child);
      const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 130)));
      let out = '';
      const isReady = new Promise<void>((resolve) => {
        const read = (piece: Buffer): void => {
          out += String(piece);
          if (ready.test(out)) resolve();
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
      });
      await Promise.race([isReady, ended]);
      const interrupt = (): Promise<number> => {
        signal(child, 'SIGINT');
        return ended;
      };
      return { out, interrupt };
    },
    close: () => started.forEach((child) => signal(child, 'SIGKILL')),
  };
}

/** Sends a signal to a program and to those that it has started, as a terminal does. */
function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
}
