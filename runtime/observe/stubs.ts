import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { kindId, kindIdOf } from './ids.ts';
import type { Oversized, Retention } from './retention.ts';

/** Which objects of a target are larger than what is cached of one. */
export interface Stubs {
  /** The first object that holds the target; undefined: none does. */
  oversized(target: KubeObject): Oversized | undefined;
  /** The stubs among the children of a target. Copies hold nothing up but their namespace. */
  largeAmong(children: readonly KubeObject[]): ReadonlySet<KubeObject>;
}

export interface StubsOptions {
  retention: Pick<Retention, 'hasStubs' | 'oversized' | 'fits'>;
  /** What a target consists of besides itself. */
  partsOf(target: KubeObject): Iterable<KubeObject>;
  /** Memory has become free: a list caches the whole object. */
  relist(stub: KubeObject): void;
}

export function createStubs({ retention, partsOf, relist }: StubsOptions): Stubs {
  const isStub = (object: KubeObject): boolean => retention.oversized(object) !== undefined;

  return {
    oversized(target) {
      if (!retention.hasStubs) return undefined;
      const copied = copiedBy(target);
      const stub = [target, ...partsOf(target)].find(
        (object) => isStub(object) && !copied.has(kindIdOf(object)),
      );
      if (stub === undefined) return undefined;
      if (retention.fits(stub)) relist(stub);
      return retention.oversized(stub);
    },
    largeAmong(children) {
      if (!retention.hasStubs) return NONE;
      const stubs = children.filter(isStub);
      const fitting = stubs.find(retention.fits);
      if (fitting !== undefined) relist(fitting);
      return new Set(stubs);
    },
  };
}

const NONE: ReadonlySet<KubeObject> = new Set();

/** The kinds, by `kindId`, of which a target has a copy in each namespace: whoever may write one there chooses its size. */
function copiedBy(target: KubeObject): ReadonlySet<string> {
  const uses = kindOf(groupKindOf(target))?.uses ?? [];
  return new Set(
    uses.flatMap((use) => (use.of === 'Children' && use.copies !== undefined ? [kindId(use.resource)] : [])),
  );
}
