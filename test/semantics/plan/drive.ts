import { advance, type Advance } from '../../../semantics/plan/advance.ts';
import type { Accepted } from '../../../semantics/plan/memory.ts';
import {
  type AdvanceInput,
  type RolloutContext,
  type Command,
  emptyContext,
  type PlanObject,
  type RolloutView,
  type ProgressClock,
} from '../../../semantics/plan/rollout-view.ts';
import { command, NOW, view } from './rollout.ts';

/** A target looked at again and again, with the memory a runtime would keep: every write is on record before the next look. */
export interface Drive {
  view: RolloutView;
  plans: PlanObject[];
  commands: AdvanceInput['commands'];
  policy: AdvanceInput['policy'];
  memory: Accepted[];
  context: RolloutContext;
  now: number;
  /** Everything that happened, in order. */
  transitions: string[];
  /** What commands were answered, in order. */
  answers: string[];
  /** Looks until nothing more is written. */
  reconcile(): Advance;
  /** Time passes, with a look when the last one asked for it, and at least every half minute. */
  wait(ms: number): Advance;
  /** Time passes and nobody looks; then one look. */
  absent(ms: number): Advance;
  /** What is held in memory is lost. */
  crash(): void;
}

const HALF_MINUTE = 30_000;

export function drive(parts: Partial<Drive> = {}): Drive {
  let ticker: ProgressClock | undefined;
  const self: Drive = {
    view: view(),
    plans: [],
    commands: [],
    policy: 'Required',
    memory: [],
    context: emptyContext,
    now: NOW,
    transitions: [],
    answers: [],
    ...parts,
    reconcile() {
      for (let i = 0; i < 20; i++) {
        const { plans, commands, policy, memory, now } = self;
        const result = advance({
          view: self.view,
          plans,
          commands,
          memory,
          progressClock: ticker,
          inSyncSince: 0,
          policy,
          context: self.context,
          now,
        });
        ticker = result.progressClock;
        self.transitions.push(...result.transitions.map((turn) => turn.reason));
        self.answers.push(...result.answered.map((answer) => answer.message));
        if (result.writes.length === 0 && result.answered.length === 0) return result;
        const answers = new Map(result.answered.map((a) => [a.uid, a.result]));
        self.commands = commands.map((c) => ({ ...c, result: answers.get(c.uid) ?? c.result }));
        for (const write of result.writes) record(self, write);
      }
      throw new Error('twenty looks at the same world, and each wrote something');
    },
    wait(ms) {
      const until = self.now + ms;
      let result = self.reconcile();
      while (self.now < until) {
        const asked = result.requeueAt ?? Infinity;
        self.now = Math.min(until, Math.max(asked, self.now + 1), self.now + HALF_MINUTE);
        result = self.reconcile();
      }
      return result;
    },
    absent(ms) {
      self.now += ms;
      return self.reconcile();
    },
    crash() {
      ticker = undefined;
    },
  };
  return self;
}

function record(self: Drive, write: Advance['writes'][number]): void {
  switch (write.do) {
    case 'complete': {
      const complete = new Set([...self.view.complete, write.hash]);
      self.view = { ...self.view, stable: write.hash, retained: write.retained, complete };
      return;
    }
    case 'progress':
      put(self, write.accepted);
      return;
    case 'accept': {
      const name = `web-plan-${write.spec.digest.slice(3)}`;
      const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name } };
      put(self, { name, spec: write.spec, progress: write.progress, object });
    }
  }
}

/** As annotations do, what is remembered goes through text. */
function put(self: Drive, kept: Accepted): void {
  const same = (m: Accepted): boolean => m.spec.digest === kept.spec.digest;
  self.memory = [...self.memory.filter((m) => !same(m)), JSON.parse(JSON.stringify(kept)) as Accepted];
}

/** The snapshot that counts: the one accepted last. */
export function activePlanOf(self: Drive) {
  return [...self.memory].sort((a, b) => b.progress.seq - a.progress.seq)[0];
}

let said = 0;
/** Somebody says something now, and is answered. */
export function sendCommand(
  self: Drive,
  action: Command['spec']['action'],
  parts: Partial<Command['spec']> = {},
): Command['result'] {
  const uid = `said-${(said += 1)}`;
  self.commands = [...self.commands, { ...command(action, parts), uid, createdAt: self.now }];
  self.reconcile();
  return self.commands.find((c) => c.uid === uid)?.result;
}

/** Phase, step and reason of the plan in force: `Halted soak Breach`. */
export function state(self: Drive): string {
  const current = activePlanOf(self);
  if (current === undefined) return 'none';
  const { phase, step, reason } = current.progress;
  return [phase, current.spec.steps[step]?.id, reason].filter((part) => part !== undefined).join(' ');
}

/** Something about one pod is different from now on. */
export function swap(self: Drive, name: string, parts: Partial<Drive['view']['pods'][number]>): void {
  const there = self.view.pods.map((pod) => (pod.name === name ? { ...pod, ...parts } : pod));
  self.view = { ...self.view, pods: there };
}
