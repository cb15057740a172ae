import type { FieldError } from '../../schemas/pods/fieldErrors.ts';
import { checkNodeSelector, checkTolerations } from '../../schemas/pods/schedulingValidation.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { SUBSET_LABEL } from '../children/subset-keys.ts';
import { beyondRecords } from '../children/next-records.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';
import { patchFaults } from '../pod/patch-faults.ts';
import { UnfitPatch } from '../template/strategic-merge.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { formatSelector, validateSelector } from '../values/selector.ts';
import { invalidTargetMetadata } from '../workload/invalid.ts';
import { allocate } from './allocate.ts';
import { childKindOf } from './child-kinds.ts';
import { childContent, childInGit, childName } from './child.ts';
import { type NormalUnited, normalizeUnited, splitOf } from './normalize.ts';
import { NOTHING_THERE } from './ranges.ts';
import { FIELDS } from './resource.ts';
import { sizeFaults } from './sizes.ts';
import { subsetTemplate } from './subset-template.ts';

const SUBSETS = ['spec', 'topology', 'subsets'];
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The status has each subset, and so have the records of the children. */
const MOST_SUBSETS = 200;

/** Pods have the name of the revision of their child as a label, of at most 63 characters: a hash is added to it. */
const MOST_CHILD_NAME = 52;

/**
 * Errors in a UnitedDeployment by itself: what OpenKruise's admission refuses (OpenKruise uniteddeployment, section 7), what its allocator
 * cannot carry out (rule 6.2), and what would make an invalid child.
 */
export const invalidUnited = remembered(faultsOf);

function faultsOf(target: KubeObject): InvalidField[] {
  const united = normalizeUnited(target);
  const { template, topology, updateStrategy } = objectOf(target['spec']);
  const subsets = listOf(objectOf(topology)['subsets']);
  const before = [
    ...invalidTargetMetadata(target),
    ...selectorFaults(united),
    ...templateFaults(objectOf(template)),
    ...splitFaults(united),
    ...nameFaults(target, subsets),
    ...subsets.flatMap((subset, index) => placingFaults(subset, [...SUBSETS, String(index)])),
    ...partitionFaults(united, objectOf(objectOf(objectOf(updateStrategy)['manualUpdate'])['partitions'])),
  ];
  const sizes = sizeFaults(united, SUBSETS);
  return [
    ...before,
    ...sizes,
    ...(subsets.length === 0 || sizes.length > 0 ? [] : allocationFaults(united)),
    ...(before.length > 0 ? [] : childFaults(target, united)),
  ];
}

function selectorFaults({ selector }: NormalUnited): InvalidField[] {
  const path = ['spec', 'selector'];
  const faults = validateSelector(selector).map((each) => ({
    path: [...path, ...each.path],
    rule: each.message,
  }));
  if (faults.length > 0 || formatSelector(selector) !== '') return faults;
  return [{ path, rule: 'must not be empty: it would select every workload of the namespace' }];
}

function templateFaults(template: JsonObject): InvalidField[] {
  const set = FIELDS.filter((field) => isObject(template[field]));
  const [first, second] = set;
  const path = ['spec', 'template'];
  const names = FIELDS.join(', ');
  if (first === undefined)
    return [{ path, rule: `must have one of ${names}`, help: 'set one of them', at: 'key' }];
  if (second === undefined) return [];
  return [
    { path: [...path, second], rule: `must not be set beside ${first}`, help: 'remove one', at: 'key' },
  ];
}

/** What the subsets say, and a template must not: OpenKruise's admission checks it of all children but CloneSets. */
function splitFaults({ field, childSpec }: NormalUnited): InvalidField[] {
  if (field === undefined || field === 'cloneSetTemplate') return [];
  const path = ['spec', 'template', field, 'spec'];
  const { type, rollingUpdate } = objectOf(childSpec['updateStrategy']);
  const isSet = (value: unknown): boolean => value !== undefined && value !== null;
  const faults: InvalidField[] = [];
  if (isSet(childSpec['replicas']))
    faults.push({ path: [...path, 'replicas'], rule: 'must not be set: the subsets have the replicas' });
  if (type !== 'OnDelete' && isSet(objectOf(rollingUpdate)['partition']))
    faults.push({
      path: [...path, 'updateStrategy', 'rollingUpdate', 'partition'],
      rule: 'must not be set: a plan says how many pods of a subset are updated',
    });
  return faults;
}

function nameFaults(target: KubeObject, subsets: readonly JsonObject[]): InvalidField[] {
  if (subsets.length === 0)
    return [
      {
        path: SUBSETS,
        rule: 'must have at least one item: without any there is no pod',
        help: 'add a subset for each zone or pool of nodes',
      },
    ];
  if (subsets.length > MOST_SUBSETS)
    return [{ path: SUBSETS, rule: `must have at most ${MOST_SUBSETS} items: it has ${subsets.length}` }];
  const seen = new Set<string>();
  const faults = subsets.flatMap(({ name }, index): InvalidField[] => {
    const path = [...SUBSETS, String(index), 'name'];
    const text = textOf(name);
    if (!DNS_LABEL.test(text))
      return [{ path, rule: 'must be a DNS label: lower-case letters, digits and "-", at most 63' }];
    if (seen.has(text)) return [{ path, rule: 'must be unique: an earlier subset has it' }];
    seen.add(text);
    const { length } = childName(target, text);
    if (length <= MOST_CHILD_NAME) return [];
    const rule = `must be shorter: with the name of the UnitedDeployment its child has ${length} characters, and at most ${MOST_CHILD_NAME} fit`;
    return [{ path, rule }];
  });
  const rule = beyondRecords([...seen].map((name) => childName(target, name)));
  return faults.length > 0 || rule === undefined ? faults : [{ path: SUBSETS, rule }];
}

function placingFaults({ nodeSelectorTerm, tolerations, patch }: JsonObject, path: string[]): InvalidField[] {
  // A term without a requirement is one that OpenKruise ignores.
  const hasRequirement = listOf(objectOf(nodeSelectorTerm)['matchExpressions']).length > 0;
  return [
    ...(hasRequirement
      ? faultsAt(checkNodeSelector({ nodeSelectorTerms: [objectOf(nodeSelectorTerm)] }, 'x'), 3, [
          ...path,
          'nodeSelectorTerm',
        ])
      : []),
    ...faultsAt(checkTolerations(tolerations, 'x'), 1, [...path, 'tolerations']),
    ...(isObject(patch) ? patchFaults(objectOf(patch), [...path, 'patch']) : []),
  ];
}

/** Errors of a field that was checked as one of a pod, at its own path: so many keys stood for it. */
function faultsAt(errors: readonly FieldError[], keys: number, to: string[]): InvalidField[] {
  return errors.map(({ field, message }) => {
    const own = field.split(/[.[\]]+/).filter((each) => each !== '');
    return { path: [...to, ...own.slice(keys)], rule: message };
  });
}

function partitionFaults({ subsets }: NormalUnited, partitions: JsonObject): InvalidField[] {
  const known = new Set(subsets.map(({ name }) => name));
  const path = ['spec', 'updateStrategy', 'manualUpdate', 'partitions'];
  return Object.entries(partitions).flatMap(([name, count]): InvalidField[] => {
    if (!known.has(name)) return [{ path: [...path, name], rule: 'must be the name of a subset', at: 'key' }];
    return typeof count === 'number' && count < 0
      ? [{ path: [...path, name], rule: 'must be at least 0' }]
      : [];
  });
}

function allocationFaults(united: NormalUnited): InvalidField[] {
  const allocation = allocate(splitOf(united), united.replicas, () => NOTHING_THERE);
  return 'fault' in allocation
    ? [
        {
          path: SUBSETS,
          rule: allocation.fault,
          help: 'change spec.replicas, or those of a subset',
          at: 'key',
          isSplit: true,
        },
      ]
    : [];
}

/** What the rules of its kind say of the child of each subset. */
function childFaults(target: KubeObject, united: NormalUnited): InvalidField[] {
  const { field, template, subsets } = united;
  if (field === undefined) return [];
  const kind = childKindOf(field);
  const at = ['spec', 'template', field];
  const faults: InvalidField[] = [];
  for (const [index, subset] of subsets.entries()) {
    const patchPath = [...SUBSETS, String(index), 'patch'];
    try {
      const effective = subsetTemplate(template, subset);
      const parts = { subset: subset.name, size: 0, partition: 0, template: effective, patch: undefined };
      const { spec } = childContent(united, parts);
      for (const { path, ...fault } of kind.invalid({ ...childInGit(target, united), spec })) {
        const isSelector = path[1] === 'selector';
        const own = isSelector ? path : [...at, ...path];
        faults.push({ ...fault, path: subset.patch === undefined ? own : patchPath });
      }
      const labels = objectOf(objectOf(effective['metadata'])['labels']);
      if (labels[SUBSET_LABEL] !== subset.name)
        faults.push({
          path: patchPath,
          rule: `must not change ${SUBSET_LABEL}: its child selects pods by it`,
        });
    } catch (error) {
      if (!(error instanceof UnfitPatch)) throw error;
      faults.push({ path: [...patchPath, ...error.path], rule: error.message });
    }
    // All subsets have what is wrong with the template of all.
    if (faults.length > 0) return faults;
  }
  return faults;
}

/** The fields of a UnitedDeployment that need rules which are not executed. */
export function unsupportedUnited(target: KubeObject): UnsupportedField[] {
  const { field, adaptive, partitions, childSpec } = normalizeUnited(target);
  const growsClaims = objectOf(childSpec['volumeClaimUpdateStrategy'])['type'] === 'OnPodRollingUpdate';
  const isByHand = objectOf(childSpec['updateStrategy'])['type'] === 'OnDelete';
  return [
    ...(adaptive?.reserves === true && field === 'deploymentTemplate'
      ? [
          {
            path: ['spec', 'topology', 'scheduleStrategy', 'adaptive', 'reserveUnschedulablePods'],
            what: 'pods that stand in for those of Deployments',
          },
        ]
      : []),
    ...(field === 'statefulSetTemplate' && Object.values(partitions).some((count) => count !== 0)
      ? [
          {
            path: ['spec', 'updateStrategy', 'manualUpdate', 'partitions'],
            what: 'partitions of StatefulSets of Kubernetes',
          },
        ]
      : []),
    ...(field !== undefined && isByHand
      ? [
          {
            path: ['spec', 'template', field, 'spec', 'updateStrategy', 'type'],
            what: 'children whose pods users update',
          },
        ]
      : []),
    ...(field === 'advancedStatefulSetTemplate' && growsClaims
      ? [
          {
            path: ['spec', 'template', field, 'spec', 'volumeClaimUpdateStrategy', 'type'],
            what: 'claims of children that grow with their pods',
          },
        ]
      : []),
  ];
}
