import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** What a copy is. */
export const copyResource: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** What a shelf asks for. */
export interface ShelfSpec {
  copies: number;
  text: string;
  locked: boolean;
}

/** The spec of a target, defaults filled in. */
export function specOf({ spec }: KubeObject): ShelfSpec {
  const { copies = 1, text = '', locked = false } = spec as Partial<ShelfSpec>;
  return { copies, text, locked };
}
