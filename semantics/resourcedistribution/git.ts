import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { CopiesInGit, CopyReach, StandingGit } from '../kinds/standing-git.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { listed } from '../values/listed.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { contentOf } from './content.ts';
import { wantedCopy } from './copies.ts';
import { earlierConflicts } from './earlier-conflicts.ts';
import { targetNamespaces } from './namespaces.ts';
import { normalizeDistribution, type NormalDistribution } from './normalize.ts';
import { HASH_ANNOTATION } from './resource.ts';

/** How the compiler compares ResourceDistributions. */
export const distributionGit: StandingGit = {
  changedForever,
  effect,
  conflict,
  selects: () => undefined,
  earlierConflicts,
  copies,
  spreads: () => undefined,
  spreadsNative: [],
};

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
  const isOpen = targets.all || targets.selector !== undefined;
  // The hash stands for all of it, the values included.
  const { [HASH_ANNOTATION]: _hash, ...own } = annotations;
  return {
    ...{ kind, name, namePath: ['spec', 'resource', 'metadata', 'name'], targetsPath: ['spec', 'targets'] },
    // What it names gets a copy whether it is known or not.
    namespacesAmong: (known) =>
      targetNamespaces(targets, isOpen ? known : []).flatMap((each) =>
        each.is === 'closed' ? [] : [each.name],
      ),
    isOpen,
    reach: reachOf(manifest),
    values: valuesOf(manifest),
    rest: canonicalJson([labels, own, [...finalizers].sort(), immutable, type]),
  };
}

/** What excludes namespaces reaches none of the others. */
function reachOf(manifest: KubeObject): CopyReach[] {
  const { all, included, selector } = normalizeDistribution(manifest).targets;
  const path = ['spec', 'targets'];
  const fields = objectOf(objectOf(manifest['spec'])['targets']);
  const field = fields['namespaceSelector'] === undefined ? 'namespaceLabelSelector' : 'namespaceSelector';
  return [
    ...(all ? [{ path: [...path, 'allNamespaces'], of: 'every' } as const] : []),
    ...(selector === undefined ? [] : [{ path: [...path, field], of: selector }]),
    ...included.map((name, index): CopyReach => ({
      path: [...path, 'includedNamespaces', 'list', String(index), 'name'],
      of: [name],
    })),
  ];
}

/**
 * Two objects that make a copy of one name in a namespace: the second one would find it in its way for ever (OpenKruise
 * resourcedistribution, section 10, item 4). What labels select is not in git, so that only what is named can exclude each other.
 */
function conflict(one: KubeObject, other: KubeObject): InvalidField | undefined {
  const [a, b] = [namedBy(one), namedBy(other)];
  if (a.kind === undefined || a.kind !== b.kind || a.name !== b.name) return undefined;
  const shared = firstNamed(a.targets.included, a, b) ?? firstNamed(b.targets.included, a, b);
  if (shared === undefined && !(a.targets.all && b.targets.all)) return undefined;
  const where = shared === undefined ? 'every namespace' : `namespace ${shared}`;
  return { path: ['spec', 'resource', 'metadata', 'name'], rule: `is copied by both into ${where}` };
}

interface Named extends NormalDistribution {
  /** The included namespaces. */
  names: ReadonlySet<string>;
}

/** An object is compared with many others, and its lists may be long: they are read once. */
const namedBy = remembered((manifest: KubeObject): Named => {
  const normal = normalizeDistribution(manifest);
  const found = { ...normal, names: new Set(normal.targets.included) };
  return found;
});

/** The first of these namespaces that both name. */
function firstNamed(namespaces: readonly string[], ...both: readonly Named[]): string | undefined {
  return namespaces.find((namespace) =>
    both.every(
      ({ targets, names }) => !targets.excluded.has(namespace) && (targets.all || names.has(namespace)),
    ),
  );
}
