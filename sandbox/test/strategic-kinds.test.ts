import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { shapeOf } from '../kinds/shapes.ts';
import { strategicPatch } from '../patch/strategic.ts';
import { readRows } from './rows.ts';
import { pod, refusal, stage, widget, widgets } from './world.ts';

describe('strategic merge patch depends on the kind', () => {
  const rows: [
    what: string,
    shape: [string, string, string],
    target: unknown,
    patch: unknown,
    result: unknown,
  ][] = readRows('strategic-merges');
  test.each(rows)('%s', (_what, [group, version, kind], target, patch, result) => {
    expect(strategicPatch(shapeOf(group, version, kind), target, patch)).toEqual(result);
  });

  test('custom resources do not support it', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(widgets, widget('a'));
    const key = { namespace: 'default', name: 'a' };
    expect((await refusal(alice.patch(widgets, key, { type: 'strategic', body: {} }))).code).toBe(415);
    await alice.create(resources.Pod, pod('a'));
    expect(await alice.patch(resources.Pod, key, { type: 'strategic', body: {} })).toBeDefined();
  });
});
