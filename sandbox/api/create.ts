import type { ObjectKey } from '../../schemas/wire/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { blankOf } from '../fields/blank.ts';
import { withEntries, withUpdate } from '../fields/manage.ts';
import { checkManager } from '../fields/manager.ts';
import { internValue } from '../store/value.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { admit, admitByPolicies, mutated } from './admission.ts';
import { checkObject, readBody, withDefaults } from './admit.ts';
import { allocated } from './allocate.ts';
import { requireSubresource, type ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { timestamp } from './metadata.ts';
import { finalizerWarnings, withSingleOwners } from './metadataWarnings.ts';
import { asServed, errorKind, storedForm, viewOf, type Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { checkIdentity, checkNamespace, updateObject } from './update.ts';
import { writerOf } from './writer.ts';

const generateAttempts = 8;

function requireNamespace(context: ApiContext, { type }: Served, namespace: string, name: string): void {
  const found = context.store.read('namespaces', '', namespace);
  if (found === undefined) throw refuse.notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp !== undefined) throw refuse.terminating(type, name, namespace);
}

function nameFor(context: ApiContext, { type }: Served, metadata: ObjectMeta, namespace: string): string {
  const { name, generateName } = metadata;
  if (name !== undefined && name !== '') {
    return name;
  }
  if (typeof generateName !== 'string' || generateName === '') return '';
  const base = generateName.slice(0, 58);
  let generated = '';
  for (let attempt = 0; attempt < generateAttempts; attempt += 1) {
    generated = base + context.ids.nameSuffix();
    if (context.store.read(type.id, namespace, generated) === undefined) break;
  }
  return generated;
}

/** Sets the server-managed metadata of a new object and clears it from the client's input. */
function newMetadata(context: ApiContext, served: Served, body: KubeObject): ObjectMeta {
  const {
    resourceVersion,
    deletionTimestamp: _deletion,
    deletionGracePeriodSeconds: _grace,
    ...metadata
  } = body.metadata;
  // Unknown apiVersions are skipped.
  if (resourceVersion !== undefined && /^0*[1-9]\d*$/.test(resourceVersion))
    throw refuse.internal('resourceVersion should not be set on objects to be created');
  const { type } = served;
  const namespace = type.namespaced ? metadata.namespace : undefined;
  if (type.namespaced && !namespace)
    throw refuse.badRequest('an empty namespace may not be set during creation');
  // Kinds without generation tracking keep the generation of the request.
  const { namespace: _namespace, selfLink: _link, ...rest } = metadata as ObjectMeta & { selfLink?: string };
  return {
    ...rest,
    name: nameFor(context, served, metadata, namespace ?? ''),
    ...(namespace === undefined ? {} : { namespace }),
    uid: context.ids.uid(),
    creationTimestamp: timestamp(context.clock.now()),
    ...(type.tracksGeneration ? { generation: 1 } : {}),
  };
}

function initial(served: Served, object: KubeObject): KubeObject {
  const { type, version } = served;
  let prepared = object;
  if (version.hasStatus && type.id !== 'nodes') {
    const { status: _status, ...rest } = object;
    const { status } = blankOf(served);
    prepared = status === undefined ? rest : { ...rest, status };
  }
  return type.rules.prepareCreate?.(prepared) ?? prepared;
}

/**
 * A new object after the mutating webhooks. They see it in the version of the request, without the metadata that the
 * server adds later.
 */
function byWebhooks(
  object: KubeObject,
  served: Served,
  { name }: Partial<ObjectMeta>,
  mutate: (seen: () => KubeObject) => KubeObject | undefined,
): KubeObject {
  const isConverted = served.version.conversion !== undefined;
  const { uid, creationTimestamp, generation, name: own, ...metadata } = object.metadata;
  const { namespace } = metadata;
  const changed = mutate(() => {
    const shown = isConverted ? viewOf(served, object) : storedForm(served, object);
    return internValue({
      ...viewOf(served, shown),
      metadata: { ...metadata, ...(name ? { name } : {}) } as ObjectMeta,
    });
  });
  if (changed === undefined) return object;
  const next = isConverted ? storedForm(served, changed) : changed;
  const added = { uid, creationTimestamp, ...(generation === undefined ? {} : { generation }) };
  return {
    ...next,
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      ...next.metadata,
      ...added,
      name: next.metadata.name ?? own,
    },
  };
}

/** Completes, validates and stores a new object; `track` sets field ownership before server-side changes. */
function admitNew(
  context: ApiContext,
  user: string,
  served: Served,
  body: KubeObject,
  options: RequestOptions,
  track: (object: KubeObject) => KubeObject,
): KubeObject {
  const { type, version } = served;
  const { requester, webhooks } = options;
  const ids = webhooks?.ids(context.ids) ?? context.ids;
  const metadata = newMetadata({ ...context, ids }, served, body);
  if (metadata.namespace !== undefined) requireNamespace(context, served, metadata.namespace, metadata.name);
  const named = { ...body, metadata: withSingleOwners(metadata, false, options.warn) };
  const wanted = version.conversion === undefined ? named : storedForm(served, named);
  const owned = asServed(served, withDefaults(served, wanted, undefined), track);
  const complete = type.rules.admit?.(owned, context.store, undefined) ?? owned;
  const object = initial(
    served,
    byWebhooks(complete, served, body.metadata, (seen) =>
      mutated(context, { user, requester, webhooks }, () => ({
        operation: 'CREATE',
        served,
        namespace: metadata.namespace ?? '',
        name: body.metadata.name ?? '',
        object: seen(),
        newUid: metadata.uid,
        dryRun: options.dryRun === true,
        warn: options.warn,
      })),
    ),
  );
  const { name } = object.metadata;
  checkNamespace(served, object, metadata.namespace ?? '');
  const errors =
    options.isChecked === true
      ? []
      : [...(type.rules.checkCreate?.(object) ?? []), ...checkObject(served, object)];
  if (errors.length > 0) throw refuse.invalid(errorKind(type), name, errors);
  if (type.custom) for (const text of finalizerWarnings(object)) options.warn?.(text);
  for (const text of type.rules.warnings?.(object, undefined) ?? []) options.warn?.(text);
  admitByPolicies(context, { user, requester, webhooks }, () => ({
    operation: 'CREATE',
    served,
    namespace: metadata.namespace ?? '',
    name,
    object: viewOf(
      served,
      internValue(version.conversion === undefined ? storedForm(served, object) : object),
    ),
    dryRun: options.dryRun === true,
    warn: options.warn,
  }));
  const charge = admit(context, type, object);
  if (context.store.read(type.id, metadata.namespace ?? '', name) !== undefined) {
    // The API server charges quotas before it detects the name conflict; the quota controller corrects the usage
    // later.
    if (options.dryRun !== true) charge();
    throw refuse.alreadyExists(type, name);
  }
  const whole = allocated(context, served, object);
  const stored = version.conversion === undefined ? storedForm(served, whole) : whole;
  if (options.dryRun === true) return viewOf(served, internValue(stored));
  charge();
  return viewOf(served, context.store.write({ user, resource: type.id, object: stored }));
}

/**
 * POST. 400 if the body is not of this resource, 404 or 403 if the namespace is missing or terminating, 422 for all
 * validation errors, 403 from limit ranges and quotas, 409 if the name exists.
 */
export function createObject(
  context: ApiContext,
  user: string,
  served: Served,
  rawBody: unknown,
  options: RequestOptions,
): KubeObject {
  if (options.subresource === 'binding') return bindPod(context, user, served, rawBody, options);
  requireSubresource(served, options.subresource);
  if (options.subresource !== undefined) throw refuse.methodNotAllowed();
  checkManager('CreateOptions', options.fieldManager, false);
  const writer = writerOf(context, user, options);
  return admitNew(context, user, served, readBody(served, rawBody, undefined, options), options, (object) =>
    withUpdate(served, writer, object, undefined),
  );
}

/**
 * Creates an object by server-side apply at the location of the URL. The applier owns the fields of the
 * configuration; fields set by the server have no owner.
 */
export function createApplied(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  applied: KubeObject,
  options: RequestOptions,
): KubeObject {
  const body = readBody(served, applied);
  const { name, namespace, managedFields } = body.metadata;
  if (!name)
    throw refuse.badRequest(
      `the name of the object (${key.name} based on URL) was undeterminable: name must be provided`,
    );
  checkIdentity(served, body, { name: key.name, namespace: key.namespace ?? '' });
  const metadata = { ...body.metadata, namespace: namespace ?? key.namespace };
  return admitNew(context, user, served, { ...body, metadata }, options, (object) =>
    withEntries(object, managedFields),
  );
}

const podBinding = { group: '', plural: 'pods/binding' };

/** POST of a Binding: sets node and PodScheduled in one write. 409 if the pod is already bound. */
function bindPod(
  context: ApiContext,
  user: string,
  served: Served,
  body: unknown,
  { at: of, requester, dryRun, warn, webhooks }: RequestOptions,
): KubeObject {
  requireSubresource(served, 'binding');
  const metadata = fieldAt(body, ['metadata']);
  if (of !== undefined && fieldAt(body, ['metadata', 'name']) !== of.name)
    throw refuse.badRequest('name in URL does not match name in Binding object');
  const node = fieldAt(body, ['target', 'name']);
  if (
    !isFields(metadata) ||
    typeof metadata['name'] !== 'string' ||
    typeof metadata['namespace'] !== 'string'
  )
    throw refuse.badRequest('a Binding names its pod in metadata.name and metadata.namespace');
  const { name, namespace } = metadata;
  if (typeof node !== 'string' || node === '') throw refuse.internal('target.name: Required value');
  admitByPolicies(context, { user, requester, webhooks }, () => ({
    operation: 'CREATE',
    served,
    subresource: 'binding',
    namespace,
    name,
    object: body as KubeObject,
    dryRun: dryRun === true,
    warn,
  }));
  const at = timestamp(context.clock.now());
  return updateObject(
    context,
    user,
    served,
    { namespace, name },
    {
      produce(pod) {
        if (pod.metadata.deletionTimestamp !== undefined)
          throw refuse.conflict(
            podBinding,
            name,
            `pod ${name} is being deleted, cannot be assigned to a host`,
          );
        const assigned = fieldAt(pod, ['spec', 'nodeName']);
        if (typeof assigned === 'string' && assigned !== '')
          throw refuse.conflict(podBinding, name, `pod ${name} is already assigned to node "${assigned}"`);
        const gates = fieldAt(pod, ['spec', 'schedulingGates']);
        if (Array.isArray(gates) && gates.length > 0)
          throw refuse.conflict(podBinding, name, `pod ${name} has non-empty .spec.schedulingGates`);
        const conditions = fieldAt(pod, ['status', 'conditions']);
        const relatedObjects = (Array.isArray(conditions) ? (conditions as unknown[]) : []).filter(
          (each) => fieldAt(each, ['type']) !== 'PodScheduled',
        );
        const scheduled = {
          type: 'PodScheduled',
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: at,
        };
        const { spec, status } = pod as KubeObject & { spec: object; status: object };
        return {
          ...pod,
          spec: { ...spec, nodeName: node },
          status: { ...status, conditions: [...relatedObjects, scheduled] },
        };
      },
      unchecked: true,
    },
  );
}
