import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { listed } from '../../semantics/values/listed.ts';
import { imagesOf } from '../forecast/images.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';

/** Characters of a hash that are shown. */
export const SHOWN_HASH = 11;
/** Revisions, and images of each, that are named; the plan has the others. */
const MOST_REVISIONS = 3;
const MOST_IMAGES = 3;
const LONGEST_IMAGE = 120;

/**
 * What pods may still run that an earlier rollout has not reached, or that are in a cluster which skipped a state of git:
 * `web:2 (h1:967fee2d), or web:1 (h1:4fdfbe62)`. Only images that the manifest has no more; undefined: none is known.
 */
export function earlierImages({
  base,
  head,
  plan,
}: Pick<Change, 'base' | 'head' | 'plan'>): string | undefined {
  const own = new Set(head === undefined ? [] : imagesOf(podTemplateOf(head.normal) ?? {}));
  const revisions = (plan?.spec.from ?? []).flatMap(({ hash, images = [], fields }) => {
    const others = images.filter((image) => !own.has(image));
    // The fields of the first entry say what of it changes.
    if (others.length === 0 || (fields !== undefined && hash === base?.hash)) return [];
    return [`${imagesText(others)} (${hash.slice(0, SHOWN_HASH)})`];
  });
  if (revisions.length === 0) return undefined;
  const more = revisions.length - MOST_REVISIONS;
  const shown = revisions.slice(0, MOST_REVISIONS);
  return listed(more > 0 ? [...shown, `${more} more`] : shown, 'or');
}

/** `web:2 and proxy:1`, of any number of images. */
export function imagesText(images: readonly string[]): string {
  const shown = images.slice(0, MOST_IMAGES).map((image) => shorten(image, LONGEST_IMAGE));
  const more = images.length - shown.length;
  return listed(more > 0 ? [...shown, `${more} more`] : shown, 'and');
}
