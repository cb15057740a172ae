import { describe, expect, it } from 'vitest';
import { configMap, configMaps, stage } from './world.ts';

describe('a bounded log', () => {
  it('keeps the latest requests, and never more than twice as many', async () => {
    const { world, alice } = stage({ logSize: 50 });
    await alice.create(configMaps, configMap('first'));
    for (let count = 0; count < 500; count += 1) {
      await alice.get(configMaps, { namespace: 'default', name: 'first' });
      expect(world.log.length).toBeLessThanOrEqual(100);
    }
    await alice.create(configMaps, configMap('last'));
    expect(world.log.length).toBeGreaterThan(50);
    expect(world.log.at(-1)).toMatchObject({ verb: 'create', name: 'last', code: 201 });
    expect(world.log.some(({ name, verb }) => verb === 'create' && name === 'first')).toBe(false);
  });
});
