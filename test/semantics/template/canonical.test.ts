import { describe, expect, it, test } from 'vitest';
import * as fc from '../../property.ts';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import { canonicalTemplate, templateHash } from '../../../semantics/template/canonical.ts';
import { expandAlternatives } from '../../../semantics/template/shape.ts';
import { arbitraryTemplate } from './arbitrary-template.ts';
import { fullyDefaulted } from './defaulter.ts';

test('an amount in another family of suffixes is another revision, and written as before it is the same', () => {
  const hashWith = (memory: string): string =>
    templateHash({
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { limits: { memory } } }] },
    });
  const before = hashWith('1Gi');
  expect(hashWith('1073741824')).not.toBe(before);
  expect([hashWith('1024Mi'), hashWith('1Gi')]).toEqual([before, before]);
});

describe('properties', () => {
  it('filling in every default changes nothing', () => {
    fc.assert(
      fc.property(arbitraryTemplate, (template) => {
        const filled = fullyDefaulted(template) as JsonObject;
        expect(canonicalTemplate(filled)).toEqual(canonicalTemplate(template));
        expect(templateHash(filled)).toBe(templateHash(template));
      }),
      { numRuns: 500 },
    );
  });

  it('is idempotent and does not modify its input', () => {
    fc.assert(
      fc.property(arbitraryTemplate, (template) => {
        const before = JSON.stringify(template);
        const canonical = canonicalTemplate(template);
        expect(JSON.stringify(canonicalTemplate(canonical))).toBe(JSON.stringify(canonical));
        expect(JSON.stringify(template)).toBe(before);
      }),
    );
  });

  it('the order of keys, nulls and creationTimestamp do not matter', () => {
    fc.assert(
      fc.property(arbitraryTemplate, (template) => {
        const noisy = withNoise(template) as JsonObject;
        noisy['metadata'] = {
          ...(noisy['metadata'] as JsonObject | undefined),
          creationTimestamp: '2026-01-01T00:00:00Z',
        };
        expect(templateHash(noisy)).toBe(templateHash(template));
      }),
    );
  });

  it('every change of a retained value gives another hash', () => {
    fc.assert(
      fc.property(arbitraryTemplate, fc.nat(), (template, pick) => {
        const canonical = canonicalTemplate(template);
        const leaves = leavesOf(canonical);
        const changed = structuredClone(canonical);
        changeLeaf(changed, leaves[pick % leaves.length] ?? []);
        expect(templateHash(changed)).not.toBe(templateHash(template));
      }),
      { numRuns: 500 },
    );
  });

  it('no JSON makes it throw, and any is idempotent', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('metadata', 'spec', 'x'), fc.jsonValue()), (value) => {
        const canonical = canonicalTemplate(value as JsonObject);
        expect(canonicalTemplate(canonical)).toEqual(canonical);
      }),
    );
  });
});

const app = { name: 'app', image: 'app:1' };
function spec(fields: JsonObject): JsonObject {
  return { spec: { containers: [app], ...fields } };
}
function container(fields: JsonObject): JsonObject {
  return { spec: { containers: [{ ...app, ...fields }] } };
}
function initContainer(fields: JsonObject): JsonObject {
  return spec({ initContainers: [{ name: 'i', ...fields }] });
}

describe('what is the same', () => {
  const same: [string, JsonObject, JsonObject][] = [
    ['serviceAccount is an alias', spec({ serviceAccount: 'a' }), spec({ serviceAccountName: 'a' })],
    [
      'the alias loses',
      spec({ serviceAccount: 'b', serviceAccountName: 'a' }),
      spec({ serviceAccountName: 'a' }),
    ],
    ['an empty alias means absence', spec({ serviceAccount: '' }), spec({})],
    [
      'a volume without source is an emptyDir',
      spec({ volumes: [{ name: 'v' }] }),
      spec({ volumes: [{ name: 'v', emptyDir: {} }] }),
    ],
    [
      'requests follow limits',
      container({ resources: { limits: { cpu: '1' } } }),
      container({ resources: { limits: { cpu: 1 }, requests: { cpu: '1000m' } } }),
    ],
    [
      'resource lists are rounded to thousandths',
      container({ resources: { limits: { cpu: '100u' } } }),
      container({ resources: { limits: { cpu: '1m' } } }),
    ],
    [
      'quantities by their canonical text',
      spec({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] }),
      spec({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] }),
    ],
    ['Go leaves out empty lists', container({ env: [], ports: [], command: [] }), container({})],
    [
      'an empty environment value',
      container({ env: [{ name: 'A', value: '' }] }),
      container({ env: [{ name: 'A' }] }),
    ],
    ['null below a structure that then is empty', container({ resources: { limits: null } }), container({})],
    [
      'init container without tag pulls Always',
      initContainer({ image: 'a', imagePullPolicy: 'Always' }),
      initContainer({ image: 'a' }),
    ],
    [
      'init container with tag pulls IfNotPresent',
      initContainer({ image: 'r:5/a:1', imagePullPolicy: 'IfNotPresent' }),
      initContainer({ image: 'r:5/a:1' }),
    ],
    [
      'an empty affinity',
      spec({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } }),
      spec({}),
    ],
    [
      'matchLabels of a selector, empty',
      spec({ topologySpreadConstraints: [{ labelSelector: { matchLabels: {} } }] }),
      spec({ topologySpreadConstraints: [{ labelSelector: {} }] }),
    ],
  ];
  it.each(same)('%s', (_, a, b) => {
    expect(canonicalTemplate(a)).toEqual(canonicalTemplate(b));
  });
});

describe('what is not the same', () => {
  const different: [string, JsonObject, JsonObject][] = [
    [
      'an emptyDir beside a source of a newer Kubernetes',
      spec({ volumes: [{ name: 'v', newSource: {} }] }),
      spec({ volumes: [{ name: 'v', newSource: {}, emptyDir: {} }] }),
    ],
    [
      'an empty selector means all pods',
      spec({ topologySpreadConstraints: [{ labelSelector: {} }] }),
      spec({ topologySpreadConstraints: [{}] }),
    ],
    ['automountServiceAccountToken false', spec({ automountServiceAccountToken: false }), spec({})],
    ['runAsUser 0', container({ securityContext: { runAsUser: 0 } }), container({})],
    [
      'seLinuxOptions {} overrides those of the pod',
      container({ securityContext: { seLinuxOptions: {} } }),
      container({}),
    ],
    ['IfNotPresent of a normal container', container({ imagePullPolicy: 'IfNotPresent' }), container({})],
    [
      'Always of a tagged init container',
      initContainer({ image: 'a:1', imagePullPolicy: 'Always' }),
      initContainer({ image: 'a:1' }),
    ],
    [
      'hostPort under hostNetwork',
      { spec: { hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 80, hostPort: 80 }] }] } },
      { spec: { hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 80 }] }] } },
    ],
    [
      'a request below its limit',
      container({ resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } } }),
      container({ resources: { limits: { cpu: '1' } } }),
    ],
    [
      'the order of containers',
      { spec: { containers: [app, { name: 'b' }] } },
      { spec: { containers: [{ name: 'b' }, app] } },
    ],
    ['the order of arguments', container({ args: ['a', 'b'] }), container({ args: ['b', 'a'] })],
    ['a label with an empty value', { metadata: { labels: { a: '' } } }, { metadata: {} }],
    ['an unknown field, even empty', spec({ newThing: {} }), spec({})],
    ['a default of another path', container({ restartPolicy: 'Always' }), container({})],
    [
      'text that is no quantity',
      container({ resources: { limits: { cpu: 'lots' } } }),
      container({ resources: { limits: { cpu: 'more' } } }),
    ],
    [
      'a number that is written as text',
      container({ ports: [{ containerPort: '80' }] }),
      container({ ports: [{ containerPort: 80 }] }),
    ],
    [
      'a key called __proto__',
      spec(JSON.parse('{"nodeSelector":{"__proto__":"a"}}') as JsonObject),
      spec({}),
    ],
  ];
  it.each(different)('%s', (_, a, b) => {
    expect(templateHash(a)).not.toBe(templateHash(b));
  });
});

it('expands nested alternatives from left to right', () => {
  expect(expandAlternatives('a.{b,c.{d,e}}[*].{f,g}')).toEqual([
    'a.b[*].f',
    'a.b[*].g',
    'a.c.d[*].f',
    'a.c.d[*].g',
    'a.c.e[*].f',
    'a.c.e[*].g',
  ]);
});

function withNoise(value: Json): Json {
  if (Array.isArray(value)) return value.map(withNoise);
  if (typeof value !== 'object' || value === null) return value;
  const turned = Object.entries(value)
    .reverse()
    .map(([key, member]): [string, Json] => [key, withNoise(member)]);
  return Object.fromEntries([['zzz', null], ...turned]);
}

function leavesOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]));
}

function changeLeaf(root: JsonObject, path: (string | number)[]): void {
  let node = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) node = node[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  const value = node[last];
  if (typeof value === 'string') node[last] = `${value}~`;
  else if (typeof value === 'number') node[last] = value + 1000;
  else node[last] = value !== true;
}
