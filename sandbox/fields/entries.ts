import type { ManagedFieldsEntry } from '../../schemas/wire/object.ts';
import { isFields, type Fields } from '../store/value.ts';
import { readSet, union, type FieldSet, type MaybeSet } from './set.ts';

/** How many managers of plain writes an object remembers by name. */
const updateManagersLimit = 10;
const oldestManager = 'ancient-changes';

/** One manager's fields, as of one version of the kind. */
export interface Managed {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
  /** RFC 3339. */
  time?: string;
  set: FieldSet;
}

/** An object's managers by what tells them apart. Never changed in place once handed out. */
export type Managers = Map<string, Managed>;

type Identity = Pick<Managed, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

const ids = new WeakMap<Identity, string>();

/** What tells two managers apart. An applier is the same one in every version. */
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

/** What entries that were written or read here say. */
const known = new WeakMap<object, Managed>();

/** The managers that metadata.managedFields tells of; null when it is not well-formed. */
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

/** What an entry says; undefined when it owns nothing, null when it is not well-formed. */
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

/** Appliers before writers, then the oldest first. */
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
 * The managers as metadata.managedFields tells of them; undefined when there are none. The entries are frozen, so
 * that the store keeps them as they are, and what they say need not be read again.
 */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inOrder).map(entryOf);
}

/** The managers with one of them owning what the set says: nothing at all makes it go. */
export function withSet(managers: Managers, id: string, managed: Managed, set: MaybeSet): void {
  if (set === undefined) managers.delete(id);
  else if (set !== managed.set) managers.set(id, { ...managed, set });
}

/** Joins the oldest managers of plain writes under one name, version by version, until few enough are left. */
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
