import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { isOwnedBy } from '../../semantics/owner.ts';
import { type CreationBackoff, MIN_LIFETIME_MS, backoffMs } from '../../semantics/plan/creation-backoff.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';
import type { Caches } from '../observe/caches.ts';

type Kind = CreationBackoff['kind'];
type IsThere = (name: string, namespace: string | undefined) => boolean;

/** An object that was made lately. */
interface Made {
  /** Of a pod: a target in no namespace has its pods in one. Undefined: that of the target. */
  namespace: string | undefined;
  /** What stands in its place when it is lost: a pod of the same revision, a revision of the same usual name. */
  slot: string;
  at: number;
  /** How many before it, each the successor of the other, were lost just after they were made. */
  lostBefore: number;
}

/** Objects that are to be made again, and that were found lost in one reconcile. */
interface Lost {
  slot: string;
  lostInARow: number;
  dueAt: number;
  count: number;
}

/** All of one kind about one target. */
interface Record {
  made: Map<string, Made>;
  lost: Lost[];
  /** Of the series of losses that goes on. */
  count: number;
  firstAt: number;
  lastAt: number;
}

/**
 * What was made of a target within the last minute, and what of it was lost: the pause before it is made again. Held by
 * the process alone: after a restart the pauses begin anew, and the record goes with the target.
 */
export interface CreationBackoffs {
  /** What is not made again yet; undefined: nothing. Compares what was made with what is there now. */
  of(target: KubeObject): CreationBackoff | undefined;
  /** The server did it: an object is there, or is gone because it was not wanted. */
  done(action: Action): void;
  /** A revision of this name was made; `slot`: the name that it was to have. */
  made(revision: string, slot: string): void;
}

export function createCreationBackoffs(caches: Caches, clock: Clock): CreationBackoffs {
  const records = new Map<Kind, Record>();

  function recordOf(kind: Kind): Record {
    const record = records.get(kind) ?? { made: new Map(), lost: [], count: 0, firstAt: 0, lastAt: 0 };
    records.set(kind, record);
    return record;
  }

  function note(kind: Kind, { name, namespace }: Pick<ObjectMeta, 'name' | 'namespace'>, slot: string): void {
    const { made, lost } = recordOf(kind);
    const at = clock.now();
    // It takes the place of the one that was lost most often.
    let successor: Lost | undefined;
    for (const each of lost) {
      const mayBe = each.slot === slot && each.dueAt <= at;
      if (mayBe && each.lostInARow > (successor?.lostInARow ?? 0)) successor = each;
    }
    if (successor !== undefined && --successor.count === 0) lost.splice(lost.indexOf(successor), 1);
    made.set(name, { namespace, slot, at, lostBefore: successor?.lostInARow ?? 0 });
  }

  /** Whether an object of a target is there; a pod that has ended or is being deleted is not. */
  function isThere(target: KubeObject, kind: Kind): IsThere {
    if (kind === 'ControllerRevision') {
      const names = new Set(caches.revisionsOf(target).map(({ metadata }) => metadata.name));
      return (name) => names.has(name);
    }
    return (name, namespace = target.metadata.namespace ?? '') => {
      const pod = caches.pod(namespace, name);
      return pod !== undefined && isActive(pod) && isOwnedBy(pod, target);
    };
  }

  function follow(record: Record, isPresent: IsThere, now: number): void {
    const { made } = record;
    for (const [name, { namespace, slot, at, lostBefore }] of made) {
      if (now >= at + MIN_LIFETIME_MS) made.delete(name);
      if (isPresent(name, namespace)) continue;
      made.delete(name);
      const isFast = now < at + MIN_LIFETIME_MS;
      if (!isFast) continue;
      add(record.lost, slot, lostBefore + 1, now);
      if (record.count === 0) record.firstAt = at;
      record.count += 1;
      record.lastAt = now;
    }
    // What nobody has asked for since it was due is not missing any more.
    record.lost = record.lost.filter(({ dueAt }) => now < dueAt + MIN_LIFETIME_MS);
    if (record.lost.length === 0 && [...made.values()].every(({ lostBefore }) => lostBefore === 0))
      record.count = 0;
  }

  function lossesIn(
    kind: Kind,
    { made, lost, count, firstAt, lastAt }: Record,
    now: number,
  ): CreationBackoff | undefined {
    const deferred = new Map<string, number>();
    const waited = lost.filter(({ lostInARow }) => backoffMs(lostInARow) > 0);
    const unproven = [...made.values()].filter(({ lostBefore }) => backoffMs(lostBefore) > 0);
    if (waited.length + unproven.length === 0) return undefined;
    let nextAt: number | undefined;
    let requeueAt = Infinity;
    for (const { slot, dueAt, count: more } of waited) {
      nextAt = Math.min(dueAt, nextAt ?? dueAt);
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
        if (record.made.size + record.lost.length === 0) records.delete(kind);
        // Without its revision nothing is made of a target.
        const losses = lossesIn(kind, record, now);
        if (losses !== undefined && (found === undefined || kind === 'ControllerRevision')) found = losses;
      }
      return found;
    },
    done(action) {
      const { kind } = action;
      if (kind === 'PersistentVolumeClaim' || kind === 'Child') return;
      if (action.do === 'create') {
        const { metadata } = action.object;
        note(kind, metadata, kind === 'Pod' ? (metadata.labels?.[REVISION_LABEL] ?? '') : metadata.name);
      } else if (action.do === 'delete' && (kind === 'ControllerRevision' || action.scalesIn === true)) {
        records.get(kind)?.made.delete(action.name);
      }
    },
    made: (revision, slot) => note('ControllerRevision', { name: revision }, slot),
  };
}

function add(lost: Lost[], slot: string, lostInARow: number, now: number): void {
  const dueAt = now + backoffMs(lostInARow);
  const same = lost.find(
    (each) => each.slot === slot && each.lostInARow === lostInARow && each.dueAt === dueAt,
  );
  if (same === undefined) lost.push({ slot, lostInARow, dueAt, count: 1 });
  else same.count += 1;
}
