import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { nodeImageKind } from '../../../semantics/nodeimage/kind.ts';
import { PULL_NAMESPACE } from '../../../semantics/nodeimage/resource.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { isPullPod } from '../../../semantics/pull/pod.ts';
import { nodeImage, shownImages } from '../../fixtures/node-images.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Images of one node, by Secrets of two namespaces, of which one changes: whatever becomes of the runtime, each is pulled once, one
 * after the other, and no pod is left.
 */
const MINUTE = 60_000;
const SHOP = 'shop';

async function played(start: Start) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP, PULL_NAMESPACE];
  const world = createWorld({ clock, namespaces, nodes: 2, crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  const pulls = new Set<string>();
  const unfinished = new Set<string>();
  let most = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || !isPullPod(object)) return;
    const { name, namespace = '' } = object.metadata;
    const { containers } = (object as Pod).spec;
    pulls.add(`${namespace} ${containers[0]?.image ?? ''}`);
    if (type === 'DELETED' || (object as Pod).status?.phase === 'Failed') unfinished.delete(name);
    else unfinished.add(name);
    most = Math.max(most, unfinished.size);
  });
  const pullSecrets = [{ namespace: SHOP, name: 'registry' }];
  const db = { tags: [{ tag: '1', imagePullPolicy: 'Always' }], pullSecrets };
  await user.create(
    resources.NodeImage,
    nodeImage('node-1', { db, web: { tags: [{ tag: '1' }, { tag: '2' }] } }),
  );
  await clock.advance(15 * MINUTE);
  const body = { spec: { images: { web: { tags: [{ tag: '2' }, { tag: '3' }] } } } };
  await user.patch(resources.NodeImage, { name: 'node-1' }, { type: 'merge', body });
  await clock.advance(15 * MINUTE);
  const found = await user.get(resources.NodeImage, { name: 'node-1' });
  const left = (await user.list(resources.Pod, {})).items.length;
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return { shown: shownImages(found), pulls: [...pulls].sort(), most, left };
}

export const plays: readonly KindPlay[] = [
  {
    kind: nodeImageKind,
    title: 'the images of a node, one after the other',
    play: played,
    expected: {
      shown: 'db:1 Succeeded, web:2 Succeeded, web:3 Succeeded: 3 desired, 3 succeeded',
      pulls: [
        'kruise-daemon-config web:1',
        'kruise-daemon-config web:2',
        'kruise-daemon-config web:3',
        'shop db:1',
      ],
      most: 1,
      left: 0,
    },
    sends: (writes) => writes.some((text) => text.includes('pods')),
  },
];
