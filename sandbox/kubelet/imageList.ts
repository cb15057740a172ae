import type { ListedImage } from '../kinds/node.ts';
import { repositoryOf } from './imageName.ts';

/** An image as the node has it, whatever its tag means in the registry today. */
export interface PresentImage {
  /** `sha256:…` */
  digest: string;
  sizeBytes: number;
}

/** What a kubelet reports at most, by its defaults. */
const MOST = { images: 50, names: 5 };

/**
 * The images of a node as its status lists them: the largest first, each with the names by digest before those by tag.
 *
 * @param present by full name
 */
export function listImages(present: ReadonlyMap<string, PresentImage>): ListedImage[] {
  const byDigest = new Map<string, { digests: Set<string>; tags: Set<string>; sizeBytes: number }>();
  for (const name of [...present.keys()].sort()) {
    const image = present.get(name);
    if (image === undefined) continue;
    const { digest, sizeBytes } = image;
    const entry = byDigest.get(digest) ?? { digests: new Set(), tags: new Set(), sizeBytes };
    entry.digests.add(`${repositoryOf(name)}@${digest}`);
    if (!name.includes('@')) entry.tags.add(name);
    byDigest.set(digest, entry);
  }
  return [...byDigest]
    .sort(([one, a], [other, b]) => b.sizeBytes - a.sizeBytes || (one < other ? 1 : -1))
    .slice(0, MOST.images)
    .map(([, { digests, tags, sizeBytes }]) => ({
      names: [...digests, ...tags].slice(0, MOST.names),
      sizeBytes,
    }));
}
