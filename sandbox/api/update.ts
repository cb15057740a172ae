import type { ObjectKey, Patch, Subresource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { jsonPatch } from '../patch/json.ts';
import { mergePatch } from '../patch/merge.ts';
import { strategicPatch } from '../patch/strategic.ts';
import { adopt, isFields } from '../store/value.ts';
import { checkObject, conform, readBody } from './admit.ts';
import { placeOf, requireSubresource, type ApiContext, type Place } from './context.ts';
import { refuse } from './errors.ts';
import { bodyChanged, checkMetadataUpdate, withServerMetadata } from './metadata.ts';
import { apiVersionOf, viewOf, type Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { scaleOf, withScale } from './scale.ts';

const changedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

export interface Update {
  /** The wanted object, out of the present one (of the subresource's form for scale). */
  produce: (current: KubeObject) => unknown;
  subresource?: Subresource | undefined;
  dryRun?: boolean | undefined;
  /** A write of the server's own, which may change what clients may not. */
  unchecked?: boolean;
}

/** Whether nothing keeps an object that is marked for deletion. */
export function isReleased({ type }: Served, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    (finalizers ?? []).length === 0 &&
    type.rules.isHeld?.(object) !== true
  );
}

function checkIdentity({ type }: Served, proposed: KubeObject, place: Place): void {
  const { name, namespace } = proposed.metadata;
  if (name !== undefined && name !== place.name)
    throw refuse.badRequest(
      `the name of the object (${name}) does not match the name on the URL (${place.name})`,
    );
  if (type.namespaced && namespace !== undefined && namespace !== place.namespace)
    throw refuse.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}

/** The part of the proposed object that this kind of write may change, on top of what is stored. */
function selectWritten(
  served: Served,
  update: Update,
  proposed: KubeObject,
  current: KubeObject,
): KubeObject {
  const { type, version } = served;
  if (update.unchecked === true) return withServerMetadata(proposed, current);
  if (update.subresource === 'status') {
    const written: KubeObject = { ...current, status: proposed['status'] };
    if (type.rules.statusWritesMetadata !== true) return written;
    const metadata = { ...proposed.metadata };
    delete metadata.ownerReferences;
    const { ownerReferences } = current.metadata;
    return withServerMetadata(
      { ...written, metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences } },
      current,
    );
  }
  const next = withServerMetadata(proposed, current);
  const written = version.hasStatus ? { ...next, status: current['status'] } : next;
  return type.rules.prepareUpdate?.(written, current) ?? written;
}

function withGeneration(served: Served, next: KubeObject, current: KubeObject): KubeObject {
  const { type, version } = served;
  if (!type.tracksGeneration || !bodyChanged(next, current, version.hasStatus ? ['status'] : [])) return next;
  return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

function proposal(served: Served, update: Update, current: KubeObject): KubeObject {
  if (update.subresource !== 'scale') return readBody(served, update.produce(current), current);
  const scale = update.produce(scaleOf(served, current));
  if (!isFields(scale) || scale['kind'] !== 'Scale' || !isFields(scale['metadata']))
    throw refuse.badRequest('the body of the request is no Scale');
  const { resourceVersion, uid, name } = scale['metadata'] as unknown as KubeObject['metadata'];
  const changed = withScale(served, current, scale as KubeObject);
  return {
    ...changed,
    metadata: { ...changed.metadata, name, uid, resourceVersion },
  };
}

/**
 * The one way an existing object changes. 404 when it is not there, 400 for another object's body, 409 when the
 * proposed resourceVersion is not the present one, 422 for what validation refuses. A write that changes nothing
 * commits nothing. Taking the last finalizer from a deleted object removes it.
 */
export function updateObject(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  update: Update,
): KubeObject {
  const { type, version } = served;
  requireSubresource(served, update.subresource);
  const place = placeOf(served, key);
  const stored = context.store.read(type.id, place.namespace, place.name);
  if (stored === undefined) throw refuse.notFound(type, place.name);
  const current = viewOf(served, stored);
  const proposed = proposal(served, update, current);
  checkIdentity(served, proposed, place);
  const { resourceVersion } = proposed.metadata;
  if (
    resourceVersion !== undefined &&
    resourceVersion !== '' &&
    resourceVersion !== stored.metadata.resourceVersion
  )
    throw refuse.conflict(type, place.name, changedMeanwhile);
  const identified: KubeObject = {
    ...proposed,
    metadata: {
      ...proposed.metadata,
      name: place.name,
      ...(type.namespaced ? { namespace: place.namespace } : {}),
    },
  };
  const written = conform(served, selectWritten(served, update, identified, current));
  const next = adopt(
    withGeneration(
      served,
      { ...written, apiVersion: apiVersionOf(type.group, type.storageVersion) },
      current,
    ),
    stored,
  );
  if (update.unchecked !== true) {
    const errors = [
      ...checkMetadataUpdate(next, stored),
      ...(update.subresource === undefined ? (type.rules.checkUpdate?.(next, stored) ?? []) : []),
      ...checkObject(served, { ...next, apiVersion: apiVersionOf(type.group, version.version) }),
    ];
    if (errors.length > 0) throw refuse.invalid(type, place.name, errors);
  }
  if (update.dryRun === true || next === stored) return viewOf(served, next);
  if (isReleased(served, next)) {
    context.store.remove({ user, resource: type.id, object: stored });
    return viewOf(served, next);
  }
  return viewOf(served, context.store.write({ user, resource: type.id, object: next }));
}

/** PUT. A `metadata.uid` in the body is a precondition, checked before anything else (409, also when nothing is there). */
export function replaceObject(
  context: ApiContext,
  user: string,
  served: Served,
  body: unknown,
  options: RequestOptions,
): KubeObject {
  const metadata = isFields(body) && isFields(body['metadata']) ? body['metadata'] : {};
  const bodyKey = {
    name: typeof metadata['name'] === 'string' ? metadata['name'] : '',
    ...(typeof metadata['namespace'] === 'string' ? { namespace: metadata['namespace'] } : {}),
  };
  const key = options.at ?? bodyKey;
  const place = placeOf(served, key);
  const wanted = metadata['uid'];
  const found = context.store.read(served.type.id, place.namespace, place.name)?.metadata.uid ?? '';
  if (typeof wanted === 'string' && wanted !== '' && wanted !== found)
    throw refuse.conflict(
      served.type,
      place.name,
      `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
    );
  return updateObject(context, user, served, key, {
    produce: () => body,
    subresource: options.subresource,
    dryRun: options.dryRun,
  });
}

function applyPatch({ type }: Served, patch: Patch, current: KubeObject): unknown {
  switch (patch.type) {
    case 'merge':
      if (!isFields(patch.body)) throw refuse.badRequest('a merge patch is an object');
      return mergePatch(current, patch.body);
    case 'json':
      return jsonPatch(current, patch.body);
    case 'strategic':
      if (type.custom)
        throw refuse.unsupportedMediaType(
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        );
      return strategicPatch(type.kind, current, patch.body);
    case 'apply':
      throw refuse.unsupportedMediaType('server-side apply is not served');
  }
}

/** PATCH, on the object or a subresource of it. */
export function patchObject(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  patch: Patch,
  options: RequestOptions,
): KubeObject {
  return updateObject(context, user, served, key, {
    produce: (current) => applyPatch(served, patch, current),
    subresource: options.subresource,
    dryRun: options.dryRun,
  });
}
