import { describe, expect, test } from 'vitest';
import { problemsMarkdown } from '../../compiler/review/problems-markdown.ts';
import { kruise } from '../compiler/world/manifests.ts';

/** CloneSets whose pods are available as soon as their containers start, each in a file of its own: one warning each. */
function cloneSets(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = `web-${String(index).padStart(4, '0')}`;
      const text = `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: 5
  selector: {matchLabels: {app: ${name}}}
  updateStrategy: {type: InPlaceIfPossible, maxUnavailable: 2}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
      - {name: web, image: 'web:1'}
`;
      return [`${name}.yaml`, text];
    }),
  );
}

async function warnings(count: number, ...args: string[]): Promise<{ out: string; err: string }> {
  const files = cloneSets(count);
  const base = Object.fromEntries(Object.entries(files).map(([name, text]) => [`base/${name}`, text]));
  const head = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`head/${name}`, text.replace('web:1', 'web:2')]),
  );
  const { host } = await kruise(
    { ...base, ...head },
    { args: ['plan', 'head', '--base-dir', 'base', ...args] },
  );
  return { out: host.out, err: host.err };
}

describe('a warning about each of many workloads', () => {
  test('is printed once, with the first place in full and how many there are', async () => {
    const { err } = await warnings(100);
    expect(err.match(/warning\[KR2135\]/g)).toHaveLength(1);
    expect(err).toContain('  --> the same at head/web-0001.yaml:11:7, head/web-0002.yaml:11:7, ');
    expect(err).toContain(' and 96 more places\n   help: ');
    expect(err).toMatch(/\n100 warnings\n/);
    expect(err.split('\n').length).toBeLessThan(20);
  });

  test('is printed at each place where there are three', async () => {
    const { err } = await warnings(3);
    expect(err.match(/warning\[KR2135\]/g)).toHaveLength(3);
    expect(err).not.toContain('the same at');
  });
});

test('a list in a comment has a problem of many places once, and counts those that do not fit', () => {
  const problem = (message: string, line: number) => ({
    ...{ code: 'KR2135', severity: 'warning' as const, help: 'mend it', message },
    at: { file: 'a.yaml', line, column: 1 },
  });
  const lines = Array.from({ length: 500 }, (_, index) => index + 1);
  const list = problemsMarkdown([
    problem('the first', 7),
    ...lines.map((line) => problem('of all', line)),
    ...lines.map((line) => problem(`${'x'.repeat(300)} ${line}`, line)),
  ]);
  expect(list.split('\n').slice(2, 5)).toEqual([
    '- warning **KR2135** at `a.yaml:1:1`: of all',
    '  - the same at `a.yaml:2:1`, `a.yaml:3:1`, `a.yaml:4:1` and 496 more places',
    '  - help: mend it',
  ]);
  const listed = list.match(/^- warning /gm)?.length ?? 0;
  expect(list).toContain(`\n- … and ${1_001 - 499 - listed} more problems; `);
});
