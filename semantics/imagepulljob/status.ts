import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { PULLED_CONDITION } from './resource.ts';

/** The status of an ImagePullJob (OpenKruise image-pull, section 3). */
export interface PullJobStatus {
  startTime?: string;
  completionTime?: string;
  desired: number;
  active?: number;
  succeeded?: number;
  failed?: number;
  message?: string;
  failedNodes?: readonly string[];
  /** Of a job that never ends, between two days. */
  pulledNodes?: readonly string[];
  conditions?: readonly Condition[];
}

/** What a job that never ends has pulled on its day. */
export interface Pulled {
  /** Which pull it was: of another image it says nothing. */
  key: string;
  /** When every node had ended, milliseconds since 1970. */
  at: number;
  /** When a node was added last. A node of such a name that was created later is another one. */
  until: number;
  nodes: readonly string[];
}

/** What a status has, of any writer. */
export interface RecordedPull {
  /** 0: it has not started. */
  startedAt: number;
  /** 0: it has not ended. */
  completedAt: number;
  failedNodes: ReadonlySet<string>;
  pulled: Pulled | undefined;
}

export function recordedPull({ status }: KubeObject): RecordedPull {
  const own = objectOf(status);
  const found = conditionsOf(own).find(({ type, status: is }) => type === PULLED_CONDITION && is === 'True');
  return {
    startedAt: timeOf(textOf(own['startTime']) || undefined),
    completedAt: timeOf(textOf(own['completionTime']) || undefined),
    failedNodes: new Set(namesIn(own['failedNodes'])),
    pulled: found && {
      key: PULLED_AS.exec(found.message ?? '')?.[1] ?? '',
      at: timeOf(found.lastTransitionTime),
      until: timeOf(found.lastUpdateTime ?? found.lastTransitionTime),
      nodes: namesIn(own['pulledNodes']),
    },
  };
}

/** Begins the message of the condition. */
const PULLED_AS = /^pulled as ([0-9a-f]{16});/;

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

function conditionsOf(status: Readonly<Record<string, unknown>>): Condition[] {
  return listOf(status['conditions']) as unknown as Condition[];
}

type Held = { reason: string; message: string } | undefined;

/** The conditions: that the job is held, and since when its nodes have the image. */
export function conditionsWith(
  { status }: KubeObject,
  held: Held,
  pulled: Pulled | undefined,
  now: number,
): Pick<PullJobStatus, 'conditions' | 'pulledNodes'> {
  const conditions = timed([heldCondition(held)], conditionsOf(objectOf(status)), now);
  if (pulled !== undefined)
    conditions.push({
      type: PULLED_CONDITION,
      status: 'True',
      reason: 'Pulled',
      message: `pulled as ${pulled.key}; it pulls again a day after lastTransitionTime, and until then to nodes that join`,
      lastTransitionTime: timestamp(pulled.at),
      lastUpdateTime: timestamp(pulled.until),
    });
  const nodes = pulled === undefined ? {} : { pulledNodes: pulled.nodes };
  return { ...nodes, ...(conditions.length > 0 && { conditions }) };
}

/** How many nodes there are, and how far. */
export interface PullCounts {
  desired: number;
  active: number;
  succeeded: number;
  failedNodes: readonly string[];
}

/** The numbers of a status, and the names of failed nodes. */
export function countedStatus({ desired, active, succeeded, failedNodes }: PullCounts): PullJobStatus {
  const names = failedNodes.length > 0 ? { failedNodes } : {};
  return { desired, active, succeeded, failed: failedNodes.length, ...names };
}

export function countsIn({ status }: KubeObject): {
  desired: number | undefined;
  succeeded: number;
  failed: number;
} {
  const { desired, succeeded, failed } = objectOf(status);
  return {
    desired: numberOf(desired),
    succeeded: numberOf(succeeded) ?? 0,
    failed: numberOf(failed) ?? 0,
  };
}

export const COMPLETED = 'job has completed';
export const EXCEEDED = 'job exceeds activeDeadlineSeconds';

/** What a job says while it is not over. */
export function progressText({ desired, succeeded, failedNodes }: PullCounts): string {
  if (desired === 0) return 'job is running, no progress';
  const percent = ((succeeded + failedNodes.length) / desired) * 100;
  return `job is running, progress ${percent.toFixed(1)}%`;
}
