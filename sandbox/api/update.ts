import type { ObjectKey, Subresource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { withEntries, withUpdate } from '../fields/manage.ts';
import { checkManager, type Writer } from '../fields/manager.ts';
import type { Reading } from '../schema/reading.ts';
import { internValue } from '../store/value.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import { admit, admitByPolicies, mutated, type Charge } from './admission.ts';
import { checkObject, readBody, withDefaults } from './admit.ts';
import { allocated } from './allocate.ts';
import { locationOf, requireSubresource, type ApiContext, type ObjectLocation } from './context.ts';
import { checkEphemeral, withEphemeral } from './ephemeral.ts';
import { field } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from './errors.ts';
import { bodyChanged, checkMetadataUpdate, withServerMetadata } from './metadata.ts';
import { finalizerWarnings, withSingleOwners } from './metadataWarnings.ts';
import { checkNamespaceFinalizers, namespaceFinalizers, withFinalizers } from './namespaceFinalizers.ts';
import { apiVersionOf, asServed, errorKind, storedForm, viewOf, type Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { checkResize, withResources } from './resize.ts';
import { scaleOf, withScale } from './scale.ts';
import { writerOf } from './writer.ts';

const changedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

export interface Update {
  /**
   * Produces the new object from the current one (in the form of the subresource, for scale, unless `ofParent`).
   */
  produce: (current: KubeObject) => unknown;
  ofParent?: boolean;
  subresource?: Subresource | undefined;
  dryRun?: boolean | undefined;
  /** A write by the server itself, which can change immutable fields. */
  unchecked?: boolean;
  /** How to decode the output of `produce`. */
  reading?: Reading;
  /** Receives the texts of `Warning` headers. */
  warn?: RequestOptions['warn'] | undefined;
  /** The manager that becomes owner of changed fields; without it, managedFields come from `produce`. */
  writer?: Writer | undefined;
  requester?: RequestOptions['requester'] | undefined;
  webhooks?: RequestOptions['webhooks'] | undefined;
}

/** Whether an object marked for deletion has no remaining blockers. */
export function isReleased({ type }: Served, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    (finalizers ?? []).length === 0 &&
    type.rules.blocksRemoval?.(object) !== true
  );
}

/** 400 for an object of another namespace than that of the request. */
export function checkNamespace({ type }: Served, { metadata }: KubeObject, namespace: string): void {
  if (type.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw refuse.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}

/** 400 if the body names another object than the URL. */
export function checkIdentity(served: Served, proposed: KubeObject, location: ObjectLocation): void {
  const { name } = proposed.metadata;
  if (name === undefined || name === '')
    throw refuse.badRequest(
      `the name of the object (${location.name} based on URL) was undeterminable: name must be provided`,
    );
  if (name !== location.name)
    throw refuse.badRequest(
      `the name of the object (${name}) does not match the name on the URL (${location.name})`,
    );
  checkNamespace(served, proposed, location.namespace);
}

/**
 * 409 if the resourceVersion of the body differs from the stored one. An absent resourceVersion matches any
 * revision if the kind allows it; otherwise 422. Revision 0 counts as absent.
 */
function checkRevision({ type }: Served, update: Update, proposed: KubeObject, stored: KubeObject): void {
  const { resourceVersion = '' } = proposed.metadata;
  if (!/^\d*$/.test(resourceVersion))
    throw refuse.internal(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  const { name, resourceVersion: present } = stored.metadata;
  if (!/^0*$/.test(resourceVersion)) {
    if (resourceVersion !== present) throw refuse.conflict(type, name, changedMeanwhile);
    return;
  }
  const isFree = update.unchecked === true || (update.subresource === 'scale' && update.ofParent !== true);
  if (isFree || (!type.custom && type.rules.needsRevision !== true)) return;
  throw refuse.invalid({ group: type.group, kind: type.plural }, name, [
    field.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ]);
}

/** The stored object with the parts that this subresource may change taken from the proposal. */
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
    // Kubelets can report the status of a pod before they know of its deletion.
    if (type.id === 'pods') delete metadata.deletionTimestamp;
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
  if (update.subresource === 'ephemeralcontainers') return withEphemeral(proposed, current);
  const next = withServerMetadata(proposed, current);
  if (update.subresource === 'finalize')
    return withFinalizers({ ...next, status: current['status'] }, namespaceFinalizers(proposed));
  const written = version.hasStatus ? { ...next, status: current['status'] } : next;
  return type.rules.prepareUpdate?.(written, current) ?? written;
}

/**
 * Completes an updated object: defaults and mutating webhooks; for the main resource also managed fields, admission
 * and restored fields; for subresources only restored fields.
 */
function writtenObject(
  { store }: ApiContext,
  served: Served,
  update: Update,
  change: {
    sent: KubeObject;
    present: KubeObject;
    track: (object: KubeObject) => KubeObject;
    byWebhooks: (object: KubeObject) => KubeObject;
  },
): KubeObject {
  const { sent, present, track, byWebhooks } = change;
  if (update.unchecked === true) return track(selectWritten(served, update, sent, present));
  const wanted = withDefaults(served, sent, present);
  if (update.subresource !== undefined)
    return track(selectWritten(served, update, byWebhooks(wanted), present));
  const owned = track(wanted);
  const { rules } = served.type;
  const complete = rules.admit?.(owned, store, present) ?? owned;
  return selectWritten(served, update, byWebhooks(complete), present);
}

function withGeneration(served: Served, update: Update, next: KubeObject, current: KubeObject): KubeObject {
  const { type, version } = served;
  // Writes of the server itself, such as bindings, do not change the desired state.
  if (update.unchecked === true) return next;
  const { annotations } = next.metadata;
  const isNew =
    bodyChanged(next, current, version.hasStatus ? ['status'] : []) ||
    (type.rules.countsAnnotations === true &&
      update.subresource !== 'status' &&
      !sameValue(annotations, current.metadata.annotations));
  if (!type.tracksGeneration || !isNew) return next;
  return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

/** The object as it is to be, which shares its parts with the present one, and the body that it was read from. */
function proposal(
  served: Served,
  update: Update,
  current: KubeObject,
): { proposed: KubeObject; body: unknown } {
  if (update.subresource !== 'scale' || update.ofParent === true) {
    const body = update.produce(current);
    return { body, proposed: readBody(served, body, current, update.reading) };
  }
  const scale = update.produce(scaleOf(served, current));
  // apiVersion, kind and name default to those of the URL.
  if (!isFields(scale) || (scale['kind'] || 'Scale') !== 'Scale')
    throw refuse.badRequest('the body of the request is no Scale');
  const metadata: unknown = scale['metadata'] ?? {};
  const { resourceVersion, uid, name } = metadata as KubeObject['metadata'];
  const changed = withScale(served, current, scale as KubeObject);
  const proposed = { ...changed, metadata: { ...changed.metadata, name, uid, resourceVersion } };
  return { proposed, body: scale };
}

/**
 * Updates an existing object; every update goes through here. Returns the stored object, or its Scale for writes of
 * that subresource. 404 if it does not exist, 400 if the body is of another object, 409 if the resourceVersion
 * differs, 422 for validation errors. A write without changes creates no commit. Removing the last finalizer of a
 * deleted object removes the object.
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
  const location = locationOf(served, key);
  const stored = context.store.read(type.id, location.namespace, location.name);
  if (stored === undefined) throw refuse.notFound(type, location.name);
  const current = viewOf(served, stored);
  const { proposed, body } = proposal(served, update, current);
  checkIdentity(served, proposed, location);
  checkRevision(served, update, proposed, stored);
  const identified: KubeObject = {
    ...proposed,
    metadata: {
      ...withSingleOwners(proposed.metadata, update.reading?.patch !== undefined, update.warn),
      name: location.name,
      ...(type.namespaced ? { namespace: location.namespace } : {}),
    },
  };
  const { writer } = update;
  const converted = version.conversion !== undefined;
  const [sent, present] = converted ? [storedForm(served, identified), stored] : [identified, current];
  const track = (object: KubeObject) =>
    asServed(served, object, (shown) =>
      writer === undefined
        ? withEntries(shown, identified.metadata.managedFields)
        : withUpdate(served, writer, shown, current),
    );
  const { requester, webhooks } = update;
  const asking = { user, requester, webhooks };
  const isScale = update.subresource === 'scale';
  const inForm = (object: KubeObject) => (isScale ? scaleOf(served, object) : object);
  const byWebhooks = (object: KubeObject): KubeObject => {
    const changed = mutated(context, asking, () => ({
      operation: 'UPDATE',
      served,
      subresource: update.subresource,
      ...location,
      object: internValue(inForm(converted ? viewOf(served, object) : object)),
      before: inForm(current),
      dryRun: update.dryRun === true,
      warn: update.warn,
    }));
    if (changed === undefined) return object;
    checkNamespace(served, changed, location.namespace);
    checkRevision(served, update, changed, stored);
    if (isScale) return withScale(served, object, changed);
    return converted ? storedForm(served, changed) : changed;
  };
  const written = writtenObject(context, served, update, { sent, present, track, byWebhooks });
  const kept = converted ? written : storedForm(served, written);
  let next = internValue(withGeneration(served, update, kept, present), stored);
  let charge: Charge | undefined;
  if (update.unchecked !== true) {
    const errors = [
      ...checkMetadataUpdate(type.id, next, stored),
      ...(update.subresource === undefined
        ? (type.rules.checkUpdate?.(next, stored, {
            value: body,
            isSorted: ['strategic', 'apply'].includes(update.reading?.patch?.type ?? ''),
          }) ?? [])
        : []),
      ...(update.subresource === 'resize' ? checkResize(next, stored) : []),
      ...(update.subresource === 'finalize' ? checkNamespaceFinalizers(next) : []),
      ...(update.subresource === 'ephemeralcontainers' ? checkEphemeral(next, stored) : []),
      ...checkObject(
        served,
        { ...next, apiVersion: apiVersionOf(type.group, version.version) },
        { before: current, subresource: update.subresource, warn: update.warn },
      ),
    ];
    if (errors.length > 0) throw refuse.invalid(errorKind(type), next.metadata.name, errors);
    if (type.custom) for (const text of finalizerWarnings(next, stored)) update.warn?.(text);
    if (update.subresource === undefined)
      for (const text of type.rules.warnings?.(next, stored) ?? []) update.warn?.(text);
    const admitted = next;
    admitByPolicies(context, asking, () => ({
      operation: 'UPDATE',
      served,
      subresource: update.subresource,
      ...location,
      object: inForm(viewOf(served, admitted)),
      before: inForm(current),
      dryRun: update.dryRun === true,
      warn: update.warn,
    }));
    charge = admit(context, type, next, { before: stored, subresource: update.subresource });
    if (update.subresource === undefined) next = internValue(allocated(context, served, next), stored);
  }
  const answer = (object: KubeObject) => inForm(viewOf(served, object));
  if (update.dryRun === true || next === stored) return answer(next);
  if (isReleased(served, next)) {
    context.store.remove({ user, resource: type.id, object: stored });
    return answer(next);
  }
  charge?.();
  return answer(context.store.write({ user, resource: type.id, object: next }));
}

/** The storage key of an object, for error messages. */
function storageKey({ type }: Served, { namespace, name }: ObjectLocation): string {
  const resource = type.custom ? [type.group, type.plural] : [type.plural];
  return ['/registry', ...resource, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** PUT. A `metadata.uid` in the body is a precondition (409), checked first after existence. */
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
  const location = locationOf(served, key);
  const wanted = metadata['uid'];
  const found = context.store.read(served.type.id, location.namespace, location.name)?.metadata.uid;
  if (found !== undefined && typeof wanted === 'string' && wanted !== '' && wanted !== found)
    throw refuse.conflict(
      served.type,
      location.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(served, location)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
    );
  return updateObject(context, user, served, key, {
    produce: () => body,
    subresource: options.subresource,
    dryRun: options.dryRun,
    reading: options,
    warn: options.warn,
    writer: writerOf(context, user, options),
    requester: options.requester,
    webhooks: options.webhooks,
  });
}
