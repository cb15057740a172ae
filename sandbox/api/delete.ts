import type { DeleteOptions, ObjectKey } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { internValue } from '../store/value.ts';
import { admitByPolicies, mutated } from './admission.ts';
import { locationOf, readView, type ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { timestamp } from './metadata.ts';
import { viewOf, type Served } from './registry.ts';
import type { DeletionOptions } from './request.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

function checkPreconditions({ type }: Served, object: KubeObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = object.metadata;
  // These two conflicts name the kind; all other conflicts name the resource.
  const kind = { group: type.group, plural: type.kind };
  if (options.uid !== undefined && options.uid !== uid)
    throw refuse.conflict(
      kind,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    throw refuse.conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
}

const orphanWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

function finalizersFor({ type }: Served, object: KubeObject, options: DeletionOptions): string[] {
  const present = object.metadata.finalizers ?? [];
  const decided = present.includes(orphanFinalizer) || present.includes(foregroundFinalizer);
  const byDefault = options.propagationPolicy === undefined && !decided ? type.rules.propagation : undefined;
  if (byDefault !== undefined && type.id === 'jobs.batch') options.warn?.(orphanWarning);
  const policy = options.propagationPolicy ?? byDefault;
  if (policy === undefined) return present;
  const dependents = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (policy === 'Orphan') return [...dependents, orphanFinalizer];
  return policy === 'Foreground' ? [...dependents, foregroundFinalizer] : dependents;
}

/** The deletion mark: timestamp and grace period. A repeated deletion can only shorten it. */
function marked(
  context: ApiContext,
  served: Served,
  present: KubeObject,
  options: DeletionOptions,
): KubeObject {
  const { rules } = served.type;
  const isNew = present.metadata.deletionTimestamp === undefined;
  const object = isNew ? (rules.prepareDelete?.(present) ?? present) : present;
  const { metadata } = object;
  const grace = rules.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0;
  const { finalizers: _replaced, ...rest } = metadata;
  const finalizers = finalizersFor(served, object, options);
  const withFinalizers = finalizers.length === 0 ? rest : { ...rest, finalizers };
  if (metadata.deletionTimestamp === undefined)
    return {
      ...object,
      metadata: {
        ...withFinalizers,
        deletionTimestamp: timestamp(context.clock.now() + grace * 1000),
        // Kinds that block their own removal have no grace period.
        ...(rules.blocksRemoval === undefined ? { deletionGracePeriodSeconds: grace } : {}),
        ...(metadata.generation === undefined ? {} : { generation: metadata.generation + 1 }),
      },
    };
  const before = metadata.deletionGracePeriodSeconds ?? 0;
  if (options.gracePeriodSeconds === undefined || grace >= before)
    return { ...object, metadata: withFinalizers };
  const requestedAt = Date.parse(metadata.deletionTimestamp) - before * 1000;
  return {
    ...object,
    metadata: {
      ...withFinalizers,
      deletionTimestamp: timestamp(requestedAt + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
  };
}

/**
 * DELETE. 404 if the object does not exist, 409 if a precondition fails, 403 for protected objects. Removes the
 * object, or marks it if finalizers, a grace period or the kind delay the removal; returns the marked object, or
 * undefined after removal. A dry run responds the same way without changes.
 */
export function deleteObject(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  options: DeletionOptions,
): KubeObject | undefined {
  const { type } = served;
  const location = locationOf(served, key);
  const view = readView(context, served, location);
  checkPreconditions(served, view, options);
  const stored = context.store.read(type.id, location.namespace, location.name) ?? view;
  const forbidden = type.rules.checkDelete?.(stored);
  if (forbidden !== undefined) throw refuse.forbidden(type, location.name, forbidden);
  if (options.isAdmitted !== true) {
    const { requester, webhooks } = options;
    const describe = () => ({
      operation: 'DELETE' as const,
      served,
      ...location,
      before: view,
      dryRun: options.dryRun === true,
      gracePeriodSeconds: options.gracePeriodSeconds,
      warn: options.warn,
    });
    mutated(context, { user, requester, webhooks }, describe);
    admitByPolicies(context, { user, requester, webhooks }, describe);
  }
  const next = marked(context, served, stored, options);
  const waitsForFinalizers = (next.metadata.finalizers ?? []).length > 0;
  const waitsForGrace = (next.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  if (!waitsForFinalizers && !waitsForGrace && type.rules.blocksRemoval?.(next) !== true) {
    // For kinds with graceful deletion, the last state also contains the deletion mark.
    const last = type.rules.gracePeriod === undefined ? stored : next;
    const removed =
      options.dryRun === true
        ? internValue(last, stored)
        : context.store.remove({ user, resource: type.id, object: last });
    options.removed?.(viewOf(served, removed));
    return undefined;
  }
  const blocked = internValue(next, stored);
  if (blocked === stored || options.dryRun === true) return viewOf(served, blocked);
  return viewOf(served, context.store.write({ user, resource: type.id, object: blocked }));
}
