import { otherNames } from '../../schemas/generated/resources.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { PLANNED, plannedKind } from '../../compiler/plan/kinds.ts';
import { listed } from '../../semantics/values/listed.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';

/** What people write for a kind: its name, the plural, the singular or a short name, and where it is asked for the group. */
export function kindsNamed(text: string): Kind[] {
  const word = text.toLowerCase();
  return [...PLANNED.values()].filter((kind) => {
    const names = wordsFor(kind.resource);
    return names.includes(word) || names.some((name) => `${name}.${kind.id.group}` === word);
  });
}

/** The only kind of that name; undefined where there is none, and where several groups have one. */
export function kindNamed(text: string): Kind | undefined {
  const [only, another] = kindsNamed(text);
  return another === undefined ? only : undefined;
}

/** The kind that is meant where nobody names one: the only one, if there is but one. */
export function onlyKind(): Kind | undefined {
  const [only, another] = PLANNED.values();
  return another === undefined ? only : undefined;
}

/** A target as people write one, for examples: `KIND/web`. */
export function exampleTarget(): string {
  const [first] = PLANNED.keys();
  return `${first}/web`;
}

/** The kinds there are, in words: `As, Bs and Cs`. */
export function kindNamesText(): string {
  return listed(
    [...PLANNED.keys()].map((kind) => `${kind}s`),
    'and',
  );
}

/** Whether targets of a kind are in a namespace; so is what nobody knows. */
export function isNamespaced(kind: string): boolean {
  return plannedKind(kind)?.resource.namespaced !== false;
}

/** ` -n NAMESPACE` for a line that can be copied; nothing for what is in none. */
export function namespaceOption(namespace: string): string {
  return namespace === '' ? '' : ` -n ${namespace}`;
}

/** `in NAMESPACE`, or `in the cluster`. */
export function namespaceText(namespace: string): string {
  return namespace === '' ? 'in the cluster' : `in ${namespace}`;
}

function wordsFor({ group, kind, plural }: Resource): string[] {
  const others = otherNames[`${plural}.${group}`] ?? [kind.toLowerCase()];
  return [kind.toLowerCase(), plural, ...others];
}
