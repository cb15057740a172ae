import type { Kind } from '../../semantics/kinds/kind.ts';
import { CHILDREN_ANNOTATION, OBSERVED_ANNOTATION } from '../../semantics/protection/contents.ts';
import { PROTECTION_LABEL, PROTECTION_VALUES } from '../../semantics/protection/label.ts';
import {
  type Cascading,
  type ProtectedResource,
  protectedResources,
  resourceName,
} from '../../semantics/protection/resources.ts';
import { listed } from '../../semantics/values/listed.ts';
import { resourceRules } from './confined.ts';

/** Resource rules of the policies about deletion protection as YAML, by placeholder name; undefined: there is none of this name. */
export function protectionRulesNamed(name: string, kinds: readonly Kind[]): string | undefined {
  const all = protectedResources(kinds);
  const rules = (some: readonly ProtectedResource[], operations: readonly string[]): string =>
    resourceRules(
      some.map(({ group, plural }) => [group, plural] as const),
      operations,
      'All',
    );
  switch (name) {
    case 'protected resources, deleted':
      return rules(all, ['DELETE']);
    case 'protected resources, written':
      return rules(all, ['CREATE', 'UPDATE']);
    case 'resources with children, deleted':
      return rules(all.filter(hasChildren), ['DELETE']);
    case 'resources with children, written':
      return rules(all.filter(hasChildren), ['CREATE', 'UPDATE', 'DELETE']);
    case 'resources with children, updated':
      return rules(all.filter(hasChildren), ['UPDATE']);
    default:
      return undefined;
  }
}

function hasChildren({ cascading }: ProtectedResource): boolean {
  return cascading === 'Children';
}

/** The expressions and words about deletion protection, by placeholder name. */
export function protectionExpressions(kinds: readonly Kind[]): [string, string][] {
  const list = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
  const resourcesBy = (cascading: Cascading): string =>
    list(
      protectedResources(kinds)
        .filter((each) => each.cascading === cascading)
        .map(resourceName),
    );
  return [
    ['protection label', PROTECTION_LABEL],
    ['protection values', list(PROTECTION_VALUES)],
    ['protection values in words', listed(PROTECTION_VALUES, 'and')],
    ['resources with replicas', resourcesBy('Replicas')],
    ['resources with children', resourcesBy('Children')],
    ['resources without cascading', resourcesBy('Never')],
    ['observed annotation', OBSERVED_ANNOTATION],
    ['children annotation', CHILDREN_ANNOTATION],
    ['protection annotations', list([OBSERVED_ANNOTATION, CHILDREN_ANNOTATION])],
  ];
}
