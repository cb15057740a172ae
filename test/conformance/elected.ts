import { fenced } from '../../runtime/lead/fence.ts';
import { createLeadership } from '../../runtime/lead/leadership.ts';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';
import { createMachine, type Machine } from '../runtime/lead-world.ts';
import { type Here, optionsOf } from './disturbances.ts';
import type { Disturbance } from './play.ts';
import { intercepting, type Call, isWrite } from './port.ts';

/** How the leader is stopped in its work. */
export interface Hitch {
  /** At this write of all writes there are, the first being 1. */
  write: number;
  /**
   * `queued`: it stands still once the write was answered, with the next ones decided and not sent. `on the wire`: it
   * stands still with the write sent, which arrives when another one leads.
   */
  how: 'queued' | 'on the wire';
}

/** How long a leader stands still: another one leads long before it is over. */
const STANDS_STILL_MS = 60_000;

/** What happened to the writes of processes, for a test to see that it was what it meant. */
export interface ElectionObservation {
  writes: number;
  /** Terms of leadership there were. */
  terms: number;
  /** Writes that reached the server from a process that did not lead any more. */
  unexpected: number;
  /** Writes that were decided, and that the fence kept back. */
  delayed: number;
}

/** The cluster as a machine sees it that may stand still: it sends nothing meanwhile, and hears what came when it runs. */
function seenFrom(machine: Machine, cluster: Cluster): Cluster {
  return intercepting(cluster, {
    async request(_call, send) {
      await machine.running();
      try {
        return await send();
      } finally {
        await machine.running();
      }
    },
    watch(_call, open, sink) {
      let stopped = false;
      let last = Promise.resolve();
      const later = (run: () => void): void => {
        last = last.then(async () => {
          await machine.running();
          if (!stopped) run();
        });
      };
      const inner: WatchSink = {
        onOpen: () => later(() => sink.onOpen?.()),
        onEvent: (event) => later(() => sink.onEvent(event)),
        onEnd: (error) => later(() => sink.onEnd(error)),
      };
      const handle = open(inner);
      return {
        stop() {
          stopped = true;
          handle.stop();
        },
      };
    },
  });
}

/** Two processes that lead in turns; whichever leads meets the hitch. */
export function elected(hitch: Hitch | undefined, seen: ElectionObservation): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const stops = ['a', 'b'].map((identity) => startElected(identity, { here, errors, hitch, seen }));
      return { stop: () => stops.forEach((stop) => stop()) };
    },
  };
}

interface Election {
  here: Here;
  errors: unknown[];
  hitch: Hitch | undefined;
  seen: ElectionObservation;
}

function startElected(identity: string, { here, errors, hitch, seen }: Election): () => void {
  const { sandbox, clock } = here;
  const options = optionsOf(here, errors);
  const machine = createMachine(clock);
  let runtime: Runtime | undefined;
  const isHitch = (): boolean => {
    seen.writes += 1;
    return seen.writes === hitch?.write;
  };
  const wire = intercepting(options.cluster, {
    async request(call: Call, send) {
      if (!isWrite(call)) return send();
      const meets = isHitch();
      if (meets && hitch?.how === 'on the wire') {
        machine.pause(STANDS_STILL_MS);
        await new Promise<void>((resolve) => {
          clock.after(STANDS_STILL_MS / 2, resolve);
        });
      }
      if (!leadership.leading) seen.unexpected += 1;
      const answer = await send();
      if (meets && hitch?.how === 'queued') machine.pause(STANDS_STILL_MS);
      return answer;
    },
    watch: (_call, open, sink) => open(sink),
  });
  const leadership = createLeadership({
    cluster: seenFrom(machine, sandbox.cluster('lease')),
    clock: machine.clock,
    identity,
    namespace: 'default',
    name: 'kruise',
    random: () => 1,
    onLeading() {
      seen.terms += 1;
      let over = false;
      runtime = createRuntime({
        ...options,
        cluster: fenced(seenFrom(machine, wire), () => {
          const may = !over && leadership.leading;
          if (!may) seen.delayed += 1;
          return may;
        }),
        clock: machine.clock,
      });
      const mine = runtime;
      end = () => {
        over = true;
        void mine.stop();
      };
      runtime.start();
    },
    onLost: () => end(),
  });
  let end = (): void => {};
  leadership.start();
  return () => {
    end();
    void leadership.stop();
  };
}
