import { expect, test } from 'vitest';
import { configReads } from '../../../semantics/pod/config-reads.ts';

const texts = (spec: unknown): string[] =>
  configReads(spec).map(
    ({ kind, name, by, where, keys }) =>
      `${kind} ${name}: ${by} ${where}${keys === undefined ? '' : ` (${keys.join(', ')})`}`,
  );

const configMap = { name: 'a', configMap: { name: 'settings' } };
const mount = (more: object = {}) => ({ name: 'a', mountPath: '/a', ...more });

/** What a pod reads, by its spec. */
test.each<[string, object, string[]]>([
  ['nothing', { containers: [{ name: 'main' }] }, []],
  [
    'a variable of a container, by its key',
    {
      containers: [
        {
          name: 'main',
          env: [
            { name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'color' } } },
            { name: 'B', valueFrom: { secretKeyRef: { name: 'token', key: 'value' } } },
            { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
        },
      ],
    },
    ['ConfigMap settings: environment main (color)', 'Secret token: environment main (value)'],
  ],
  [
    'all keys as variables, of a container and one that starts before it',
    {
      initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'token' } }] }],
      containers: [{ name: 'main', envFrom: [{ configMapRef: { name: 'settings' }, prefix: 'A_' }] }],
    },
    ['Secret token: environment init', 'ConfigMap settings: environment main'],
  ],
  [
    'volumes, those that are projected among them',
    {
      containers: [{ name: 'main', volumeMounts: [mount()] }],
      volumes: [
        configMap,
        { name: 'b', secret: { secretName: 'token', items: [{ key: 'value', path: 'x' }] } },
        {
          name: 'c',
          projected: {
            sources: [
              { configMap: { name: 'settings' } },
              { secret: { name: 'token' } },
              { serviceAccountToken: { path: 'y' } },
            ],
          },
        },
        { name: 'd', emptyDir: {} },
      ],
    },
    [
      'ConfigMap settings: volume a',
      'Secret token: volume b (value)',
      'ConfigMap settings: volume c',
      'Secret token: volume c',
    ],
  ],
  [
    'a file that does not change',
    {
      initContainers: [{ name: 'init', volumeMounts: [mount({ subPathExpr: '$(A)' })] }],
      containers: [{ name: 'main', volumeMounts: [mount({ subPath: 'x' })] }],
      volumes: [configMap],
    },
    ['ConfigMap settings: file init', 'ConfigMap settings: file main'],
  ],
  [
    'a file that does not change beside the volume',
    {
      containers: [{ name: 'main', volumeMounts: [mount({ subPath: 'x' }), mount()] }],
      volumes: [configMap],
    },
    ['ConfigMap settings: volume a', 'ConfigMap settings: file main'],
  ],
  [
    'the Secret of a pull',
    { containers: [{ name: 'main' }], imagePullSecrets: [{ name: 'registry' }] },
    ['Secret registry: pull '],
  ],
])('%s', (_what, spec, expected) => {
  expect(texts(spec)).toEqual(expected);
});

test.each([
  undefined,
  null,
  'x',
  { containers: 'x', volumes: [null, 7] },
  { containers: [{ env: [{ valueFrom: 7 }] }] },
])('nothing of %j, which no server accepts', (spec) => {
  expect(texts(spec)).toEqual([]);
});
