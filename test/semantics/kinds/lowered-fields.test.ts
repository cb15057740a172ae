import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { kindsByName } from '../../../semantics/registry/registered.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { objectOf } from '../../../semantics/values/read.ts';

/*
 * Each field of OpenKruise's own kinds, in each version, is in what is built, or has a row that says that it is lost or why the object
 * stays. One that makes no difference is in the table below with its reason: nothing is dropped unseen.
 */

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template: JsonObject = {
  metadata: { labels },
  spec: { restartPolicy: 'Always', containers: [{ name: 'main', image: 'web:1' }] },
};
const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
const workload: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector, template },
};

function onNodes(restartPolicy: string, ...values: string[]): JsonObject {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values }];
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  return {
    metadata: { labels },
    spec: { restartPolicy, affinity, containers: [{ name: 'a', image: 'a:1' }] },
  };
}

/** Specs of each kind that is built, to which each field is added in turn. */
const bases: Partial<Record<keyof typeof kindsByName, readonly JsonObject[]>> = {
  CloneSet: [{ replicas: 4, selector, template }],
  StatefulSet: [
    { replicas: 4, selector, template },
    { replicas: 4, selector, template, podManagementPolicy: 'Parallel', volumeClaimTemplates: claims },
  ],
  DaemonSet: [
    { selector, template },
    { selector, template, updateStrategy: { rollingUpdate: { rollingUpdateType: 'Surging' } } },
  ],
  AdvancedCronJob: [{ schedule: '0 4 * * *', template: { jobTemplate: { spec: { template } } } }],
  BroadcastJob: [
    { template: onNodes('Never', 'node-1', 'node-2') },
    { template: onNodes('OnFailure', 'node-1') },
  ],
  ResourceDistribution: [
    {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
      targets: { includedNamespaces: { list: [{ name: 'shop' }] } },
    },
  ],
  UnitedDeployment: [
    {
      ...{
        replicas: 4,
        selector,
        topology: { subsets: [{ name: 'a', nodeSelectorTerm: { matchExpressions: [] } }] },
      },
      template: { cloneSetTemplate: { spec: { selector, template } } },
    },
    {
      replicas: 4,
      selector,
      topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
      template: { cloneSetTemplate: { spec: { selector, template } } },
    },
  ],
  PodUnavailableBudget: [{ selector }, { selector, maxUnavailable: 1 }],
  ImagePullJob: [{ image: 'web:1', completionPolicy: { type: 'Never' } }],
  WorkloadSpread: [
    {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      subsets: [{ name: 'a', patch: { metadata: { labels: { zone: 'a' } } } }],
    },
  ],
};

const IN_PLACE = 'updates in place are lost as a whole';
const BESIDE = 'the template of Jobs beside it is the one that counts';
const WITH_CLAIMS = 'it is about claims, with which a CloneSet stays';

/** Fields that make no difference by themselves, by the begin of their path. */
const WITHOUT_EFFECT: Record<string, string> = {
  'CloneSet spec.scaleStrategy.disablePVCReuse': WITH_CLAIMS,
  'CloneSet spec.scaleStrategy.enablePVCReuse': WITH_CLAIMS,
  'CloneSet spec.scaleStrategy.excludePreparingDelete': 'it is about hooks, with which a CloneSet stays',
  'CloneSet spec.updateStrategy.inPlaceUpdateStrategy': IN_PLACE,
  'CloneSet spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy': IN_PLACE,
  'StatefulSet spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy': IN_PLACE,
  'StatefulSet spec.updateStrategy.rollingUpdate.maxUnavailable':
    'with Parallel it is lost as a whole, and otherwise it is 1',
  'DaemonSet spec.lifecycle.inPlaceUpdate': 'OpenKruise refuses it',
  'DaemonSet spec.lifecycle.preNormal': 'OpenKruise does not read it',
  'AdvancedCronJob spec.template.broadcastJobTemplate': BESIDE,
  'AdvancedCronJob spec.template.imageListPullJobTemplate': BESIDE,
  'UnitedDeployment spec.revisionHistoryLimit': 'it is about revisions of the object itself',
  'UnitedDeployment spec.topology.scheduleStrategy.adaptive':
    'it counts with Adaptive alone, with which it stays',
  'UnitedDeployment spec.updateStrategy.type': 'it has one value',
  'ImagePullJob spec.completionPolicy.activeDeadlineSeconds': 'it is refused with Never',
  'ImagePullJob spec.completionPolicy.ttlSecondsAfterFinished': 'it is refused with Never',
  'ImagePullJob spec.sandboxConfig': 'the runtime does not use it either',
  'WorkloadSpread spec.scheduleStrategy': 'the last subset takes all pods, whatever their nodes say',
  'WorkloadSpread spec.targetFilter.replicasPathList': 'the size of the target is for caps alone',
  'WorkloadSpread spec.targetRef.name': 'the build looks it up',
};

const TEXTS: Record<string, readonly string[]> = {
  type: [
    'Never',
    'Continue',
    'OnDelete',
    'ReCreate',
    'InPlaceIfPossible',
    'InPlaceOnly',
    'OnPodRollingUpdate',
    'Surging',
    'Adaptive',
  ],
  rollingUpdateType: ['Standard', 'InPlaceIfPossible', 'Surging'],
  podUpdatePolicy: ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'],
  concurrencyPolicy: ['Forbid'],
  imagePullPolicy: ['Always'],
  name: ['shop', 'later'],
  podManagementPolicy: ['Parallel', 'OrderedReady'],
  'protectOperations[]': ['EVICT', 'DELETE'],
};

function valuesOf(path: string, type: string): Json[] {
  switch (type) {
    case 'integer':
      return [0, 1, 7];
    case 'int-or-string':
      return [0, 1, 7, '0%', '40%'];
    case 'boolean':
      return [true, false];
    case 'any':
      return [claims];
    case 'string':
      return [...(TEXTS[path.split('.').at(-1) ?? ''] ?? ['Asia/Tokyo'])];
    default:
      return [];
  }
}

interface Field {
  path: string;
  version: string;
  type: string;
}

/** The fields that hold a value, below what the lowerings copy whole. */
function fieldsOf(kind: string): Field[] {
  const copied = /^spec\.(selector|template|resource)(\.|$)/;
  const own = kind === 'AdvancedCronJob' ? /^spec\.template\.jobTemplate(\.|$)/ : copied;
  return readFileSync(`golden/schemas/${kind.toLowerCase()}-fields.txt`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [path = '', version = '', type = ''] = line.split(' ');
      return path.startsWith('spec.') && !own.test(path) && valuesOf(path, type).length > 0
        ? [{ path, version, type }]
        : [];
    });
}

/** A spec with one more field: `[]` is the first element of a list, `{}` a key of a map. */
function withField(spec: JsonObject, path: string, value: Json): JsonObject {
  const set = (within: JsonObject, [first = '', ...rest]: string[]): JsonObject => {
    const key = first.replace(/(\[\]|\{\})$/, '');
    const inner = rest.length === 0 ? value : set(first === key ? objectOf(within[key]) : {}, rest);
    const held = first.endsWith('[]') ? [inner] : first.endsWith('{}') ? { app: inner } : inner;
    return { ...within, [key]: held };
  };
  return set(spec, path.split('.').slice(1));
}

function outcome(kind: keyof typeof kindsByName, version: string, spec: JsonObject): string {
  const { lowering, id } = kindsByName[kind];
  const metadata = { name: 'web', namespace: 'shop' };
  const object: KubeObject = { apiVersion: `${id.group}/${version}`, kind, metadata, spec };
  if (lowering.of === 'template') {
    const found = lowering.lower(object);
    return JSON.stringify('stays' in found ? found.stays : lowering.into(template, object, workload));
  }
  if (lowering.of !== 'object') return expect.unreachable();
  const around = { isScaled: false, namespaces: [], inNamespace: [object, workload] };
  const found = lowering.lower(object, around);
  return JSON.stringify('stays' in found ? found.stays : [found.objects, found.losses]);
}

function hasEffect(kind: keyof typeof kindsByName, { path, version, type }: Field): boolean {
  return (bases[kind] ?? []).some((base) => {
    const without = outcome(kind, version, base);
    return valuesOf(path, type).some(
      (value) => outcome(kind, version, withField(base, path, value)) !== without,
    );
  });
}

describe('each field is built, or has a row', () => {
  const names = Object.keys(bases) as (keyof typeof kindsByName)[];

  test.each(names)('of a %s', (kind) => {
    const fields = fieldsOf(kind);
    expect(fields.length).toBeGreaterThan(3);
    const unseen = fields.filter((field) => !hasEffect(kind, field)).map(({ path }) => `${kind} ${path}`);
    const reasons = Object.keys(WITHOUT_EFFECT);
    const known = (path: string): string | undefined => reasons.find((each) => path.startsWith(each));
    expect(unseen.filter((path) => known(path) === undefined)).toEqual([]);
    const used = new Set(unseen.map(known));
    expect(
      reasons.filter((each) => each.startsWith(`${kind} `) && !used.has(each)),
      'each reason is used',
    ).toEqual([]);
  });

  test('of every kind that is built', () =>
    expect(names.toSorted()).toEqual(
      kinds
        .filter(({ lowering }) => lowering.of !== 'nothing')
        .map(({ id }) => id.kind)
        .toSorted(),
    ));
});
