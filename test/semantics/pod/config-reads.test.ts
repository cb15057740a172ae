import { describe, expect, test } from 'vitest';
import { configReads } from '../../../semantics/pod/config-reads.ts';

const texts = (spec: unknown): string[] =>
  configReads(spec).map(
    ({ kind, name, by, where, keys }) =>
      `${kind} ${name}: ${by} ${where.join(', ')}${keys === undefined ? '' : ` (${[...keys].join(', ')})`}`,
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
    ['ConfigMap settings: file init, main'],
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

/** Nothing has validated these templates, and who opens a pull request writes them: what is listed must not be a product. */
describe('as many reads as the template is long', () => {
  const many = 1_000;
  const each = <T>(make: (index: number) => T): T[] =>
    Array.from({ length: many }, (_, index) => make(index));
  const containers = each((index) => ({ name: `c${index}`, volumeMounts: [mount({ subPath: 'x' })] }));

  test.each<[string, object]>([
    [
      'of a source in a volume',
      { volumes: [{ name: 'a', projected: { sources: each(() => ({ configMap: { name: 'settings' } })) } }] },
    ],
    [
      'of a source with other keys each time',
      {
        volumes: [
          {
            name: 'a',
            projected: {
              sources: each((index) => ({
                configMap: { name: 'settings', items: [{ key: `k${index}`, path: 'x' }] },
              })),
            },
          },
        ],
      },
    ],
    ['of volumes of one name', { volumes: each(() => configMap) }],
  ])('%s', (_what, spec) => {
    const reads = configReads({ ...spec, containers });
    expect(reads).toHaveLength(1);
    expect(reads[0]?.where).toHaveLength(many);
  });

  test('of sources in a volume, with one list of containers', () => {
    const sources = each((index) => ({ configMap: { name: `m${index}` } }));
    const reads = configReads({ volumes: [{ name: 'a', projected: { sources } }], containers });
    expect(reads).toHaveLength(many);
    expect(new Set(reads.map(({ where }) => where)).size).toBe(1);
  });

  test('of mounts in a container', () => {
    const volumeMounts = each(() => mount({ subPath: 'x' }));
    const reads = configReads({ volumes: [configMap], containers: [{ name: 'main', volumeMounts }] });
    expect(reads.map(({ where }) => where)).toEqual([['main']]);
  });

  test('the keys of equal sources together', () => {
    const source = (...keys: string[]): object => ({
      configMap: { name: 'settings', items: keys.map((key) => ({ key, path: key })) },
    });
    const spec = { volumes: [{ name: 'a', projected: { sources: [source('x', 'y'), source('y', 'z')] } }] };
    expect(texts(spec)).toEqual(['ConfigMap settings: volume a (x, y, z)']);
  });
});
