import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import {
  hasFields,
  isListOf,
  isMapOf,
  isOptional,
  isText,
  isWhole,
  parsedJson,
} from '../values/json-shape.ts';
import { MODES, type Mode } from '../template/mode.ts';

/** Where a rollout stands (plan states). Superseded exists on snapshots only, Stale only before acceptance. */
export const PHASES = [
  'Pending',
  'Running',
  'AwaitingApproval',
  'Soaking',
  'Checking',
  'Reverting',
  'Succeeded',
  'Halted',
  'Reverted',
  'Aborted',
  'Superseded',
  'Stale',
] as const;
export type Phase = (typeof PHASES)[number];

/** Who made a rollout turn back or end: a manifest in git, a failed step, or a person's command. */
export type Cause = 'git' | 'failure' | 'person';

/** A revision that pods may be on under a plan, and the most that may be done to take them from it. */
export interface Listed {
  hash: string;
  mode: Mode;
}

/**
 * What the runtime remembers of an accepted plan, written before it acts on it. Times are observed milliseconds: they
 * count only while the runtime was in sync and nothing stood over the step.
 */
export interface Progress {
  /** Order of acceptance among the target's plans; the highest is the one in force. */
  seq: number;
  phase: Phase;
  /** Index of the step in progress, or of the one that failed. */
  step: number;
  cause?: Cause;
  /** Why the present phase: `Timeout`, `Breach`, `UnplannedRevision`, `AlreadyThere`, `WentBack` … */
  reason?: string;
  message?: string;
  /** The revision a Reverting rollout goes to, and a Reverted one went to. */
  goal?: string;
  /** Replicas when the present or last update step started; follows scale-in down. */
  frozenN: number;
  /** Observed time in this step. */
  clockMs: number;
  /** Observed time since a pod last became available at the goal in this step. */
  idleMs: number;
  /** Observed time in which the check of this step has passed. */
  passMs?: number;
  /** Observed time in this step spent waiting for room in the cluster since a pod last became available. */
  capacityMs?: number;
  /** Most pods seen available at the goal in this step. */
  best: number;
  /**
   * The latest that any pod was made when this step began, milliseconds since 1970: a pod of after that is a successor,
   * not a pod that broke. A time of pods, not of this process: clocks of two machines are not compared.
   */
  stepSince: number;
  /** The latest that any pod was updated in place, likewise. */
  updatedSince?: number;
  /**
   * What was already wrong when the plan was accepted, by unit, of 2,000 units at most. `otherRestarts`: the most that a
   * pod had restarted of those beyond them.
   */
  baseline: { unavailable: string[]; restarts: Record<string, number>; otherRestarts?: number };
  /** Units that were broken when a person said Resume: they are waited for, and are no breach. */
  excused?: string[];
  /** A person has stopped it; nothing new begins until `Resume`. */
  paused?: { by: string; reason?: string };
  /** The revision that was stable when the plan was accepted: the target may go back to it. */
  stable?: string;
  /** Revisions pods may be on beyond the plan's own `from`, inherited from the plan it took the place of. */
  inherited?: Listed[];
  /** Ids of steps that were approved for this digest. */
  approved: string[];
  /** Commands that were answered, newest last, the last twenty and those whose objects do not show it: the uid, with `!` before it where it was refused. */
  consumed: string[];
}

/** An accepted plan: an immutable snapshot of its spec, and its progress. */
export interface Accepted {
  name: string;
  spec: RolloutPlanSpec;
  progress: Progress;
  object: KubeObject;
}

export const ACCEPTED_LABEL = 'plan.kruise.io/accepted';
export const PROGRESS_ANNOTATION = 'plan.kruise.io/progress';

/**
 * A ControllerRevision that holds an accepted plan, not a pod template. The label alone does not say so: OpenKruise gives a
 * revision the labels of its template.
 */
export function isSnapshot({ metadata, data }: KubeObject): boolean {
  const holdsTemplate = typeof data === 'object' && data !== null && Object.hasOwn(data, 'spec');
  return metadata.labels?.[ACCEPTED_LABEL] !== undefined && !holdsTemplate;
}

/** An object is immutable once observed, and a target's snapshots are read in every reconcile. */
const parsed = new WeakMap<KubeObject, { accepted: Accepted | undefined }>();

/**
 * Reads a snapshot; undefined for any other object, and where its plan or its progress cannot be read (then it counts as
 * never accepted).
 */
export function parseSnapshot(object: KubeObject): Accepted | undefined {
  const known = parsed.get(object) ?? { accepted: readSnapshot(object) };
  parsed.set(object, known);
  return known.accepted;
}

function readSnapshot(object: KubeObject): Accepted | undefined {
  const progress = parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? '');
  if (!isSnapshot(object) || !isProgress(progress) || !isPlan(object['data'])) return undefined;
  return { name: object.metadata.name, spec: object['data'], progress, object };
}

/** Fields that a later version has added are read past: an accepted plan is not forgotten by an older runtime. */
function isPlan(data: unknown): data is RolloutPlanSpec & JsonObject {
  const problems = validateRolloutPlan({
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: 'accepted' },
    spec: data,
  });
  return problems.every(({ keyword }) => keyword === 'additionalProperties');
}

const isTexts = isListOf(isText);
const isAmount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
const isListed = (value: unknown): boolean =>
  hasFields(value, { hash: isText, mode: (mode) => MODES.includes(mode as Mode) });

const PROGRESS: Record<keyof Progress, (value: unknown) => boolean> = {
  seq: isWhole,
  phase: (value) => PHASES.includes(value as Phase),
  step: isWhole,
  cause: isOptional((value) => value === 'git' || value === 'failure' || value === 'person'),
  reason: isOptional(isText),
  message: isOptional(isText),
  goal: isOptional(isText),
  frozenN: isWhole,
  clockMs: isAmount,
  idleMs: isAmount,
  passMs: isOptional(isAmount),
  capacityMs: isOptional(isAmount),
  best: isWhole,
  stepSince: isAmount,
  updatedSince: isOptional(isAmount),
  baseline: (value) =>
    hasFields(value, {
      unavailable: isTexts,
      restarts: isMapOf(isWhole),
      otherRestarts: isOptional(isWhole),
    }),
  excused: isOptional(isTexts),
  paused: isOptional((value) => hasFields(value, { by: isText, reason: isOptional(isText) })),
  stable: isOptional(isText),
  inherited: isOptional(isListOf(isListed)),
  approved: isTexts,
  consumed: isTexts,
};

/** Somebody may have edited the annotation: what has not the shape of progress is none. */
function isProgress(value: unknown): value is Progress {
  return hasFields(value, PROGRESS);
}

/** `<target>-plan-<8 of digest>`, as a revision name is cut to what a name may hold. */
export function snapshotName(target: string, digest: string): string {
  return `${target.slice(0, 223)}-plan-${digest.slice('h1:'.length, 'h1:'.length + 8)}`;
}

/** The object that keeps an accepted plan. Owned by the target, so that its memory goes with it. */
export function snapshotObject(
  target: { name: string; namespace: string | undefined; owner: OwnerReference },
  spec: RolloutPlanSpec,
  progress: Progress,
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: snapshotName(target.name, spec.digest),
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
      labels: { [ACCEPTED_LABEL]: 'true' },
      annotations: { [PROGRESS_ANNOTATION]: JSON.stringify(progress) },
      ownerReferences: [target.owner],
    },
    data: spec,
    revision: progress.seq,
  };
}

/** Verdicts, and other plans, that are remembered beside the plan in force. */
const REMEMBERED = { verdicts: 10, others: 5 };

/** The plan in force: of those that were accepted and not replaced, the one accepted last. */
export function activePlan(memory: readonly Accepted[]): Accepted | undefined {
  return newestFirst(memory).find(({ progress: { phase } }) => phase !== 'Superseded' && phase !== 'Pending');
}

/** What people said to a plan before it was accepted: a snapshot whose phase is Pending. */
export function previouslyAccepted(memory: readonly Accepted[], digest: string): Accepted | undefined {
  return memory.find((m) => m.progress.phase === 'Pending' && m.spec.digest === digest);
}

/** Snapshots that nothing needs any more, oldest first: all but the plan in force, ten verdicts and five others. */
export function removableRecords(memory: readonly Accepted[]): Accepted[] {
  const kept = activePlan(memory);
  const rest = newestFirst(memory).filter((m) => m !== kept);
  const verdicts = rest.filter((m) => hasVerdict(m.progress)).slice(REMEMBERED.verdicts);
  const others = rest.filter((m) => !hasVerdict(m.progress)).slice(REMEMBERED.others);
  return newestFirst([...verdicts, ...others]).reverse();
}

/** A failure, or a person's word, stands against the change; what git took back says nothing of it. */
export function hasVerdict({ phase, cause }: Progress): boolean {
  return phase === 'Halted' || phase === 'Aborted' || (phase === 'Reverted' && cause !== 'git');
}

/** What is remembered, with the plan in force as it is by now: within a look more is known than was stored before it. */
export function retainedRecords(
  memory: readonly Accepted[],
  current: Accepted | undefined,
): readonly Accepted[] {
  if (current === undefined) return memory;
  const others = memory.filter((m) => m.spec.digest !== current.spec.digest);
  return [...others, current];
}

export function newestFirst(memory: readonly Accepted[]): Accepted[] {
  return [...memory].sort((a, b) => b.progress.seq - a.progress.seq);
}
