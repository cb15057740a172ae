import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Command } from '../../semantics/plan/advance-input.ts';
import type { CommandAnswer } from '../../semantics/plan/state.ts';
import { timeOf, timestamp } from '../../semantics/values/timestamp.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import type { Caches } from '../observe/caches.ts';
import { commandResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';

/** An answered command is deleted after a day. */
const READABLE_MS = 24 * 3_600_000;

/**
 * Commands of the same second are ordered so that the more careful one counts last: timestamps of Kubernetes have whole
 * seconds, and generated names have no order.
 */
const careful = ['BreakGlass', 'Resume', 'Approve', 'Pause', 'Revert', 'Abort'];

/** Every command about a target, oldest first. */
export function readCommands(objects: readonly KubeObject[]): Command[] {
  return objects
    .map((object) => {
      const { spec, status } = object as unknown as RolloutCommand;
      const { uid, name, creationTimestamp } = object.metadata;
      const createdAt = timeOf(creationTimestamp);
      return { uid: uid ?? '', name, createdAt, spec, result: status?.result };
    })
    .sort(
      (a, b) =>
        a.createdAt - b.createdAt ||
        careful.indexOf(a.spec.action) - careful.indexOf(b.spec.action) ||
        (a.name < b.name ? -1 : 1),
    );
}

/**
 * Refuses commands about a target without plans, after a grace period in which it may be created. Returns when the next one is
 * due, milliseconds since 1970.
 */
export async function refuseOrphans(about: {
  cluster: Cluster;
  namespace: string;
  commands: readonly Command[];
  why: { message: string };
  graceMs: number;
  now: number;
  fieldManager: string;
}): Promise<number | undefined> {
  const { cluster, namespace, commands, why, graceMs, now, fieldManager } = about;
  let next: number | undefined;
  for (const { uid, name, createdAt, result } of commands) {
    if (result !== undefined) continue;
    const due = createdAt + graceMs;
    if (due > now) next = Math.min(due, next ?? Infinity);
    else {
      const refused = { uid, name, result: 'Refused', message: why.message } as const;
      await answerCommand(cluster, namespace, refused, now, fieldManager);
    }
  }
  return next;
}

/** Writes the answer to a command into its status. Returns what the server stored; undefined: the command was deleted. */
export async function answerCommand(
  cluster: Cluster,
  namespace: string,
  { uid, name, result, message }: CommandAnswer,
  now: number,
  fieldManager: string,
): Promise<KubeObject | undefined> {
  const body = { metadata: { uid }, status: { result, message, at: timestamp(now) } };
  const options = { subresource: 'status', fieldManager } as const;
  try {
    return await cluster.patch(
      commandResource({ namespace }),
      { name, ...(namespace !== '' && { namespace }) },
      { type: 'merge', body },
      options,
    );
  } catch (error) {
    if (!isConflictOrNotFound(error)) throw error;
    return undefined;
  }
}

/**
 * Refuses the oversized commands about a target, and deletes those that were answered a day ago. Returns when the next one
 * is due, milliseconds since 1970; undefined: none.
 */
export async function deleteOldCommands(about: {
  cluster: Cluster;
  caches: Caches;
  key: TargetKey;
  now: number;
  fieldManager: string;
}): Promise<number | undefined> {
  const { cluster, caches, key, now, fieldManager } = about;
  const oversized = caches.oversizedCommandsOf(key);
  for (const { uid, name, result } of readCommands(oversized)) {
    if (result !== undefined) continue;
    const message = 'it is larger than a command may be, and was not read: send a smaller one';
    await answerCommand(cluster, key.namespace, { uid, name, result: 'Refused', message }, now, fieldManager);
  }
  return deleteAnswered(cluster, [...caches.commandsOf(key), ...oversized], now);
}

/**
 * Deletes commands that were answered a day ago and have no effect any more. Returns when the next one is due; undefined:
 * none.
 */
async function deleteAnswered(
  cluster: Cluster,
  objects: readonly KubeObject[],
  now: number,
): Promise<number | undefined> {
  let next: number | undefined;
  for (const object of objects) {
    const at = deletableAt(object as unknown as RolloutCommand);
    if (at === undefined) continue;
    if (at > now) {
      next = Math.min(at, next ?? Infinity);
      continue;
    }
    const { namespace, name, uid, resourceVersion } = object.metadata;
    try {
      await cluster.delete(
        commandResource({ namespace: namespace ?? '' }),
        { ...(namespace === undefined ? {} : { namespace }), name },
        {
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
      );
    } catch (error) {
      // It was deleted or changed meanwhile: the next reconcile decides again.
      if (!isConflictOrNotFound(error) && !(error instanceof ApiError && error.status.code === 403))
        throw error;
    }
  }
  return next;
}

function deletableAt({ spec, status }: Partial<RolloutCommand>): number | undefined {
  if (status?.result === undefined) return undefined;
  const answered = timeOf(status.at);
  const expires = spec?.action === 'BreakGlass' ? timeOf(spec.expires) : 0;
  return Math.max(answered + READABLE_MS, expires);
}
