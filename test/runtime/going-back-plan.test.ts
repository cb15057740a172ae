import { expect, test } from 'vitest';
import { web } from '../stories/manifests.ts';
import { createStoryCluster } from '../stories/stage.ts';
import { images, MANIFEST, settled } from '../stories/story.ts';

const OLD = 'nginx:1.25-alpine';
const NEW = 'nginx:1.27-alpine';
const rule = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 1}
  - {to: 100%}
  approve: [1]
`;
const manifest = (image: string) => ({ [MANIFEST]: web({ replicas: 4, image, maxUnavailable: '100%' }) });

// It began at step 1, and waited for an approval with nothing left to do.
test.each(['plans', 'manifests'] as const)(
  'a plan for the way back ends with it, without gates: the %s arrive first',
  async (first) => {
    const stage = await createStoryCluster({ files: { 'kruise.yaml': rule, ...manifest(OLD) } });
    await settled(stage);
    await stage.commit('forth', manifest(NEW));
    await stage.sync();
    await stage.untilStep('approve-1');
    await stage.command('approve', { step: 'approve-1' });
    await stage.until('Succeeded');
    await stage.commit('back', manifest(OLD), { args: ['--going-back', '50%'] });
    await stage.sync(first);
    await stage.run(1_000);
    await stage.sync();
    await stage.run(60_000);
    expect(await images(stage)).toEqual({ [OLD]: 4 });
    expect((await stage.plan())?.['status']).toMatchObject({ phase: 'Succeeded' });
    await stage.stop();
  },
);
