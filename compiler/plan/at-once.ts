import { PROTECTION_LABEL, protectionOf } from '../../semantics/protection/label.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { countText } from '../../semantics/values/text.ts';
import type { StandingManifest } from '../load/manifest.ts';
import type { CopyChange } from '../reach/copies.ts';
import { byText } from '../text/order.ts';

/**
 * A change of an object that is reconciled at once: no plan is made for it. `copies`: what it does to copies that the object makes;
 * undefined: nothing, or it is not known. `spreads`: where it places pods from now on; undefined: nowhere. `rollout`: what happens to pods of a
 * workload of Kubernetes besides, as a sentence; undefined: nothing.
 */
export type ChangeAtOnce = {
  copies: CopyChange | undefined;
  spreads: SpreadTable | undefined;
  rollout: string | undefined;
} & (
  | { action: 'Create'; manifest: StandingManifest }
  /**
   * `before`: the manifest of base. `fields`: what differs, such as `spec.text`. `effect`: what that does beyond, as a clause;
   * undefined: nothing.
   */
  | {
      action: 'Update';
      manifest: StandingManifest;
      before: StandingManifest;
      fields: readonly string[];
      effect: string | undefined;
    }
  | { action: 'Delete'; manifest: StandingManifest }
);

/** Where the pods of a workload go. */
export interface SpreadTable {
  workload: string;
  /** How many pods it is to have by git. */
  size: number;
  /** In their order; undefined: it takes all that come. */
  rows: readonly { name: string; most: number | undefined }[];
}

type Manifests = ReadonlyMap<string, StandingManifest>;

/**
 * The changes between two states, by the names of their objects.
 *
 * @param isWhole all of head was read, so that what it lacks is deleted
 * @param copiesOf what changes for the copies of an object. It may change though the object does not: a namespace gets a label.
 * @param spreadsOf where it places pods. That may change though the object does not: its workload wants another number
 */
export function changesAtOnce(
  base: Manifests,
  head: Manifests,
  isWhole: boolean,
  {
    copiesOf,
    spreadsOf,
    spreadsBefore,
    rolloutOf,
  }: {
    copiesOf(
      before: StandingManifest | undefined,
      after: StandingManifest | undefined,
    ): CopyChange | undefined;
    spreadsOf(manifest: StandingManifest): SpreadTable | undefined;
    spreadsBefore(manifest: StandingManifest): SpreadTable | undefined;
    rolloutOf(before: StandingManifest | undefined, after: StandingManifest | undefined): string | undefined;
  },
): ChangeAtOnce[] {
  const found: ChangeAtOnce[] = [];
  for (const [id, manifest] of head) {
    const before = base.get(id);
    if (before === undefined)
      found.push({
        ...{ action: 'Create', manifest, spreads: spreadsOf(manifest) },
        copies: copiesOf(undefined, manifest),
        rollout: rolloutOf(undefined, manifest),
      });
    else {
      const fields = differing(before, manifest);
      const spreads = spreadsOf(manifest);
      const own = manifest.type.git.effect(before.object, manifest.object);
      const effect = own ?? resized(spreadsBefore(before), spreads);
      const copies = copiesOf(before, manifest);
      const rollout = rolloutOf(before, manifest);
      if ([effect, copies, rollout].some((each) => each !== undefined) || fields.length > 0)
        found.push({
          action: 'Update',
          manifest,
          before,
          fields,
          effect,
          copies,
          spreads,
          rollout,
        });
    }
  }
  // An object that is renamed, or replaced by another one, tells the same as the new one.
  const told = new Set(found.map(({ manifest: { namespace }, rollout }) => `${namespace} ${rollout}`));
  if (isWhole)
    for (const [id, manifest] of base) {
      if (head.has(id)) continue;
      const rollout = rolloutOf(manifest, undefined);
      found.push({
        ...{ action: 'Delete', manifest, spreads: undefined },
        copies: copiesOf(manifest, undefined),
        rollout: told.has(`${manifest.namespace} ${rollout}`) ? undefined : rollout,
      });
    }
  return found.sort((a, b) => byText(a.manifest.id, b.manifest.id));
}

/** What differs for an object whose workload wants another number of pods, as a clause; undefined: it wants as many. */
function resized(before: SpreadTable | undefined, after: SpreadTable | undefined): string | undefined {
  if (before === undefined || after === undefined || before.size === after.size) return undefined;
  return `${after.workload} wants ${countText(after.size, 'pod')}, before ${before.size}`;
}

/** Who wrote an object and when is no part of what it wants. */
const ENVELOPE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function differing({ object: before }: StandingManifest, { object: after }: StandingManifest): string[] {
  const keys = (from: object, to: object): string[] => [
    ...new Set([...Object.keys(from), ...Object.keys(to)]),
  ];
  const differ = (from: unknown, to: unknown): boolean =>
    canonicalJson(from ?? null) !== canonicalJson(to ?? null);
  const [own, other] = [objectOf(before['spec']), objectOf(after['spec'])];
  const ofSpec = keys(own, other)
    .filter((key) => differ(own[key], other[key]))
    .map((key) => `spec.${key}`);
  const ofRoot = keys(before, after).filter(
    (key) => key !== 'spec' && !ENVELOPE.has(key) && differ(before[key], after[key]),
  );
  const isProtectedOtherwise = protectionOf(before) !== protectionOf(after);
  return [...ofRoot, ...ofSpec, ...(isProtectedOtherwise ? [`label ${PROTECTION_LABEL}`] : [])].sort(byText);
}
