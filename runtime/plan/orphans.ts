import type { Cluster } from '../../schemas/wire/cluster.ts';
import { SYNC_MS } from '../../semantics/plan/sync-order.ts';
import { type OrphanReason, orphanStallsAt, orphanStatus } from '../../semantics/plan/plan-status.ts';
import type { Caches } from '../observe/caches.ts';
import { planResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { writeStatus } from '../report/status.ts';
import { deleteOldCommands, readCommands, refuseOrphans } from './commands.ts';

/**
 * Writes into plans and commands without a managed target why they are not executed. `isKnown`: the runtime manages the
 * kind of the target. Returns when to reconcile again, milliseconds since 1970.
 */
export async function reportOrphans(about: {
  cluster: Cluster;
  caches: Caches;
  key: TargetKey;
  isKnown: boolean;
  now: number;
  fieldManager: string;
}): Promise<number | undefined> {
  const { cluster, caches, key, isKnown, now, fieldManager } = about;
  const { group, kind, namespace, name } = key;
  const reason = isKnown ? 'TargetMissing' : 'UnsupportedSemantics';
  const message = isKnown
    ? `there is no ${kind} ${name} in ${namespace === '' ? 'the cluster' : `namespace ${namespace}`}`
    : `this runtime executes no plans of ${group} ${kind}`;
  const why = { reason, message, isAwaited: isKnown };
  return refuseAll({ cluster, caches, key, why, graceMs: SYNC_MS, now, fieldManager });
}

/**
 * Writes into every plan and command about a target why it is not executed. `graceMs`: how old a command is that is refused. Returns
 * when to reconcile again, milliseconds since 1970.
 */
export async function refuseAll(about: {
  cluster: Cluster;
  caches: Caches;
  key: TargetKey;
  why: OrphanReason;
  graceMs: number;
  now: number;
  fieldManager: string;
}): Promise<number | undefined> {
  const { cluster, caches, key, why, graceMs, now, fieldManager } = about;
  const stalls: (number | undefined)[] = [];
  for (const object of caches.plansOf(key)) {
    const status = orphanStatus(object, why, now);
    stalls.push(orphanStallsAt(status, why));
    await writeStatus(cluster, planResource(key), object, status, fieldManager);
  }
  const commands = readCommands(caches.commandsOf(key));
  const next = [
    ...stalls,
    await refuseOrphans({ cluster, namespace: key.namespace, commands, why, graceMs, now, fieldManager }),
    await deleteOldCommands({ cluster, caches, key, now, fieldManager }),
  ].filter((at) => at !== undefined);
  return next.length === 0 ? undefined : Math.min(...next);
}
