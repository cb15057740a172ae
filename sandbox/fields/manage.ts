import { timestamp } from '../api/metadata.ts';
import { apiVersionOf, type Served, type ServedVersion } from '../api/registry.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../schemas/wire/object.ts';
import { internValue } from '../store/value.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { objectType } from './atom.ts';
import { blankOf } from './blank.ts';
import { compare, type Differences } from './compare.ts';
import {
  capManagers,
  entryOf,
  managerId,
  readManagers,
  withSet,
  writeManagers,
  type Managed,
  type Managers,
} from './entries.ts';
import type { Writer } from './manager.ts';
import { managersForScale } from './scale.ts';
import { ignoredBy, neverOwned } from './reset.ts';
import { difference, intersection, union, type MaybeSet } from './set.ts';

/** A change of an object, for the update of managers. */
export interface Change {
  served: Served;
  live: unknown;
  next: unknown;
  ignored: MaybeSet;
}

/** What a change takes from a manager: fields with changed values, and removed fields. */
export interface Loss {
  id: string;
  managed: Managed;
  changed: MaybeSet;
  removed: MaybeSet;
}

/** The served version of an apiVersion; undefined if it is not served. */
function versionAt({ type }: Served, apiVersion: string): ServedVersion | undefined {
  for (const [name, version] of type.versions)
    if (apiVersionOf(type.group, name) === apiVersion) return version;
  return undefined;
}

/** Converts an object between versions. */
function shownIn(version: ServedVersion, served: Served, object: unknown): unknown {
  const from = served.version.conversion;
  const to = version.conversion;
  if (from === to || !isFields(object)) return object;
  // Conversion does not need owner references.
  const stored = from === undefined ? (object as KubeObject) : from.toStored(object as KubeObject);
  const { apiVersion: _version, ...shown } = to === undefined ? stored : to.fromStored(stored);
  return shown;
}

/**
 * The fields that all managers except one lose by a change, evaluated in the version of each manager (`own`: the
 * change in the version of the request). Managers of unserved versions are removed.
 */
export function lossesOf(
  managers: Managers,
  except: string | undefined,
  change: Change,
  own: Differences | undefined,
): Loss[] {
  const { served, live, next, ignored } = change;
  const byVersion = new Map([[apiVersionOf(served.type.group, served.version.version), own]]);
  const losses: Loss[] = [];
  for (const [id, managed] of [...managers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (id === except) continue;
    const { apiVersion } = managed;
    if (!byVersion.has(apiVersion)) {
      const version = versionAt(served, apiVersion);
      if (version === undefined) {
        managers.delete(id);
        continue;
      }
      const [before, after] = [live, next].map((each) => shownIn(version, served, each));
      byVersion.set(apiVersion, compare(objectType(version), before, after, ignored));
    }
    const found = byVersion.get(apiVersion);
    if (found === undefined) continue;
    const changed = intersection(managed.fieldsV1, union(found.modified, found.added));
    if (changed !== undefined || found.removed !== undefined)
      losses.push({ id, managed, changed, removed: found.removed });
  }
  return losses;
}

/** Removes lost fields from each manager. */
export function takeLosses(managers: Managers, losses: readonly Loss[]): void {
  for (const { id, managed, changed, removed } of losses)
    withSet(managers, id, managed, difference(difference(managed.fieldsV1, changed), removed));
}

/** How many managers' latest entries are kept for one version. */
const siblingsLimit = 100;
const siblings = new WeakMap<ServedVersion, Map<string, Managed>>();

/** Shares structure with the latest entry of the same manager, because many objects have equal ones. */
function likeSiblings(version: ServedVersion, id: string, managed: Managed): Managed {
  let latest = siblings.get(version);
  if (latest === undefined) siblings.set(version, (latest = new Map()));
  const shared = internValue(entryOf(managed), latest.get(id));
  if (latest.size >= siblingsLimit) latest.clear();
  latest.set(id, shared);
  return shared;
}

/** The object with these managers, at the usual position in metadata. */
export function withEntries<T extends KubeObject>(object: T, entries: ManagedFieldsEntry[] | undefined): T {
  if (object.metadata.managedFields === entries) return object;
  const { managedFields: _replaced, ...metadata } = object.metadata;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}

function isReset(entries: readonly unknown[]): boolean {
  const [entry] = entries;
  return entries.length === 1 && isFields(entry) && Object.keys(entry).length === 0;
}

/**
 * The managers before a write. Clients can rewrite metadata.managedFields through the main resource: valid entries
 * replace the current ones, and a single empty entry clears them.
 */
function startingEntries(
  writer: Writer,
  next: KubeObject,
  current: KubeObject | undefined,
): { entries: ManagedFieldsEntry[] | undefined; managers: Managers } {
  const known = current?.metadata.managedFields;
  const wanted = next.metadata.managedFields as unknown;
  if (writer.subresource === undefined && wanted !== known && Array.isArray(wanted) && wanted.length > 0) {
    if (isReset(wanted)) return { entries: undefined, managers: new Map() };
    const managers = readManagers(wanted);
    if (managers !== null) return { entries: writeManagers(managers), managers };
  }
  return { entries: known, managers: readManagers(known) ?? new Map() };
}

function withoutManagers(object: KubeObject): unknown {
  const { apiVersion: _version, metadata, ...rest } = object;
  const { managedFields: _managers, resourceVersion: _revision, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

/** The change between two states; for a new object, relative to the kind's empty object. */
export function changeOf(
  served: Served,
  next: KubeObject,
  current: KubeObject | undefined,
  subresource: string | undefined,
): Change {
  return {
    served,
    live: current === undefined ? { kind: next.kind, ...blankOf(served) } : withoutManagers(current),
    next: withoutManagers(next),
    ignored: ignoredBy(served, subresource),
  };
}

/**
 * A non-apply write: the writer takes ownership of all changed fields. Objects without managedFields stay unmanaged
 * until the first apply. `current` undefined: a new object.
 */
export function withUpdate(
  served: Served,
  writer: Writer,
  next: KubeObject,
  current: KubeObject | undefined,
): KubeObject {
  const { entries, managers: present } = startingEntries(writer, next, current);
  if (current !== undefined && present.size === 0) return withEntries(next, undefined);
  const known = writer.subresource === 'scale' ? managersForScale(served, present) : present;
  if (known === undefined) return withEntries(next, entries);
  const change = changeOf(served, next, current, writer.subresource);
  const apiVersion = apiVersionOf(served.type.group, served.version.version);
  const own = compare(objectType(served.version), change.live, change.next, change.ignored);
  if (own === undefined) return withEntries(next, known === present ? entries : writeManagers(known));
  const managers = new Map(known);
  takeLosses(managers, lossesOf(managers, undefined, change, own));
  const taken = difference(union(own.added, own.modified), neverOwned);
  if (taken !== undefined) {
    const managed: Managed = {
      manager: writer.manager,
      operation: 'Update',
      apiVersion,
      ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
      // The server omits the timestamp for writes through the scale subresource.
      ...(writer.subresource === 'scale' ? {} : { time: timestamp(writer.at) }),
      fieldsType: 'FieldsV1',
      fieldsV1: taken,
    };
    const id = managerId(managed);
    const before = managers.get(id);
    const fieldsV1 = union(before?.fieldsV1, taken) ?? taken;
    const entry = { ...managed, fieldsV1 };
    managers.set(id, fieldsV1 === before?.fieldsV1 ? entry : likeSiblings(served.version, id, entry));
    capManagers(managers);
  }
  return withEntries(next, writeManagers(managers));
}
