import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import { stringify } from 'yaml';
import { united } from '../../runtime/united-world.ts';

/** What is not executed: users update the pods of children. */
export const updatedByHand = stringify(united({ child: { updateStrategy: { type: 'OnDelete' } } }));

/** The references of a pod: a ConfigMap and two Secrets. */
function generated(settings: string, keys: string, other: string): string {
  return [
    '      volumes:',
    '      - name: config',
    '        configMap:',
    `          name: ${settings}`,
    '      - name: keys',
    '        secret:',
    `          secretName: ${keys}`,
    '      - name: other',
    '        configMap:',
    `          name: ${other}`,
  ].join('\n');
}

const grace = '    inPlaceUpdateStrategy: {gracePeriodSeconds: 30}';

/** Problems that only the change from one state to the other shows. */
export const changeCases: readonly Case[] = [
  {
    what: 'a generated ConfigMap and a Secret with other names',
    base: cloneSet({ pod: generated('web-config-5fkm2h7t9c', 'web-keys-5fkm2h7t9c', 'by-hand-1') }),
    head: cloneSet({ pod: generated('web-config-7g2b9hkt4m', 'web-keys-dd7f26k8mt', 'by-hand-2') }),
    expected: ['KR2138 head/web.yaml:22:11', 'KR2132 head/web.yaml:22:17', 'KR2132 head/web.yaml:25:23'],
  },
  {
    what: 'a generated ConfigMap that is there under both names',
    base: cloneSet({ pod: generated('web-config-5fkm2h7t9c', 'keys', 'keys') }),
    head: cloneSet({ pod: generated('web-config-7g2b9hkt4m', 'keys', 'web-config-5fkm2h7t9c') }),
    expected: ['KR2138 head/web.yaml:22:11'],
  },
  {
    what: 'another spelling of an amount',
    base: cloneSet({ container: '        resources: {limits: {memory: 1Gi}}' }),
    head: cloneSet({ container: '        resources: {limits: {memory: 1073741824}}' }),
    expected: ['KR2138 head/web.yaml:19:30', 'KR2223 head/web.yaml:19:38'],
  },
  {
    what: 'another spelling of an amount that is stored in one way',
    base: cloneSet({ container: '        resources: {limits: {memory: 1Gi}}' }),
    head: cloneSet({ container: '        resources: {limits: {memory: 1024Mi}}' }),
    expected: [],
  },
  ...[
    { what: 'nothing but its start makes a pod available', expected: ['KR2135 head/web.yaml:16:7'] },
    {
      what: 'the same, but the pods have a probe',
      container: '        readinessProbe: {tcpSocket: {port: 80}}',
    },
    { what: 'the same with minReadySeconds', spec: '  minReadySeconds: 5' },
    {
      what: 'the same with a gate of another controller',
      pod: '      readinessGates: [{conditionType: a.b/c}]',
    },
    { what: 'the same where no pod has to stay', spec: '    maxUnavailable: 100%' },
  ].map(({ what, expected = [], ...parts }) => ({
    what,
    base: cloneSet(parts),
    head: cloneSet({ ...parts, image: 'nginx:1.27' }),
    expected,
  })),
  {
    what: 'a deadline before the end of the rollout',
    base: cloneSet({}),
    head: cloneSet({ image: 'nginx:1.27', spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 100' }),
    expected: ['KR2133 head/web.yaml:13:28'],
  },
  // Ten pods, two at a time.
  {
    what: 'a deadline a second before the end of the rollout',
    base: cloneSet({}),
    head: cloneSet({ image: 'nginx:1.27', spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 299' }),
    expected: ['KR2133 head/web.yaml:13:28'],
  },
  {
    what: 'a deadline at the end of the rollout',
    base: cloneSet({}),
    head: cloneSet({ image: 'nginx:1.27', spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 300' }),
    expected: [],
  },
  {
    what: 'a deadline before the end of the grace periods of updates in place',
    base: cloneSet({}),
    head: cloneSet({ image: 'nginx:1.27', spec: `${grace}\n  progressDeadlineSeconds: 100` }),
    expected: ['KR2133 head/web.yaml:13:28'],
  },
  {
    what: 'the same if pods are recreated, which have no such period',
    base: cloneSet({}),
    head: cloneSet({
      container: '        env: [{name: A, value: b}]',
      spec: `${grace}\n  progressDeadlineSeconds: 100`,
    }),
    expected: ['KR2138 head/web.yaml:21:15'],
  },
  {
    what: 'a deadline before the end of a rollout that changes no pod',
    base: cloneSet({}),
    head: cloneSet({ spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 100' }),
    expected: [],
  },
  {
    what: 'a deadline that no pod can meet, reported by the manifest rule alone',
    base: cloneSet({}),
    head: cloneSet({ image: 'nginx:1.27', spec: '  minReadySeconds: 60\n  progressDeadlineSeconds: 60' }),
    expected: ['KR2116 head/web.yaml:13:28'],
  },
  {
    what: 'field that is not executed',
    head: updatedByHand,
    options: { args: ['validate', 'head'] },
    expected: ['KR2136 head/web.yaml:47:11'],
  },
  {
    what: 'field that is not executed, in a manifest that changes',
    base: stringify(united({ image: 'web:0' })),
    head: updatedByHand,
    expected: ['KR2114 head/web.yaml:47:11'],
  },
  {
    what: 'field that is not executed, in a manifest that does not change',
    base: updatedByHand,
    head: updatedByHand,
    expected: [],
  },
];
