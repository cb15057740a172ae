import type { RolloutPlanSpec, Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { Advance } from '../../../semantics/plan/advance.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { targetLimits, type TargetLimits } from '../../../semantics/limits/target-limits.ts';
import { childRules } from '../../../semantics/plan/child-units.ts';
import { nodeRules } from '../../../semantics/daemonset/node-rules.ts';
import { ownedRules } from '../../../semantics/plan/owned-units.ts';
import { rulesOfSelected } from '../../../semantics/sidecarset/new-only.ts';
import { runRules } from '../../../semantics/plan/run-once.ts';
import { tickRules } from '../../../semantics/plan/on-ticks.ts';
import type { Accepted, Progress } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput, Command } from '../../../semantics/plan/advance-input.ts';
import type { PlanObject } from '../../../semantics/plan/plan-object.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { OwnedUnits, SelectedUnits, Units } from '../../../semantics/plan/units.ts';

const RULES: Readonly<Record<Units['of'], RolloutView['rules']>> = {
  owned: () => ownedRules,
  nodes: () => nodeRules,
  selected: rulesOfSelected,
  run: () => runRules,
  ticks: () => tickRules,
  children: () => childRules,
};

/** Five revisions that a target can be on, oldest first; UNEXPECTED is in no plan. */
export const OLDER = 'h1:older';
export const OLD = 'h1:old';
export const NEW = 'h1:new';
export const NEWER = 'h1:newer';
export const UNEXPECTED = 'h1:stray';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const MINUTE = 60_000;

export const canary: Step = { id: 'canary', update: { to: 3 } };
export const ok: Step = { id: 'ok', approve: {} };
export const rest: Step = { id: 'rest', update: { to: '100%' } };

/** `n` available pods on a revision, an hour old; `parts` overrides fields of each. */
export function pods(hash: string | undefined, n: number, parts: Partial<PodRow> = {}): PodRow[] {
  return Array.from({ length: n }, (_, i) => {
    const name = parts.name ?? `${hash?.slice(3) ?? 'lost'}-${i}`;
    return {
      uid: `uid-${name}`,
      unit: `uid-${name}`,
      name,
      hash,
      available: true,
      restarts: 0,
      createdAt: NOW - 60 * MINUTE,
      updatedAt: 0,
      conditions: {},
      ...parts,
    };
  });
}

/** The limits of a target with so many pods: one at a time. */
export function limits(replicas = 5, fields: object = {}): TargetLimits {
  const own = { replicas, updateStrategy: { maxUnavailable: 1, maxSurge: 0, ...fields } };
  const target = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: own,
  };
  return targetLimits(cloneSetKind.limits, target, replicas);
}

/** Pods that the target creates itself. */
export function owned(parts: Partial<OwnedUnits> = {}): OwnedUnits {
  return {
    of: 'owned',
    podSpec: { containers: [] },
    preDownload: undefined,
    hookWaits: () => [],
    growth: undefined,
    claimsDeletedWithPods: false,
    modeWithResize: undefined,
    ...parts,
  };
}

/** Pods that others create. */
export function selected(parts: Partial<SelectedUnits> = {}): SelectedUnits {
  return {
    of: 'selected',
    newPodsWithin: undefined,
    live: { selector: {} },
    unrecorded: () => ({ type: 'NewPods', status: 'True', reason: 'NotRecorded', message: '' }),
    recorded: undefined,
    leftAt: () => [],
    outdated: { count: 0, wayTo: () => [] },
    unwritableTo: () => new Set(),
    tooManyLeftOut: undefined,
    missed: 0,
    limitedBy: () => undefined,
    blockedBy: () => undefined,
    ...parts,
  };
}

/** A target of five pods on OLD whose manifest is at NEW. */
export function view(parts: Partial<RolloutView> = {}): RolloutView {
  return {
    kind: 'CloneSet',
    name: 'web',
    namespace: 'shop',
    deleting: false,
    paused: false,
    onDelete: false,
    replicas: 5,
    liveHash: NEW,
    partition: 0,
    limits: limits(parts.replicas),
    stable: OLD,
    retained: undefined,
    complete: new Set([OLDER, OLD]),
    pods: pods(OLD, parts.replicas ?? 5),
    modeTo: () => 'InPlace',
    nameOf: (hash) => hash.slice(3),
    liveSince: NOW - 60 * MINUTE,
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    unsupported: [],
    invalid: [],
    origin: { by: 'user' },
    units: owned(),
    // Tests replace the units alone.
    rules(ofPlan) {
      return RULES[this.units.of](ofPlan);
    },
    ...parts,
  };
}

/** A plan from OLD and OLDER to NEW: three pods, an approval, the rest. */
export function spec(parts: Partial<RolloutPlanSpec> = {}): RolloutPlanSpec {
  return {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
    to: { hash: NEW, bound: {} },
    from: [
      { hash: OLD, mode: 'InPlace' },
      { hash: OLDER, mode: 'InPlace' },
    ],
    steps: [canary, ok, rest],
    digest: 'h1:aaaa',
    ...parts,
  };
}

export function planObject(planSpec: RolloutPlanSpec, name = `plan-${planSpec.digest.slice(3)}`): PlanObject {
  return {
    name,
    uid: `uid-${name}`,
    spec: planSpec,
    since: NOW - 60 * MINUTE,
    wasStale: false,
    refused: undefined,
  };
}

export function accepted(planSpec: RolloutPlanSpec, parts: Partial<Progress> = {}): Accepted {
  const progress: Progress = {
    seq: 1,
    phase: 'Running',
    step: 0,
    frozenN: 5,
    clockMs: 0,
    idleMs: 0,
    best: 0,
    stepSince: NOW - 10 * MINUTE,
    baseline: { unavailable: [], restarts: {} },
    recorded: limits().recorded(),
    approved: [],
    consumed: [],
    ...parts,
  };
  const name = `web-plan-${planSpec.digest.slice(3)}`;
  return {
    name,
    spec: planSpec,
    progress,
    object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name } },
  };
}

export function command(action: Command['spec']['action'], parts: Partial<Command['spec']> = {}): Command {
  const name = `web-${action.toLowerCase()}`;
  return {
    uid: `uid-${name}`,
    name,
    createdAt: NOW - 30_000,
    spec: { target: { kind: 'CloneSet', name: 'web' }, action, by: 'mona', ...parts },
    result: undefined,
  };
}

export function input(parts: Partial<AdvanceInput> = {}): AdvanceInput {
  return {
    view: view(),
    plans: [planObject(spec())],
    commands: [],
    memory: [],
    inSyncSince: 0,
    progressClock: undefined,
    policy: 'Required',
    context: emptyContext,
    now: NOW,
    ...parts,
  };
}

/** The result of a reconcile, short enough for a table. */
export interface Outline {
  gone?: true;
  plan?: string;
  phase: string;
  step?: number;
  reason?: string;
  goal?: string;
  blocked?: string;
  pending?: Record<string, string>;
  writes?: string[];
  transitions?: string[];
  answers?: string[];
}

export function outline(result: Advance): Outline {
  const { accepted: active } = result;
  const progress = active?.progress;
  return {
    ...(result.targetDeleted ? { gone: true } : {}),
    ...(active === undefined ? {} : { plan: active.spec.digest }),
    phase: progress?.phase ?? 'Pending',
    ...(progress === undefined ? {} : { step: progress.step }),
    ...(progress?.reason === undefined ? {} : { reason: progress.reason }),
    ...(progress?.goal === undefined ? {} : { goal: progress.goal }),
    ...(result.blocked === undefined ? {} : { blocked: result.blocked.reason }),
    ...(result.pending.size === 0
      ? {}
      : { pending: Object.fromEntries([...result.pending].map(([name, why]) => [name, why.reason])) }),
    ...(result.writes.length === 0 ? {} : { writes: result.writes.map(writeText) }),
    ...(result.transitions.length === 0
      ? {}
      : { transitions: result.transitions.map((turn) => turn.reason) }),
    ...(result.answered.length === 0 ? {} : { answers: result.answered.map((a) => a.result) }),
  };
}

/** `accept h1:… Running 0`, `progress … approved ok`, `progress … paused`, `complete h1:… (2 at h1:…)`. */
function writeText(write: Advance['writes'][number]): string {
  switch (write.do) {
    case 'accept':
      return `accept ${write.spec.digest} ${progressText(write.progress)}`;
    case 'progress':
      return `progress ${write.accepted.spec.digest} ${progressText(write.accepted.progress)}`;
    case 'complete':
      return `complete ${write.hash}${write.retained === undefined ? '' : ` (${write.retained.n} at ${write.retained.hash})`}`;
  }
}

function progressText({ phase, step, approved, paused: pausedBy }: Progress): string {
  const gates = approved.length === 0 ? [] : [`approved ${approved.join(' ')}`];
  return [phase, step, ...gates, ...(pausedBy === undefined ? [] : ['paused'])].join(' ');
}
