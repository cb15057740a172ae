import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { copiesOf, needsOf } from '../../semantics/kinds/need.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { CLOSED_NAMESPACES } from '../../semantics/values/system-namespaces.ts';
import { attempt } from '../act/attempt.ts';
import { isConflictOrNotFound, isRefusal } from '../act/conflict.ts';
import { FIELD_MANAGER, type ReconcileTools, type StandingSubject } from './tools.ts';

/** How many objects one request lists. */
const PAGE = 100;
/** How soon it is tried again where an object could not be given the label. */
const RETRY_MS = 60_000;

/**
 * Gives the label by which copies are watched to those of a target that lack it: OpenKruise has made them, or somebody took it. Where a
 * copy is to be, its creation finds it; in other namespaces nothing else does, and it would stay for ever. So the objects of that name
 * without the label are listed once for each generation of the target, and again where one of them was refused.
 *
 * Resolves with true if some have the label now: what was decided before would create them once more.
 */
export async function labelCopies(tools: ReconcileTools, subject: StandingSubject): Promise<boolean> {
  const { clock, options, enqueue } = tools;
  const { key, kind, target, state } = subject;
  const { generation, deletionTimestamp } = target.metadata;
  if (deletionTimestamp !== undefined) return false;
  const { labelled } = state;
  if (labelled !== undefined && labelled.generation === generation) {
    const { againAt } = labelled;
    if (againAt === undefined) return false;
    const waitMs = againAt - clock.monotonic();
    if (waitMs > 0) {
      enqueue(key, waitMs);
      return false;
    }
  }
  const left: Left = { labelled: 0, conflicts: 0, errors: [] };
  const failure = await attempt(async () => {
    for (const { resource, copyName } of needsOf(kind.needs(target, [], []), 'Children')) {
      const label = copiesOf(kind.uses, resource)?.label;
      if (copyName !== undefined && label !== undefined)
        await labelAll(tools, subject, { resource, name: copyName, label }, left);
    }
  });
  if (failure !== undefined) left.errors.push(failure.error);
  if (left.errors.length > 0) options.onError?.(key, left.errors[0]);
  const isDone = left.errors.length + left.conflicts === 0;
  state.labelled = { generation, againAt: isDone ? undefined : clock.monotonic() + RETRY_MS };
  if (!isDone) enqueue(key, RETRY_MS);
  return left.labelled > 0;
}

/** How many were labelled, and what was not. */
interface Left {
  labelled: number;
  conflicts: number;
  errors: unknown[];
}

async function labelAll(
  { cluster }: ReconcileTools,
  { target, state }: StandingSubject,
  { resource, name, label }: { resource: Resource; name: string; label: string },
  left: Left,
): Promise<void> {
  // Objects of that name may be anyone's, Secrets too: nothing of their content is read.
  const answer = 'metadata';
  const scope = {
    fieldSelector: `metadata.name=${name}`,
    labelSelector: `!${label}`,
    limit: PAGE,
    answer,
  } as const;
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
      // Policies refuse each write there, and the copy stays.
      if (CLOSED_NAMESPACES.includes(namespace)) continue;
      const body = { metadata: { uid, resourceVersion, labels: { [label]: 'true' } } };
      const failure = await attempt(async () =>
        state.writes.note(
          resource,
          await cluster.patch(
            resource,
            { namespace, name },
            { type: 'merge', body },
            { fieldManager: FIELD_MANAGER, answer },
          ),
        ),
      );
      if (failure === undefined) {
        left.labelled += 1;
        continue;
      }
      // Whoever has changed it meanwhile may have given the label, too: the next list shows it.
      if (isConflictOrNotFound(failure.error)) left.conflicts += 1;
      // What is refused of one object says nothing of the others.
      else if (isRefusal(failure.error)) left.errors.push(failure.error);
      else throw failure.error;
    }
  } while (next !== undefined);
}

function isOwn(object: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return controllerOf(object)?.uid === uid && object.metadata.deletionTimestamp === undefined;
}
