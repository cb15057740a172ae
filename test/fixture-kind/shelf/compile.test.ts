import { describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { committed, type Files, manifest, planned, v1, v2 } from '../../compiler/world/history.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import { shelf } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));
vi.mock('../../../schemas/generated/targets.ts', async (original) => {
  const { withShelves } = await import('./targets.ts');
  return withShelves(await original());
});

const files = (spec: JsonObject = {}): Files => ({ 'poems.yaml': stringify(shelf(spec)) });

describe('a manifest without plans', () => {
  test.each<[what: string, base: Files, head: Files, line: string]>([
    ['added', {}, files(), '+ Shelf shop/poems: new; reconciled at once, needs no plan'],
    [
      'changed',
      files(),
      files({ text: 'two', copies: 2 }),
      '~ Shelf shop/poems: spec.copies, spec.text changed; reconciled at once, needs no plan',
    ],
    ['removed', files(), {}, '- Shelf shop/poems: removed: its 3 copies are deleted with it'],
  ])('that is %s is in the summary, and nothing is planned', async (_, base, head, line) => {
    const kept = { 'other.yaml': manifest(v1)['web.yaml'] ?? '' };
    const { code, host, files: made } = await planned({ ...kept, ...base }, { ...kept, ...head });
    expect(host.err).not.toContain('error');
    expect(code).toBe(0);
    expect(host.out.split('\n').map((each) => each.trim())).toContain(line);
    expect(Object.keys(made).filter((path) => path.startsWith('plans/'))).toEqual([]);
  });

  test('that has not changed is not mentioned', async () => {
    const { code, host } = await planned(files(), files());
    expect([code, host.out]).toEqual([0, expect.not.stringContaining('Shelf')]);
  });

  test('is listed by itself in JSON and Markdown', async () => {
    const json = await planned(files(), files({ text: 'two' }), ['-o', 'json']);
    expect(JSON.parse(json.host.out)).toMatchObject({
      changes: [],
      atOnce: [{ kind: 'Shelf', namespace: 'shop', name: 'poems', action: 'Update' }],
    });
    const page = await planned(files(), files({ text: 'two' }), ['-o', 'markdown']);
    expect(page.host.out).toContain(
      '- Shelf `shop/poems`: spec.text changed; reconciled at once, needs no plan',
    );
  });

  test('is a change for whoever asks by the exit code', async () => {
    const flag = ['--detailed-exitcode'];
    expect((await planned(files(), files({ text: 'two' }), flag)).code).toBe(2);
    expect((await planned(files(), files(), flag)).code).toBe(0);
  });

  test('does not disturb a check of the plans beside it', async () => {
    const plans = await committed(manifest(v1), v2);
    const head = { ...plans, ...files({ text: 'two' }) };
    const { code, host } = await planned({ ...manifest(v1), ...files() }, head, ['--check']);
    expect(host.err).toContain('the committed plans are those of this change');
    expect(host.out).toContain('~ Shelf shop/poems: spec.text changed');
    expect(code).toBe(0);
  });

  test.each<[what: string, spec: JsonObject, code: string]>([
    ['its schema', { copies: 'many' }, 'spec.copies'],
    ['the rules of its kind', { text: '' }, 'KR2005'],
  ])('is validated by %s', async (_, spec, told) => {
    for (const args of [
      ['validate', 'head'],
      ['plan', 'head', '--base-dir', 'base'],
    ]) {
      const at = { 'head/poems.yaml': stringify(shelf(spec)), 'base/poems.yaml': stringify(shelf()) };
      const { code, host } = await kruise(at, { args });
      expect(code).toBe(1);
      expect(host.err).toContain(told);
      expect(host.err).toContain('poems.yaml');
    }
  });

  test('is warned of a field that is not executed', async () => {
    const at = { 'head/poems.yaml': stringify(shelf({ locked: true })) };
    const { code, host } = await kruise(at, { args: ['validate', 'head'] });
    expect([code, host.err]).toEqual([0, expect.stringContaining('KR2136')]);
    expect(host.err).toContain('spec.locked');
  });

  test('is counted where nothing is wrong', async () => {
    const at = { 'head/poems.yaml': stringify(shelf()) };
    const { code, host } = await kruise(at, { args: ['validate', 'head'] });
    expect([code, host.out]).toEqual([0, '1 object in 1 file: valid.\n']);
  });

  test('that is there twice is an error', async () => {
    const at = { 'head/a.yaml': stringify(shelf()), 'head/b.yaml': stringify(shelf()) };
    const { code, host } = await kruise(at, { args: ['validate', 'head'] });
    expect([code, host.err]).toEqual([1, expect.stringContaining('KR1016')]);
  });
});
