import { type Kind, type PlannedKind, planRulesOf } from '../../semantics/kinds/kind.ts';
import {
  OPENKRUISE_GROUP,
  OPENKRUISE_KINDS,
  POLICY_GROUP,
  POLICY_KINDS,
} from '../../semantics/kinds/openkruise.ts';
import { kinds, plannedKindOf, plannedKinds } from '../../semantics/registry/registry.ts';
import type { GroupKind } from '../../semantics/owner.ts';
import { byText } from '../text/order.ts';

/** The kinds by name without the group; two groups may have a kind of the same name. */
const BY_NAME: ReadonlyMap<string, readonly Kind[]> = new Map(
  kinds.map(({ id }) => [id.kind, kinds.filter((other) => other.id.kind === id.kind)] as const),
);

/** The planned kinds by the name that users write: see `writtenKind`. */
export const PLANNED: ReadonlyMap<string, PlannedKind> = new Map(
  plannedKinds.map((kind) => [writtenKind(kind.id), kind] as const),
);

/** All kinds by that name, those without plans among them. */
export const REGISTERED: ReadonlyMap<string, Kind> = new Map(
  kinds.map((kind) => [writtenKind(kind.id), kind] as const),
);

/** A kind as kruise.yaml and the command line write it: its name, with the group if several groups have such a kind. */
export function writtenKind({ group, kind }: GroupKind): string {
  return (BY_NAME.get(kind)?.length ?? 0) > 1 ? `${kind}.${group}` : kind;
}

/** The planned kind of `KIND` or `KIND.GROUP`; undefined if there is none, or if the group is required. */
export function plannedKind(text: string): PlannedKind | undefined {
  const [kind, group] = splitKind(text);
  if (group !== undefined) return plannedKindOf({ group, kind });
  const [only, another] = BY_NAME.get(kind) ?? [];
  return another === undefined ? only && planRulesOf(only) : undefined;
}

/** The names to write instead of one that several kinds have; undefined for any other text. */
export function choicesFor(text: string): string[] | undefined {
  const found = BY_NAME.get(text) ?? [];
  return found.length > 1 ? found.map(({ id }) => writtenKind(id)) : undefined;
}

/** The kind and, if given, the group. */
function splitKind(text: string): [kind: string, group: string | undefined] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** The kinds that manifests may have, planned or not. */
export const KINDS: readonly string[] = [...new Set([...OPENKRUISE_KINDS, ...BY_NAME.keys()])].sort(byText);

/** The groups of these kinds. */
export const GROUPS: ReadonlySet<string> = new Set([
  OPENKRUISE_GROUP,
  POLICY_GROUP,
  ...kinds.map(({ id }) => id.group),
]);

/** The kinds that OpenKruise serves, by group. */
const SERVED: ReadonlyMap<string, readonly string[]> = new Map([
  [OPENKRUISE_GROUP, OPENKRUISE_KINDS],
  [POLICY_GROUP, POLICY_KINDS],
]);

/** The kinds of each group. Every object of a run is looked up. */
const BY_GROUP: ReadonlyMap<string, readonly string[]> = new Map(
  [...GROUPS].map((group) => {
    const own = kinds.flatMap(({ id }) => (id.group === group ? [id.kind] : []));
    return [group, [...new Set([...(SERVED.get(group) ?? []), ...own])].sort(byText)] as const;
  }),
);

/** The kinds that manifests of a group may have, planned or not. */
export function kindsOf(group: string): readonly string[] {
  return BY_GROUP.get(group) ?? [];
}

/** The API version of a kind, as references to it are written. The group identifies, the version does not. */
export function apiVersionOf(kind: string): string {
  const resource = plannedKind(kind)?.resource;
  return `${resource?.group ?? OPENKRUISE_GROUP}/${resource?.version ?? 'v1alpha1'}`;
}
