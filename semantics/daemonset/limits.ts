import type { KubeObject } from '../../schemas/wire/object.ts';
import { type KindLimits, limitAt, type Limits, type Window } from '../limits/window.ts';
import { objectOf } from '../values/read.ts';
import { limitsWritten } from './normalize.ts';

/**
 * How many nodes of a DaemonSet change at once: percentages of the nodes that are to run round up, and where both limits are 0 one
 * node may be unavailable (OpenKruise advanced-daemonset, rule 6.5). One that updates no node has the limits of its settings.
 */
export const daemonSetLimits: KindLimits = {
  windowFields: writtenLimits,
  inUnits,
  order: [],
  minReadySeconds: () => ['spec', 'minReadySeconds'],
};

/** The limits of a manifest as written, with defaults. */
export function writtenLimits(manifest: KubeObject): Required<Pick<Window, 'maxUnavailable' | 'maxSurge'>> {
  const update = objectOf(objectOf(manifest['spec'])['updateStrategy']);
  return limitsWritten(objectOf(update['rollingUpdate']));
}

function inUnits({ maxUnavailable, maxSurge }: Window, nodes: number): Limits {
  const [down, extra] = [maxUnavailable, maxSurge].map((each) =>
    each === undefined ? undefined : limitAt(each, nodes, 'up'),
  );
  const areZero = nodes > 0 && (down?.count ?? 0) === 0 && (extra?.count ?? 0) === 0;
  return {
    ...(down !== undefined && { maxUnavailable: areZero ? { count: 1 } : down }),
    ...(extra !== undefined && { maxSurge: extra }),
  };
}
