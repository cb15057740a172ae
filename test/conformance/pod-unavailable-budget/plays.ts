import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { podUnavailableBudgetKind } from '../../../semantics/podunavailablebudget/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { cloneSet } from '../../runtime/stage.ts';
import type { KindPlay, Start } from '../plays.ts';
import { serves } from '../serving.ts';

/**
 * A CloneSet that would update all of its pods at once, and a budget that lets one of them be unavailable: whatever becomes of the
 * runtime, no second pod is out of traffic, all are updated, and every slot is free in the end.
 */
const PODS = 3;
const MINUTE = 60_000;
const SHOP = 'shop';
const AT = { namespace: SHOP, name: 'web' };

const budget: KubeObject = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { ...AT },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
};

async function played(start: Start, policy: string) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP], crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const web = (image: string): KubeObject =>
    cloneSet('web', image, { replicas: PODS }, { podUpdatePolicy: policy, maxUnavailable: PODS });
  await user.create(resources.CloneSet, web('web:1'));
  await user.create(resources.PodUnavailableBudget, budget);
  const list = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  const isCounted = async (): Promise<boolean> =>
    objectOf((await user.get(resources.PodUnavailableBudget, AT))['status'])['currentAvailable'] === PODS;
  // A disturbance lasts for some minutes: what follows is to meet it, and to begin with pods that serve.
  const begun = clock.now();
  while (clock.now() - begun < 10 * MINUTE && !(await isCounted())) await clock.advance(5_000);

  const pods = new Map<string, Pod>();
  for (const pod of await list()) pods.set(pod.metadata.uid ?? '', pod);
  let most = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.uid ?? '');
    else pods.set(object.metadata.uid ?? '', object as Pod);
    most = Math.max(most, PODS - [...pods.values()].filter(serves).length);
  });
  const { template } = web('web:2')['spec'] as { template: JsonObject };
  await user.patch(resources.CloneSet, AT, { type: 'merge', body: { spec: { template } } });
  await clock.advance(15 * MINUTE);
  const { status } = await user.get(resources.PodUnavailableBudget, AT);
  const { unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas, ...rest } = objectOf(status);
  const ending = {
    images: (await list()).map(({ spec }) => spec.containers[0]?.image),
    most,
    counts: [unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas],
    entries: [rest['disruptedPods'], rest['unavailablePods']],
  };
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return ending;
}

const expected = {
  images: Array.from({ length: PODS }, () => 'web:2'),
  most: 1,
  counts: [1, PODS, PODS - 1, PODS],
  entries: [undefined, undefined],
};

export const plays: readonly KindPlay[] = [
  {
    kind: podUnavailableBudgetKind,
    title: 'pods that are updated in place, one at a time',
    play: (start) => played(start, 'InPlaceIfPossible'),
    expected,
    sends: (writes) => writes.some((text) => text.includes('podunavailablebudgets')),
  },
  {
    kind: podUnavailableBudgetKind,
    title: 'pods that are recreated, one at a time',
    play: (start) => played(start, 'ReCreate'),
    expected,
    sends: (writes) => writes.some((text) => text.includes('podunavailablebudgets')),
  },
];
