import type { DeleteOptions, ObjectKey } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { adopt } from '../store/value.ts';
import { placeOf, readView, type ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { timestamp } from './metadata.ts';
import { viewOf, type Served } from './registry.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

function checkPreconditions({ type }: Served, object: KubeObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid)
    throw refuse.conflict(
      type,
      name,
      `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    throw refuse.conflict(
      type,
      name,
      `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
}

function finalizersFor(object: KubeObject, options: DeleteOptions): string[] {
  const present = object.metadata.finalizers ?? [];
  const { propagationPolicy } = options;
  if (propagationPolicy === undefined) return present;
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (propagationPolicy === 'Orphan') return [...others, orphanFinalizer];
  return propagationPolicy === 'Foreground' ? [...others, foregroundFinalizer] : others;
}

/** The deletion mark: when, and how long somebody has to finish it. A mark that is there can only come nearer. */
function marked(context: ApiContext, served: Served, object: KubeObject, options: DeleteOptions): KubeObject {
  const { metadata } = object;
  const grace = served.type.rules.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0;
  const finalizers = finalizersFor(object, options);
  const withFinalizers = { ...metadata, finalizers };
  if (metadata.deletionTimestamp === undefined)
    return {
      ...(served.type.rules.prepareDelete?.(object) ?? object),
      metadata: {
        ...withFinalizers,
        deletionTimestamp: timestamp(context.clock.now() + grace * 1000),
        deletionGracePeriodSeconds: grace,
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
 * DELETE. 404 when it is not there, 409 when a precondition differs. Removes the object at once, or marks it when
 * finalizers, a grace period or the kind itself keep it; returns the marked object, or undefined when it is gone.
 */
export function deleteObject(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  options: DeleteOptions,
): KubeObject | undefined {
  const { type } = served;
  const place = placeOf(served, key);
  const view = readView(context, served, place);
  checkPreconditions(served, view, options);
  const stored = context.store.read(type.id, place.namespace, place.name) ?? view;
  const next = marked(context, served, stored, options);
  const waitsForFinalizers = (next.metadata.finalizers ?? []).length > 0;
  const waitsForGrace = (next.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  if (!waitsForFinalizers && !waitsForGrace && type.rules.isHeld?.(next) !== true) {
    context.store.remove({ user, resource: type.id, object: stored });
    return undefined;
  }
  const { finalizers: _none, ...metadata } = next.metadata;
  const kept = adopt(waitsForFinalizers ? next : { ...next, metadata }, stored);
  return viewOf(
    served,
    kept === stored ? stored : context.store.write({ user, resource: type.id, object: kept }),
  );
}
