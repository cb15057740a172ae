import type { KubeObject } from '../../schemas/wire/object.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { wantedTags, type WantedTag } from './normalize.ts';

/** How the compiler compares NodeImages. */
export const nodeImageGit: StandingGit = {
  changedForever: () => [],
  effect,
  conflict: () => undefined,
  selects: () => undefined,
  earlierConflicts: (manifests) => manifests.map(() => undefined),
  copies: () => undefined,
  spreads: () => undefined,
  spreadsNative: [],
};

/** What is pulled because of the change: tags that are new, or have another version. */
function effect(before: KubeObject, after: KubeObject): string | undefined {
  const idOf = ({ reference, version }: WantedTag): string => `${reference} ${version}`;
  const known = new Set(wantedTags(before).map(idOf));
  const names = wantedTags(after).flatMap((each) => (known.has(idOf(each)) ? [] : [each.reference]));
  if (names.length === 0) return undefined;
  const more = names.length > 2 ? ` and ${names.length - 2} more` : '';
  return `${names.slice(0, 2).join(', ')}${more} ${names.length === 1 ? 'is' : 'are'} pulled to node ${after.metadata.name}`;
}
