import type { InfluencingKind } from '../influence/influence.ts';
import type { Kind } from './kind.ts';

/** Those whose objects act on what others decide about their pods. */
export function influencingKinds(kinds: readonly Kind[]): InfluencingKind[] {
  return kinds.flatMap(({ influence, resource, uses }) => {
    const hasGuards = uses.some(({ of }) => of === 'Guards');
    return influence === undefined ? [] : [{ rules: influence, resource, hasGuards }];
  });
}
