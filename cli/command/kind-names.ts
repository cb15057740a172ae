import { otherNames } from '../../schemas/generated/resources.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { PLANNED, REGISTERED } from '../../compiler/plan/kinds.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';

/** The kinds that a text may mean: by name, plural, singular or short name, with or without the group. */
export function kindsNamed(text: string): Kind[] {
  const lowerCase = text.toLowerCase();
  return [...REGISTERED.values()].filter((kind) => {
    const names = namesOf(kind.resource);
    return names.includes(lowerCase) || names.some((name) => `${name}.${kind.id.group}` === lowerCase);
  });
}

/** The kind of that name; undefined if there is none, or if several groups have one. */
export function kindNamed(text: string): Kind | undefined {
  const [only, another] = kindsNamed(text);
  return another === undefined ? only : undefined;
}

/** The kind that is assumed if none is named: the only planned one. */
export function onlyKind(): Kind | undefined {
  const [only, another] = PLANNED.values();
  return another === undefined ? only : undefined;
}

/** A target for examples: `KIND/web`. */
export function exampleTarget(): string {
  const [first] = PLANNED.keys();
  return `${first}/web`;
}

/** Whether targets of a kind are namespaced. Unknown kinds count as namespaced. */
export function isNamespaced(kind: string): boolean {
  return REGISTERED.get(kind)?.resource.namespaced !== false;
}

/** ` -n NAMESPACE` for a command to copy; empty for a cluster-scoped target. */
export function namespaceOption(namespace: string): string {
  return namespace === '' ? '' : ` -n ${namespace}`;
}

/** `in NAMESPACE`, or `in the cluster`. */
export function namespaceText(namespace: string): string {
  return namespace === '' ? 'in the cluster' : `in ${namespace}`;
}

function namesOf({ group, kind, plural }: Resource): string[] {
  const aliases = otherNames[`${plural}.${group}`] ?? [kind.toLowerCase()];
  return [kind.toLowerCase(), plural, ...aliases];
}
