import type { ObjectKey, Patch } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { applied } from '../fields/apply.ts';
import { configOf } from '../fields/config.ts';
import { checkManager } from '../fields/manager.ts';
import { configOfScale } from '../fields/scale.ts';
import { shapeOf } from '../kinds/shapes.ts';
import { jsonPatch } from '../patch/json.ts';
import { mergePatch } from '../patch/merge.ts';
import { strategicPatch } from '../patch/strategic.ts';
import { applyDefaults } from '../schema/default.ts';
import { validate } from '../schema/validate.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { locationOf, requireSubresource, type ApiContext } from './context.ts';
import { createApplied } from './create.ts';
import { refuse } from './errors.ts';
import type { Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { updateObject } from './update.ts';
import { writerOf } from './writer.ts';

function applyPatch(
  { type, version }: Served,
  patch: Exclude<Patch, { type: 'apply' }>,
  current: KubeObject,
): unknown {
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
      return strategicPatch(
        current.kind === type.kind ? version.schema : shapeOf('autoscaling', 'v1', 'Scale'),
        current,
        patch.body,
      );
  }
}

/**
 * 422 for a null that the schema of a custom resource does not allow. The result of an apply is not decoded again,
 * so nulls from the configuration, and lists or maps that became empty, are not dropped.
 */
function refuseNulls({ type, version }: Served, object: KubeObject): void {
  const { schema } = version;
  if (!type.custom || schema === undefined) return;
  const nulls = validate(schema, applyDefaults(schema, object)).filter(
    ({ reason, message }) => reason === 'FieldValueTypeInvalid' && message.endsWith(': "null"'),
  );
  if (nulls.length > 0) throw refuse.invalid(type, object.metadata.name, nulls);
}

/** Server-side apply to an object or a subresource. Creates a missing object. */
function applyConfig(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  patch: Extract<Patch, { type: 'apply' }>,
  options: RequestOptions,
): KubeObject {
  const { subresource } = options;
  checkManager('PatchOptions', options.fieldManager, true);
  requireSubresource(served, subresource);
  const writer = writerOf(context, user, options);
  const { namespace, name } = locationOf(served, key);
  const { scale } = served.version;
  const force = patch.force === true;
  const config =
    subresource === 'scale' && scale !== undefined
      ? configOfScale(served, scale, patch.body)
      : configOf(served, patch.body);
  const present = context.store.read(served.type.id, namespace, name);
  if (present === undefined && subresource === undefined) {
    const made = applied(served, writer, config, undefined, force);
    refuseNulls(served, made);
    return createApplied(context, user, served, key, made, options);
  }
  return updateObject(context, user, served, key, {
    produce(current) {
      const next = applied(served, writer, config, current, force);
      if (subresource === undefined) refuseNulls(served, next);
      return next;
    },
    ofParent: true,
    subresource,
    dryRun: options.dryRun,
    warn: options.warn,
    requester: options.requester,
    webhooks: options.webhooks,
  });
}

/** PATCH of an object or a subresource. */
export function patchObject(
  context: ApiContext,
  user: string,
  served: Served,
  key: ObjectKey,
  patch: Patch,
  options: RequestOptions,
): KubeObject {
  if (patch.type === 'apply') return applyConfig(context, user, served, key, patch, options);
  checkManager('PatchOptions', options.fieldManager, false);
  return updateObject(context, user, served, key, {
    produce: (current) => applyPatch(served, patch, current),
    subresource: options.subresource,
    dryRun: options.dryRun,
    warn: options.warn,
    writer: writerOf(context, user, options),
    requester: options.requester,
    webhooks: options.webhooks,
    reading: { ...options, patch },
  });
}
