import { spawn, type ChildProcess } from 'node:child_process';

/** A command that goes on until it is stopped. */
export interface Program {
  /** What it has written last, both streams. */
  said(): string;
  running(): boolean;
  /** Asks it to end, and waits until it has; gives the exit code. */
  stop(): Promise<number | null>;
  /** Ends it without warning. */
  kill(): Promise<void>;
}

export interface Start {
  /** The bundled command line. */
  kruise: string;
  args: readonly string[];
  cwd: string;
}

const KEPT = 20_000;

export function startProgram({ kruise, args, cwd }: Start): Program {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd };
  const child: ChildProcess = spawn(process.execPath, [kruise, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-KEPT)));
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  return {
    said: () => text,
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
  /** Told when it does not come about. */
  tell?: () => string;
}

/** Asks again and again until the answer is neither undefined nor false nor a failure; rejects after so many milliseconds. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { limitMs = 60_000, everyMs = 250, tell }: Eventually = {},
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    let refused: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      // A server may be busy with itself: for a moment after a definition is new it answers 429.
      refused = error;
    }
    if (Date.now() > end)
      throw new Error(`${what}: it did not come about. ${tell?.() ?? ''}`, { cause: refused });
    await new Promise((resolve) => void setTimeout(resolve, everyMs));
  }
}
