import { kinds } from '../../semantics/registry/registry.ts';

/**
 * The key of a label that all claims have which a target controls; undefined: there is none. Claims without an owner are
 * found by name, and may have any labels.
 */
export function claimLabel(): string | undefined {
  const labels = kinds.flatMap(({ uses }) =>
    uses.flatMap((use) => (use.of === 'Claims' && use.isUnowned !== true ? [use.label] : [])),
  );
  return new Set(labels).size === 1 ? labels[0] : undefined;
}
