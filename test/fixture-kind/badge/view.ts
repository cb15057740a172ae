import type { ObservedObjects } from '../../../semantics/kinds/kind.ts';
import { isAvailable } from '../../../semantics/pod/readiness.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { type History, parseRevisions } from '../../../semantics/revision/revision.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { type BadgeSpec, specOf, WORN_ANNOTATION } from './spec.ts';

/** A badge at one moment. */
export interface BadgeView extends History {
  spec: BadgeSpec;
  /** The pods that wear it. */
  worn: readonly { pod: Pod; hash: string; isAvailable: boolean }[];
  /** Those that it selects, and that do not. */
  missed: readonly Pod[];
}

export function badgeView({
  target,
  pods,
  revisions,
  takenNames,
  now,
}: Pick<ObservedObjects, 'target' | 'pods' | 'revisions' | 'takenNames' | 'now'>): BadgeView {
  const spec = specOf(target);
  const hashOf = ({ metadata }: Pod): string | undefined => metadata.annotations?.[WORN_ANNOTATION];
  return {
    target,
    spec,
    liveHash: templateHash(spec.template),
    revisions: parseRevisions(revisions),
    takenNames,
    worn: pods.flatMap((pod) => {
      const hash = hashOf(pod);
      return hash === undefined ? [] : [{ pod, hash, isAvailable: isAvailable(pod, 0, now) }];
    }),
    missed: pods.filter((pod) => hashOf(pod) === undefined),
  };
}
