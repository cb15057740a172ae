import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../../semantics/registry/registry.ts';
import { expectGolden } from '../../golden.ts';
import { kruise } from '../world/manifests.ts';

/** Chooses everything: what can be compiled is. */
const CHOSEN = 'build: [{match: {}, as: Kubernetes}]\n';

async function built(text: string, config = '', args: readonly string[] = []) {
  const files = { 'apps/a.yaml': text, ...(config === '' ? {} : { 'apps/kruise.yaml': config }) };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  return { out: host.out, err: host.err, code };
}

const golden = (file: string): string => readFileSync(`golden/build/${file}`, 'utf8');

/** The manifests, what is built from them, and what the command prints about it. */
const files = [
  ['exact', 'exact.yaml', 'exact.built.yaml', 'exact.txt'],
  ['lossy', 'lossy.yaml', 'lossy.built.yaml', 'lossy.txt'],
  ['stays', 'stays.yaml', 'stays.built.yaml', 'stays.txt'],
  ['budgets', 'budgets.yaml', 'budgets.built.yaml', 'budgets.txt'],
  ['several', 'several.yaml', 'several.built.yaml', 'several.txt'],
  ['spreads', 'spreads.yaml', 'spreads.built.yaml', 'spreads.txt'],
  ['pulls', 'pulls.yaml', 'pulls.built.yaml', 'pulls.txt'],
] as const;
const [exact, lossy, stays] = [golden('exact.yaml'), golden('lossy.yaml'), golden('stays.yaml')];

describe('what a build makes of manifests, read like code', () => {
  test.each(files)('%s', async (_name, input, output, said) => {
    const text = golden(input);
    const { out, err, code } = await built(text, CHOSEN);
    expect(code).toBe(0);
    expectGolden(`build/${output}`, out);
    expectGolden(`build/${said}`, err);
    expect((await built(text, CHOSEN)).out, 'the same bytes each time').toBe(out);
    const again = await built(out, CHOSEN);
    expect(again.out, 'what was built builds to itself').toBe(out);
  });

  test('every row of every kind is in one of them, or in the table of rows', () => {
    const texts =
      golden('lossy.txt') +
      golden('stays.txt') +
      golden('budgets.txt') +
      golden('several.txt') +
      golden('spreads.txt') +
      golden('pulls.txt');
    const missing = kinds.flatMap(({ lowering }) =>
      lowering.of === 'nothing'
        ? []
        : [...lowering.stays, ...lowering.losses]
            .filter(({ what, instead }) => !texts.includes(`${what}: ${instead}`))
            .map(({ what }) => what),
    );
    const table = readFileSync('test/semantics/kinds/lowering.test.ts', 'utf8');
    expect(missing.filter((what) => !table.includes(what))).toEqual([]);
  });
});

describe('nothing lossy happens without being chosen', () => {
  test('without a rule it stays as it is written, byte for byte, with the reason', async () => {
    const { out, err } = await built(lossy);
    expect(out).toBe(lossy);
    expect(err).toContain('CloneSet shop/web stays: as a Deployment it loses updates in place,');
    expect(err).toContain('5 objects of OpenKruise: 0 exact, 0 lowered, 5 for a runtime');
  });

  test('the first rule that matches decides', async () => {
    const keep = 'build: [{match: {name: web}, as: OpenKruise}, {match: {kind: CloneSet}, as: Kubernetes}]\n';
    const { err } = await built(lossy, keep);
    expect(err).toContain('CloneSet shop/web stays: kruise.yaml chooses it');
    expect(err).toContain('CloneSet shop/scaled is a Deployment, lowered');
    expect((await built(exact, 'build: [{match: {}, as: OpenKruise}]\n')).out).toBe(exact);
  });

  test('--strict refuses what is lossy, and what is chosen and stays', async () => {
    const { out, err, code } = await built(lossy, CHOSEN, ['--strict']);
    expect([out, code]).toEqual(['', 1]);
    expect(err).toContain('error[KR2240]: CloneSet shop/web as a Deployment loses updates in place');
    expect((await built(stays, CHOSEN, ['--strict'])).err).toContain(
      'error[KR2241]: CloneSet shop/web stays',
    );
    expect((await built(exact, CHOSEN, ['--strict'])).code).toBe(0);
  });
});

describe('what is refused', () => {
  test('an object of the kind and name that a built one gets', async () => {
    const other = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {}\n';
    const { err, out, code } = await built(`${other}---\n${exact}`);
    expect(err).toContain('error[KR2242]: CloneSet shop/web becomes the Deployment of apps/v1');
    expect([out, code]).toEqual(['', 1]);
    expect((await built(`${other.replace('shop', 'pay')}---\n${exact}`)).code, 'elsewhere').toBe(0);
  });

  test('a manifest that is invalid', async () => {
    const { err, out } = await built(exact.replace('replicas: 7', 'replicas: seven'));
    expect(err).toContain('error[KR2002]');
    expect(out).toBe('');
  });
});

test('hostile text stays in its line of a comment, and in its value', async () => {
  const evil = 'evil\\u0085kind: Secret\\n---\\nkind: Pod\\u001b[2J\\u202e';
  const text = `apiVersion: apps.kruise.io/v1beta1
kind: AdvancedCronJob
metadata: {name: tidy, namespace: shop, annotations: {note: "${evil}"}}
spec:
  schedule: "0 * * * *"
  template:
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: tidy, image: "tidy:1", args: ["${evil}"]}]}}}}
`;
  const { host, code } = await kruise(
    { 'apps/a\n---\nkind: Pod\n#.yaml': text },
    { args: ['build', 'apps'] },
  );
  expect(code).toBe(0);
  const lines = host.out.split('\n');
  expect(lines.filter((line) => line.startsWith('---') || line.startsWith('kind: '))).toEqual([
    'kind: CronJob',
  ]);
  expect([...host.out].every((each) => each === '\n' || (each >= ' ' && each <= '~'))).toBe(true);
});
