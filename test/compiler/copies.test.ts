import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Files, planned } from './world/history.ts';
import { diagnosticsOf } from './world/manifests.ts';

const included = (...names: string[]): JsonObject => ({
  includedNamespaces: { list: names.map((name) => ({ name })) },
});
const SELECTED: JsonObject = { namespaceSelector: { matchLabels: { team: 'shop' } } };

interface Parts {
  name?: string;
  kind?: string;
  data?: JsonObject;
  metadata?: JsonObject;
}

/** A ResourceDistribution of `settings`. */
const distribution = (
  targets: JsonObject,
  { name = 'shared', kind = 'ConfigMap', data, metadata }: Parts = {},
): string =>
  stringify({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name },
    spec: {
      resource: {
        apiVersion: 'v1',
        kind,
        metadata: { name: 'settings', ...metadata },
        data: data ?? { color: 'cmVk', size: 'eA==' },
      },
      targets,
    },
  });

const namespace = (name: string, labels: JsonObject = {}): string =>
  stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });

const settings = (at: string | undefined, kind = 'ConfigMap'): string =>
  stringify({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'settings', ...(at !== undefined && { namespace: at }) },
  });

/** A Deployment `web` whose pods have this spec. */
const web = (at: string | undefined, spec: JsonObject, name = 'web'): string =>
  stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...(at !== undefined && { namespace: at }) },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
      },
    },
  });

const volumes = [{ name: 'etc', configMap: { name: 'settings' } }];
const variable = (key: string): JsonObject => ({
  containers: [
    {
      name: 'main',
      image: 'web:1',
      env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key } } }],
    },
  ],
});

const two: Files = { 'a.yaml': namespace('a', { team: 'shop' }), 'b.yaml': namespace('b', { team: 'shop' }) };

/** What `kruise plan` prints about the object and below it. */
async function told(base: Files, head: Files): Promise<string[]> {
  const { host } = await planned(base, head);
  const lines = host.out.split('\n');
  const at = lines.findIndex((each) => each.includes('ResourceDistribution shared'));
  if (at < 0) return [];
  const end = lines.findIndex((each, index) => index > at && !each.startsWith('      '));
  return lines.slice(at, end).map((each) => each.trim());
}

const withRd = (files: Files, ...rest: Parameters<typeof distribution>): Files => ({
  ...files,
  'rd.yaml': distribution(...rest),
});
const NO_PLAN = 'reconciled at once, needs no plan';
const OPEN = 'Other namespaces of the cluster may be selected, too.';

describe('a plan lists the namespaces', () => {
  test('that get the copy of a new object', async () => {
    expect(await told(two, withRd(two, SELECTED))).toEqual([
      `+ ResourceDistribution shared: new; ${NO_PLAN}`,
      '2 namespaces get the ConfigMap settings: a, b.',
      OPEN,
    ]);
  });

  test('that it names, though git does not declare them, and none of Kubernetes', async () => {
    expect(await told(two, withRd(two, included('a', 'far', 'kube-system')))).toEqual([
      `+ ResourceDistribution shared: new; ${NO_PLAN}`,
      '2 namespaces get the ConfigMap settings: a, far.',
    ]);
  });

  test('where it changes, with the keys and without values', async () => {
    const data = { color: 'Ymx1ZQ==', taste: 'c291cg==' };
    const out = await told(withRd(two, included('a', 'b')), withRd(two, included('a', 'b'), { data }));
    expect(out).toEqual([
      `~ ResourceDistribution shared: spec.resource changed; in every copy: taste new; size removed; color changed; ${NO_PLAN}`,
      '2 namespaces change the ConfigMap settings: a, b.',
    ]);
    expect(out.join('\n')).not.toMatch(/Ymx1|c291|cmVk/);
  });

  test('where labels of it change', async () => {
    const labelled: JsonObject[] = [{}, { labels: { a: 'b' } }];
    const [base, head] = labelled.map((metadata) => withRd(two, included('a'), { metadata }));
    expect((await told(base as Files, head as Files)).slice(1)).toEqual([
      '1 namespace changes the ConfigMap settings: a.',
    ]);
  });

  test('that get and lose it by the object', async () => {
    expect((await told(withRd(two, included('a', 'b')), withRd(two, included('b', 'c')))).slice(1)).toEqual([
      '1 namespace gets the ConfigMap settings: c.',
      '1 namespace loses the ConfigMap settings: a.',
    ]);
  });

  test('that get and lose it by their labels, or as they come and go', async () => {
    const before = {
      'a.yaml': namespace('a', { team: 'shop' }),
      'b.yaml': namespace('b'),
      'c.yaml': namespace('c', { team: 'shop' }),
    };
    const after = {
      'a.yaml': namespace('a'),
      'b.yaml': namespace('b', { team: 'shop' }),
      'd.yaml': namespace('d', { team: 'shop' }),
    };
    expect(await told(withRd(before, SELECTED), withRd(after, SELECTED))).toEqual([
      `~ ResourceDistribution shared: other namespaces than before; ${NO_PLAN}`,
      '2 namespaces get the ConfigMap settings: b, d.',
      '2 namespaces lose the ConfigMap settings: a, c.',
      OPEN,
    ]);
  });

  test('that lose it with the object', async () => {
    expect(await told(withRd(two, included('a')), two)).toEqual([
      '- ResourceDistribution shared: removed: every copy of its ConfigMap settings is deleted with it',
      '1 namespace loses the ConfigMap settings: a.',
    ]);
  });

  test('and says nothing where nothing changes', async () => {
    expect(await told(withRd(two, SELECTED), withRd(two, SELECTED))).toEqual([]);
  });
});

describe('a plan names who reads a copy', () => {
  const after = { data: { color: 'Ymx1ZQ==', size: 'eA==' } };
  const readers = async (files: Files): Promise<string[]> => {
    const all = { ...two, ...files };
    return (await told(withRd(all, included('a', 'b')), withRd(all, included('a', 'b'), after))).slice(2);
  };
  const LIVE = 'Running pods see changed volumes within about a minute';
  const FIXED = 'only once their containers start again.';

  test('as a volume', async () => {
    expect(await readers({ 'w.yaml': web('a', { volumes }) })).toEqual([
      'Read by Deployment a/web (volume etc).',
      `${LIVE}.`,
    ]);
  });

  test('as a projected volume, and in a container that starts before the others', async () => {
    const spec = {
      initContainers: [{ name: 'init', image: 'web:1', envFrom: [{ configMapRef: { name: 'settings' } }] }],
      volumes: [{ name: 'all', projected: { sources: [{ configMap: { name: 'settings' } }] } }],
    };
    expect(await readers({ 'w.yaml': web('b', spec) })).toEqual([
      'Read by Deployment b/web (environment of init, volume all).',
      `${LIVE}, and environments ${FIXED}`,
    ]);
  });

  test('as a variable of a key that changes', async () => {
    expect(await readers({ 'w.yaml': web('a', variable('color')) })).toEqual([
      'Read by Deployment a/web (environment of main).',
      `Running pods see changed environments ${FIXED}`,
    ]);
  });

  test('by subPath', async () => {
    const mount = { name: 'etc', mountPath: '/etc/a', subPath: 'color' };
    const spec = { containers: [{ name: 'main', image: 'web:1', volumeMounts: [mount] }], volumes };
    expect(await readers({ 'w.yaml': web('a', spec) })).toEqual([
      'Read by Deployment a/web (file by subPath in main).',
      `Running pods see changed files that are mounted by subPath ${FIXED}`,
    ]);
  });

  test.each<[string, string]>([
    ['of a key that does not change', web('a', variable('size'))],
    ['in another namespace', web('c', { volumes })],
    ['of another object', web('a', { volumes: [{ name: 'etc', configMap: { name: 'other' } }] })],
    [
      'of a Secret of that name',
      web('a', { volumes: [{ name: 'etc', secret: { secretName: 'settings' } }] }),
    ],
  ])('but not %s', async (_what, text) => {
    expect(await readers({ 'w.yaml': text })).toEqual([]);
  });

  test('and counts those that name no namespace', async () => {
    expect(await readers({ 'w.yaml': web(undefined, { volumes }) })).toEqual([
      '1 workload that names no namespace may read it, too.',
    ]);
  });

  test('that is lost, and what becomes of its pods', async () => {
    const all = { ...two, 'w.yaml': web('a', { volumes }) };
    expect((await told(withRd(all, included('a')), all)).slice(1)).toEqual([
      '1 namespace loses the ConfigMap settings: a.',
      'Read by Deployment a/web (volume etc).',
      'Running pods keep what they have read; pods that start later fail unless the reference is optional.',
    ]);
  });
});

/** What `kruise validate` reports, or `kruise plan` where there is a base. */
async function problems(files: Files, base?: string) {
  const { all } = await diagnosticsOf(
    {
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`head/${path}`, text])),
      ...(base !== undefined && { 'base/rd.yaml': base }),
    },
    base === undefined ? { args: ['validate', 'head'] } : {},
  );
  return all;
}

describe('an object that git declares where a copy is to be', () => {
  const codes = async (files: Files): Promise<string[]> => {
    const all = await problems(files);
    return all.filter(({ code }) => code === 'KR2231').map(({ message }) => message);
  };
  const inTheWay = (at: string, kind = 'ConfigMap'): string =>
    `ResourceDistribution shared copies the ${kind} settings into namespace ${at}, where git has one of that name`;

  test.each<[string, Files, string[]]>([
    [
      'in a namespace that is named',
      { ...withRd({}, included('a')), 'c.yaml': settings('a') },
      [inTheWay('a')],
    ],
    ['in one that labels select', { ...withRd(two, SELECTED), 'c.yaml': settings('b') }, [inTheWay('b')]],
    ['in any, for all', { ...withRd({}, { allNamespaces: true }), 'c.yaml': settings('x') }, [inTheWay('x')]],
    [
      'of the kind Secret',
      { ...withRd({}, included('a'), { kind: 'Secret' }), 'c.yaml': settings('a', 'Secret') },
      [inTheWay('a', 'Secret')],
    ],
    ['of the other kind', { ...withRd({}, included('a')), 'c.yaml': settings('a', 'Secret') }, []],
    ['elsewhere', { ...withRd({}, included('a')), 'c.yaml': settings('b') }, []],
    ['in no namespace that git shows', { ...withRd({}, included('a')), 'c.yaml': settings(undefined) }, []],
    [
      'in one that is excluded',
      {
        ...withRd({}, { allNamespaces: true, excludedNamespaces: { list: [{ name: 'x' }] } }),
        'c.yaml': settings('x'),
      },
      [],
    ],
  ])('%s', async (_what, files, expected) => {
    expect(await codes(files)).toEqual(expected);
  });

  test('two objects that copy one name into a namespace by its labels', async () => {
    const all = { ...withRd(two, SELECTED), 'more.yaml': distribution(included('b'), { name: 'other' }) };
    expect(await codes(all)).toEqual([
      'ResourceDistribution shared copies the ConfigMap settings into namespace b, where ResourceDistribution other has one of that name',
    ]);
  });
});

describe('bad input has a code', () => {
  const codes = async (text: string, base?: string): Promise<string[]> => {
    const all = await problems({ 'rd.yaml': text }, base);
    return all.map(({ code }) => code);
  };
  const good = distribution(included('a'));
  const both = { ...included('a'), excludedNamespaces: { list: [{ name: 'a' }] } };

  test.each<[string, string, string | undefined, string[]]>([
    ['none for a good one', good, good, []],
    ['a Deployment (RD-2)', good.replace('kind: ConfigMap', 'kind: Deployment'), undefined, ['KR2005']],
    ['a name in both lists (RD-4)', distribution(both), undefined, ['KR2005']],
    [
      'an operator that there is not (RD-5)',
      distribution({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
      undefined,
      ['KR2003'],
    ],
    ['another kind later (RD-3)', distribution(included('a'), { kind: 'Secret' }), good, ['KR2229']],
    ['another name later (RD-3)', good.replace('name: settings', 'name: other'), good, ['KR2229']],
    [
      'a key that is none (RD-6)',
      distribution(included('a'), { data: { 'a/b': 'x' } }),
      undefined,
      ['KR2005'],
    ],
    [
      'more than a mebibyte',
      distribution(included('a'), { data: { a: 'x'.repeat(1024 * 1024 + 1) } }),
      undefined,
      ['KR2225'],
    ],
  ])('%s', async (_what, text, base, expected) => {
    expect(await codes(text, base)).toEqual(expected);
  });
});

test.each<[where: string, targets: JsonObject]>([
  ['into every namespace', { allNamespaces: true }],
  ['into namespaces by their labels', SELECTED],
  ['into the namespace b', included('a', 'b', 'c')],
])('copies %s are beyond a root for another one', async (where, targets) => {
  const files = {
    'head/kruise.yaml': 'roots: [{name: team, path: team, namespaces: [a]}]\n',
    'head/team/rd.yaml': distribution(targets),
  };
  const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
  expect(all.map(({ message }) => message)).toEqual([
    `ResourceDistribution shared copies ${where}, and its root is for the namespace a only`,
  ]);
});
