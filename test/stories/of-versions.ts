import { held, images, MANIFEST, settled, type Story } from './story.ts';

const [OLD, NEXT, LAST] = ['nginx:1.25-alpine', 'nginx:1.26-alpine', 'nginx:1.27-alpine'];

/**
 * The same CloneSet in each version: what v1alpha1 has in `updateStrategy` as `type`, v1beta1
 * has in `rollingUpdate` as `podUpdatePolicy`. For the reuse of claims one has a field to disable it, one to enable it.
 */
function inVersion(version: 'v1alpha1' | 'v1beta1', image: string, partition: number): string {
  const windows = [
    'maxUnavailable: 1',
    `partition: ${partition}`,
    'inPlaceUpdateStrategy: {gracePeriodSeconds: 5}',
    'priorityStrategy:',
    '  weightPriority:',
    '  - {weight: 10, matchSelector: {matchLabels: {team: a}}}',
    'scatterStrategy: [{key: zone, value: b}]',
  ];
  const indented = (depth: number): string[] => windows.map((line) => ' '.repeat(depth) + line);
  const strategy =
    version === 'v1alpha1'
      ? ['    type: InPlaceIfPossible', ...indented(4)]
      : [
          '    type: RollingUpdate',
          '    rollingUpdate:',
          '      podUpdatePolicy: InPlaceIfPossible',
          ...indented(6),
        ];
  return [
    `apiVersion: apps.kruise.io/${version}`,
    'kind: CloneSet',
    'metadata: {name: web, namespace: shop}',
    'spec:',
    '  replicas: 4',
    '  selector: {matchLabels: {app: web}}',
    `  scaleStrategy: {${version === 'v1alpha1' ? 'disablePVCReuse: true' : 'enablePVCReuse: false'}}`,
    '  updateStrategy:',
    ...strategy,
    '  template:',
    '    metadata: {labels: {app: web}}',
    '    spec:',
    `      containers: [{name: nginx, image: '${image}'}]`,
    '',
  ].join('\n');
}

export const versions: readonly Story[] = [
  {
    file: 'both-versions',
    title: 'The same CloneSet in v1alpha1 and in v1beta1',
    summary:
      'A rollout starts in v1alpha1 and stops at its partition. Then a user writes the same manifest in v1beta1, where the fields have other names and paths: `kruise plan` has nothing to plan, and in the cluster nothing changes. Lowering the partition in v1beta1 continues where the first plan stopped, and the next image comes in v1alpha1 again.',
    files: { [MANIFEST]: inVersion('v1alpha1', OLD, 1) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.26 on all but one', { [MANIFEST]: inVersion('v1alpha1', NEXT, 1) });
      await stage.sync();
      await stage.until('Succeeded');
      await stage.run(60_000);
      const facts = async () => ({
        pods: (await stage.pods()).map(({ metadata: { uid, resourceVersion }, spec }) => [
          uid,
          resourceVersion,
          spec,
        ]),
        held: await held(stage),
      });
      const before = await facts();
      expect(await images(stage)).toEqual({ [OLD]: 1, [NEXT]: 3 });
      expect(before.held).toMatch(/^Bound: /);
      const plan = stage.files().get('plans/shop/cloneset-web/plan.yaml');
      expect(plan).toBeDefined();
      await stage.commit('the same in v1beta1', { [MANIFEST]: inVersion('v1beta1', NEXT, 1) });
      expect(stage.files().get('plans/shop/cloneset-web/plan.yaml')).toBe(plan);
      await stage.sync();
      await stage.run(600_000);
      expect(await facts()).toEqual(before);
      await stage.commit('the last one', { [MANIFEST]: inVersion('v1beta1', NEXT, 0) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEXT]: 4 });
      await stage.commit('nginx 1.27, in v1alpha1 again', { [MANIFEST]: inVersion('v1alpha1', LAST, 0) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [LAST]: 4 });
      const uids = new Set(before.pods.map(([uid]) => uid));
      expect((await stage.pods()).filter((pod) => !uids.has(pod.metadata.uid))).toEqual([]);
      expect(await held(stage)).toBe('');
    },
  },
];
