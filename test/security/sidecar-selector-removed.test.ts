import { afterEach, expect, test } from 'vitest';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';
import { approve, podIn } from './selection-steps.ts';

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

const ALL = [{ id: 'all', update: { to: '100%' } }];
const GATED = [{ id: 'agree', approve: {} }, ...ALL];

test.each<[what: string, gone: boolean]>([
  ['no pod was ever outside of it', false],
  ['the pods outside of it are gone', true],
])(
  'a commit that removes updateStrategy.selector meets the gates of its plan, where %s',
  async (_what, gone) => {
    cluster = await sidecarWorld();
    await cluster.set('log:1');
    await cluster.deployment('canary', 1, { track: 'canary' });
    if (gone) await cluster.deployment('web', 1);
    await cluster.set('log:2', ALL, { updateStrategy: { selector: { matchLabels: { track: 'canary' } } } });
    await cluster.until('Succeeded');
    if (gone) await cluster.scale('web', 0);

    await cluster.set('log:2', GATED);
    await cluster.clock.advance(30_000);
    expect(await podIn(cluster, 'before')).toBe('log:1');
    expect(await cluster.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    await approve(cluster);
    await cluster.until('Succeeded');
    expect(await podIn(cluster, 'after')).toBe('log:2');
    expect(await cluster.images()).toEqual({ 'log:2': 3 });
  },
);
