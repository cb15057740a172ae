import type { Kind } from '../../semantics/kinds/kind.ts';
import { OPENKRUISE_GROUP, OPENKRUISE_KINDS } from '../../semantics/kinds/openkruise.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { byText } from '../text/order.ts';

/** Kinds that are planned, by the bare names that kruise.yaml and people write. */
export const PLANNED: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.id.kind, kind] as const));

/** The kinds that manifests may have, planned or not. */
export const KINDS: readonly string[] = [...new Set([...OPENKRUISE_KINDS, ...PLANNED.keys()])].sort(byText);

/** The groups of these kinds. */
export const GROUPS: ReadonlySet<string> = new Set([OPENKRUISE_GROUP, ...kinds.map(({ id }) => id.group)]);

/** Group and version of a kind, as references to it are written. The group identifies, the version does not. */
export function apiVersionOf(kind: string): string {
  const resource = PLANNED.get(kind)?.resource;
  return `${resource?.group ?? OPENKRUISE_GROUP}/${resource?.version ?? 'v1alpha1'}`;
}
