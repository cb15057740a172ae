import { spawn, type ChildProcess } from 'node:child_process';

/** A command that runs until it is stopped. */
export interface Program {
  /** The end of its output, both streams. */
  output(): string;
  running(): boolean;
  /** Stops it with SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
}

export interface Start {
  /** The bundled command line. */
  kruise: string;
  args: readonly string[];
  cwd: string;
}

/** A program of others. */
export interface StartOf {
  path: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

const MOST_OUTPUT = 20_000;

export function startProgram({ kruise, args, cwd }: Start): Program {
  return startProgramOf({ path: process.execPath, args: [kruise, ...args], cwd, env: {} });
}

export function startProgramOf({ path, args, cwd, env }: StartOf): Program {
  const child: ChildProcess = spawn(path, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-MOST_OUTPUT)));
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  return {
    output: () => text,
    running: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Eventually {
  limitMs?: number;
  everyMs?: number;
  /** Added to the message on failure. */
  context?: () => string;
}

/** Polls until the answer is neither undefined nor false nor a failure; rejects after `limitMs`. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { limitMs = 60_000, everyMs = 250, context }: Eventually = {},
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    let refused: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      // A server may be busy: shortly after a definition was created it answers 429.
      refused = error;
    }
    if (Date.now() > end)
      throw new Error(`${what}: it did not come about. ${context?.() ?? ''}`, { cause: refused });
    await new Promise((resolve) => void setTimeout(resolve, everyMs));
  }
}
