import type { ObjectKey, Subresource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { withEntries, withUpdate } from '../fields/manage.ts';
import { checkManager, type Writer } from '../fields/manager.ts';
import type { Reading } from '../schema/reading.ts';
import { adopt, isFields } from '../store/value.ts';
import { checkObject, conform, readBody } from './admit.ts';
import { allocated } from './allocate.ts';
import { placeOf, requireSubresource, type ApiContext, type Place } from './context.ts';
import { refuse } from './errors.ts';
import { bodyChanged, checkMetadataUpdate, withServerMetadata } from './metadata.ts';
import { apiVersionOf, viewOf, type Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { checkResize, withResources } from './resize.ts';
import { scaleOf, withScale } from './scale.ts';
import { writerOf } from './writer.ts';

const changedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

export interface Update {
  /** The wanted object, out of the present one (of the subresource's form for scale, unless `ofParent`). */
  produce: (current: KubeObject) => unknown;
  ofParent?: boolean;
  subresource?: Subresource | undefined;
  dryRun?: boolean | undefined;
  /** A write of the server's own, which may change what clients may not. */
  unchecked?: boolean;
  /** How what `produce` gives is read. */
  reading?: Reading;
  /** Who owns what is changed; without it, what `produce` says of managers stands. */
  writer?: Writer | undefined;
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

/** 400 when a body names another object than the URL does. */
export function checkIdentity({ type }: Served, proposed: KubeObject, place: Place): void {
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
    if (type.custom) return written;
    const { labels, ownerReferences } = current.metadata;
    const { ownerReferences: _owners, ...metadata } = proposed.metadata;
    if (type.rules.statusKeepsLabels === true) {
      delete metadata.labels;
      if (labels !== undefined) metadata.labels = labels;
    }
    return withServerMetadata(
      { ...written, metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences } },
      current,
    );
  }
  if (update.subresource === 'resize') return withResources(proposed, current);
  const next = withServerMetadata(proposed, current);
  const written = version.hasStatus ? { ...next, status: current['status'] } : next;
  return type.rules.prepareUpdate?.(written, current) ?? written;
}

function withGeneration(served: Served, update: Update, next: KubeObject, current: KubeObject): KubeObject {
  const { type, version } = served;
  // What the server itself does, such as binding a pod, is not a change of what somebody wants.
  if (update.unchecked === true) return next;
  if (!type.tracksGeneration || !bodyChanged(next, current, version.hasStatus ? ['status'] : [])) return next;
  return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

function proposal(served: Served, update: Update, current: KubeObject): KubeObject {
  if (update.subresource !== 'scale' || update.ofParent === true)
    return readBody(served, update.produce(current), current, update.reading);
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
 * The one way an existing object changes. Gives it as it is then, or its Scale for a write of that. 404 when it is not there, 400 for another object's body, 409 when the
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
  if (resourceVersion !== undefined && !/^\d*$/.test(resourceVersion))
    throw refuse.internal(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
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
  const managed =
    update.writer === undefined
      ? withEntries(written, identified.metadata.managedFields)
      : withUpdate(served, update.writer, written, current);
  let next = adopt(
    withGeneration(
      served,
      update,
      { ...managed, apiVersion: apiVersionOf(type.group, type.storageVersion) },
      current,
    ),
    stored,
  );
  if (update.unchecked !== true) {
    const errors = [
      ...checkMetadataUpdate(next, stored),
      ...(update.subresource === undefined ? (type.rules.checkUpdate?.(next, stored) ?? []) : []),
      ...(update.subresource === 'resize' ? checkResize(next, stored) : []),
      ...checkObject(
        served,
        { ...next, apiVersion: apiVersionOf(type.group, version.version) },
        { before: current, subresource: update.subresource },
      ),
    ];
    if (errors.length > 0) throw refuse.invalid(type, place.name, errors);
    if (update.subresource === undefined) next = adopt(allocated(context, served, next), stored);
  }
  const answer = (object: KubeObject) =>
    update.subresource === 'scale' ? scaleOf(served, viewOf(served, object)) : viewOf(served, object);
  if (update.dryRun === true || next === stored) return answer(next);
  if (isReleased(served, next)) {
    context.store.remove({ user, resource: type.id, object: stored });
    return answer(next);
  }
  return answer(context.store.write({ user, resource: type.id, object: next }));
}

/** The name under which a server keeps an object, as its refusals tell it. */
function storageKey({ type }: Served, { namespace, name }: Place): string {
  const resource = type.custom ? [type.group, type.plural] : [type.plural];
  return ['/registry', ...resource, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** PUT. A `metadata.uid` in the body is a precondition (409), checked before anything else but whether there is an object. */
export function replaceObject(
  context: ApiContext,
  user: string,
  served: Served,
  body: unknown,
  options: RequestOptions,
): KubeObject {
  checkManager('UpdateOptions', options.fieldManager, false);
  const metadata = isFields(body) && isFields(body['metadata']) ? body['metadata'] : {};
  const bodyKey = {
    name: typeof metadata['name'] === 'string' ? metadata['name'] : '',
    ...(typeof metadata['namespace'] === 'string' ? { namespace: metadata['namespace'] } : {}),
  };
  const key = options.at ?? bodyKey;
  const place = placeOf(served, key);
  const wanted = metadata['uid'];
  const found = context.store.read(served.type.id, place.namespace, place.name)?.metadata.uid;
  if (found !== undefined && typeof wanted === 'string' && wanted !== '' && wanted !== found)
    throw refuse.conflict(
      served.type,
      place.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(served, place)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
    );
  return updateObject(context, user, served, key, {
    produce: () => body,
    subresource: options.subresource,
    dryRun: options.dryRun,
    reading: options,
    writer: writerOf(context, user, options),
  });
}
