import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { listed } from '../values/listed.ts';
import { objectOf } from '../values/read.ts';
import { contentOf } from './content.ts';
import { normalizeDistribution } from './normalize.ts';

/** How the compiler compares ResourceDistributions. */
export const distributionGit: StandingGit = { changedForever, effect, conflict };

/** What is copied cannot become something else (OpenKruise resourcedistribution, section 2): the old copies would stay. */
function changedForever(before: KubeObject, after: KubeObject): (readonly string[])[] {
  const [from, to] = [normalizeDistribution(before), normalizeDistribution(after)];
  const path = ['spec', 'resource'];
  return [
    ...(from.resource['apiVersion'] === to.resource['apiVersion'] ? [] : [[...path, 'apiVersion']]),
    ...(from.resource['kind'] === to.resource['kind'] ? [] : [[...path, 'kind']]),
    ...(from.name === to.name ? [] : [[...path, 'metadata', 'name']]),
  ];
}

/** The keys that change in every copy. Values are never shown. */
function effect(before: KubeObject, after: KubeObject): string | undefined {
  const [from, to] = [valuesOf(before), valuesOf(after)];
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const kinds = [
    ['new', keys.filter((key) => !Object.hasOwn(from, key))],
    ['removed', keys.filter((key) => !Object.hasOwn(to, key))],
    [
      'changed',
      keys.filter((key) => Object.hasOwn(from, key) && Object.hasOwn(to, key) && from[key] !== to[key]),
    ],
  ] as const;
  const texts = kinds.flatMap(([what, each]) =>
    each.length === 0 ? [] : [`${listed(each, 'and')} ${what}`],
  );
  return texts.length === 0 ? undefined : `in every copy: ${texts.join('; ')}`;
}

function valuesOf(manifest: KubeObject): Record<string, string> {
  const { data, binaryData } = contentOf(objectOf(objectOf(manifest['spec'])['resource']));
  return Object.fromEntries(
    Object.entries({ ...data, ...binaryData }).map(([key, value]) => [key, canonicalJson(value)]),
  );
}

/**
 * Two objects that make a copy of one name in a namespace: the second one would find it in its way for ever (OpenKruise
 * resourcedistribution, section 10, item 4). What labels select is not in git, so that only what is named can exclude each other.
 */
function conflict(one: KubeObject, other: KubeObject): InvalidField | undefined {
  const [a, b] = [normalizeDistribution(one), normalizeDistribution(other)];
  if (a.kind === undefined || a.kind !== b.kind || a.name !== b.name) return undefined;
  const isNamed = (namespace: string): boolean =>
    [a, b].every(
      ({ targets }) =>
        !targets.excluded.has(namespace) && (targets.all || targets.included.includes(namespace)),
    );
  const shared = [...a.targets.included, ...b.targets.included].find(isNamed);
  if (shared === undefined && !(a.targets.all && b.targets.all)) return undefined;
  const where = shared === undefined ? 'every namespace' : `namespace ${shared}`;
  return { path: ['spec', 'resource', 'metadata', 'name'], rule: `is copied by both into ${where}` };
}
