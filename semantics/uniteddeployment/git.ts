import type { KubeObject } from '../../schemas/wire/object.ts';
import { cloneSetGit } from '../cloneset/git.ts';
import { normalizeCloneSet } from '../cloneset/normalize.ts';
import type { GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { GitSubset } from '../kinds/git-units.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { allocate } from './allocate.ts';
import { childInGit } from './child.ts';
import { type NormalUnited, normalizeUnited } from './normalize.ts';

/** How a UnitedDeployment is read from git: its subsets, and its template by the rules of the children. */
export const unitedGit: GitSide = {
  read,
  fieldPath(manifest, field) {
    if (field === 'replicas' || field === 'selector') return ['spec', field];
    return [...templatePath(manifest), ...cloneSetGit.fieldPath(childOf(manifest), field)];
  },
  policyText: (manifest) => cloneSetGit.policyText(childOf(manifest)),
  lint: (manifest, nodes) =>
    cloneSetGit.lint(childOf(manifest), nodes).map((fault) => ({
      ...fault,
      path: [...templatePath(manifest), ...fault.path],
    })),
  units: () => [],
  native: undefined,
};

function childOf(manifest: KubeObject): KubeObject {
  return childInGit(manifest, normalizeUnited(manifest));
}

function templatePath(manifest: KubeObject): string[] {
  const { field = 'cloneSetTemplate' } = normalizeUnited(manifest);
  return ['spec', 'template', field];
}

function read(manifest: KubeObject): GitManifest {
  const united = normalizeUnited(manifest);
  const child = normalizeCloneSet(childInGit(manifest, united));
  return {
    units: {
      of: 'subsets',
      list: listOfSubsets(united, united.replicas) ?? united.subsets.map(({ name }) => subsetOf(name, 0)),
      listAt: (replicas) => listOfSubsets(united, replicas),
      isWritten: numberOf(objectOf(manifest['spec'])['replicas']) !== undefined,
      updates: {
        onDelete: child.type === 'OnDelete',
        policy: child.policy,
        partition: 0,
        maxUnavailable: child.maxUnavailable,
        maxSurge: child.maxSurge,
        priorities: child.priorities,
        scatter: child.scatter,
      },
      podTemplate: united.podTemplate,
      times: child,
    },
    template: united.template,
    paused: child.paused,
    settings: () => settingsOf(manifest, united),
  };
}

/** As a new object would have them: what an earlier state leaves to a remainder is not in one manifest. Undefined: they do not fit. */
function listOfSubsets({ subsets }: NormalUnited, replicas: number): GitSubset[] | undefined {
  const allocation = allocate(subsets, replicas, () => 0);
  if ('fault' in allocation) return undefined;
  return subsets.map(({ name }, index) => subsetOf(name, allocation.counts[index] ?? 0));
}

function subsetOf(name: string, n: number): GitSubset {
  return { name, n, steps: 'partly' };
}

/** Which nodes and pods a subset has, then what the template says of each child beside its pods. */
function settingsOf(manifest: KubeObject, united: NormalUnited): Setting[] {
  const { selector, subsets, labels, annotations, revisionHistoryLimit } = united;
  const own: readonly Setting[] = [
    { name: 'selector', value: selector, movesUnits: false, isImmutable: true },
    {
      name: 'sizes of subsets',
      value: subsets.map(({ name, replicas, min, max }) => [
        name,
        replicas ?? null,
        min ?? null,
        max ?? null,
      ]),
      movesUnits: false,
    },
    {
      name: 'nodes of subsets',
      value: subsets.map(({ name, expressions, tolerations }) => ({ name, expressions, tolerations })),
      movesUnits: false,
    },
    { name: 'metadata of children', value: { labels, annotations }, movesUnits: false },
    { name: 'revisionHistoryLimit', value: revisionHistoryLimit, movesUnits: false },
  ];
  const known = new Set(own.map(({ name }) => name));
  const ofChildren = cloneSetGit.read(childInGit(manifest, united)).settings();
  return [...own, ...ofChildren.filter(({ name }) => !known.has(name))];
}
