import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { CopiesInGit, StandingGit } from '../kinds/standing-git.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { listed } from '../values/listed.ts';
import { objectOf } from '../values/read.ts';
import { contentOf } from './content.ts';
import { wantedCopy } from './copies.ts';
import { targetNamespaces } from './namespaces.ts';
import { normalizeDistribution } from './normalize.ts';
import { HASH_ANNOTATION } from './resource.ts';

/** How the compiler compares ResourceDistributions. */
export const distributionGit: StandingGit = { changedForever, effect, conflict, copies };

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
  const keys = [...new Set([...from.keys(), ...to.keys()])].sort();
  const kinds = [
    ['new', keys.filter((key) => !from.has(key))],
    ['removed', keys.filter((key) => !to.has(key))],
    ['changed', keys.filter((key) => from.has(key) && to.has(key) && from.get(key) !== to.get(key))],
  ] as const;
  const texts = kinds.flatMap(([what, each]) =>
    each.length === 0 ? [] : [`${listed(each, 'and')} ${what}`],
  );
  return texts.length === 0 ? undefined : `in every copy: ${texts.join('; ')}`;
}

function valuesOf(manifest: KubeObject): Map<string, string> {
  const { data, binaryData } = contentOf(objectOf(objectOf(manifest['spec'])['resource']));
  return new Map(
    Object.entries({ ...data, ...binaryData }).map(([key, value]) => [key, canonicalJson(value)]),
  );
}

/** What it copies, and where to. What labels select and git does not show is left open. */
function copies(manifest: KubeObject): CopiesInGit | undefined {
  const { kind, name, targets } = normalizeDistribution(manifest);
  if (kind === undefined || name === '') return undefined;
  const { labels, annotations, finalizers, content } = wantedCopy(manifest);
  const { immutable = false, type = '' } = content;
  // The hash stands for all of it, the values included.
  const { [HASH_ANNOTATION]: _hash, ...own } = annotations;
  return {
    ...{ kind, name, namePath: ['spec', 'resource', 'metadata', 'name'], targetsPath: ['spec', 'targets'] },
    namespacesAmong: (known) =>
      targetNamespaces(targets, known).flatMap((each) => (each.is === 'closed' ? [] : [each.name])),
    isOpen: targets.all || targets.selector !== undefined,
    values: valuesOf(manifest),
    rest: canonicalJson([labels, own, [...finalizers].sort(), immutable, type]),
  };
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
