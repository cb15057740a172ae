import type { Code } from '../diagnostics/registry.ts';
import type { Manifest } from './manifest.ts';
import type { Loaded } from './manifests.ts';

/** Diagnostics after which the values of a file are not what its author wrote. */
const DAMAGED: ReadonlySet<Code> = new Set<Code>([
  ...(['KR1004', 'KR1005', 'KR1011', 'KR1012', 'KR1035', 'KR1036'] as const),
]);

/** The manifests that can be validated, file by file, so that the locator parses each file once. */
export function validatable(
  loaded: Loaded,
  manifests: Iterable<Manifest> = loaded.manifests.values(),
): Manifest[] {
  const damaged = new Set(
    loaded.diagnostics.flatMap(({ code, position }) =>
      DAMAGED.has(code) && position !== undefined ? [position.source] : [],
    ),
  );
  return [...manifests].filter(({ origin }) => !damaged.has(origin.source));
}
