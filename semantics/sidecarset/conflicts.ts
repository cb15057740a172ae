import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InjectionConflict } from '../kinds/pod-injector.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { selectorsOverlap } from '../values/selector-overlap.ts';
import { type NormalSidecarSet, normalizeSidecarSet } from './normalize.ts';
import { BASE_ANNOTATION } from './resource.ts';
import { textOf } from '../values/read.ts';

/**
 * The conflicts among sets (OpenKruise sidecarset, section 7.2, rules 2 and 10). Two sets are compared if their selectors and
 * their namespace selectors overlap. Then the names of containers must differ, volumes of one name must be equal, and
 * annotations of one key must both be merged or retained. A canary replaces its base, so these two have no conflict.
 * What is reported hangs on the names of the sets alone, not on their order.
 */
export function setConflicts(sets: readonly KubeObject[]): InjectionConflict[] {
  const all = sets
    .map((set, index) => ({ set: normalizeSidecarSet(set), index }))
    .sort((a, b) => (a.set.name < b.set.name ? -1 : 1));
  const byName = new Map<string, Named[]>();
  const found: InjectionConflict[] = [];
  for (const { set, index } of all) {
    const reported = new Set<string>();
    for (const item of itemsOf(set)) {
      const key = `${item.what} ${item.name}`;
      const others = byName.get(key) ?? [];
      const other = others.find((each) => isConflict(each, { ...item, set, index }));
      if (other !== undefined && !reported.has(key)) {
        const { path, what, name } = item;
        reported.add(key);
        found.push({ index, other: other.index, path, what, name });
      }
      others.push({ ...item, set, index });
      byName.set(key, others);
    }
  }
  return [...found, ...canariesOfCanaries(sets)];
}

/** Canaries whose base is a canary itself. A base that is nowhere may be elsewhere in the cluster. */
function canariesOfCanaries(sets: readonly KubeObject[]): InjectionConflict[] {
  const all = sets.map(normalizeSidecarSet);
  return all.flatMap(({ base }, index): InjectionConflict[] => {
    const other = all.findIndex((each) => each.name === base && each.base !== undefined);
    const path = ['metadata', 'annotations', BASE_ANNOTATION];
    return base === undefined || other < 0 || other === index
      ? []
      : [
          {
            index,
            other,
            path,
            what: 'base',
            name: base,
            rule: `must not name ${base}: it is a canary itself`,
          },
        ];
  });
}

interface Item {
  what: string;
  name: string;
  path: string[];
  /** What must be equal in both; undefined: one name is enough. */
  content: string | undefined;
  policy: string | undefined;
}

interface Named extends Item {
  set: NormalSidecarSet;
  index: number;
}

function itemsOf(set: NormalSidecarSet): Item[] {
  const item = (what: string, name: string, path: string[], content?: string, policy?: string): Item => ({
    what,
    name,
    path,
    content,
    policy,
  });
  return [
    ...set.initContainers.flatMap(({ name, emptyImage }, index) =>
      injectedNames(name, emptyImage).map((each) =>
        item('init container', each, ['spec', 'initContainers', String(index), 'name']),
      ),
    ),
    ...set.containers.flatMap(({ name, emptyImage }, index) =>
      injectedNames(name, emptyImage).map((each) =>
        item('container', each, ['spec', 'containers', String(index), 'name']),
      ),
    ),
    ...set.volumes.map((volume, index) =>
      item(
        'volume',
        textOf(volume['name']),
        ['spec', 'volumes', String(index), 'name'],
        canonicalJson(volume),
      ),
    ),
    ...set.patchPodMetadata.flatMap(({ annotations, policy }, index) =>
      Object.keys(annotations).map((key) =>
        item(
          'annotation',
          key,
          ['spec', 'patchPodMetadata', String(index), 'annotations', key],
          undefined,
          policy,
        ),
      ),
    ),
  ];
}

/** The names that a container takes in a pod: a hot pair takes three, as its own name is that of both halves. */
export function injectedNames(name: string, emptyImage: string | undefined): string[] {
  return emptyImage === undefined ? [name] : [name, `${name}-1`, `${name}-2`];
}

function isConflict(a: Named, b: Named): boolean {
  if (a.index === b.index || a.set.base === b.set.name || b.set.base === a.set.name) return false;
  if (a.content !== undefined && a.content === b.content) return false;
  if (a.policy !== undefined && !excludes(a.policy, b.policy)) return false;
  return (
    selectorsOverlap(a.set.namespaceSelector, b.set.namespaceSelector) &&
    selectorsOverlap(a.set.selector ?? NOTHING, b.set.selector ?? NOTHING)
  );
}

const NOTHING = { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] };

/** Whether the order of two sets would decide on the value of an annotation (rule 6.3). */
function excludes(a: string, b: string | undefined): boolean {
  if (a === 'Retain' || b === 'Retain') return false;
  return a === 'Overwrite' || b === 'Overwrite';
}
