import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import { apiVersionOf, type Served } from '../api/registry.ts';
import { decodeBody } from '../schema/reading.ts';
import { objectType, type FieldType } from './atom.ts';
import { compare } from './compare.ts';
import { managerId, readManagers, withSet, writeManagers, type Managed, type Managers } from './entries.ts';
import { fieldsOfLastApplied, kubectl, withLastApplied } from './lastApplied.ts';
import { changeOf, lossesOf, takeLosses, withEntries, type Loss } from './manage.ts';
import type { Writer } from './manager.ts';
import { fieldsOf, withNamedFields } from './members.ts';
import { merge } from './merge.ts';
import { removeFields } from './remove.ts';
import { ignoredBy, neverOwned } from './reset.ts';
import { managersForScale, replicasOf } from './scale.ts';
import { difference, intersection, pathsOf, union, without, type MaybeSet } from './set.ts';

const firstManager = 'before-first-apply';

function shownManager({ manager, operation, apiVersion, subresource }: Managed, byScale: boolean): string {
  const name =
    JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource "${subresource}"`);
  return operation === 'Update' ? `${name} using ${byScale ? 'autoscaling/v1' : apiVersion}` : name;
}

/** 409 with a cause for each field owned by another manager. */
function conflict(losses: readonly Loss[], { subresource }: Writer): ApiError {
  const found = losses.map(({ managed, changed }) => ({
    who: shownManager(managed, subresource === 'scale'),
    paths: pathsOf(changed),
  }));
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((path) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field: path })),
  );
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `1 conflict: ${first.message}: ${first.field}`
      : `${causes.length} conflicts: ${found
          .map(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)].join('\n'))
          .join('\n')}`;
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${message}`,
    details: { causes },
  });
}

/**
 * Prunes: removes fields that the applier owned before and no longer sets, unless other managers own them. Sets of
 * all versions are interpreted with this version's type, because all versions of a kind have the same fields.
 */
function withoutAbandoned(type: FieldType, merged: unknown, managers: Managers, last: MaybeSet): unknown {
  if (last === undefined) return merged;
  const owned = [...managers.values()].reduce<MaybeSet>(
    (sum, managed) => union(sum, managed.fieldsV1),
    undefined,
  );
  const complete = (set: MaybeSet) => withNamedFields(type, set);
  const all = complete(fieldsOf(type, merged));
  const removed = removeFields(type, merged, complete(last));
  const remaining = union(complete(fieldsOf(type, removed)), complete(owned));
  const others = removeFields(type, merged, difference(all, remaining));
  const left = complete(fieldsOf(type, others));
  return removeFields(type, merged, intersection(difference(all, left), complete(last)));
}

/** The API server supports apply on the scale subresource of custom resources only without changes. */
function unconvertible(what: string, name: string): ApiError {
  return new ApiError({
    code: 500,
    reason: '',
    message: `failed to ${what} (${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  });
}

/**
 * Whether two objects differ only in formatting: quantities such as `1024Mi`, and omitted zero or default values.
 */
function isStoredAlike(served: Served, live: KubeObject, next: KubeObject): boolean {
  const decoded = decodeBody(served, next, live, { fieldValidation: 'Ignore' });
  const { rules } = served.type;
  const stored =
    served.version.conversion === undefined ? (rules.defaults?.(decoded, live) ?? decoded) : decoded;
  return compare(objectType(served.version), live, stored, undefined) === undefined;
}

function writerOf(served: Served, { manager, subresource }: Writer) {
  const apiVersion = apiVersionOf(served.type.group, served.version.version);
  return {
    manager,
    operation: 'Apply' as const,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

const nothing = { fieldsType: 'FieldsV1', fieldsV1: {} } as const;

/** The managers before an apply: the existing ones, or one that owns all fields. */
function startingManagers(served: Served, writer: Writer, current: KubeObject | undefined): Managers {
  const present: Managers = new Map(readManagers(current?.metadata.managedFields));
  const isScale = writer.subresource === 'scale';
  const known = isScale ? managersForScale(served, present) : present;
  if (current === undefined || (known !== undefined && known.size > 0)) return known ?? present;
  if (isScale && served.type.custom)
    throw unconvertible('create manager for existing fields: failed to convert live object', '/');
  const { live, next, ignored } = changeOf(served, current, undefined, writer.subresource);
  const found = compare(objectType(served.version), live, next, ignored);
  const all = difference(found === undefined ? undefined : union(found.added, found.modified), neverOwned);
  const set = isScale ? intersection(all, replicasOf(served)) : all;
  if (set === undefined) return present;
  const first: Managed = {
    ...writerOf(served, writer),
    manager: firstManager,
    operation: 'Update',
    ...(isScale ? {} : { time: timestamp(writer.at) }),
    fieldsType: 'FieldsV1',
    fieldsV1: set,
  };
  return present.set(managerId(first), first);
}

/**
 * Server-side apply: merges `config` into the current object and updates ownership. Fields that the applier owned
 * and no longer sets are removed unless another manager owns them. `current` undefined: creates the object. 409 for
 * conflicts with other managers, unless `force` is set.
 */
export function applied(
  served: Served,
  writer: Writer,
  config: KubeObject,
  current: KubeObject | undefined,
  force: boolean,
): KubeObject {
  const type = objectType(served.version);
  const { apiVersion, kind } = config;
  const live: KubeObject =
    current === undefined
      ? ({ apiVersion, kind, metadata: {} } as KubeObject)
      : withEntries(current, undefined);
  const managers = startingManagers(served, writer, current);
  const named = writerOf(served, writer);
  const id = managerId(named);
  const before = managers.get(id);
  const ignored = ignoredBy(served, writer.subresource);
  const set = without(fieldsOf(type, config), ignored);
  const owner: Managed = {
    ...nothing,
    ...named,
    ...(before?.time === undefined ? {} : { time: before.time }),
  };
  withSet(managers, id, owner, set);
  const merged = merge(type, live, config);
  const next = withoutAbandoned(type, merged, managers, before?.fieldsV1) as KubeObject;
  const own = compare(type, live, next, ignored);
  const losses = lossesOf(managers, id, { served, live, next, ignored }, own);
  const conflicts = losses.filter(({ changed }) => changed !== undefined);
  if (!force && conflicts.length > 0) {
    const allowed = writer.manager === kubectl ? fieldsOfLastApplied(type, live) : undefined;
    const left = conflicts.map((loss) => ({ ...loss, changed: difference(loss.changed, allowed) }));
    const standing = left.filter(({ changed }) => changed !== undefined);
    if (standing.length > 0) throw conflict(standing, writer);
  }
  const isScale = writer.subresource === 'scale';
  if (isScale && served.type.custom && own !== undefined)
    throw unconvertible('convert new object', `${config.metadata.namespace ?? ''}/${config.metadata.name}`);
  takeLosses(managers, losses);
  // Fields that this subresource cannot change also update the timestamp.
  const differs = compare(type, live, next, undefined) !== undefined;
  const isSame = !differs || (!served.type.custom && isStoredAlike(served, live, next));
  const time = isSame ? before?.time : isScale ? undefined : timestamp(writer.at);
  const remaining = difference(set, neverOwned);
  withSet(managers, id, { ...nothing, ...named, ...(time === undefined ? {} : { time }) }, remaining);
  const result = isSame ? live : next;
  const noted = writer.manager === kubectl ? withLastApplied(result, config) : result;
  return withEntries(noted, writeManagers(managers));
}
