import {
  ADMISSION_NAME,
  disruptionConfiguration,
  runtimeAccounts,
} from '../../runtime/admit/configuration.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { admittingBy } from '../../semantics/kinds/admitting.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];
export const BUDGET = 'manifests/budget.yaml';

/** One pod and a soak, then the rest. */
const canary = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  between: {soak: 2m}
`;

/** The budget of all pods of `web`. */
export const budget = (limit: string): string =>
  [
    'apiVersion: policy.kruise.io/v1beta1',
    'kind: PodUnavailableBudget',
    'metadata: {name: frontend, namespace: shop}',
    'spec:',
    '  selector: {matchLabels: {app: web}}',
    `  ${limit}`,
    '',
  ].join('\n');

/** What evictions obey. */
export const forEvictions = (minAvailable: number): string =>
  [
    'apiVersion: policy/v1',
    'kind: PodDisruptionBudget',
    'metadata: {name: frontend, namespace: shop}',
    'spec:',
    '  selector: {matchLabels: {app: web}}',
    `  minAvailable: ${minAvailable}`,
    '  unhealthyPodEvictionPolicy: AlwaysAllow',
    '',
  ].join('\n');

/** `kubectl drain` of the node of a ready pod with this image: its eviction. Returns why it is refused; undefined: it is not. */
async function evict(stage: StoryCluster, image: string): Promise<string | undefined> {
  const pod = (await stage.pods()).find((each) => each.spec.containers[0]?.image === image && isReady(each));
  if (pod === undefined) throw new Error(`no ready pod runs ${image}`);
  return evicted(stage, pod);
}

/** The eviction of a pod. Returns why it is refused; undefined: it is not. */
export async function evicted(
  { user, transcript }: StoryCluster,
  { metadata: { name } }: KubeObject,
): Promise<string | undefined> {
  const eviction: KubeObject = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: 'shop' },
  };
  try {
    await user.create(resources.Pod, eviction, { subresource: 'eviction' });
    transcript.note(`mona drains a node: ${name} is evicted`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error.status;
    transcript.note(`mona drains a node: the eviction of ${name} is refused (${code} ${message})`);
    return `${code}`;
  }
}

/** Budgets of pods, which share them with the rollout. */
export const budgets: readonly Story[] = [
  {
    file: 'budget-and-eviction',
    title: 'A rollout and an eviction share a budget',
    summary:
      'One of five pods may be unavailable: a PodUnavailableBudget says it to the rollout, and a PodDisruptionBudget to evictions. The strategy would take two at a time. While the first pod is updated, the drain of a node is refused, and tried again later. It goes on in the soak, when no pod is updated. A minute passes until the evicted pod has a successor that is ready. The soak ends before that, and the rollout waits: its status names the budget. Four pods are ready all the time.',
    files: {
      'kruise.yaml': canary,
      [MANIFEST]: web(),
      [BUDGET]: budget('maxUnavailable: 1'),
      'manifests/evictions.yaml': forEvictions(4),
    },
    async play(stage, expect) {
      for (const image of [OLD, NEW]) stage.world.images.set(image, { readyMs: 60_000 });
      await settled(stage);
      await stage.run(120_000);
      const ready = await watchReady(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: NEW }) });
      await stage.sync();
      await stage.run(20_000);
      expect(await evict(stage, OLD)).toBe('429');
      await stage.until('Soaking');
      await stage.run(90_000);
      expect(await evict(stage, OLD)).toBeUndefined();
      await stage.untilStep('batch-2');
      await stage.run(5_000);
      expect(await held(stage)).toBe(
        'DisruptionNotAllowed: 1 pod may not become unavailable now: PodUnavailableBudget shop/frontend allows 1 unavailable pod, and 4 of 5 are available',
      );
      await stage.until('Succeeded');
      expect([ready.lowest, await images(stage)]).toEqual([4, { [NEW]: 5 }]);
    },
  },
  {
    file: 'budget-blocks-rollout',
    title: 'A budget never lets the rollout begin',
    summary:
      'A commit changes the image, and raises minAvailable of a budget to all five pods. `kruise plan` warns of that, and the forecast says that no pod is updated. It is merged anyway. For twenty minutes nothing happens to the pods, and the status of the CloneSet and that of its plan name the budget. The next commit lowers it again, and the rollout goes on by itself, one pod at a time.',
    files: { [MANIFEST]: web(), [BUDGET]: budget('minAvailable: 4') },
    async play(stage, expect) {
      await settled(stage);
      const ready = await watchReady(stage);
      await stage.commit('nginx 1.27, and keep every pod', {
        [MANIFEST]: web({ image: NEW }),
        [BUDGET]: budget('minAvailable: 5'),
      });
      await stage.sync();
      await stage.run(1_200_000);
      const why = 'PodUnavailableBudget shop/frontend allows 0 unavailable pods';
      expect(await held(stage)).toBe(`DisruptionNotAllowed: 2 pods may not become unavailable now: ${why}`);
      expect((await shown(stage)).message).toContain(why);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      await stage.commit('let one pod go', { [BUDGET]: budget('minAvailable: 4') });
      await stage.sync();
      await stage.until('Succeeded');
      expect([ready.lowest, await images(stage)]).toEqual([4, { [NEW]: 5 }]);
    },
  },
  {
    file: 'budget-webhook-down',
    title: 'The webhook of budgets is down',
    summary:
      'Somebody has asked for exact budgets, and no replica of the webhook answers. Pods that name the budget are not deleted by others, and every other pod is. The rollout goes on: the runtime takes its slots itself, and nobody asks about it. Without the configuration pods are deleted again.',
    files: { [MANIFEST]: web(), [BUDGET]: budget('maxUnavailable: 1') },
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      await stage.run(60_000);
      const ready = await watchReady(stage);
      stage.transcript.note('kruise admission install --exact-budgets, for a webhook that is down');
      stage.world.server.create('mona', REVIEWS, unanswered());
      const [first] = await stage.pods();
      const spec = { containers: [{ name: 'main', image: OLD }] };
      const tool = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tool', namespace: 'shop' }, spec };
      await stage.user.create(resources.Pod, tool);
      expect(await deleted(stage, 'tool')).toBeUndefined();
      expect(await deleted(stage, first?.metadata.name ?? '')).toBe(500);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: NEW }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect([ready.lowest, await images(stage)]).toEqual([4, { [NEW]: 5 }]);
      stage.transcript.note('kruise admission install --no-exact-budgets');
      await stage.user.delete(REVIEWS, { name: ADMISSION_NAME });
      expect(await deleted(stage, first?.metadata.name ?? '')).toBeUndefined();
    },
  },
];

const REVIEWS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
};

/** The configuration of a webhook that is down. The runtime has another name here than in an installation. */
function unanswered(): KubeObject {
  const own = ['kruise-system'];
  const configuration = disruptionConfiguration(
    (path) => ({ url: `https://down.invalid${path}` }),
    own,
    admittingBy(kinds, ['exact-budgets']),
  );
  const [account = ''] = runtimeAccounts(own);
  return JSON.parse(JSON.stringify(configuration).replaceAll(account, 'kruise')) as KubeObject;
}

/** `kubectl delete pod`. Returns the code of the refusal; undefined: it is not refused. */
async function deleted({ user, transcript }: StoryCluster, name: string): Promise<number | undefined> {
  try {
    await user.delete(resources.Pod, { namespace: 'shop', name });
    transcript.note(`mona deletes pod ${name}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error.status;
    transcript.note(`mona deletes pod ${name}: refused (${code} ${message})`);
    return code;
  }
}
