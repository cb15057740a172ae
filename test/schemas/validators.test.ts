import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateCloneSet } from '../../schemas/generated/validate/cloneset.js';
import { validateConfig } from '../../schemas/generated/validate/config.js';
import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import { validateRolloutCommand } from '../../schemas/generated/validate/rolloutcommand.js';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { kinds } from '../../semantics/registry/registry.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';

/** A copy of `base` with the value at a path of keys; `undefined` removes it. */
function withValue(base: object, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(base);
  const keys = path === '' ? [] : path.split('.');
  const last = keys.pop();
  if (last === undefined) return value;
  const holder = keys.reduce((node, key) => (node as Record<string, unknown>)[key], copy) as Record<
    string,
    unknown
  >;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

function text(errors: readonly SchemaError[]): string[] {
  return errors.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const hash = `h1:${'0a'.repeat(16)}`;

const cloneSet = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [], futureField: 1 } },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {}, futureField: 1 }],
    scaleStrategy: { podsToDelete: ['web-1'] },
    updateStrategy: {
      type: 'InPlaceIfPossible',
      partition: '33.4%',
      maxUnavailable: '20%',
      maxSurge: 1,
      priorityStrategy: { weightPriority: [{ weight: 100, matchSelector: {} }] },
      rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', partition: 2 },
    },
  },
};

const plan = {
  apiVersion: 'plan.kruise.io/v1alpha1',
  kind: 'RolloutPlan',
  metadata: { name: 'cloneset-web', namespace: 'shop' },
  spec: {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
    to: { hash, bound: { partition: 0 } },
    from: [
      {
        hash,
        mode: 'InPlace',
        fields: [
          {
            path: 'template.spec.containers[nginx].image',
            from: 'nginx:1',
            to: 'nginx:2',
            effect: 'InPlace',
          },
        ],
      },
      { hash, mode: 'Recreate' },
    ],
    supersedes: [hash],
    irreversible: 'claim template changed',
    group: 'shop',
    after: [{ kind: 'CloneSet', name: 'db-proxy' }],
    attempt: 1,
    steps: [
      { id: 'pull', pull: { images: ['nginx:2'], parallelism: 5 }, timeout: '10m' },
      {
        id: 'canary',
        update: { to: '5%', atLeast: 1, window: { maxUnavailable: 1, maxSurge: '0%' } },
        onFailure: 'Revert',
      },
      { id: 'soak', soak: { for: '1h30m' } },
      { id: 'errors', check: { use: 'error-rate', args: { service: 'web' }, for: '90s' } },
      { id: 'approve', approve: {} },
      { id: 'rest', update: { to: 10 } },
      {
        id: 'nodes',
        run: { to: '10%', atLeast: 1, parallelism: '5%', spread: 'topology.kubernetes.io/zone' },
      },
    ],
    digest: hash,
  },
};

const command = {
  apiVersion: 'plan.kruise.io/v1alpha1',
  kind: 'RolloutCommand',
  metadata: { generateName: 'web-', namespace: 'shop' },
  spec: {
    target: { kind: 'CloneSet', name: 'web' },
    action: 'Approve',
    step: 'approve',
    digest: hash,
    by: 'mona',
    reason: 'graphs fine',
    expires: '2026-12-01T00:00:00Z',
  },
};

const config = {
  roots: [{ name: 'prod', path: 'overlays/prod', render: ['kustomize', 'build', '.'] }],
  steps: [
    {
      match: { kind: 'CloneSet', namespace: 'shop', name: 'web' },
      batches: [{ to: '5%', atLeast: 1, window: { maxUnavailable: 1 }, timeout: '5m' }, { to: 10 }],
      between: { soak: '10m', check: ['error-rate'] },
      approve: [1],
      onFailure: 'Revert',
      timeout: '15m',
    },
    {
      match: {},
      batches: [{ to: 1 }, { to: '100%', parallelism: 3, spread: 'topology.kubernetes.io/zone' }],
    },
  ],
  images: 'digest',
  assume: { nodes: 120 },
};

const template = {
  metadata: { labels: { app: 'web' }, creationTimestamp: null },
  spec: {
    containers: [
      {
        name: 'nginx',
        image: 'nginx:1',
        command: null,
        ports: [{ containerPort: 80 }],
        resources: { limits: { cpu: 1, memory: '1Gi' } },
        livenessProbe: { httpGet: { port: 'http' } },
        readinessProbe: { httpGet: { port: 8080 } },
      },
    ],
  },
};

type Case = [path: string, value: unknown, ...errors: string[]];

function table(name: string, validate: (data: unknown) => SchemaError[], base: object, cases: Case[]): void {
  describe(name, () => {
    it('accepts what fits', () => {
      expect(text(validate(base))).toEqual([]);
    });
    it.each(cases)('%s = %j', (path, value, ...errors) => {
      expect(text(validate(withValue(base, path, value)))).toEqual(errors);
    });
    it.each([undefined, null, 1, 'x', [], true].map((value) => [value]))('refuses %j', (value) => {
      expect(text(validate(value))).toEqual([': must be object']);
    });
  });
}

table('validateCloneSet', validateCloneSet, cloneSet, [
  ['kind', 'Deployment', 'kind: must be one of CloneSet'],
  ['metadata.name', undefined, 'metadata: missing field "name"'],
  ['metadata.label', {}, 'metadata: unknown field "label"'],
  ['metadata.creationTimestamp', null],
  ['spec.replica', 1, 'spec: unknown field "replica"'],
  ['spec.replicas', '3', 'spec.replicas: must be integer'],
  ['spec.replicas', 1.5, 'spec.replicas: must be integer'],
  ['spec.replicas', null],
  ['spec.replicas', -1, 'spec.replicas: must be at least 0'],
  ['spec.replicas', 2 ** 31, 'spec.replicas: must be at most 150000'],
  ['spec.selector', undefined, 'spec: missing field "selector"'],
  ['spec.selector', null, 'spec: missing field "selector"'],
  ['spec.template', 'x', 'spec.template: must be object'],
  ['spec.template.anything', [1]],
  ['spec.volumeClaimTemplates', {}, 'spec.volumeClaimTemplates: must be array'],
  ['spec.volumeClaimTemplates', ['x'], 'spec.volumeClaimTemplates.0: must be object'],
  [
    'spec.updateStrategy.type',
    'Recreate',
    'spec.updateStrategy.type: must be one of RollingUpdate, OnDelete, ReCreate, InPlaceIfPossible, InPlaceOnly',
  ],
  ['spec.updateStrategy.partition', true, 'spec.updateStrategy.partition: must be integer or string'],
  ['spec.updateStrategy.partition', -1, 'spec.updateStrategy.partition: must be at least 0'],
  ['spec.updateStrategy.maxSurge', 1.5, 'spec.updateStrategy.maxSurge: must be integer or string'],
  ['spec.updateStrategy.maxSurge', '5', 'spec.updateStrategy.maxSurge: must match ^[0-9]+%$'],
  ['spec.updateStrategy.maxUnavailable', '5.5%', 'spec.updateStrategy.maxUnavailable: must match ^[0-9]+%$'],
  ['spec.scaleStrategy.maxUnavailable', '5'],
  [
    'spec.updateStrategy.rollingUpdate.partitions',
    1,
    'spec.updateStrategy.rollingUpdate: unknown field "partitions"',
  ],
  [
    'spec.updateStrategy.priorityStrategy.weightPriority.0.weight',
    101,
    'spec.updateStrategy.priorityStrategy.weightPriority.0.weight: must be at most 100',
  ],
  [
    'spec',
    { replicas: 'x', surge: 1, Template: {} },
    'spec: unknown field "Template"',
    'spec: unknown field "surge"',
    'spec: missing field "selector"',
    'spec: missing field "template"',
    'spec.replicas: must be integer',
  ],
]);

table('validatePodTemplate', validatePodTemplate, template, [
  ['spec.containers.0.Image', 'x', 'spec.containers.0: unknown field "Image"'],
  ['spec.containers.0.image', 1, 'spec.containers.0.image: must be string'],
  ['spec.containers.0.name', undefined, 'spec.containers.0: missing field "name"'],
  [
    'spec.containers.0.ports.0.containerPort',
    '80',
    'spec.containers.0.ports.0.containerPort: must be integer',
  ],
  [
    'spec.containers.0.resources.limits.cpu',
    true,
    'spec.containers.0.resources.limits.cpu: must be string or number',
  ],
  ['spec.containers', undefined, 'spec: missing field "containers"'],
  ['spec.containers', [null], 'spec.containers.0: must be object'],
  ['status', {}, ': unknown field "status"'],
]);

const labelKey =
  '^([a-z0-9]+(-+[a-z0-9]+)*(\\.[a-z0-9]+(-+[a-z0-9]+)*)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
const choices = 'must have exactly one of pull, update, run, soak, check, approve';

table('validateRolloutPlan', validateRolloutPlan, plan, [
  ['spec.step', [], 'spec: unknown field "step"'],
  ['spec.digest', `h1:${'0A'.repeat(16)}`, 'spec.digest: must match ^h1:[0-9a-f]{32}$'],
  ['spec.digest', undefined, 'spec: missing field "digest"'],
  ['spec.group', null, 'spec.group: must be string'],
  ['spec.steps', [], 'spec.steps: must have at least 1 items'],
  ['spec.steps.4', { id: 'nothing' }, `spec.steps.4: ${choices}`],
  ['spec.steps.4.soak', { for: '1m' }, `spec.steps.4: ${choices}`],
  ['spec.steps.4.approve', { by: 'mona' }, 'spec.steps.4.approve: unknown field "by"'],
  ['spec.steps.4.scale', {}, 'spec.steps.4: unknown field "scale"'],
  ['spec.steps.2.soak.for', '10', 'spec.steps.2.soak.for: must match ^([0-9]+h)?([0-9]+m)?([0-9]+s)?$'],
  ['spec.steps.2.soak.for', '', 'spec.steps.2.soak.for: must have at least 2 characters'],
  ['spec.steps.1.onFailure', 'Stop', 'spec.steps.1.onFailure: must be one of Halt, Revert'],
  ['spec.steps.1.update.to', '5', 'spec.steps.1.update.to: must match ^[0-9]+(\\.[0-9]+)?%$'],
  ['spec.from', []],
  ['spec.steps.6.run.to', undefined, 'spec.steps.6.run: missing field "to"'],
  ['spec.steps.6.run.parallelism', '0.5%', 'spec.steps.6.run.parallelism: must match ^[0-9]+%$'],
  ['spec.steps.6.run.spread', 'zone'],
  ['spec.steps.6.run.spread', 'a/b/c', `spec.steps.6.run.spread: must match ${labelKey}`],
  ['spec.steps.6.run.spread', 'x'.repeat(64), `spec.steps.6.run.spread: must match ${labelKey}`],
  ['spec.steps', Array.from({ length: 50 }, (_, n) => ({ id: `s${n}`, approve: {} }))],
  [
    'spec.steps',
    Array.from({ length: 51 }, (_, n) => ({ id: `s${n}`, approve: {} })),
    'spec.steps: must have at most 50 items',
  ],
  ['spec.from', Array.from({ length: 11 }, () => plan.spec.from[1]), 'spec.from: must have at most 10 items'],
  ['spec.supersedes', Array.from({ length: 11 }, () => hash), 'spec.supersedes: must have at most 10 items'],
  ['spec.irreversible', 'x'.repeat(1025), 'spec.irreversible: must have at most 1024 characters'],
  [
    'spec.from.0.fields.0.effect',
    'Restart',
    'spec.from.0.fields.0.effect: must be one of InPlace, Recreate, MetadataOnly, NewPodsOnly',
  ],
  ['spec.from.0.fields.0.to', true, 'spec.from.0.fields.0.to: must be string or number'],
]);

table('validateRolloutCommand', validateRolloutCommand, command, [
  ['spec.action', 'Stop', 'spec.action: must be one of Approve, Pause, Resume, Abort, Revert, BreakGlass'],
  ['spec.target.name', undefined, 'spec.target: missing field "name"'],
  ['spec.force', true, 'spec: unknown field "force"'],
]);

table('validateConfig', validateConfig, config, [
  ['step', [], ': unknown field "step"'],
  ['images', 'all', 'images: must be one of any, tag, digest'],
  ['steps.0.approve', [0], 'steps.0.approve.0: must be at least 1'],
  ['steps.0.between.sok', '1m', 'steps.0.between: unknown field "sok"'],
  ['steps.1.batches.1.spread', 'a b', `steps.1.batches.1.spread: must match ${labelKey}`],
  ['assume.nodes', 0, 'assume.nodes: must be at least 1'],
  ['steps.0.batches.0.to', undefined, 'steps.0.batches.0: missing field "to"'],
]);

describe('every validator', () => {
  it('sorts list members by number', () => {
    const many = withValue(
      template,
      'spec.containers',
      Array.from({ length: 12 }, () => ({ nam: 'x' })),
    );
    const at = validatePodTemplate(many).map(({ path }) => Number(path[2]));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at).toHaveLength(24);
  });

  it('unescapes keys in paths', () => {
    const odd = withValue(cloneSet, 'metadata.labels', { 'a/b~c': 1 });
    expect(validateCloneSet(odd)[0]?.path).toEqual(['metadata', 'labels', 'a/b~c']);
  });

  it('sees a __proto__ key as an unknown field', () => {
    const hostile: unknown = JSON.parse('{"steps": [], "__proto__": {"images": "any"}}');
    expect(text(validateConfig(hostile))).toEqual([': unknown field "__proto__"']);
    const spec: unknown = JSON.parse('{"containers": [], "__proto__": {}}');
    expect(text(validatePodTemplate({ spec }))).toEqual(['spec: unknown field "__proto__"']);
  });

  const folder = 'schemas/generated/validate';
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));

  it('is there for each kind', () => {
    const named = kinds.map(({ id }) => `${id.kind.toLowerCase()}.js`);
    expect(scripts).toEqual(expect.arrayContaining(named));
  });

  it.each(scripts)('%s imports nothing and needs no eval', (name) => {
    const code = readFileSync(`${folder}/${name}`, 'utf8');
    expect(code.match(/\bimport\b[ ({*]|\brequire\(|\beval\(|\bnew Function\b|\bajv\//g) ?? []).toEqual([]);
  });
});
