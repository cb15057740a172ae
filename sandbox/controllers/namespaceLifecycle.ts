import { resources } from '../../schemas/wire/resources.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { attempt } from '../api/attempt.ts';
import { timestamp } from '../api/metadata.ts';
import { namespaceFinalizers } from '../api/namespaceFinalizers.ts';
import { resourceOf } from '../api/registry.ts';
import type { Commit } from '../store/history.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const user = 'system:serviceaccount:kube-system:namespace-controller';

interface Content {
  resource: string;
  object: KubeObject;
}

/** Counts equal texts, sorted. */
function tally(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The conditions of a terminating namespace. */
function conditionsOf(remaining: readonly Content[], at: string, before: readonly Condition[]): Condition[] {
  const kinds = tally(remaining.map(({ resource }) => (resource.includes('.') ? resource : `${resource}.`)));
  const finalizers = tally(remaining.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const reported = (list: readonly [string, number][], verb: string) =>
    list.map(([name, count]) => `${name} ${verb} ${count} resource instances`).join(', ');
  const rows: [type: string, failing: boolean, reason: string, message: string][] = [
    [
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ],
    [
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    kinds.length === 0
      ? ['NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed']
      : [
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${reported(kinds, 'has')}`,
        ],
    finalizers.length === 0
      ? [
          'NamespaceFinalizersRemaining',
          false,
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ]
      : [
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${reported(finalizers, 'in')}`,
        ],
  ];
  return rows.map(([type, failing, reason, message]) => {
    const status = failing ? 'True' : 'False';
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime =
      old?.status === status && old.lastTransitionTime !== undefined ? old.lastTransitionTime : at;
    return { type, status, lastTransitionTime, reason, message };
  });
}

/**
 * Deletes the content of a terminating namespace, pods first, reports the remaining content in conditions, and
 * finalizes the namespace when it is empty.
 */
export function startNamespaceLifecycle(context: ControllerContext): () => void {
  const { store, registry, server, clock, timings } = context;
  const enqueue = createWorkQueue(clock);

  function contents(namespace: string): Content[] {
    return registry
      .types()
      .filter((type) => type.namespaced && type.storedAs === undefined)
      .flatMap(({ id }) => store.list(id, namespace).map((object) => ({ resource: id, object })));
  }

  function remove({ resource, object }: Content): void {
    const type = registry.byId(resource);
    if (type === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const { namespace = '', name } = object.metadata;
    attempt(() => server.delete(user, resourceOf(type), { namespace, name }));
  }

  function report(name: string, remaining: readonly Content[]): void {
    const namespace = store.read('namespaces', '', name);
    if (namespace === undefined) return;
    const before = fieldAt(namespace, ['status', 'conditions']);
    const known = Array.isArray(before) ? (before as Condition[]) : [];
    // Other resources are processed once all pods are gone.
    const counted = remaining.some(({ resource }) => resource === 'pods') ? [] : remaining;
    const conditions = conditionsOf(counted, timestamp(clock.now()), known);
    if (sameValue(conditions, known)) return;
    const status = { ...(namespace['status'] as object), conditions };
    attempt(() =>
      server.replace(user, resources.Namespace, { ...namespace, status }, { subresource: 'status' }),
    );
  }

  function work(name: string): void {
    const namespace = store.read('namespaces', '', name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const found = contents(name);
    const pods = found.filter(({ resource }) => resource === 'pods');
    for (const content of pods.length > 0 ? pods : found) remove(content);
    const left = contents(name);
    if (left.length > 0 && pods.length > 0 && !left.some(({ resource }) => resource === 'pods')) {
      soon(name);
      return;
    }
    report(name, left);
    if (left.length === 0 && namespaceFinalizers(namespace).includes('kubernetes'))
      server.finalizeNamespace(user, name);
  }

  function soon(name: string): void {
    enqueue(name, timings.collectMs, () => work(name));
  }

  function see({ type, resource, object }: Commit): void {
    if (resource === 'namespaces') {
      if (type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined) soon(object.metadata.name);
      return;
    }
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    if (store.read('namespaces', '', namespace)?.metadata.deletionTimestamp !== undefined) soon(namespace);
  }

  return store.followAll(see);
}
