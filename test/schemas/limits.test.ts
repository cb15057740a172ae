import { expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import { targetSchemas } from '../../schemas/generated/targets.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crdSpec, fieldsOf, type Structural } from './crd-fields.ts';

const schemas = crds.flatMap((definition) => {
  const { names, versions } = crdSpec(definition);
  return versions.map(({ name, schema }) => [`${names.kind} ${name}`, schema.openAPIV3Schema] as const);
});

/** Fields that the API server checks for every kind. */
const OF_EVERY_KIND = ['apiVersion', 'kind', 'metadata'];
const isPlan = (what: string): boolean => /RolloutPlan /.test(what);

/** The limit that a value needs; undefined: none. */
function neededLimit(node: Structural): string | undefined {
  if (node['x-kubernetes-int-or-string'] === true) return 'maxLength';
  if (node.type === 'array') return 'maxItems';
  if (node.type === 'object' && node.additionalProperties !== undefined) return 'maxProperties';
  return node.type === 'string' && node['enum'] === undefined ? 'maxLength' : undefined;
}

test.each(schemas)('%s has a limit at every text, list and map', (what, schema) => {
  const fields = fieldsOf(schema).filter(
    // The digest of a plan covers every byte of its spec.
    ({ path }) => !OF_EVERY_KIND.includes(path) && !(isPlan(what) && path.startsWith('spec.')),
  );
  const needed = fields.filter(({ node }) => neededLimit(node) !== undefined);
  expect(needed.length).toBeGreaterThan(5);
  const without = needed.filter(({ node }) => typeof node[neededLimit(node) ?? ''] !== 'number');
  expect(without.map(({ path }) => path)).toEqual([]);
});

/** A rule costs at most 20 here, and the API server lets all of its uses cost 10,000,000 together; half of that is kept free. */
const MOST_USES = 250_000;

test.each(schemas)('%s has no more uses of a rule than the API server lets it have', (_what, schema) => {
  const uses = ruleUses(schema, '', 1);
  expect(uses.filter(([, count]) => count > MOST_USES)).toEqual([]);
});

/** How often the rules of each node may be evaluated for one object. */
function ruleUses(node: Structural, path: string, count: number): [path: string, count: number][] {
  const most = Number(node['maxItems'] ?? node['maxProperties'] ?? 1);
  return [
    ...(node['x-kubernetes-validations'] === undefined ? [] : [[path, count] as [string, number]]),
    ...Object.entries(node.properties ?? {}).flatMap(([name, each]) =>
      ruleUses(each, `${path}.${name}`, count),
    ),
    ...[node.items, node.additionalProperties].flatMap((each) =>
      each === undefined ? [] : ruleUses(each, `${path}[]`, count * most),
    ),
  ];
}

const template: JsonObject = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};
const selector: JsonObject = { matchLabels: { app: 'web' } };

type Kind = 'CloneSet' | 'SidecarSet' | 'StatefulSet';

function objectOf(kind: Kind, spec: JsonObject): KubeObject {
  const metadata = kind === 'SidecarSet' ? { name: 'web' } : { name: 'web', namespace: 'default' };
  const own = kind === 'SidecarSet' ? { selector } : { selector, template };
  return { apiVersion: 'apps.kruise.io/v1beta1', kind, metadata, spec: { ...own, ...spec } };
}

/** Where the schema of git reports a mistake. */
function faultsInGit(object: KubeObject): string[] {
  const schema = targetSchemas.find(({ kind }) => kind === object.kind);
  return [...new Set(schema?.validate(object).map(({ path, message }) => `${path.join('.')}: ${message}`))];
}

/** Where a server reports one. */
async function faultsOnServer(object: KubeObject): Promise<string> {
  const cluster = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)), crds }).cluster('alice');
  try {
    await cluster.create(resources[object.kind as Kind], object);
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.status.message;
    throw error;
  }
}

const many = <Item>(count: number, item: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => item(n));
const expressions = (count: number): JsonObject => ({
  matchExpressions: many(count, (n) => ({ key: `a${n}`, operator: 'Exists' })),
});

test.each<[what: string, kind: Kind, most: number, make: (count: number) => JsonObject, fault: string]>([
  [
    'a text',
    'StatefulSet',
    32_768,
    (count) => ({ serviceName: 'x'.repeat(count) }),
    'serviceName: must have at most 32768 characters',
  ],
  [
    'a percentage',
    'CloneSet',
    64,
    (count) => ({ updateStrategy: { maxSurge: `${'1'.padStart(count - 1, '0')}%` } }),
    'updateStrategy.maxSurge: must have at most 64 characters',
  ],
  [
    'a list',
    'CloneSet',
    10_000,
    (count) => ({ scaleStrategy: { podsToDelete: many(count, (n) => `web-${n}`) } }),
    'scaleStrategy.podsToDelete: must have at most 10000 items',
  ],
  [
    'a map',
    'CloneSet',
    10_000,
    (count) => ({
      lifecycle: {
        preDelete: { labelsHandler: Object.fromEntries(many(count, (n) => [`a${n}`, 'b'])) },
      },
    }),
    'lifecycle.preDelete.labelsHandler: must have at most 10000 keys',
  ],
  [
    'an annotation for pods',
    'SidecarSet',
    262_144,
    (count) => ({ patchPodMetadata: [{ annotations: { a: 'x'.repeat(count) } }] }),
    'patchPodMetadata.0.annotations.a: must have at most 262144 characters',
  ],
  ['the pods', 'CloneSet', 150_000, (replicas) => ({ replicas }), 'replicas: must be at most 150000'],
  ['its pods', 'StatefulSet', 150_000, (replicas) => ({ replicas }), 'replicas: must be at most 150000'],
  [
    'the terms of a selector',
    'SidecarSet',
    500,
    (count) => ({ updateStrategy: { selector: expressions(count) } }),
    'updateStrategy.selector.matchExpressions: must have at most 500 items',
  ],
  [
    'the weights of pods',
    'CloneSet',
    500,
    (count) => ({
      updateStrategy: {
        priorityStrategy: { weightPriority: many(count, () => ({ weight: 1, matchSelector: selector })) },
      },
    }),
    'updateStrategy.priorityStrategy.weightPriority: must have at most 500 items',
  ],
])(
  '%s: git and the server accept as much as fits, and nothing more',
  async (_what, kind, most, make, fault) => {
    const [fits, beyond] = [objectOf(kind, make(most)), objectOf(kind, make(most + 1))];
    expect([faultsInGit(fits), await faultsOnServer(fits)]).toEqual([[], '']);
    expect(faultsInGit(beyond)).toEqual([`spec.${fault}`]);
    const at = (fault.split(':')[0] ?? '')
      .replace(/\.(\d+)/g, '[$1]')
      .replace('annotations.a', 'annotations');
    expect(await faultsOnServer(beyond)).toContain(`spec.${at}`);
  },
);
