import { fenced } from '../../runtime/lead/fence.ts';
import { createLeadership } from '../../runtime/lead/leadership.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Cluster, WatchSink } from '../../schemas/wire/cluster.ts';
import { createMachine, type Machine } from '../runtime/lead-world.ts';
import { optionsOf } from './disturbances.ts';
import type { Disturbance } from './play.ts';
import { type Call, intercepting, isWrite, type VirtualClock } from 'kruise-sandbox';

/** When and how the process of the leader is paused. */
export interface LeaderPause {
  /** At this write of all writes, the first being 1. */
  write: number;
  /**
   * `queued`: it is paused after the response to the write, with further writes decided and not sent. `on the wire`: it is
   * paused after sending the write, which arrives when another process leads.
   */
  how: 'queued' | 'on the wire';
}

/** How long a leader is paused, in milliseconds: another process leads long before its end. */
const PAUSE_MS = 60_000;

/** What happened to the writes of processes, so that a test can check its own setup. */
export interface ElectionObservation {
  writes: number;
  /** Number of leadership terms. */
  terms: number;
  /** Writes that reached the server after their process had lost leadership. */
  unexpected: number;
  /** Writes that the fence stopped. */
  delayed: number;
}

/** A cluster used from a machine that may be paused: it sends nothing meanwhile, and receives events when it runs again. */
function throughMachine(machine: Machine, cluster: Cluster): Cluster {
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

/** Two processes of which one leads; the leader is paused. */
export function elected(pause: LeaderPause | undefined, observation: ElectionObservation): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const { clock, sandbox } = here;
      const leases = sandbox.cluster('lease');
      const pair = electedPair(optionsOf(here, errors), { clock, leases, pause, observation });
      pair.start();
      return pair;
    },
  };
}

interface Election {
  clock: Pick<VirtualClock, 'now' | 'after'>;
  /** How they reach their Lease, in the namespace `default`. */
  leases: Cluster;
  pause: LeaderPause | undefined;
  observation: ElectionObservation;
}

/** Two processes with runtimes of these options, of which one leads. */
export function electedPair(options: RuntimeOptions, election: Election): { start(): void; stop(): void } {
  let stops: (() => void)[] = [];
  return {
    start() {
      stops = ['a', 'b'].map((identity) => startElected(identity, options, election));
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

function startElected(
  identity: string,
  options: RuntimeOptions,
  { clock, leases, pause, observation }: Election,
): () => void {
  const machine = createMachine(clock);
  let runtime: Runtime | undefined;
  const isPauseDue = (): boolean => {
    observation.writes += 1;
    return observation.writes === pause?.write;
  };
  const wire = intercepting(options.cluster, {
    async request(call: Call, send) {
      if (!isWrite(call)) return send();
      const meets = isPauseDue();
      if (meets && pause?.how === 'on the wire') {
        machine.pause(PAUSE_MS);
        await new Promise<void>((resolve) => {
          clock.after(PAUSE_MS / 2, resolve);
        });
      }
      if (!leadership.leading) observation.unexpected += 1;
      const answer = await send();
      if (meets && pause?.how === 'queued') machine.pause(PAUSE_MS);
      return answer;
    },
    watch: (_call, open, sink) => open(sink),
  });
  const leadership = createLeadership({
    cluster: throughMachine(machine, leases),
    clock: machine.clock,
    identity,
    namespace: 'default',
    name: 'kruise',
    random: () => 1,
    onLeading() {
      observation.terms += 1;
      let over = false;
      runtime = createRuntime({
        ...options,
        cluster: fenced(throughMachine(machine, wire), () => {
          const may = !over && leadership.leading;
          if (!may) observation.delayed += 1;
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
