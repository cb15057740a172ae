import type { ResourceType } from '../../api/registry.ts';
import type { Commit } from '../../store/history.ts';
import type { World } from '../../world.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** Invariants of the store under any requests; `broken` lists the violations. */
export interface Invariants {
  broken: string[];
  commits: number;
  /** Checks all objects. */
  checkAll(): void;
}

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

function nodeOf(pod: KubeObject): unknown {
  return (pod['spec'] as { nodeName?: unknown } | undefined)?.nodeName;
}

function body({
  metadata: _metadata,
  status: _status,
  apiVersion: _apiVersion,
  ...rest
}: KubeObject): string {
  return JSON.stringify(rest, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

function textMap(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}

function fieldSet(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([key, inner]) => (key === '.' || /^[fkvi]:/s.test(key)) && fieldSet(inner),
  );
}

function managedFieldsFault(object: KubeObject): string | undefined {
  const entries: unknown = object.metadata['managedFields' as keyof typeof object.metadata];
  if (entries === undefined) return undefined;
  if (!Array.isArray(entries)) return 'managedFields is no list';
  for (const entry of entries as Record<string, unknown>[]) {
    if (typeof entry['manager'] !== 'string' && entry['manager'] !== undefined)
      return 'a manager without a name';
    if (entry['operation'] !== 'Update' && entry['operation'] !== 'Apply') return 'an unknown operation';
    if (entry['fieldsType'] !== 'FieldsV1' || !fieldSet(entry['fieldsV1']))
      return 'fields that cannot be decoded';
  }
  return undefined;
}

/** Of these a server only checks that the name can be a part of a path. */
const freeNames = new Set(['rbac.authorization.k8s.io', 'policy', 'events.k8s.io']);

function nameOf({ group, id }: ResourceType): RegExp {
  return freeNames.has(group) || id === 'events' ? /^[^/%]+$/ : /^[a-z0-9.-]{1,253}$/;
}

function objectFault(type: ResourceType, object: KubeObject): string | undefined {
  const { metadata } = object;
  if (!type.versions.has(object.apiVersion.split('/').at(-1) ?? '')) return `apiVersion ${object.apiVersion}`;
  if (object.kind !== type.kind) return `kind ${object.kind}`;
  if (typeof metadata.name !== 'string' || !nameOf(type).test(metadata.name)) return `name ${metadata.name}`;
  if (type.namespaced !== (typeof metadata.namespace === 'string')) return `namespace ${metadata.namespace}`;
  if (!metadata.uid || Number.isNaN(Date.parse(metadata.creationTimestamp ?? '')))
    return 'no uid or creation time';
  if (!textMap(metadata.labels) || !textMap(metadata.annotations))
    return 'labels or annotations that are no text';
  if (metadata.generation !== undefined && !(metadata.generation >= 1))
    return `generation ${metadata.generation}`;
  if (!isFrozenThrough(object)) return 'not frozen';
  return managedFieldsFault(object);
}

/** Checks every commit of a world. */
export function watchInvariants(world: World): Invariants {
  const broken: string[] = [];
  const present = new Map<string, KubeObject>();
  const owners = new Map<string, string>();
  const everUsed = new Set<string>();
  let revision = 0;
  const { registry } = world.server;

  const keyOf = (resource: string, { metadata }: KubeObject) =>
    `${resource}/${metadata.namespace ?? ''}/${metadata.name}`;

  function checkChange(commit: Commit, key: string, type: ResourceType | undefined): string | undefined {
    const { object, previous } = commit;
    if (commit.revision <= revision) return `revision ${commit.revision} after ${revision}`;
    if (object.metadata.resourceVersion !== String(commit.revision))
      return 'a resourceVersion that is not the revision';
    const before = present.get(key);
    if ((commit.type === 'ADDED') !== (before === undefined))
      return `${commit.type} of what was ${before === undefined ? 'not ' : ''}there`;
    if (before !== previous) return 'a previous state that never was';
    const uid = object.metadata.uid ?? '';
    if (before === undefined) {
      if (everUsed.has(uid)) return `uid ${uid} again`;
      const { namespace } = object.metadata;
      if (namespace !== undefined && !present.has(`namespaces//${namespace}`))
        return `in no namespace ${namespace}`;
    } else {
      if (owners.get(uid) !== key) return 'another uid';
      if (before.metadata.creationTimestamp !== object.metadata.creationTimestamp)
        return 'another creation time';
      if (before.metadata.deletionTimestamp !== undefined && object.metadata.deletionTimestamp === undefined)
        return 'a deletion mark taken back';
    }
    if (type?.tracksGeneration !== true || commit.type === 'DELETED' || before === undefined)
      return undefined;
    const marked =
      before.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined;
    const changed = body(before) !== body(object);
    const grown = (object.metadata.generation ?? 0) - (before.metadata.generation ?? 0);
    // Binding a pod does not change its generation.
    const isBinding = type.id === 'pods' && nodeOf(before) !== nodeOf(object);
    if (isBinding && grown === 0) return undefined;
    // The deletion mark increases the generation in any case.
    if (marked ? grown < 1 : changed ? grown !== 1 : grown !== 0 && type.id !== 'pods')
      return `generation grew by ${grown} on a change ${changed ? 'of content' : 'of nothing'}${marked ? ' and a mark' : ''}`;
    return undefined;
  }

  const invariants: Invariants = {
    broken,
    commits: 0,
    checkAll() {
      for (const [key, object] of present) {
        const [resource = ''] = key.split('/');
        const { namespace } = object.metadata;
        if (namespace !== undefined && !present.has(`namespaces//${namespace}`))
          broken.push(`${key}: its namespace is gone`);
        if (registry.byId(resource) !== undefined && !isFrozenThrough(object))
          broken.push(`${key}: not frozen`);
      }
      if ('polluted' in {} || Object.keys(Object.prototype).length > 0)
        broken.push('Object.prototype has been written to');
    },
  };

  world.onCommit((commit) => {
    const { object, resource } = commit;
    const key = keyOf(resource, object);
    const type = registry.byId(resource);
    const fault =
      checkChange(commit, key, type) ?? (type === undefined ? undefined : objectFault(type, object));
    if (fault !== undefined) broken.push(`${commit.type} ${key} by ${commit.user}: ${fault}`);
    invariants.commits += 1;
    revision = commit.revision;
    if (commit.type === 'DELETED') {
      present.delete(key);
      owners.delete(object.metadata.uid ?? '');
    } else {
      present.set(key, object);
      owners.set(object.metadata.uid ?? '', key);
      everUsed.add(object.metadata.uid ?? '');
    }
  });
  for (const type of registry.types().filter(({ answer }) => answer === undefined))
    for (const object of world.server.list('fuzz', {
      group: type.group,
      version: type.storageVersion,
      plural: type.plural,
    }).items) {
      const key = keyOf(type.id, object);
      present.set(key, object);
      owners.set(object.metadata.uid ?? '', key);
      everUsed.add(object.metadata.uid ?? '');
    }
  return invariants;
}
