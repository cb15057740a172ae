import { expect, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { createWorld } from '../world.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod } from './world.ts';

test('a restored world repeats no uid, with the same seed or without', async () => {
  for (const seed of [undefined, 7]) {
    const options = { crds: [], podEvents: true, ...(seed === undefined ? {} : { seed }) };
    const clock = createVirtualClock(0);
    let world = createWorld({ clock, nodes: 1, ...options });
    const uids = new Map<string, string>();
    for (let round = 0; round < 3; round += 1) {
      const alice = world.cluster('alice');
      for (let count = 0; count < 5; count += 1)
        await alice.create(resources.Pod, pod(`p-${round}-${count}`));
      await clock.advance(20_000);
      for (const { resource, object } of world.state().objects) {
        const name = `${resource} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
        const uid = object.metadata.uid ?? '';
        expect(uids.get(uid) ?? name).toBe(name);
        uids.set(uid, name);
      }
      const { items } = await alice.list(resources.Pod, { namespace: 'default' });
      expect(items.map(({ status }) => (status as { phase?: string }).phase)).toEqual(
        items.map(() => 'Running'),
      );
      const restored = world.state();
      world.stop();
      world = createWorld({ clock, restored, ...options });
    }
    world.stop();
  }
});
