import type { ManagedFieldsEntry } from '../../schemas/wire/object.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { readSet, union, type FieldSet, type MaybeSet } from './set.ts';

/** The maximum number of non-apply managers per object. */
const updateManagersLimit = 10;
const oldestManager = 'ancient-changes';

/** The fields of one manager for one version of the kind: an entry of metadata.managedFields with a set in canonical form. */
export interface Managed extends ManagedFieldsEntry {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  fieldsType: 'FieldsV1';
  fieldsV1: FieldSet;
}

/** The managers of an object by id. Never mutated after creation. */
export type Managers = Map<string, Managed>;

type Identity = Pick<Managed, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/** The identity of a manager. An applier has one entry for all versions. */
export function managerId({ manager, operation, apiVersion, subresource }: Readonly<Identity>): string {
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : '';
  const part = subresource === undefined ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{"manager":${JSON.stringify(manager)},"operation":"${operation}"${version}${part}}`;
}

/** Frozen sets that are in canonical form. Objects share them, so that these are few. */
const canonical = new WeakSet<object>();

/** Parses metadata.managedFields; null if it is malformed. */
export function readManagers(entries: readonly unknown[] | undefined): Managers | null {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) {
    const managed = read(entry);
    if (managed === null) return null;
    if (managed !== undefined) managers.set(managerId(managed), managed);
  }
  return managers;
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses one entry; undefined if it owns nothing, null if it is malformed. */
function read(entry: unknown): Managed | undefined | null {
  if (!isFields(entry)) return null;
  if (isWritten(entry)) return entry as unknown as Managed;
  const managed = decode(entry);
  if (managed && Object.isFrozen(entry) && JSON.stringify(inServersOrder(managed)) === JSON.stringify(entry))
    canonical.add(entry['fieldsV1'] as FieldSet);
  return managed;
}

/** The fields of an entry in the server's order. */
const serversOrder = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

function isInServersOrder(entry: object): boolean {
  let last = -1;
  for (const key of Object.keys(entry)) {
    const at = serversOrder.indexOf(key);
    if (at <= last) return false;
    last = at;
  }
  return true;
}

/** Whether it is as `entryOf` writes it. A client may send other fields, or another order, around a stored set. */
function isWritten(entry: Fields | Managed): boolean {
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = entry;
  return (
    isFields(fieldsV1) &&
    canonical.has(fieldsV1) &&
    typeof manager === 'string' &&
    (operation === 'Update' || operation === 'Apply') &&
    optionalText(apiVersion) !== undefined &&
    fieldsType === 'FieldsV1' &&
    (time === undefined || optionalText(time) !== undefined) &&
    (subresource === undefined || optionalText(subresource) !== undefined) &&
    isInServersOrder(entry) &&
    Object.isFrozen(entry)
  );
}

function decode(entry: Fields): Managed | undefined | null {
  const { operation } = entry;
  const apiVersion = optionalText(entry['apiVersion']);
  if (apiVersion === undefined || entry['fieldsType'] !== 'FieldsV1') return null;
  if (operation !== 'Apply' && operation !== 'Update') return null;
  const fieldsV1 = readSet(entry['fieldsV1'] ?? {});
  if (fieldsV1 === null || fieldsV1 === undefined) return fieldsV1;
  const subresource = optionalText(entry['subresource']);
  const time = optionalText(entry['time']);
  return {
    manager: optionalText(entry['manager']) ?? '',
    operation,
    apiVersion,
    fieldsType: 'FieldsV1',
    ...(subresource === undefined ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
    fieldsV1,
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function secondsOf({ time }: Managed): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** Sort order: appliers first, then by time. */
function inOrder(a: Managed, b: Managed): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

function inServersOrder(managed: Managed): Managed {
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = managed;
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType,
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** The entry as it is stored: frozen, and with its fields in the server's order. */
export function entryOf(managed: Managed): Managed {
  if (isWritten(managed)) return managed;
  canonical.add(managed.fieldsV1);
  return Object.freeze(inServersOrder(managed));
}

/**
 * Serializes the managers for metadata.managedFields; undefined if there are none. The entries are frozen, so that
 * the store shares them, and are read again as they are.
 */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inOrder).map(entryOf);
}

/** Sets the fields of one manager; an empty set removes the manager. */
export function withSet(managers: Managers, id: string, managed: Managed, set: MaybeSet): void {
  if (set === undefined) managers.delete(id);
  else if (set !== managed.fieldsV1) managers.set(id, { ...managed, fieldsV1: set });
}

/** Merges the oldest non-apply managers of each version until the limit is met. */
export function capManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, managed]) => managed.operation === 'Update');
  let count = updaters.length;
  if (count <= updateManagersLimit) return;
  updaters.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || compareText(a, b));
  const firsts = new Map<string, string>();
  for (const [id, managed] of updaters) {
    if (count <= updateManagersLimit) return;
    const { apiVersion } = managed;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, id);
      continue;
    }
    const { subresource: _any, ...ofBucket } = { ...managed, manager: oldestManager };
    const bucketId = managerId(ofBucket);
    const bucket = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    managers.delete(id);
    const fieldsV1 = union(bucket?.fieldsV1, managed.fieldsV1) ?? managed.fieldsV1;
    managers.set(bucketId, { ...ofBucket, fieldsV1 });
    count -= 1;
  }
}
