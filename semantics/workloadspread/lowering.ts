import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { LoweringIntoTemplate, RowOf } from '../kinds/lowering.ts';
import { PROTECTION_LABEL } from '../protection/label.ts';
import { pullPolicyByTag } from '../template/canonical.ts';
import { listOf, objectOf } from '../values/read.ts';
import { inSubset } from './inject.ts';
import { type NormalSpread, normalizeSpread } from './normalize.ts';
import { CREATED, GATE, MATCHED_ANNOTATION, SPREAD } from './resource.ts';

interface Read extends NormalSpread {
  object: KubeObject;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'several subsets',
    instead: 'which one a pod gets is known when it is created',
    applies: ({ subsets }) => subsets.length !== 1,
  },
  {
    what: 'maxReplicas of its only subset',
    instead: 'pods beyond it would be in the subset, too',
    applies: ({ subsets: [only, ...more] }) => only?.cap !== undefined && more.length === 0,
  },
  {
    what: 'targetFilter.selector',
    instead: 'pods that it leaves out would be in the subset, too',
    applies: ({ selector }) => selector !== undefined,
  },
  {
    what: 'a target that is no CloneSet, StatefulSet, Deployment, ReplicaSet or Job',
    instead: 'how its pods are made is not known',
    applies: ({ target: { group, kind } }) =>
      !SPREAD.some((each) => each.group === group && each.kind === kind) &&
      !(group === 'apps' && kind === 'StatefulSet'),
  },
];

const losses: readonly Row[] = [
  {
    what: `the label ${PROTECTION_LABEL}`,
    instead: 'there is no object to protect from deletion',
    applies: ({ object }) => object.metadata.labels?.[PROTECTION_LABEL] !== undefined,
  },
];

/** A WorkloadSpread of one subset without a cap, in the template of its target (OpenKruise workloadspread, section 12.1). */
export const spreadLowering: LoweringIntoTemplate = {
  of: 'template',
  stays,
  losses,
  differs: [
    'a subset that changes is a changed template: pods are created anew, and a Job that exists is refused',
    `pods lack the annotation ${MATCHED_ANNOTATION}, and a cost of their deletion`,
    'there is no status',
  ],
  lower(object) {
    const read = { ...normalizeSpread(object), object };
    const staying = stays.filter((row) => row.applies(read));
    if (staying.length > 0) return { stays: staying };
    return { objects: [], losses: losses.filter((row) => row.applies(read)) };
  },
  into(template, object, owner) {
    const { subsets, target } = normalizeSpread(object);
    const [subset] = subsets;
    if (subset === undefined) return template;
    const metadata = objectOf(template['metadata']);
    const pod = {
      ...template,
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: owner.metadata.name },
    } as unknown as KubeObject;
    const placed = inSubset(object, subset, owner, pod);
    const { labels, annotations } = placed.metadata;
    const { [MATCHED_ANNOTATION]: _, ...kept } = annotations ?? {};
    const spec = objectOf(placed['spec']);
    const own = objectOf(template['spec']);
    return {
      ...template,
      metadata: {
        ...metadata,
        ...(labels !== undefined && { labels }),
        ...((Object.keys(kept).length > 0 || metadata['annotations'] !== undefined) && { annotations: kept }),
      },
      spec: plainSpec(
        CREATED.some(({ kind, group }) => kind === target.kind && group === target.group)
          ? withPullPolicies(own, spec)
          : spec,
      ),
    };
  },
};

/** Containers that the patch adds have the policy that a server gives them, and not that of the controller of their template. */
function withPullPolicies(before: JsonObject, after: JsonObject): JsonObject {
  const known = new Set(listOf(before['containers']).map(({ name }) => name));
  const containers = listOf(after['containers']).map((each) =>
    known.has(each['name']) || each['imagePullPolicy'] !== undefined
      ? each
      : { ...each, imagePullPolicy: pullPolicyByTag(each['image']) },
  );
  return { ...after, containers };
}

/** The spec as people write it: without an affinity that says nothing, and without the gate, which no runtime would remove. */
function plainSpec({ affinity, schedulingGates, ...spec }: JsonObject): JsonObject {
  const { nodeAffinity, ...others } = objectOf(affinity);
  const nodes = Object.keys(objectOf(nodeAffinity)).length > 0 && { nodeAffinity };
  const kept = { ...others, ...nodes } as JsonObject;
  const gates = listOf(schedulingGates).filter(({ name }) => name !== GATE);
  return {
    ...spec,
    ...(Object.keys(kept).length > 0 && { affinity: kept }),
    ...(gates.length > 0 && { schedulingGates: gates }),
  };
}
