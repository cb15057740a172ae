import type { GitPods } from '../load/git-pods.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { type CopyChange, copiesOf, copyChange, type CopyState } from '../reach/copies.ts';
import { hasValidShape } from '../validate/valid-shape.ts';

type ReadPods = () => GitPods | undefined;

/**
 * What changes for the copies of an object between two states. Undefined where it makes none, where it is invalid, or where not all
 * pods of a state are known. Pods are read only if some object makes copies.
 */
export function copyChangesOf(
  readBase: ReadPods,
  readHead: ReadPods,
): (before: StandingManifest | undefined, after: StandingManifest | undefined) => CopyChange | undefined {
  const stateOf = (manifest: StandingManifest, read: ReadPods): CopyState | undefined => {
    const pods = copiesOf(manifest) === undefined ? undefined : read();
    return pods === undefined ? undefined : { manifest, pods };
  };
  return (before, after) => {
    if (![before, after].every((each) => each === undefined || hasValidShape(each))) return undefined;
    const [from, to] = [before && stateOf(before, readBase), after && stateOf(after, readHead)];
    if ((before !== undefined && from === undefined) || (after !== undefined && to === undefined))
      return undefined;
    return copyChange(from, to);
  };
}
