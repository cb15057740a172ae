import { isFields } from '../../schemas/pods/fields.ts';
import type { Attributes } from './attributes.ts';

/** `rbac.authorization.k8s.io/v1` PolicyRule; omitted lists are empty. */
export interface PolicyRule {
  verbs: readonly string[];
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames: readonly string[];
  nonResourceURLs: readonly string[];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** The rules that were read of stored values, which never change: each request is checked by all of them. */
const readRules = new WeakMap<object, readonly PolicyRule[]>();

/** The rules of a stored role. */
export function rulesOf(value: unknown): readonly PolicyRule[] {
  if (!Array.isArray(value)) return [];
  const known = readRules.get(value);
  if (known !== undefined) return known;
  const rules = value.filter(isFields).map((rule) => ({
    verbs: texts(rule['verbs']),
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
  }));
  if (Object.isFrozen(value)) readRules.set(value, rules);
  return rules;
}

const any = '*';

function has(list: readonly string[], value: string): boolean {
  return list.includes(any) || list.includes(value);
}

function hasResource({ resources }: PolicyRule, resource: string, subresource: string): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return has(resources, whole) || (subresource !== '' && resources.includes(`*/${subresource}`));
}

function hasPath({ nonResourceURLs }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some(
    (each) => each === any || each === path || (each.endsWith(any) && path.startsWith(each.slice(0, -1))),
  );
}

/** Whether one rule allows a request. */
export function allows(rule: PolicyRule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if ('path' in asked) return hasPath(rule, asked.path);
  return (
    has(rule.apiGroups, asked.group) &&
    hasResource(rule, asked.resource, asked.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

/** Splits a rule into simple rules: one for each combination of its values. */
function simple(rule: PolicyRule): PolicyRule[] {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const named = (names: readonly string[]) => (names.length === 0 ? [[]] : names.map((name) => [name]));
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        named(rule.resourceNames).map((resourceNames) => ({
          ...none,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({ ...none, verbs: [verb], nonResourceURLs: [url] })),
  ]);
}

/** Whether a rule covers a simple rule completely. */
function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  const [verb = '', group, resource, url] = [
    wanted.verbs[0],
    wanted.apiGroups[0],
    wanted.resources[0],
    wanted.nonResourceURLs[0],
  ];
  if (!has(held.verbs, verb)) return false;
  if (url !== undefined) return hasPath(held, url);
  const [plural = '', ...part] = (resource ?? '').split('/');
  return (
    has(held.apiGroups, group ?? '') &&
    hasResource(held, plural, part.join('/')) &&
    (held.resourceNames.length === 0 ||
      (wanted.resourceNames.length > 0 && held.resourceNames.includes(wanted.resourceNames[0] ?? '')))
  );
}

const quoted = (list: readonly string[]): string => `[${list.map((each) => JSON.stringify(each)).join(' ')}]`;

function shown(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const;
  return `{${parts
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:${quoted(list)}`)
    .join(', ')}}`;
}

/**
 * The parts of `wanted` that no rule of `held` covers, formatted like the API server does: one line per resource
 * with its verbs.
 */
export function missingOf(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const missing = new Map<string, PolicyRule>();
  for (const each of wanted.flatMap(simple)) {
    if (held.some((rule) => covers(rule, each))) continue;
    const key = JSON.stringify([each.apiGroups, each.resources, each.resourceNames, each.nonResourceURLs]);
    const known = missing.get(key);
    missing.set(
      key,
      known === undefined ? each : { ...known, verbs: [...new Set([...known.verbs, ...each.verbs])] },
    );
  }
  return [...missing.values()].map(shown).sort();
}
