import { expect, test } from 'vitest';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';

const clean = cloneSet();

test('a window that stops all targets of a rule is one error', async () => {
  const names = ['api', 'db', 'web'];
  const files = Object.fromEntries(
    names.flatMap((name) => [
      [`base/${name}.yaml`, cloneSet({ name })],
      [`head/${name}.yaml`, cloneSet({ name, image: 'nginx:1.27' })],
    ]),
  );
  const batches = '[{to: 1, window: {maxUnavailable: 0}}, {to: 100%}]';
  const { all } = await diagnosticsOf({
    ...files,
    'head/kruise.yaml': `steps: [{match: {}, batches: ${batches}}]\n`,
  });
  const errors = all.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'KR4024 the window of batch 1 never lets a pod of CloneSet shop/api and 2 more targets be updated: ' +
      'the first has maxUnavailable 20% and maxSurge 0 at 10 replicas',
  ]);
});

test.each([
  [
    'a label',
    '{ name: "Web?", kind: Cloneset, labels: { tier: 1, "a b": x } }',
    'KR4021 26',
    'KR4007 40',
    'KR2002 66',
    'KR4021 69',
  ],
  ['a namespace', '{ name: "Web?", namespace: 5 }', 'KR4021 26', 'KR2002 45'],
  ['an unknown field', '{ kind: Cloneset, nmae: web }', 'KR4007 26', 'KR2001 36'],
])(
  'a match in which %s does not fit has its other problems in the same run',
  async (_, match, ...expected) => {
    const files = { 'head/web.yaml': clean, 'head/kruise.yaml': `steps: [{ match: ${match} }]\n` };
    const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
    const own = all.filter(({ file }) => file === 'head/kruise.yaml');
    expect(own.map(({ code, column }) => `${code} ${column}`)).toEqual(expected);
  },
);
