import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { copiesOf, needsOf } from '../../semantics/kinds/need.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { attempt } from '../act/attempt.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { FIELD_MANAGER, type ReconcileTools, type StandingSubject } from './tools.ts';

/** How many objects one request lists: their content comes with them. */
const PAGE = 100;
/** How soon a failed list is tried again. */
const RETRY_MS = 60_000;

/**
 * Gives the label by which copies are watched to those of a target that lack it: OpenKruise has made them, or somebody took it. Where a
 * copy is to be, its creation finds it; in other namespaces nothing else does, and it would stay for ever. So the objects of that name
 * without the label are listed once for each generation of the target.
 */
export async function labelCopies(tools: ReconcileTools, subject: StandingSubject): Promise<void> {
  const { key, kind, target, state } = subject;
  const { generation } = target.metadata;
  if (state.labelledFor === generation || target.metadata.deletionTimestamp !== undefined) return;
  const failure = await attempt(async () => {
    for (const { resource, copyName } of needsOf(kind.needs(target, [], []), 'Children')) {
      const label = copiesOf(kind.uses, resource)?.label;
      if (copyName !== undefined && label !== undefined)
        await labelAll(tools, subject, { resource, name: copyName, label });
    }
  });
  if (failure === undefined) {
    state.labelledFor = generation;
    return;
  }
  tools.options.onError?.(key, failure.error);
  tools.enqueue(key, RETRY_MS);
}

async function labelAll(
  { cluster }: ReconcileTools,
  { target, state }: StandingSubject,
  { resource, name, label }: { resource: Resource; name: string; label: string },
): Promise<void> {
  const scope = { fieldSelector: `metadata.name=${name}`, labelSelector: `!${label}`, limit: PAGE };
  let next: string | undefined;
  do {
    const { items, metadata } = await cluster.list(resource, {
      ...scope,
      ...(next !== undefined && { continue: next }),
    });
    next = metadata.continue === '' ? undefined : metadata.continue;
    for (const object of items) {
      if (!isOwn(object, target)) continue;
      const { namespace = '', uid = '', resourceVersion = '' } = object.metadata;
      const body = { metadata: { uid, resourceVersion, labels: { [label]: 'true' } } };
      const how = { fieldManager: FIELD_MANAGER, answer: 'metadata' } as const;
      const failure = await attempt(async () =>
        state.writes.note(
          resource,
          await cluster.patch(resource, { namespace, name }, { type: 'merge', body }, how),
        ),
      );
      // Whoever has changed it meanwhile may have given the label, too: the next list shows it.
      if (failure !== undefined && !isConflictOrNotFound(failure.error)) throw failure.error;
    }
  } while (next !== undefined);
}

function isOwn(object: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return controllerOf(object)?.uid === uid && object.metadata.deletionTimestamp === undefined;
}
