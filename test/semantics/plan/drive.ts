import { advance, type Advance } from '../../../semantics/plan/advance.ts';
import type { Accepted } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput, Command, ProgressClock } from '../../../semantics/plan/advance-input.ts';
import type { PlanObject } from '../../../semantics/plan/plan-object.ts';
import { type RolloutContext, emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { command, NOW, view } from './rollout.ts';

/** A target that is reconciled repeatedly, with the records of a runtime: every write is done before the next reconcile. */
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
  /** The answers to commands, in order. */
  answers: string[];
  /** Reconciles until nothing more is written. */
  reconcile(): Advance;
  /** Advances the time, with a reconcile when the last one requested it, and at least every 30 seconds. */
  wait(ms: number): Advance;
  /** Advances the time without a reconcile, and then reconciles once. */
  absent(ms: number): Advance;
  /** Drops what is only in memory. */
  crash(): void;
}

const THIRTY_SECONDS = 30_000;

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
        self.transitions.push(...result.transitions.map((transition) => transition.reason));
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
        self.now = Math.min(until, Math.max(asked, self.now + 1), self.now + THIRTY_SECONDS);
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

/** Serializes and parses records, as annotations do. */
function put(self: Drive, kept: Accepted): void {
  const same = (m: Accepted): boolean => m.spec.digest === kept.spec.digest;
  self.memory = [...self.memory.filter((m) => !same(m)), JSON.parse(JSON.stringify(kept)) as Accepted];
}

/** The active plan: the one accepted last. */
export function activePlanOf(self: Drive) {
  return [...self.memory].sort((a, b) => b.progress.seq - a.progress.seq)[0];
}

let said = 0;
/** Sends a command, and reconciles. */
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

/** Phase, step and reason of the active plan: `Halted soak Breach`. */
export function state(self: Drive): string {
  const current = activePlanOf(self);
  if (current === undefined) return 'none';
  const { phase, step, reason } = current.progress;
  return [phase, current.spec.steps[step]?.id, reason].filter((part) => part !== undefined).join(' ');
}

/** Changes fields of one pod. */
export function swap(self: Drive, name: string, parts: Partial<Drive['view']['pods'][number]>): void {
  const there = self.view.pods.map((pod) => (pod.name === name ? { ...pod, ...parts } : pod));
  self.view = { ...self.view, pods: there };
}
