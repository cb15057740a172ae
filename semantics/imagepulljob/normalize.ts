import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';

/** Which nodes get the image. */
export type PullNodes =
  | { by: 'all' }
  | { by: 'names'; names: readonly string[] }
  | { by: 'labels'; selector: LabelSelector }
  /** Those of the pods of its namespace that match. */
  | { by: 'pods'; selector: LabelSelector };

/** What is pulled, where and how, of either served version. */
export interface NormalPull {
  nodes: PullNodes;
  pullSecrets: readonly string[];
  /** On how many nodes a pull may be in progress. */
  parallelism: number;
  /** How many attempts there are on one node. */
  attempts: number;
  /** Milliseconds that one attempt may take. */
  attemptMs: number;
  /** A registry is asked even if a node has the image. */
  isForced: boolean;
  /** It pulls about daily, and to nodes that join. */
  neverEnds: boolean;
  /** Seconds since its start; undefined: it has no end. */
  deadline: number | undefined;
  /** Seconds after its end; undefined: it stays. */
  ttl: number | undefined;
}

/** What OpenKruise's webhook sets (image-pull, section 2a). */
const DEFAULTS = { timeoutSeconds: 600, backoffLimit: 3 } as const;

/** Values that mean the same in a spec as their absence. They are frozen: the names of jobs of a list follow from the rest. */
export const PULL_DEFAULTS: JsonObject = {
  parallelism: 1,
  pullPolicy: DEFAULTS,
  completionPolicy: { type: 'Always' },
  imagePullPolicy: 'IfNotPresent',
};

/** Reads either served version. A field of another type is read as absent. */
export function normalizePull({ spec }: KubeObject): NormalPull {
  const fields = objectOf(spec);
  const policy = objectOf(fields['pullPolicy']);
  const completion = objectOf(fields['completionPolicy']);
  const retries = numberOf(policy['backoffLimit']) ?? DEFAULTS.backoffLimit;
  const seconds = numberOf(policy['timeoutSeconds']) ?? DEFAULTS.timeoutSeconds;
  const neverEnds = completion['type'] === 'Never';
  return {
    nodes: nodesOf(fields),
    pullSecrets: textsOf(fields['pullSecrets']),
    parallelism: parallelismOf(fields['parallelism']) ?? 1,
    attempts: (retries < 0 ? DEFAULTS.backoffLimit : retries) + 1,
    attemptMs: Math.max(seconds, 1) * 1000,
    isForced: fields['imagePullPolicy'] === 'Always',
    neverEnds,
    deadline: neverEnds ? undefined : numberOf(completion['activeDeadlineSeconds']),
    ttl: neverEnds ? undefined : numberOf(completion['ttlSecondsAfterFinished']),
  };
}

export function imageOf({ spec }: KubeObject): string {
  return textOf(objectOf(spec)['image']);
}

/** A number, or a text that is one; undefined: it is neither. */
export function parallelismOf(value: unknown): number | undefined {
  if (typeof value === 'string') return /^[0-9]{1,9}$/.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function nodesOf({ selector, podSelector }: Readonly<Record<string, unknown>>): PullNodes {
  if (isObject(podSelector)) return { by: 'pods', selector: podSelector };
  if (!isObject(selector)) return { by: 'all' };
  const names = textsOf(selector['names']);
  if (names.length > 0) return { by: 'names', names };
  return Object.keys(selector).length === 0 ? { by: 'all' } : { by: 'labels', selector };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
