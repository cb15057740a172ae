import { kinds } from '../../semantics/kinds/registry.ts';

/** The key of a label that the claims of all kinds have, so that only these are watched; undefined: there is none. */
export function claimLabel(): string | undefined {
  const labels = kinds.flatMap(({ uses }) => uses.flatMap((use) => (use.of === 'Claims' ? [use.label] : [])));
  return new Set(labels).size === 1 ? labels[0] : undefined;
}
