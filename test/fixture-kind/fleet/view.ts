import type { KubeObject } from '../../../schemas/wire/object.ts';
import { recordedShares, type ShareRecords } from '../../../semantics/children/share-records.ts';
import { childRow, ownShare } from '../../../semantics/children/share-rows.ts';
import { failingIn } from '../../../semantics/plan/failing-pods.ts';
import type { ObservedObjects } from '../../../semantics/kinds/kind.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import {
  type History,
  parseRevisions,
  revisionOf,
  stableRevision,
} from '../../../semantics/revision/revision.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { childSorts } from './child-sorts.ts';
import { childName, type ChildSort, type FleetSpec, specOf, type Subset, templateOf } from './spec.ts';

/** A rack of the fleet, or one that is to be. */
export interface Member {
  subset: Subset;
  name: string;
  object: KubeObject | undefined;
  row: ChildRow;
  /** Its subset is no more. */
  isRemoved: boolean;
}

/** A fleet at one moment. */
export interface FleetView extends History {
  spec: FleetSpec;
  /** Those of its subsets in their order, and then those of subsets that are no more: they empty before they go. */
  members: readonly Member[];
  records: ShareRecords;
  now: number;
}

export function fleetView({ target, children = [], revisions, takenNames, now }: ObservedObjects): FleetView {
  const spec = specOf(target);
  const history = {
    target,
    spec,
    liveHash: templateHash(spec.template),
    revisions: parseRevisions(revisions),
  };
  const records = recordedShares(revisions);
  const stable = stableRevision(history)?.hash ?? history.liveHash;
  const memberOf = (subset: Subset, isRemoved: boolean): Member => {
    const name = childName(target, subset.name);
    const object = children.find(({ metadata }) => metadata.name === name);
    const known = {
      name,
      subset: subset.name,
      size: subset.slots,
      steps: subset.whole ? ('whole' as const) : ('partly' as const),
      object,
      counts: countsOf(object, spec.of),
      failing: object && failingIn(object),
      left: undefined,
    };
    return { subset, name, object, row: childRow(known, records, stable), isRemoved };
  };
  const present = spec.subsets.map((subset) => memberOf(subset, false));
  // Any object may name the fleet as its controller: only what is on record was made by it.
  const removed = children
    .filter((object) => ownShare(object, records) !== undefined)
    .filter(({ metadata }) => present.every(({ name }) => name !== metadata.name))
    .map(({ metadata }) => metadata.name.slice(target.metadata.name.length + 1))
    .map((name) => memberOf({ name, slots: 0, whole: false }, true));
  return { ...history, takenNames, members: [...present, ...removed], records, now };
}

function countsOf(object: KubeObject | undefined, of: ChildSort): Parameters<typeof childRow>[0]['counts'] {
  const status = (object?.['status'] ?? {}) as { replicas?: number };
  const {
    available = 0,
    updated = 0,
    updatedAvailable = 0,
  } = object === undefined
    ? {}
    : (childSorts[of].kind.facts.status.counts(object) as {
        available: number;
        updated: number;
        updatedAvailable: number;
      });
  return { pods: status.replicas ?? 0, available, updated, updatedAvailable };
}

/** The hash that a subset has of a revision of the fleet; undefined: that revision has no object. */
export function hashIn(fleet: FleetView, subset: string, hash: string): string | undefined {
  const template = templateIn(fleet, subset, hash);
  return template && templateHash(template);
}

export function templateIn(fleet: FleetView, subset: string, hash: string) {
  const revision = revisionOf(fleet, hash);
  return revision && templateOf(revision.template, subset);
}
