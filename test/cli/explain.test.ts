import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { cloneSet, kruise } from '../compiler/world/manifests.ts';
import { expectGolden } from '../golden.ts';

const config = `steps:
- match: {kind: CloneSet, name: web}
  batches: [{to: 5%}, {to: 100%}]
  between: {soak: 10m}
  approve: [1]
`;
const before = cloneSet();
const after = cloneSet({ image: 'nginx:1.27' });
const PLAN = 'plans/shop/cloneset-web/plan.yaml';

/** What is committed after a change was planned. */
async function planned(): Promise<Record<string, string>> {
  const files = { 'web.yaml': after, 'api.yaml': cloneSet({ name: 'api' }), 'kruise.yaml': config };
  const base = { '/base/web.yaml': before, '/base/api.yaml': files['api.yaml'], '/base/kruise.yaml': config };
  const { host, code } = await kruise({ ...base, ...files }, { args: ['plan', '--base-dir', '/base'] });
  expect(code).toBe(0);
  return { ...files, [PLAN]: String(host.files.get(`/repo/${PLAN}`)) };
}

const files = await planned();
const explain = async (
  args: readonly string[],
  changed: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> => {
  const { host, code } = await kruise({ ...files, ...changed }, { args: ['explain', ...args] });
  return { code, out: host.out, err: host.err };
};

test('an object is explained by its manifest, kruise.yaml and committed plan', async () => {
  const edited = { [PLAN]: String(files[PLAN]).replace('5%', '6%') };
  const alone = { 'web.yaml': '# gone' };
  const runs: readonly (readonly [title: string, args: string[], changed?: Record<string, string>])[] = [
    ['its plan leads to the manifest', ['cloneset/web']],
    ['it has no plan', ['shop/cloneset/api']],
    ['the manifest went back', ['web'], { 'web.yaml': before }],
    ['the manifest went on', ['web'], { 'web.yaml': cloneSet({ image: 'nginx:1.28' }) }],
    [
      'another partition',
      ['web'],
      { 'web.yaml': cloneSet({ image: 'nginx:1.27' }).replace('type: In', 'partition: 3\n    type: In') },
    ],
    ['a plan without a manifest', [PLAN], alone],
    ['an edited plan', ['web'], edited],
    ['an invalid manifest', ['web'], { 'web.yaml': after.replace('replicas: 10', 'replicas: ten') }],
  ];
  const texts: string[] = [];
  for (const [title, args, changed] of runs) {
    const { code, out, err } = await explain(args, changed);
    texts.push(`## ${title}\n\n$ kruise explain ${args.join(' ')}   → exit code ${code}\n${err}${out}`);
  }
  expectGolden('explain/objects.txt', texts.join('\n'));
});

const setOf = (image: string, namespaces = ''): string => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  updateStrategy: {maxUnavailable: 2}${namespaces}
  containers:
  - {name: mesh, image: '${image}', readinessProbe: {exec: {command: [ok]}}}
`;

test('a set is explained with the workloads that it selects', async () => {
  const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: front}
spec:
  replicas: 6
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: 'c:1'}]}}
`;
  const steps = 'steps:\n- match: {kind: SidecarSet}\n  batches: [{to: 1}, {to: 100%}]\n';
  const others = { 'web.yaml': after, 'front.yaml': deployment, 'api.yaml': cloneSet({ name: 'api' }) };
  const base = Object.fromEntries(
    Object.entries({ ...others, 'kruise.yaml': steps, 'set.yaml': setOf('mesh:1') }).map(([name, text]) => [
      `/base/${name}`,
      text,
    ]),
  );
  const head = { ...others, 'kruise.yaml': steps, 'set.yaml': setOf('mesh:2') };
  const { host } = await kruise({ ...base, ...head }, { args: ['plan', '--base-dir', '/base'] });
  const path = 'plans/_cluster/sidecarset-mesh/plan.yaml';
  const withPlan = { ...head, [path]: String(host.files.get(`/repo/${path}`)) };
  const runs: readonly (readonly [title: string, changed: Record<string, string>])[] = [
    ['its plan leads to the manifest', withPlan],
    ['it has no plan', head],
    ['the manifest went back', { ...withPlan, 'set.yaml': setOf('mesh:1') }],
    ['kruise.yaml assumes a number', { ...head, 'kruise.yaml': `${steps}assume: {pods: 250}\n` }],
    [
      'it selects namespaces by a label that no manifest shows',
      { ...head, 'set.yaml': setOf('mesh:2', '\n  namespaceSelector: {matchLabels: {mesh: "on"}}') },
    ],
    ['it selects nothing', { 'api.yaml': others['api.yaml'], 'set.yaml': setOf('mesh:2') }],
  ];
  const texts: string[] = [];
  for (const [title, changed] of runs) {
    const { host: ran, code } = await kruise(changed, { args: ['explain', 'sidecarset/mesh'] });
    texts.push(`## ${title}\n\n$ kruise explain sidecarset/mesh   → exit code ${code}\n${ran.err}${ran.out}`);
  }
  expectGolden('explain/sets.txt', texts.join('\n'));

  const { host: inJson } = await kruise(withPlan, { args: ['explain', path, '-o', 'json'] });
  expect(JSON.parse(inJson.out)).toMatchObject({
    objects: [
      {
        ...{ kind: 'SidecarSet', name: 'mesh', planLeads: 'Here' },
        selects: {
          ...{ pods: 16, namespaces: 2, mayBeMore: false, possible: 0 },
          workloads: [
            { kind: 'Deployment', namespace: 'front', name: 'web', pods: 6 },
            { kind: 'CloneSet', namespace: 'shop', name: 'web', pods: 10 },
          ],
        },
      },
    ],
  });
});

test.each([
  ['by its file', ['web.yaml']],
  ['by the file of its plan', [PLAN]],
  ['by its plan', ['rolloutplan/cloneset-web']],
  ['by the plan of its name', ['shop/rolloutplans/web']],
  ['by name and namespace', ['web', '-n', 'shop']],
  ['by a short name', ['clone/web']],
])('%s', async (_, args) => {
  expect(await explain(args)).toEqual(await explain(['cloneset/web']));
});

test.each([
  [['wbe'], 'did you mean cloneset/web?'],
  [['web', '-n', 'other'], 'is no object that this version plans'],
  [['rolloutplan/other'], 'is no object'],
  [['cloneste/web'], 'did you mean CloneSet/web?'],
  [['/etc/passwd'], 'there is no file /etc/passwd'],
  [['wbe.yaml'], 'there is no file wbe.yaml'],
  [['web', 'api'], 'name one code, object or file'],
  [['\u001b[31m'], 'is not a valid object name'],
])('%j is refused: %s', async (args, expected) => {
  const { code, out, err } = await explain(args);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(expected);
  expect(err).not.toContain('\u001b');
});

test('-o json has the object, its plan, and the forecast', async () => {
  const { code, out, err } = await explain(['web', '-o', 'json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { objects, diagnostics } = JSON.parse(out) as { objects: object[]; diagnostics: object[] };
  expect(diagnostics).toEqual([]);
  expect(objects).toEqual([
    expect.objectContaining({
      ...{ kind: 'CloneSet', namespace: 'shop', name: 'web', file: 'web.yaml' },
      ...{ planFile: PLAN, expectedPlanFile: PLAN, planLeads: 'Here', forecastOf: 'Plan' },
      plan: parse(files[PLAN] ?? ''),
      forecast: expect.objectContaining({ approvals: ['approve-1'] }),
    }),
  ]);
});

test.each([
  ['without a plan', ['api'], {}, { forecastOf: 'NextChange', stepsFrom: 'none' }],
  ['that went back', ['web'], { 'web.yaml': before }, { planLeads: 'FromHere', forecastOf: 'NextChange' }],
  ['without a manifest', [PLAN], { 'web.yaml': '# gone' }, { kind: 'CloneSet', planFile: PLAN }],
])('-o json of one %s', async (_, args, changed, expected) => {
  const { out } = await explain([...args, '-o', 'json'], changed);
  expect(JSON.parse(out)).toMatchObject({ objects: [expected] });
});

test('-o json has the problems of what is asked for, and prints nothing where nothing is found', async () => {
  const invalid = { 'web.yaml': after.replace('replicas: 10', 'replicas: ten') };
  const { code, out, err } = await explain(['web', '-o', 'json'], invalid);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    objects: [],
    diagnostics: [{ file: 'web.yaml', severity: 'error' }],
  });
  const nothing = await explain(['wbe', '-o', 'json']);
  expect({ code: nothing.code, out: nothing.out }).toEqual({ code: 1, out: '' });
  expect(nothing.err).toContain('did you mean cloneset/web?');
});

test('-o json of a code', async () => {
  const { code, out } = await explain(['kr3019', '-o', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ code: 'KR3019', severity: 'error', checkExitCode: 20 });
});

test('what is not found may be in a file that does not parse', async () => {
  const { code, err } = await explain(['cloneset/new'], {
    'new.yaml': 'apiVersion: apps.kruise.io/v1\nkind: [',
  });
  expect(code).toBe(1);
  expect(err).toContain('new.yaml:2');
});

test('each root of kruise.yaml has its own object and plan; none is rendered', async () => {
  const roots = 'roots: [{name: prod, path: prod}, {name: test, path: test, render: [helm]}]\n';
  const { code, out } = await explain(['web'], {
    'kruise.yaml': roots,
    'prod/web.yaml': after,
    'test/web.yaml': after,
    [`plans/test/shop/cloneset-web/plan.yaml`]: String(files[PLAN]),
  });
  expect(code).toBe(0);
  expect(out).toContain('CloneSet shop/web, in prod/web.yaml');
  expect(out).toContain('There is no plan at plans/prod/shop/cloneset-web/plan.yaml.');
  expect(out).toContain(
    'No manifest of it was read here.\n  Its plan is plans/test/shop/cloneset-web/plan.yaml.',
  );
  for (const root of ['prod', 'test']) {
    const one = await explain(['web', '--out', `plans/${root}`], {
      'kruise.yaml': roots,
      'prod/web.yaml': after,
      'test/web.yaml': after,
      [`plans/test/shop/cloneset-web/plan.yaml`]: String(files[PLAN]),
    });
    expect(one, root).toMatchObject({ code: 0 });
    expect(one.out.includes('plans/test/shop')).toBe(root === 'test');
    expect(one.out.includes('plans/prod/shop')).toBe(root === 'prod');
  }
});
