import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import {
  hasFields,
  isListOf,
  isMapOf,
  isObject,
  isOptional,
  isText,
  isWhole,
  parsedJson,
} from '../values/json-shape.ts';
import type { Recorded } from '../limits/recorded.ts';
import { MODES, type Mode } from '../template/mode.ts';
import { remembered } from '../values/remembered.ts';
import { type Phase, PHASES } from './phases.ts';
import { withinLimit } from './record-limit.ts';
import { boundFields, isRecordedBound, type RecordedBound, withBounds } from './recorded-bound.ts';

/** What reverted or ended a rollout: the manifest in git, a failed step, or a user's command. */
export type Cause = 'git' | 'failure' | 'person';

/** A revision that pods may be on under a plan, and the most disruptive way in which they may be updated from it. */
export interface Listed {
  hash: string;
  mode: Mode;
}

/**
 * What the runtime records of an accepted plan, before it acts on it. It is stored as JSON: names never change. Those of
 * `before` and `atGoal` are in recorded-bound.ts. Clocks are in observed milliseconds: they run only while the runtime was in sync
 * and nothing blocked the step.
 */
export interface Progress {
  /** Order of acceptance among the target's plans; the plan with the highest number is active. */
  seq: number;
  phase: Phase;
  /** Index of the step in progress, or of the one that failed. */
  step: number;
  cause?: Cause;
  /** Reason of the phase: `Timeout`, `Breach`, `UnplannedRevision`, `AlreadyThere`, `WentBack` … */
  reason?: string;
  message?: string;
  /** Hash of the revision that a Reverting rollout goes to, and that a Reverted one went to. */
  goal?: string;
  /**
   * Units when the present or last update step started; lowered by a scale-in, or as nodes are deleted.
   *
   * Example: the step `50%` starts with ten pods and leads to five. Scaled out to 20, it still leads to five; scaled in to six, to three.
   */
  frozenN: number;
  /** How many pods had nothing of the target when this step started, where others create them. */
  missed?: number;
  /** How many Node objects did not count when the present or last update step started, where the units are nodes. */
  outside?: number;
  /**
   * When the last of the Node objects was created that existed then, milliseconds since 1970. Nodes that join later wait for the last step,
   * or until none of the others is left (`followNodes`).
   */
  joinedUntil?: number;
  /**
   * Of the last update step, where it is about nodes with labels: its index, how many of these there were when it started, and how
   * many Node objects with them did not count.
   */
  labeled?: { step: number; n: number; outside: number };
  /**
   * Where a step so far is about nodes with labels: how many nodes had the change when the last update step started, without those
   * that this one is about.
   */
  beyond?: number;
  /**
   * Where a step so far names subsets: the most pods of each subset that the steps have given, by its name, as of the start of the last
   * update step. So neither a scale nor the next step makes another number of what an earlier one gave.
   */
  parts?: Record<string, number>;
  /**
   * Of nodes: those that were not Ready since the plan was accepted, or have joined, and whose pods were not available since
   * (`followAway`).
   */
  away?: string[];
  /**
   * Of nodes: those that were not Ready when the plan was accepted, or when a user approved the step that waited or resumed it, and have
   * not been since, but for those of the baseline. They are no outage.
   */
  down?: string[];
  /** Of nodes: those that the way back has ended without, as they were not Ready, until they have gone to its goal (`withUnreverted`). */
  unreverted?: string[];
  /**
   * Where others create the pods: the most pods that there were since their number fell below `frozenN`, and when that was,
   * milliseconds since 1970. An outage that ends does not narrow the step.
   */
  fewer?: { n: number; since: number };
  /** Observed time in this step. */
  clockMs: number;
  /** Observed time in this step since a pod last became available on the plan's revision. */
  idleMs: number;
  /** Observed time in which the check of this step has passed. */
  passMs?: number;
  /** Observed time in this step spent waiting for cluster capacity since a pod last became available. */
  capacityMs?: number;
  /** The most pods that were available on the plan's revision in this step. */
  best: number;
  /**
   * The latest creation time of any pod when this step started, milliseconds since 1970. A pod created later is a new pod,
   * not one that broke. The time is that of the API server, so that clocks of two machines are never compared.
   */
  stepSince: number;
  /** The latest time at which any pod was updated in place when this step started, milliseconds since 1970. */
  updatedSince?: number;
  /**
   * What was already broken when the plan was accepted, by unit, for at most 2,000 units. `restarts`: the counts that do not
   * count against the change: those at acceptance, at the end of the update step that updated the pod, or at a Resume.
   * `otherRestarts`: the highest restart count among the pods beyond them.
   */
  baseline: { unavailable: string[]; restarts: Record<string, number>; otherRestarts?: number };
  /** Units that were broken when a user sent Resume: the step waits for them, and they fail no check. */
  excused?: string[];
  /** Uids of failed pods of a run that are deleted, so that their nodes run again. */
  rerun?: string[];
  /**
   * Of a run: what is worse on a unit is judged by its state from this time on, milliseconds since 1970, and not by an earlier one. A
   * user has sent Resume, or another attempt was accepted.
   */
  judgedFrom?: number;
  /** On how many units a run had finished when another attempt was accepted. */
  finishedBefore?: number;
  /** A user has paused it: no further pod is updated until `Resume`. */
  paused?: { by: string; reason?: string };
  /** What held beyond plans when this one was accepted: the target may go back to its revision, where it holds again. */
  before?: RecordedBound;
  /** What is to hold at a goal other than that: git had this selector when it went back (`selectorAt` in bound-state.ts). */
  atGoal?: RecordedBound;
  /** The limits and the order that the target had when the plan was accepted. Omitted: an older runtime has accepted it. */
  recorded?: Recorded;
  /** Revisions that pods may be on beyond the plan's own `from`, inherited from the plan that it replaced. */
  inherited?: Listed[];
  /** Ids of steps that were approved for this digest. */
  approved: string[];
  /**
   * Uids of answered commands, newest last: the last twenty, and all whose objects show no answer yet. The prefix `!` marks a
   * refused command.
   */
  consumed: string[];
}

/** An accepted plan: an immutable copy of its spec, and its progress. */
export interface Accepted {
  name: string;
  spec: RolloutPlanSpec;
  progress: Progress;
  object: KubeObject;
}

export const ACCEPTED_LABEL = 'plan.kruise.io/accepted';
export const PROGRESS_ANNOTATION = 'plan.kruise.io/progress';

/**
 * Whether a ControllerRevision is the record of an accepted plan, not of a pod template. The label alone is not enough:
 * OpenKruise copies the labels of the template to its revisions.
 */
export function isSnapshot({ metadata, data }: KubeObject): boolean {
  const holdsTemplate = typeof data === 'object' && data !== null && Object.hasOwn(data, 'spec');
  return metadata.labels?.[ACCEPTED_LABEL] !== undefined && !holdsTemplate;
}

/**
 * Reads the record of an accepted plan; undefined for any other object, and where its plan or progress cannot be read. Such
 * a plan counts as never accepted.
 */
export const parseSnapshot = remembered(readSnapshot);

function readSnapshot(object: KubeObject): Accepted | undefined {
  const progress = withBounds(parsedJson(object.metadata.annotations?.[PROGRESS_ANNOTATION] ?? ''));
  if (!isSnapshot(object) || !isProgress(progress) || !isPlan(object['data'])) return undefined;
  return { name: object.metadata.name, spec: object['data'], progress: withinLimit(progress), object };
}

/** Ignores fields that a later version has added, so that an older runtime still reads an accepted plan. */
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

// The server refuses no negative and no large number, and a record that cannot be read is none.
const isLimit = isOptional((value) => isText(value) || Number.isFinite(value));
const isRecorded = (value: unknown): boolean =>
  hasFields(value, {
    limits: (limits) =>
      hasFields(limits, { maxUnavailable: isLimit, maxSurge: isLimit, parallelism: isLimit }),
    order: isOptional(isObject),
    minReadySeconds: isOptional(Number.isFinite),
  });

const PROGRESS: Record<keyof Progress, (value: unknown) => boolean> = {
  seq: isWhole,
  phase: (value) => PHASES.includes(value as Phase),
  step: isWhole,
  cause: isOptional((value) => value === 'git' || value === 'failure' || value === 'person'),
  reason: isOptional(isText),
  message: isOptional(isText),
  goal: isOptional(isText),
  frozenN: isWhole,
  missed: isOptional(isWhole),
  outside: isOptional(isWhole),
  labeled: isOptional((value) => hasFields(value, { step: isWhole, n: isWhole, outside: isWhole })),
  beyond: isOptional(isWhole),
  parts: isOptional((value) => isObject(value) && Object.values(value).every(isWhole)),
  joinedUntil: isOptional(isAmount),
  away: isOptional(isTexts),
  down: isOptional(isTexts),
  unreverted: isOptional(isTexts),
  fewer: isOptional((value) => hasFields(value, { n: isWhole, since: isAmount })),
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
  rerun: isOptional(isTexts),
  judgedFrom: isOptional(isWhole),
  finishedBefore: isOptional(isWhole),
  paused: isOptional((value) => hasFields(value, { by: isText, reason: isOptional(isText) })),
  before: isOptional(isRecordedBound),
  atGoal: isOptional(isRecordedBound),
  recorded: isOptional(isRecorded),
  inherited: isOptional(isListOf(isListed)),
  approved: isTexts,
  consumed: isTexts,
};

/** Checks every field: a user may have edited the annotation. */
function isProgress(value: unknown): value is Progress {
  return hasFields(value, PROGRESS);
}

/** The annotation that has the progress of a plan. */
export function progressAnnotation({ before, atGoal, ...progress }: Progress): Record<string, string> {
  return { [PROGRESS_ANNOTATION]: JSON.stringify({ ...progress, ...boundFields(before, atGoal) }) };
}

/** Name of the record: `<target>-plan-<8 characters of the digest>`. A long target name is truncated. */
export function snapshotName(target: string, digest: string): string {
  return `${target.slice(0, 223)}-plan-${digest.slice('h1:'.length, 'h1:'.length + 8)}`;
}

/** The object that records an accepted plan. The target owns it, so that it is deleted with the target. */
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
      annotations: progressAnnotation(progress),
      ownerReferences: [target.owner],
    },
    data: spec,
    revision: progress.seq,
  };
}

/** How many verdicts, and how many other plans, are retained besides the active plan. */
const REMEMBERED = { verdicts: 10, others: 5 };

/** The active plan: of those that were accepted and not replaced, the one accepted last. */
export function activePlan(memory: readonly Accepted[]): Accepted | undefined {
  return newestFirst(memory).find(({ progress: { phase } }) => phase !== 'Superseded' && phase !== 'Pending');
}

/** The record of commands about a plan that is not accepted yet: its phase is Pending. */
export function previouslyAccepted(memory: readonly Accepted[], digest: string): Accepted | undefined {
  return memory.find((m) => m.progress.phase === 'Pending' && m.spec.digest === digest);
}

/** Records that can be deleted, oldest first: all but the active plan, ten verdicts and five others. */
export function removableRecords(memory: readonly Accepted[]): Accepted[] {
  const active = activePlan(memory);
  const rest = newestFirst(memory).filter((m) => m !== active);
  const verdicts = rest.filter((m) => hasVerdict(m.progress)).slice(REMEMBERED.verdicts);
  const plans = rest.filter((m) => !hasVerdict(m.progress)).slice(REMEMBERED.others);
  return newestFirst([...verdicts, ...plans]).reverse();
}

/** Whether a plan ended with a verdict: a failure, or a user's command. A revert by git is no verdict. */
export function hasVerdict({ phase, cause }: Progress): boolean {
  return phase === 'Halted' || phase === 'Aborted' || (phase === 'Reverted' && cause !== 'git');
}

/** The records, with the active plan as it is now: a reconcile may have changed its progress since it was read. */
export function retainedRecords(
  memory: readonly Accepted[],
  current: Accepted | undefined,
): readonly Accepted[] {
  if (current === undefined) return memory;
  const plans = memory.filter((m) => m.spec.digest !== current.spec.digest);
  return [...plans, current];
}

export function newestFirst(memory: readonly Accepted[]): Accepted[] {
  return [...memory].sort((a, b) => b.progress.seq - a.progress.seq);
}
