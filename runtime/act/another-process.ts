import type { Clock } from '../../schemas/wire/clock.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Caches } from '../observe/caches.ts';
import { newestByAnother } from './observed-versions.ts';

/** Another process of which no record has come for this long counts as gone. */
const GONE_MS = 10 * 60_000;

/**
 * Whether another process writes about the same target, as where two runtimes are installed for one namespace.
 *
 * The versions in a record say what it was decided on. They cannot say what its writer does afterwards under the same
 * record, nor what a process does that has not seen the record yet. So a process that is not alone decides on lists, and not
 * on watches that may show something else to each: from the same state both decide the same, and a conflict stops one.
 */
export interface AnotherProcess {
  /** Called once in each reconcile, before anything is written. Returns the name of a process that is found now. */
  observe(revisions: readonly KubeObject[]): string | undefined;
  /**
   * Whether this reconcile may write records and units. If not, the resources that it depends on are listed again, and
   * another reconcile follows.
   */
  mayWrite(basis: readonly Resource[]): boolean;
  /** Whether the other process has found no record of this one since it came: a record tells it. */
  readonly isUnaware: boolean;
  /** This process has written a record. */
  recorded(): void;
}

export function createAnotherProcess(options: {
  caches: Pick<Caches, 'versionOf' | 'listAgain' | 'listed'>;
  clock: Clock;
  identity: string | undefined;
}): AnotherProcess {
  const { caches, clock, identity } = options;
  /** Records up to this version were there before this process. */
  let known: number | undefined;
  let other: { identity: string; foundAt: number; isUnaware: boolean } | undefined;
  let awaited: ReadonlyMap<Resource, number> | undefined;
  let isListed = false;

  /** The name of another process that was not known before. */
  function find(revisions: readonly KubeObject[], own: string): string | undefined {
    known ??= caches.versionOf(resources.ControllerRevision);
    const newest = newestByAnother(revisions, own);
    if (newest === undefined || newest.version <= known) return undefined;
    known = newest.version;
    const isNew = newest.writer !== other?.identity;
    other = {
      identity: newest.writer,
      foundAt: clock.monotonic(),
      isUnaware: isNew || other?.isUnaware === true,
    };
    return isNew ? newest.writer : undefined;
  }

  return {
    observe(revisions) {
      if (identity === undefined) return undefined;
      if (other !== undefined && clock.monotonic() - other.foundAt >= GONE_MS) other = undefined;
      isListed =
        awaited !== undefined &&
        [...awaited].every(([resource, ordinal]) => caches.listed(resource, ordinal));
      // A list counts for one reconcile.
      if (isListed) awaited = undefined;
      return find(revisions, identity);
    },
    mayWrite(basis) {
      if (other === undefined || isListed) return true;
      awaited ??= new Map(basis.map((resource) => [resource, caches.listAgain(resource)]));
      return false;
    },
    get isUnaware() {
      return other?.isUnaware === true;
    },
    recorded() {
      if (other !== undefined) other.isUnaware = false;
    },
  };
}
