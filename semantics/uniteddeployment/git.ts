import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import type { GitSubset, PatchedSubset } from '../kinds/subsets.ts';
import { UnfitPatch } from '../template/strategic-merge.ts';
import type { Partition } from '../values/partition.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { allocate } from './allocate.ts';
import { groupKindOf } from '../owner.ts';
import { childInGit, childName } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import { childKindOf } from './child-kinds.ts';
import { type NormalUnited, normalizeUnited, splitOf } from './normalize.ts';
import { NOTHING_THERE } from './ranges.ts';
import { subsetTemplate } from './subset-template.ts';

const PARTITIONS = ['spec', 'updateStrategy', 'manualUpdate', 'partitions'];

/** How a UnitedDeployment is read from git: its subsets, and its template by the rules of the children. */
export const unitedGit: GitSide = {
  read,
  fieldPath(manifest, field) {
    if (field === 'replicas' || field === 'selector') return ['spec', field];
    if (field === 'partition') return PARTITIONS;
    return [...templatePath(manifest), ...gitOf(manifest).fieldPath(childOf(manifest), field)];
  },
  policyText: (manifest) => gitOf(manifest).policyText(childOf(manifest)),
  lint: (manifest, nodes) =>
    gitOf(manifest)
      .lint(childOf(manifest), nodes)
      .map((fault) => ({
        ...fault,
        path: [...templatePath(manifest), ...fault.path],
      })),
  units: () => [],
  native: undefined,
};

function gitOf(manifest: KubeObject): ChildKind['git'] {
  return childKindOf(normalizeUnited(manifest).field).git;
}

function childOf(manifest: KubeObject): KubeObject {
  return childInGit(manifest, normalizeUnited(manifest));
}

function templatePath(manifest: KubeObject): string[] {
  const { field = 'cloneSetTemplate' } = normalizeUnited(manifest);
  return ['spec', 'template', field];
}

function read(manifest: KubeObject): GitManifest {
  const united = normalizeUnited(manifest);
  const { git, limits, writtenOnce } = childKindOf(united.field);
  const { units, paused } = git.read(childInGit(manifest, united));
  if (units.of !== 'replicas') throw new Error(`children of ${united.field ?? 'no template'} make no pods`);
  const { onDelete, policy, maxUnavailable, maxSurge, priorities, scatter } = units.updates;
  return {
    units: {
      of: 'subsets',
      list:
        listOfSubsets(united, united.replicas) ?? united.subsets.map(({ name }) => subsetOf(united, name, 0)),
      listAt: (replicas) => listOfSubsets(united, replicas),
      workloadOf: (subset) => ({
        ...groupKindOf(childInGit(manifest, united)),
        name: childName(manifest, subset),
      }),
      isWritten: numberOf(objectOf(manifest['spec'])['replicas']) !== undefined,
      // What annotations of the target say is not about its children.
      updates: {
        onDelete,
        policy,
        partition: partitionOf(united),
        maxUnavailable,
        maxSurge,
        priorities,
        scatter,
      },
      podTemplate: united.podTemplate,
      patched: () => patchedSubsets(united),
      inEach: limits.inUnits,
      // How the claims of children grow has no place in a share.
      pods: { ...units.pods, selector: undefined, growsClaims: false },
      keepsClaimTemplates: writtenOnce.includes('volumeClaimTemplates'),
    },
    template: united.template,
    paused,
    settings: () => settingsOf(manifest, united),
  };
}

/** Those of its subsets; 0 where none of them retains any. */
function partitionOf({ partitions }: NormalUnited): Partition {
  return Object.values(partitions).some((count) => count > 0) ? partitions : 0;
}

/** As a new object would have them: what an earlier state leaves to a remainder is not in one manifest. Undefined: they do not fit. */
function listOfSubsets(united: NormalUnited, replicas: number): GitSubset[] | undefined {
  const allocation = allocate(splitOf(united), replicas, () => NOTHING_THERE);
  if ('fault' in allocation) return undefined;
  return united.subsets.map(({ name }, index) => subsetOf(united, name, allocation.counts[index] ?? 0));
}

/** One that does not fit is invalid, and its subset is left out. */
function patchedSubsets({ subsets, template }: NormalUnited): PatchedSubset[] {
  return subsets.flatMap((subset, index) => {
    if (subset.patch === undefined) return [];
    const path = ['spec', 'topology', 'subsets', String(index), 'patch'];
    try {
      return [{ name: subset.name, path, template: subsetTemplate(template, subset) }];
    } catch (error) {
      if (error instanceof UnfitPatch) return [];
      throw error;
    }
  });
}

function subsetOf({ field }: NormalUnited, name: string, n: number): GitSubset {
  return { name, n, steps: childKindOf(field).steps };
}

/** Which nodes and pods a subset has, then what the template says of each child beside its pods. */
function settingsOf(manifest: KubeObject, united: NormalUnited): Setting[] {
  const { selector, subsets, adaptive, labels, annotations, revisionHistoryLimit } = united;
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
    { name: 'schedule strategy', value: adaptive ?? 'Fixed', movesUnits: false },
    {
      name: 'nodes of subsets',
      value: subsets.map(({ name, expressions, tolerations }) => ({ name, expressions, tolerations })),
      movesUnits: false,
    },
    { name: 'metadata of children', value: { labels, annotations }, movesUnits: false },
    { name: 'revisionHistoryLimit', value: revisionHistoryLimit, movesUnits: false },
  ];
  const known = new Set(own.map(({ name }) => name));
  const ofChildren = gitOf(manifest).read(childInGit(manifest, united)).settings();
  return [
    ...own,
    ...ofChildren.flatMap(({ name, value, movesUnits, isImmutable }) => {
      if (known.has(name)) return [];
      // The message has its path below spec.
      if (isImmutable !== true) return [{ name, value, movesUnits }];
      const path = [...templatePath(manifest).slice(1), 'spec', name].join('.');
      return [{ name: path, value, movesUnits, isImmutable }];
    }),
  ];
}
