import type { JsonObject } from '../../schemas/wire/json.ts';
import type { ChildCounts } from '../children/share-rows.ts';
import { targetLimits } from '../limits/target-limits.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { SharedPart } from '../plan/share.ts';
import type { ChildRow } from '../plan/units.ts';
import { objectOf } from '../values/read.ts';
import type { ChildKind } from './child-kind.ts';

/*
 * A rollout counts the pods for which none stand in. The others go along with their child: they are beyond its part, and beyond what may
 * be unavailable of it.
 */

/** What a child counts, without the pods that others stand in for. */
export function countingOnly(all: ChildCounts, reserved: ChildCounts): ChildCounts {
  const less = (field: keyof ChildCounts): number => Math.max(all[field] - reserved[field], 0);
  return {
    pods: less('pods'),
    available: less('available'),
    updated: less('updated'),
    updatedAvailable: less('updatedAvailable'),
  };
}

/** The row of a child whose share has this many pods beyond its part. */
export function rowOfCounting(row: ChildRow, reserved: number): ChildRow {
  const { given } = row;
  if (given === undefined || reserved === 0) return row;
  const less = (count: number): number => Math.max(count - reserved, 0);
  return { ...row, given: { ...given, allowed: less(given.allowed), atMost: less(given.atMost) } };
}

/** Pods of a child that others stand in for. */
export interface Reserved {
  /** So many it is to have. */
  size: number;
  /** So many of those that are there are not available. */
  down: number;
  /** So many of these are not on the revision that its part leads to. */
  away: number;
}

/**
 * The part of a child with its pods that others stand in for. They follow the revision of their child, as nothing of them runs: a template
 * that fits their nodes must reach them.
 */
export function withReserved(
  { size, share }: SharedPart,
  reserved: Reserved,
  { goal, stable, moving }: Pick<Envelope, 'goal' | 'stable' | 'moving'>,
  unavailable: number,
): SharedPart {
  const mayMove = reserved.away > 0 && (moving || goal === stable);
  const { maxUnavailable } = share.window;
  const window = share.moving
    ? {
        ...share.window,
        ...(maxUnavailable !== undefined && { maxUnavailable: maxUnavailable + reserved.down }),
      }
    : { maxUnavailable: unavailable + reserved.down, maxSurge: 0 };
  return {
    size: size + reserved.size,
    share: {
      ...share,
      allowed: share.allowed + reserved.size,
      moving: share.moving || mayMove,
      window: share.moving || mayMove ? window : {},
    },
  };
}

/** The spec of a child whose own limit does not count this many pods of it. */
export function withoutLimitFor(spec: JsonObject, down: number, { resource, limits }: ChildKind): JsonObject {
  if (down === 0) return spec;
  const child = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name: '' },
    spec,
  };
  const replicas = typeof spec['replicas'] === 'number' ? spec['replicas'] : 0;
  const own = targetLimits(limits, child, replicas).lower(undefined).maxUnavailable;
  if (own === undefined) return spec;
  const updateStrategy = objectOf(spec['updateStrategy']);
  const rollingUpdate = { ...objectOf(updateStrategy['rollingUpdate']), maxUnavailable: own.count + down };
  return { ...spec, updateStrategy: { ...updateStrategy, rollingUpdate } };
}
