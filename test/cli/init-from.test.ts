import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { editedYaml } from '../../compiler/raise/edit.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { cloneSet, kruise } from '../compiler/world/manifests.ts';
import { expectGolden } from '../golden.ts';
import * as fc from '../property.ts';

const text = readFileSync('golden/raise/apps.yaml', 'utf8');
const web = text.split('---\n')[0] ?? '';

async function from(files: Record<string, string>, args: readonly string[] = []) {
  const { host, code } = await kruise(files, { args: ['init', '--from', 'apps/v1', ...args] });
  return { code, out: host.out, err: host.err, read: (path: string) => host.files.get(`/repo/${path}`) };
}

describe('kruise init --from apps/v1', () => {
  test('edits manifests in place, and says what is won and how to hand over', async () => {
    const { code, out, err, read } = await from({ 'apps.yaml': text });
    expect([code, err]).toEqual([0, '1 file changed: apps.yaml\n']);
    expectGolden('raise/apps.raised.yaml', String(read('apps.yaml')));
    expectGolden('raise/apps.txt', out);
    const again = await from({ 'apps.yaml': String(read('apps.yaml')) });
    expect([again.read('apps.yaml'), again.err], 'what is done stays').toEqual([
      read('apps.yaml'),
      '0 files changed\n',
    ]);
  });

  test('a build gives the objects of apps/v1 again, exact', async () => {
    const { read } = await from({ 'apps.yaml': text });
    const { host, code } = await kruise({ 'apps.yaml': String(read('apps.yaml')) }, { args: ['build'] });
    expect([code, host.err]).toEqual([0, expect.stringContaining('3 exact, 0 lowered, 0 for a runtime')]);
  });

  test('kruise plan tells the handover of what it wrote, and refuses nothing of it', async () => {
    const { read } = await from({ 'apps.yaml': text });
    const { host } = await kruise({ 'base/apps.yaml': text, 'head/apps.yaml': String(read('apps.yaml')) });
    expect(host.err.match(/KR21\d+\]: \w+ \S+/g)).toEqual([
      'KR2157]: Deployment shop/web',
      'KR2154]: StatefulSet shop/db',
      'KR2154]: DaemonSet shop/agent',
    ]);
    expect(host.err).not.toContain('error[');
  });

  test('--dry-run prints the files, and writes none', async () => {
    const { code, out, read } = await from({ 'apps.yaml': text }, ['--dry-run']);
    expect([code, read('apps.yaml')]).toEqual([0, text]);
    expect(out).toMatch(/^# apps\.yaml: .*\n(#.*\n)+---\n# the shop\napiVersion: apps\.kruise\.io/);
  });

  test.each<[what: string, text: string, why: string]>([
    ['another object of its name', `${web}---\n${web}`, 'two manifests have its name'],
    ['a CloneSet of its name', `${web}---\n${cloneSet()}`, 'a CloneSet of OpenKruise has its name'],
    ['another version', web.replace('apps/v1', 'apps/v1beta2'), 'only apps/v1 is known'],
    [
      'a field of spec that nobody knows',
      web.replace('replicas: 3', 'replicas: 3\n  foo: 1'),
      'a field of spec beside',
    ],
    [
      'a selector that does not match',
      web.replace('matchLabels: { app: web }', 'matchLabels: { app: x }'),
      'spec.selector',
    ],
  ])('leaves a Deployment with %s', async (_what, given, why) => {
    const { out, read } = await from({ 'apps.yaml': given });
    expect(out).toContain(why);
    expect(read('apps.yaml')).toBe(given);
  });

  test('names references that do not follow, and writes JSON as JSON', async () => {
    const rollout =
      'apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web, namespace: shop}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n';
    const { out, read } = await from({ 'a.json': JSON.stringify(parse(web)), 'r.yaml': rollout });
    expect(out).toContain('# r.yaml: Rollout shop/web names the Deployment web in spec.workloadRef');
    expect(JSON.parse(String(read('a.json')))).toMatchObject({ kind: 'CloneSet' });
    expect(read('r.yaml')).toBe(rollout);
  });

  test('changes nothing where a manifest cannot be read', async () => {
    const { code, out, err, read } = await from({ 'apps.yaml': text, 'b.yaml': 'a: [\n' });
    expect([code, out, read('apps.yaml')]).toEqual([1, '', text]);
    expect(err).toContain('nothing was written');
  });
});

test('an edit gives the wanted value, or none, and keeps what it does not touch', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const value = fc.letrec<{ any: Json }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>('x', 'yes', '1', '', 'a: b # c', 2, true, null),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(key, tie('any'), { noNullPrototype: true }),
    ),
  })).any;
  const written = fc.tuple(value, value, fc.boolean());
  fc.assert(
    fc.property(written, ([before, after, isFlow]) => {
      const own = isFlow ? JSON.stringify({ top: before }) : `# first\n${stringify({ top: before })}`;
      const edited = editedYaml(own, { top: before }, { top: after });
      if (edited === undefined) return;
      expect(parse(edited)).toEqual({ top: after });
      if (!isFlow) expect(edited).toMatch(/^# first\n/);
    }),
    { numRuns: 100 },
  );
});
