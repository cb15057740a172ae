import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { requiredNode } from '../../semantics/node/affinity.ts';
import { controllerOf, isOwnedBy } from '../../semantics/owner.ts';
import { type CreationBackoff, MIN_LIFETIME_MS, backoffMs } from '../../semantics/plan/creation-backoff.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Caches } from '../observe/caches.ts';
import { isPlacing } from '../observe/nodes.ts';

type Kind = CreationBackoff['kind'];
type IsThere = (name: string, namespace: string | undefined) => boolean;

/** An object that was created within the minimum lifetime. */
interface Created {
  /** The namespace of a pod of a cluster-scoped target. Undefined: that of the target. */
  namespace: string | undefined;
  /** The replacement slot: the revision or node of a pod, the usual name of a revision. */
  slot: string;
  /** The revision of a pod; '' for a revision itself, and for a pod without one. */
  revision: string;
  at: number;
  /** How many predecessors in its slot were lost in a row within the minimum lifetime. */
  lostBefore: number;
}

/** Objects that are to be created again, and that were found lost in one reconcile. */
interface Lost {
  slot: string;
  /** Set where this runtime deleted them itself: their revision. */
  deletedOf?: string;
  lostInARow: number;
  dueAt: number;
  count: number;
}

/** All of one kind about one target. */
interface Record {
  created: Map<string, Created>;
  lost: Lost[];
  /** The number of losses in the current series. */
  count: number;
  firstAt: number;
  lastAt: number;
}

/**
 * The creation backoff of a target: objects created within the last minute, and those of them that were lost. It is held in
 * memory only: after a restart the backoff starts again, and it is freed with the target.
 */
export interface CreationBackoffs {
  /** The creations that are deferred now; undefined: none. Compares the created objects with the cached ones. */
  of(target: KubeObject): CreationBackoff | undefined;
  /** The server accepted an action: an object was created, or was deleted on purpose. */
  done(action: Action): void;
  /** A revision of this name was created; `slot`: its usual name. */
  created(revision: string, slot: string): void;
}

export function createCreationBackoffs(caches: Caches, clock: Clock): CreationBackoffs {
  const records = new Map<Kind, Record>();

  function recordOf(kind: Kind): Record {
    const record = records.get(kind) ?? { created: new Map(), lost: [], count: 0, firstAt: 0, lastAt: 0 };
    records.set(kind, record);
    return record;
  }

  function note(
    kind: Kind,
    { name, namespace }: Pick<ObjectMeta, 'name' | 'namespace'>,
    slot: string,
    revision = '',
  ): void {
    const record = recordOf(kind);
    replaced(record, revision);
    const { created, lost } = record;
    const at = clock.now();
    // It replaces the object of this slot that was lost most often.
    let successor: Lost | undefined;
    for (const each of lost) {
      const mayBe = each.slot === slot && each.dueAt <= at;
      if (mayBe && each.lostInARow > (successor?.lostInARow ?? 0)) successor = each;
    }
    if (successor !== undefined && --successor.count === 0) lost.splice(lost.indexOf(successor), 1);
    created.set(name, { namespace, slot, revision, at, lostBefore: successor?.lostInARow ?? 0 });
  }

  /** This runtime deleted a young object itself, for which it may create another one. */
  function deleted(record: Record, name: string): void {
    const gone = record.created.get(name);
    record.created.delete(name);
    const now = clock.now();
    if (gone === undefined || now >= gone.at + MIN_LIFETIME_MS) return;
    countLost(record, gone, now, gone.revision);
  }

  /**
   * Whether an object of a target exists. A pod that is being deleted counts as lost; so does one that has ended, unless it is
   * to end.
   */
  function isThere(target: KubeObject, kind: Kind): IsThere {
    if (kind === 'ControllerRevision') {
      const objects = [...caches.revisionsOf(target), ...caches.runsOf(target)];
      const names = new Set(objects.map(({ metadata }) => metadata.name));
      return (name) => names.has(name);
    }
    return (name, namespace = target.metadata.namespace ?? '') => {
      const pod = caches.pod(namespace, name);
      if (pod === undefined || !isOwnedBy(pod, target)) return false;
      return isActive(pod) || (isToEnd(pod) && pod.metadata.deletionTimestamp === undefined);
    };
  }

  function follow(record: Record, isPresent: IsThere, now: number): void {
    const { created } = record;
    for (const [name, each] of created) {
      if (now >= each.at + MIN_LIFETIME_MS) created.delete(name);
      if (isPresent(name, each.namespace)) continue;
      created.delete(name);
      if (now < each.at + MIN_LIFETIME_MS) countLost(record, each, now);
    }
    // A replacement that was not created since it was due is not wanted any more.
    record.lost = record.lost.filter(({ dueAt }) => now < dueAt + MIN_LIFETIME_MS);
    if (record.lost.length === 0 && [...created.values()].every(({ lostBefore }) => lostBefore === 0))
      record.count = 0;
  }

  function backoffIn(
    kind: Kind,
    { created, lost, count, firstAt, lastAt }: Record,
    now: number,
  ): CreationBackoff | undefined {
    const deferred = new Map<string, number>();
    const waited = lost.filter(({ lostInARow }) => backoffMs(lostInARow) > 0);
    const unproven = [...created.values()].filter(({ lostBefore }) => backoffMs(lostBefore) > 0);
    if (waited.length + unproven.length === 0) return undefined;
    // One that is due and was not created may not be wanted any more: as long as others wait, theirs is the next time.
    const waiting = waited.filter(({ dueAt }) => dueAt > now);
    const times = (waiting.length > 0 ? waiting : waited).map(({ dueAt }) => dueAt);
    const nextAt = times.length === 0 ? undefined : Math.min(...times);
    let requeueAt = Infinity;
    for (const { slot, dueAt, count: more } of waited) {
      requeueAt = Math.min(dueAt > now ? dueAt : dueAt + MIN_LIFETIME_MS, requeueAt);
      if (dueAt > now) deferred.set(slot, (deferred.get(slot) ?? 0) + more);
    }
    for (const { at } of unproven) requeueAt = Math.min(at + MIN_LIFETIME_MS, requeueAt);
    return { kind, deferred, nextAt, requeueAt, lost: count, withinMs: lastAt - firstAt };
  }

  return {
    of(target) {
      const now = clock.now();
      let found: CreationBackoff | undefined;
      for (const [kind, record] of records) {
        follow(record, isThere(target, kind), now);
        if (record.created.size + record.lost.length === 0) records.delete(kind);
        // The backoff of its revision comes first: without the revision no pods are created.
        const backoff = backoffIn(kind, record, now);
        if (backoff !== undefined && (found === undefined || kind === 'ControllerRevision')) found = backoff;
      }
      return found;
    },
    done(action) {
      const { kind } = action;
      if (kind !== 'Pod' && kind !== 'ControllerRevision') return;
      // A pod that pulls images is to end soon.
      if (action.do === 'create' && isPullPod(action.object)) return;
      if (action.do === 'create') {
        const { metadata } = action.object;
        const slot = kind === 'Pod' ? slotOf(action.object as Pod) : metadata.name;
        note(kind, metadata, slot, metadata.labels?.[REVISION_LABEL]);
      } else if (action.do === 'delete') {
        const record = records.get(kind);
        if (record === undefined) return;
        if (kind === 'ControllerRevision' || action.scalesIn === true) record.created.delete(action.name);
        else deleted(record, action.name);
      }
    },
    created: (revision, slot) => note('ControllerRevision', { name: revision }, slot),
  };
}

/** The node that a pod is created for, where the units of its target are nodes; else its revision. */
function slotOf(pod: Pod): string {
  const { metadata, spec } = pod;
  const node = requiredNode(spec) ?? '';
  if (node !== '' && isPlacing(kinds, controllerOf(pod))) return node;
  return metadata.labels?.[REVISION_LABEL] ?? node;
}

/** Whether the containers of a pod are not restarted once they have succeeded. */
function isToEnd({ spec }: Pod): boolean {
  return spec['restartPolicy'] === 'Never' || spec['restartPolicy'] === 'OnFailure';
}

/** Counts an object as lost. `deletedOf`: its revision, where this runtime deleted it. */
function countLost(record: Record, { slot, at, lostBefore }: Created, now: number, deletedOf?: string): void {
  if (record.count === 0) record.firstAt = at;
  record.count += 1;
  record.lastAt = now;
  const lostInARow = lostBefore + 1;
  const dueAt = now + backoffMs(lostInARow);
  const same = record.lost.find(
    (each) =>
      each.slot === slot &&
      each.lostInARow === lostInARow &&
      each.dueAt === dueAt &&
      each.deletedOf === deletedOf,
  );
  if (same === undefined)
    record.lost.push({ slot, lostInARow, dueAt, count: 1, ...(deletedOf !== undefined && { deletedOf }) });
  else same.count += 1;
}

/**
 * What this runtime deletes is lost only if it creates the same again. A rollout deletes pods of A and creates pods of B; a revert
 * within the minute deletes those of B and creates pods of A: nothing was lost, however often that goes to and fro. A pod that
 * it deletes and creates at one revision, again and again, is.
 */
function replaced(record: Record, revision: string): void {
  const others = record.lost.filter(({ deletedOf }) => deletedOf !== undefined && deletedOf !== revision);
  for (const { count: more } of others) record.count -= more;
  if (others.length > 0) record.lost = record.lost.filter((each) => !others.includes(each));
}
