import type { KubeObject } from '../../schemas/wire/object.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';

export function phaseOf({ status }: KubeObject): string {
  return textOf(objectOf(status)['phase']);
}

export function isOver(request: KubeObject): boolean {
  return phaseOf(request) === 'Completed';
}

/**
 * The request that has its turn among those of one pod: the one that is executed, otherwise the oldest (OpenKruise
 * container-recreate-request, rule 6b.2). Undefined: all are over, or are being deleted. It depends on what is observed alone, so that
 * whatever ends one lets the next one begin.
 */
export function firstOf(requests: readonly KubeObject[]): KubeObject | undefined {
  const waiting = requests.filter((each) => !isOver(each) && each.metadata.deletionTimestamp === undefined);
  return waiting.sort(
    (a, b) => rankOf(a) - rankOf(b) || createdAt(a) - createdAt(b) || compareCodePoints(nameOf(a), nameOf(b)),
  )[0];
}

const rankOf = (request: KubeObject): number => (phaseOf(request) === 'Recreating' ? 1 : 2);
const createdAt = ({ metadata }: KubeObject): number => timeOf(metadata.creationTimestamp);
const nameOf = ({ metadata }: KubeObject): string => metadata.name;
