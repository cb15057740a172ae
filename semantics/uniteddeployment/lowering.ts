import type { KubeObject } from '../../schemas/wire/object.ts';
import { SUBSET_PATCH_ANNOTATION } from '../children/subset-keys.ts';
import { cloneSetLowering } from '../cloneset/lowering.ts';
import type { Lowered, LoweringRow, LoweringToObject, Neighbors, RowOf } from '../kinds/lowering.ts';
import { PROTECTION_LABEL } from '../protection/label.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { requiredRow } from '../workload/plain.ts';
import { allocate } from './allocate.ts';
import { childContent, childName } from './child.ts';
import { childKindOf } from './child-kinds.ts';
import { type NormalUnited, normalizeUnited, splitOf } from './normalize.ts';
import { NOTHING_THERE } from './ranges.ts';
import { subsetTemplate } from './subset-template.ts';

interface Read extends NormalUnited, Neighbors {
  object: KubeObject;
  /** How many pods each subset has, in their order. */
  counts: readonly number[];
}

type Row = RowOf<Read>;

const to = { apiVersion: 'apps/v1', kind: 'Deployment' };

const stays: readonly Row[] = [
  {
    what: 'scheduleStrategy.type Adaptive',
    instead: 'which pods get a node is known in the cluster alone',
    applies: ({ adaptive }) => adaptive !== undefined,
  },
  {
    what: 'replicas that git does not have, or that an autoscaler changes',
    instead: 'nothing would split them over the subsets',
    applies: ({ object, isScaled }) =>
      isScaled || numberOf(objectOf(object['spec'])['replicas']) === undefined,
  },
  {
    what: 'advancedStatefulSetTemplate',
    instead: 'it is not compiled yet',
    applies: ({ field }) => field === 'advancedStatefulSetTemplate',
  },
  {
    what: 'manualUpdate.partitions',
    instead: 'a Deployment would update the pods that are to stay',
    applies: ({ partitions }) => Object.values(partitions).some((count) => count !== 0),
  },
];

const losses: readonly Row[] = [
  requiredRow,
  {
    what: `the label ${PROTECTION_LABEL} of an object that becomes several`,
    instead: 'there is no object to protect from deletion',
    applies: ({ object }) => object.metadata.labels?.[PROTECTION_LABEL] !== undefined,
  },
];

/**
 * A UnitedDeployment as the Deployments that its CloneSets are compiled to, or as its children of Kubernetes themselves, where nothing but
 * the manifest says how its pods are split (OpenKruise uniteddeployment, section 12).
 */
export const unitedLowering: LoweringToObject = {
  of: 'object',
  to,
  each: 'or `StatefulSet` for each of its subsets',
  stays: distinct([...stays, ...cloneSetLowering.stays]),
  losses: distinct([...losses, ...cloneSetLowering.losses]),
  differs: [
    'a changed template begins in all subsets at once, each within its own limits',
    'a remainder goes to the subsets that have most pods in the folder of --out, or else to the last names',
    'nothing splits other replicas than those of git, and no status has all of them',
    ...cloneSetLowering.differs,
  ],
  lower,
};

function lower(object: KubeObject, around: Neighbors): Lowered {
  const united = normalizeUnited(object);
  const read = { ...united, ...around, object, counts: countsOf(object, united, around.before ?? []) };
  const staying = stays.filter((row) => row.applies(read));
  const children = staying.length > 0 ? [] : childrenOf(object, read);
  const built = children.map((child) =>
    isNative(united) ? { objects: [child], losses: [] } : cloneSetLowering.lower(child, around),
  );
  const why = distinct([...staying, ...built.flatMap((each) => ('stays' in each ? each.stays : []))]);
  if (why.length > 0) return { stays: why };
  const lowered = built.flatMap((each) => ('stays' in each ? [] : [each]));
  return {
    objects: lowered.flatMap(({ objects }) => objects),
    losses: distinct([
      ...losses.filter((row) => row.applies(read)),
      ...lowered.flatMap((each) => each.losses),
    ]),
  };
}

/** Whether the children are of kinds of Kubernetes. */
function isNative({ field }: NormalUnited): boolean {
  return childKindOf(field).steps === 'whole';
}

/** What the children are built to. */
function builtKind(united: NormalUnited): typeof to {
  return isNative(united) ? { ...to, kind: childKindOf(united.field).resource.kind } : to;
}

/** How many pods each subset has, after those of the last build: subsets without a number keep what they have there, as far as they can. */
function countsOf(
  object: KubeObject,
  united: NormalUnited,
  before: readonly KubeObject[],
): readonly number[] {
  const built = builtKind(united);
  const sizes = new Map(
    before.flatMap(({ apiVersion, kind, metadata, spec }) => {
      const size = numberOf(objectOf(spec)['replicas']);
      return apiVersion === built.apiVersion && kind === built.kind && size !== undefined
        ? [[metadata.name, size] as const]
        : [];
    }),
  );
  const allocation = allocate(splitOf(united), united.replicas, (name) => ({
    ...NOTHING_THERE,
    size: sizes.get(childName(object, name)) ?? 0,
  }));
  return 'fault' in allocation ? [] : allocation.counts;
}

/** The children of the subsets, as manifests. */
function childrenOf(object: KubeObject, { counts, ...united }: Read): KubeObject[] {
  const { namespace } = object.metadata;
  const { group, version, kind } = childKindOf(united.field).resource;
  return united.subsets.map((subset, index) => {
    const template = subsetTemplate(united.template, subset);
    const parts = { subset: subset.name, size: counts[index] ?? 0, partition: 0, template, patch: undefined };
    const { labels, annotations, spec } = childContent(united, parts);
    const { [SUBSET_PATCH_ANNOTATION]: _patch, ...kept } = annotations;
    return {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: {
        name: childName(object, subset.name),
        ...(namespace !== undefined && { namespace }),
        labels: labels as Record<string, string>,
        annotations: kept as Record<string, string>,
      },
      spec,
    };
  });
}

/** Each row once: children have the same. */
function distinct(rows: readonly LoweringRow[]): LoweringRow[] {
  return [...new Map(rows.map((row) => [row.what, row])).values()];
}
