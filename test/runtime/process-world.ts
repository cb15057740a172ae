import type { Connection } from '../../runtime/api/connection.ts';
import { startProcess, type ProcessOptions, type RuntimeProcess } from '../../runtime/process.ts';
import { createWallClock, createWorld, type World, type WorldOptions } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import type { Clock } from '../../schemas/wire/clock.ts';
import { randomOf } from '../random.ts';

const TOKEN = 'a-token-that-nobody-may-see';

/** A sandbox behind HTTP, whose time runs faster, and its processes. */
export interface Site {
  world: World;
  clock: Clock;
  connection: Connection;
  /** What processes have written, in order. */
  lines: LogLine[];
  start(options?: Partial<ProcessOptions>): Promise<RuntimeProcess>;
  /** Resolves when it holds; rejects after this many real milliseconds. */
  until(what: string, holds: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface LogLine {
  level: string;
  msg: string;
  target?: string;
  plan?: string;
  step?: string;
}

export function connectionTo(url: string, token = TOKEN): Connection {
  return {
    server: url,
    namespace: undefined,
    user: 'the tester',
    headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
  };
}

export async function createSite(speed: number, options: Partial<WorldOptions> = {}): Promise<Site> {
  const clock = createWallClock(speed);
  const world = createWorld({ clock, namespaces: ['default', 'shop'], nodes: 2, ...options });
  const front = await serve(world, {
    tokens: new Map([[TOKEN, 'kruise']]),
  });
  const connection = connectionTo(front.url);
  const lines: LogLine[] = [];
  const running: RuntimeProcess[] = [];
  let made = 0;
  return {
    world,
    clock,
    connection,
    lines,
    async start(more = {}) {
      made += 1;
      const election = { namespace: 'default', name: 'kruise', identity: `p${made}` };
      const started = await startProcess({
        connection,
        clock,
        random: randomOf(made),
        version: '1.2.3',
        policy: 'Required',
        election,
        endpoint: { port: 0, address: '127.0.0.1' },
        log: { format: 'json', write: (line) => lines.push(JSON.parse(line) as LogLine) },
        ...more,
      });
      running.push(started);
      return started;
    },
    async until(what, holds, limitMs = 15_000) {
      const end = Date.now() + limitMs;
      while (!(await holds())) {
        if (Date.now() > end)
          throw new Error(
            `${what} did not come about; ${lines
              .slice(-5)
              .map(({ msg }) => msg)
              .join(' | ')}`,
          );
        await new Promise((resolve) => void setTimeout(resolve, 10));
      }
    },
    async close() {
      for (const each of running) await each.stop();
      world.stop();
      await front.close();
    },
  };
}
