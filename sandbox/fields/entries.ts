import type { ManagedFieldsEntry } from '../../schemas/wire/object.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { readSet, union, type FieldSet, type MaybeSet } from './set.ts';

/** The maximum number of non-apply managers per object. */
const updateManagersLimit = 10;
const oldestManager = 'ancient-changes';

/** The fields of one manager for one version of the kind. */
export interface Managed {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
  /** RFC 3339. */
  time?: string;
  set: FieldSet;
}

/** The managers of an object by id. Never mutated after creation. */
export type Managers = Map<string, Managed>;

type Identity = Pick<Managed, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

const ids = new WeakMap<Identity, string>();

/** The identity of a manager. An applier has one entry for all versions. */
export function managerId(of: Readonly<Identity>): string {
  let id = ids.get(of);
  if (id === undefined) ids.set(of, (id = newManagerId(of)));
  return id;
}

function newManagerId({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === 'Update' ? { apiVersion } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  });
}

/** Cache of parsed entries. */
const known = new WeakMap<object, Managed>();

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
  const managed = known.get(entry) ?? decode(entry);
  if (managed && Object.isFrozen(entry)) known.set(entry, managed);
  return managed;
}

function decode(entry: Fields): Managed | undefined | null {
  const { operation } = entry;
  const apiVersion = optionalText(entry['apiVersion']);
  if (apiVersion === undefined || entry['fieldsType'] !== 'FieldsV1') return null;
  if (operation !== 'Apply' && operation !== 'Update') return null;
  const set = readSet(entry['fieldsV1'] ?? {});
  if (set === null || set === undefined) return set;
  const subresource = optionalText(entry['subresource']);
  const time = optionalText(entry['time']);
  return {
    manager: optionalText(entry['manager']) ?? '',
    operation,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
    set,
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

function entryOf(managed: Managed): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, set, subresource } = managed;
  const entry: ManagedFieldsEntry = Object.freeze({
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set,
    ...(subresource === undefined ? {} : { subresource }),
  });
  known.set(entry, managed);
  return entry;
}

/**
 * Serializes the managers for metadata.managedFields; undefined if there are none. The entries are frozen and
 * cached, so that the store shares them and they need not be parsed again.
 */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inOrder).map(entryOf);
}

/** Sets the fields of one manager; an empty set removes the manager. */
export function withSet(managers: Managers, id: string, managed: Managed, set: MaybeSet): void {
  if (set === undefined) managers.delete(id);
  else if (set !== managed.set) managers.set(id, { ...managed, set });
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
    managers.set(bucketId, { ...ofBucket, set: union(bucket?.set, managed.set) ?? managed.set });
    count -= 1;
  }
}
