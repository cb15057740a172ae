import type { Source } from '../diagnostics/diagnostic.ts';
import type { Code } from '../diagnostics/registry.ts';
import type { ManifestOf } from './manifest.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Loaded } from './manifests.ts';

/** Diagnostics after which the values of a document are not what its author wrote. */
const DAMAGED: ReadonlySet<Code> = new Set<Code>(['KR1005', 'KR1011', 'KR1012', 'KR1036']);

/** The manifests that can be validated, file by file, so that the locator parses each document once. */
export function validatable<Of extends Kind>(
  loaded: Loaded,
  manifests: Iterable<ManifestOf<Of>>,
): ManifestOf<Of>[] {
  const damage = new Map<Source, number[]>();
  const halfRead = new Set<Source>();
  for (const { code, position } of loaded.diagnostics) {
    if (position === undefined) continue;
    if (code === 'KR1035') halfRead.add(position.source);
    if (!DAMAGED.has(code)) continue;
    const starts = damage.get(position.source) ?? [];
    starts.push(position.start);
    damage.set(position.source, starts);
  }
  return [...manifests].filter(({ origin: { source, at } }) => {
    const isIn = (start: number): boolean => start >= at.from && start < at.to;
    return !halfRead.has(source) && damage.get(source)?.some(isIn) !== true;
  });
}
