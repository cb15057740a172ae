import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { objectsIn } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { invalidPriorities } from '../workload/invalid-priorities.ts';

const STRATEGY = ['spec', 'updateStrategy'];

/**
 * What OpenKruise's admission refuses in the fields for the order of updates and for images that are pulled in advance
 * (OpenKruise cloneset, section 7; inplace-update, section 2). The two versions have these fields at different paths.
 */
export function lintCloneSet(manifest: KubeObject): InvalidField[] {
  const strategy = objectOf(objectOf(manifest['spec'])['updateStrategy']);
  return [
    ...strategyFaults(strategy, STRATEGY),
    ...strategyFaults(objectOf(strategy['rollingUpdate']), [...STRATEGY, 'rollingUpdate']),
  ];
}

function strategyFaults(strategy: JsonObject, at: readonly string[]): InvalidField[] {
  return [
    ...invalidPriorities(objectOf(strategy['priorityStrategy'])),
    ...scatterFaults(strategy['scatterStrategy']),
    ...pullFaults(objectOf(strategy['inPlaceUpdateStrategy'])),
  ].map(({ path, rule }) => ({ path: [...at, ...path], rule }));
}

function scatterFaults(strategy: unknown): InvalidField[] {
  const known = new Set<string>();
  return objectsIn(strategy).flatMap(({ key, value }, index) => {
    const term = JSON.stringify([key, value]);
    const isSecond = known.has(term);
    known.add(term);
    const path = ['scatterStrategy', String(index)];
    return isSecond ? [{ path, rule: 'names a label and value for the second time' }] : [];
  });
}

function pullFaults({ imagePreDownloadParallelism: parallelism }: JsonObject): InvalidField[] {
  if (typeof parallelism !== 'string' || !parallelism.endsWith('%')) return [];
  const path = ['inPlaceUpdateStrategy', 'imagePreDownloadParallelism'];
  return [{ path, rule: 'must be a count, not a percentage' }];
}
