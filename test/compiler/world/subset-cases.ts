import { stringify } from 'yaml';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { TemplateField } from '../../../semantics/uniteddeployment/resource.ts';
import { podTemplate, united, zones } from '../../runtime/united-world.ts';
import type { Case } from './diagnostic-cases.ts';

const validate = { args: ['validate', 'head'] };

/** A UnitedDeployment with the subsets a, b and c, which a rule with these batches is for. */
function batches(text: string): Pick<Case, 'head' | 'files' | 'options'> {
  const files = { 'head/kruise.yaml': `steps:\n- match: {}\n  batches: [${text}]\n` };
  return { head: manifest('web:1'), files, options: validate };
}

const manifest = (image: string, a = zones('a')): string =>
  stringify(united({ image, child: { minReadySeconds: 5 }, subsets: [...a, ...zones('bc')] }));

const native = stringify(united({ field: 'deploymentTemplate' }));

const scaler = (kind: string, name: string): string =>
  stringify({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'load', namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind, name }, maxReplicas: 9 },
  });

/** The same where its template changes. */
function changed(text: string, a = zones('a')): Pick<Case, 'head' | 'base' | 'files'> {
  const { files } = batches(text);
  return { head: manifest('web:1', a), base: manifest('web:0', a), files: files ?? {} };
}

/** Children whose pods mount a claim, for which there is a template as a rule. */
function withClaims(field: TemplateField, claim: JsonObject | undefined, more: JsonObject = {}): string {
  const containers = [{ name: 'main', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  const template = { ...podTemplate('web:1'), spec: { containers } };
  const claims = claim !== undefined && { volumeClaimTemplates: [claim] };
  return stringify(united({ field, child: { template, ...claims, ...more } }));
}

const claimOf = (storage: string): JsonObject => ({
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

/** Children whose pods mount `data`, with these patches of the subsets a, b and c. */
function withPatches(patches: readonly (JsonObject | undefined)[], volumes: JsonObject[] = []): string {
  const containers = [{ name: 'main', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  const template = { ...podTemplate('web:1'), spec: { containers, volumes } };
  const subsets = [...'abc'].flatMap((zone, index) => {
    const spec = patches[index];
    return zones(zone, spec === undefined ? {} : { patch: { spec } });
  });
  return stringify(united({ subsets, child: { template } }));
}

const data: JsonObject = { volumes: [{ name: 'data', emptyDir: {} }] };
const noData: JsonObject = { volumes: [{ name: 'data', $patch: 'delete' }] };
const log: JsonObject = {
  containers: [{ name: 'main', volumeMounts: [{ name: 'log', mountPath: '/log' }] }],
};

const patchCases: readonly Case[] = [
  {
    what: 'a volume that comes with the patch of each subset',
    head: withPatches([data, data, data]),
    expected: [],
  },
  {
    what: 'a volume that comes with the patch of some subsets alone',
    head: withPatches([data, undefined, data]),
    expected: ['KR2148 head/web.yaml:54:27'],
  },
  {
    what: 'a patch without the volume that those of others bring',
    head: withPatches([data, { hostNetwork: true }, data]),
    expected: ['KR2148 head/web.yaml:57:27'],
  },
  {
    what: 'a patch that removes a volume',
    head: withPatches([undefined, noData], data['volumes'] as JsonObject[]),
    expected: ['KR2148 head/web.yaml:27:9'],
  },
  {
    what: 'a patch with a mount of nothing',
    head: withPatches([undefined, undefined, log], data['volumes'] as JsonObject[]),
    expected: ['KR2148 head/web.yaml:34:9'],
  },
].map((each) => ({ ...each, options: validate }));

/** The kinds of children that have claims of their own. */
const CLAIMING = ['cloneSetTemplate', 'advancedStatefulSetTemplate', 'statefulSetTemplate'] as const;

/** What is wrong with the pods of children is found as with those of a workload by itself. */
const podCases: readonly Case[] = [
  ...CLAIMING.flatMap((field): Case[] => [
    {
      what: `${field} with a claim that its pods mount`,
      head: withClaims(field, claimOf('1Gi')),
      options: validate,
      expected: [],
    },
    {
      what: `${field} with a mount of nothing`,
      head: withClaims(field, undefined),
      options: validate,
      expected: ['KR2148 head/web.yaml:47:27'],
    },
    {
      what: `${field} with a claim of no size`,
      head: withClaims(field, claimOf('0')),
      options: validate,
      expected: ['KR2146 head/web.yaml:57:28'],
    },
    {
      what: `${field} with another claim`,
      base: withClaims(field, claimOf('1Gi')),
      head: withClaims(field, claimOf('2Gi')),
      expected: ['KR2119 head/web.yaml:49:9'],
    },
  ]),
  ...patchCases,
  {
    what: 'a deadline of children that ends before their pods are available',
    head: stringify(
      united({ field: 'deploymentTemplate', child: { minReadySeconds: 60, progressDeadlineSeconds: 60 } }),
    ),
    options: validate,
    expected: ['KR2116 head/web.yaml:47:34'],
  },
  {
    what: 'a hook of children that holds no pod',
    head: stringify(
      united({ child: { lifecycle: { preDelete: { labelsHandler: { hold: 'on-delete' } } } } }),
    ),
    options: validate,
    expected: ['KR2180 head/web.yaml:47:11'],
  },
  {
    what: 'a pod of a child that is named twice',
    head: stringify(united({ child: { scaleStrategy: { podsToDelete: ['web-a-x', 'web-a-x'] } } })),
    options: validate,
    expected: ['KR2111 head/web.yaml:49:15'],
  },
];

/** Kinds whose pods are those of subsets. */
export const subsetCases: readonly Case[] = [
  {
    what: 'batches by subset',
    ...batches('{to: 1, subsets: [a]}, {to: 100%, subsets: [a]}, {to: 50%}, {to: 100%}'),
    expected: [],
  },
  {
    what: 'a batch for a subset that does not exist',
    ...batches('{to: 100%, subsets: [a, d]}, {to: 100%}'),
    expected: ['KR4046 head/kruise.yaml:3:33'],
  },
  {
    what: 'a last batch by subset',
    ...batches('{to: 50%}, {to: 100%, subsets: [a]}'),
    expected: ['KR3041 head/kruise.yaml:3:35'],
  },
  {
    what: 'batches of one subset that shrink, with others between',
    ...batches('{to: 50%, subsets: [a, b]}, {to: 10%}, {to: 20%, subsets: [b, a]}, {to: 100%}'),
    expected: ['KR4002 head/kruise.yaml:3:57'],
  },
  {
    what: 'batches of all that update no more than those by subset have, and the other way round',
    ...changed('{to: 100%, subsets: [b]}, {to: 70%, subsets: [b, a]}, {to: 20%}, {to: 100%}'),
    expected: ['KR4010 head/kruise.yaml:3:72'],
  },
  {
    what: 'a batch of a subset that has no further pod',
    ...changed('{to: 50%}, {to: 100%, subsets: [a]}, {to: 100%}'),
    expected: ['KR4010 head/kruise.yaml:3:29'],
  },
  {
    what: 'subsets that have more pods than there are',
    head: stringify(united({ subsets: [...zones('a', { replicas: 11 }), ...zones('b')] })),
    options: validate,
    expected: ['KR2244 head/web.yaml:12:5'],
  },
  {
    what: 'a first batch of a subset that has no pod',
    ...changed('{to: 100%, subsets: [a]}, {to: 100%}', zones('a', { replicas: 0 })),
    expected: ['KR4010 head/kruise.yaml:3:18'],
  },
  {
    what: 'a subset twice',
    ...batches('{to: 1, subsets: [a, a]}, {to: 100%}'),
    expected: ['KR2005 head/kruise.yaml:3:30'],
  },
  {
    what: 'a batch for nodes of a kind with subsets',
    ...batches('{to: 1, nodes: {matchLabels: {a: b}}}, {to: 100%}'),
    expected: ['KR4027 head/kruise.yaml:3:21'],
  },
  {
    what: 'parts of subsets that are updated as a whole',
    ...batches('{to: 20%}, {to: 2, subsets: [b]}, {to: 100%, subsets: [a]}, {to: 100%}'),
    head: native,
    expected: ['KR4047 head/kruise.yaml:3:18', 'KR4047 head/kruise.yaml:3:29'],
  },
  {
    what: 'a window of children that another controller updates',
    ...batches('{to: 100%, subsets: [a], window: {maxUnavailable: 1}}, {to: 100%}'),
    head: native,
    expected: ['KR4027 head/kruise.yaml:3:38'],
  },
  {
    what: 'an autoscaler of the workload of a subset',
    head: manifest('web:1'),
    files: { 'head/scaler.yaml': scaler('CloneSet', 'web-b') },
    options: validate,
    expected: ['KR2245 head/web.yaml:7:13'],
  },
  {
    what: 'an autoscaler of the workloads of all subsets together',
    head: manifest('web:1'),
    files: { 'head/scaler.yaml': scaler('UnitedDeployment', 'web') },
    options: validate,
    expected: [],
  },
  ...podCases,
];
