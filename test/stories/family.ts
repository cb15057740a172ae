import type { KubeObject } from '../../schemas/wire/object.ts';
import { readShare } from '../../semantics/children/shares.ts';

/** Which workloads are the children of others, and which revisions of theirs are those of their roots. */
export interface Family {
  /** Reads what stands on an object, of any kind. */
  follow(object: KubeObject): void;
  /** The root of a child by its name; undefined: it is none. */
  rootOf(name: string | undefined): string | undefined;
  /** The hash of the root's revision where that of a child is known, and else the hash itself. */
  rootHash(hash: string | undefined): string | undefined;
}

export function createFamily(): Family {
  const roots = new Map<string, string>();
  const hashes = new Map<string, string>();
  return {
    follow(object) {
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
      const written = readShare(object);
      if (owner === undefined || written === undefined) return;
      roots.set(object.metadata.name, owner.name);
      const { share, root } = written;
      hashes.set(share.goal, root.goal).set(share.stable, root.stable);
    },
    rootOf: (name) => roots.get(name ?? ''),
    rootHash: (hash) => hashes.get(hash ?? '') ?? hash,
  };
}
