import { resources } from '../../schemas/wire/resources.ts';
import {
  DEPLOYMENT,
  deployment,
  DEPLOYMENTS,
  files,
  logImages,
  logSet,
  SET,
  waves,
} from './sidecar-stage.ts';
import type { StoryCluster } from './stage.ts';
import { settled, shown, type Story } from './story.ts';

const API = 'manifests/api.yaml';

/** `kubectl scale`. The next sync restores the manifest. */
async function scale({ user, transcript, run }: StoryCluster, name: string, replicas: number): Promise<void> {
  transcript.note(`kubectl scale deployment ${name} -n shop --replicas=${replicas}`);
  await user.patch(DEPLOYMENTS, { namespace: 'shop', name }, { type: 'merge', body: { spec: { replicas } } });
  await run(20_000);
}

/** The set with further fields of its spec. */
const setWith = (fields: string, image?: string): string =>
  logSet(image === undefined ? {} : { image }).replace('  updateStrategy:', `${fields}\n  updateStrategy:`);

/** A pod that says that it was injected, with the record of a revision that no set has. */
async function forge({ user, transcript, run }: StoryCluster, name: string): Promise<void> {
  transcript.note(`kubectl create -n shop -f ${name}.yaml, with the annotations of an injected pod`);
  await user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: {
        'kruise.io/sidecarset-hash': JSON.stringify({ log: { hash: 'forged', sidecarSetName: 'log' } }),
        'kruise.io/sidecarset-injected-list': 'log',
      },
    },
    spec: { containers: [{ name: 'log', image: 'log:0' }] },
  });
  await run(20_000);
}

/** What decides which new pods get sidecars, and what does not. */
export const selections: readonly Story[] = [
  {
    file: 'sidecar-selection-widened',
    title: 'A SidecarSet is widened without a plan, and then with one',
    summary:
      'A commit lets the set `log` select the pods of `api`, too, and nobody plans it. New pods of `api` get no sidecar. A plan that states the selection soaks, and then they do. No running pod changes.',
    files: {
      'kruise.yaml': waves,
      [SET]: logSet(),
      [DEPLOYMENT]: deployment({ replicas: 4 }),
      [API]: deployment({ name: 'api', replicas: 2 }).replace('app: web', 'app: api'),
    },
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      expect(await logImages(stage)).toEqual({ 'log:1': 4, none: 2 });
      const wide = logSet().replace(
        'matchLabels: {app: web}',
        'matchExpressions: [{key: app, operator: In, values: [api, web]}]',
      );
      await stage.commit('log for api, too', { [SET]: wide }, { plan: false });
      await stage.sync();
      await stage.run(60_000);
      await scale(stage, 'api', 3);
      expect(await logImages(stage)).toEqual({ 'log:1': 4, none: 3 });
      await stage.commit('the plan', {}, { base: 1 });
      await stage.sync();
      await stage.until('Soaking');
      await scale(stage, 'api', 4);
      expect((await logImages(stage))['log:1']).toBe(4);
      await stage.until('Succeeded');
      await scale(stage, 'api', 6);
      expect((await logImages(stage))['log:1']).toBeGreaterThan(4);
    },
  },
  {
    file: 'sidecar-pinned-ahead',
    title: 'A commit changes a SidecarSet and pins the change',
    summary:
      'One commit changes the image, names the custom version `v2`, and pins it. The pin counts once a plan has completed it for all pods. Until then a new pod gets the stable sidecar.',
    files,
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      const pinned = setWith(
        '  customVersion: v2\n  injectionStrategy: {revision: {customVersion: v2}}',
        'log:2',
      );
      await stage.commit('log 2, pinned', { [SET]: pinned });
      await stage.sync();
      await stage.until('Soaking');
      await scale(stage, 'web', 12);
      expect(await logImages(stage)).toEqual({ 'log:1': 11, 'log:2': 1 });
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 12 });
    },
  },
  {
    file: 'sidecar-forged-before',
    title: 'A pod says that it was injected before the SidecarSet exists',
    summary:
      'A tenant creates a pod with the annotations of an injected one. The set comes later, is on record at once, and its changes wait for plans. The pod takes part in no rollout, and a condition names it.',
    files: { 'kruise.yaml': waves, [DEPLOYMENT]: deployment() },
    sidecars: true,
    async play(stage, expect) {
      await stage.sync();
      await stage.run(20_000);
      await forge(stage, 'forged');
      await stage.commit('log', { [SET]: logSet() });
      await stage.sync();
      await stage.run(20_000);
      await scale(stage, 'web', 0);
      await scale(stage, 'web', 10);
      await stage.commit('log 2', { [SET]: logSet({ image: 'log:2' }) });
      await stage.sync();
      await stage.until('Soaking');
      expect(await logImages(stage)).toEqual({ 'log:0': 1, 'log:1': 9, 'log:2': 1 });
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:0': 1, 'log:2': 10 });
    },
  },
  {
    file: 'sidecar-namespace-blocks',
    title: 'A namespace lets none of its pods be updated by a SidecarSet',
    summary:
      'A tenant has two pods in the namespace `default`, and a PodDisruptionBudget that allows nothing. The pods of `shop` are updated, the plan names the budget, and no clock runs while it waits. The budget goes, and the plan ends.',
    files: {
      ...files,
      [API]: deployment({ name: 'ledger', replicas: 2 }).replace('namespace: shop', 'namespace: default'),
    },
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      stage.transcript.note(
        'kubectl create poddisruptionbudget none -n default --selector run=ledger --max-unavailable 0',
      );
      await stage.user.create(resources.PodDisruptionBudget, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'none', namespace: 'default' },
        spec: { maxUnavailable: 0, selector: { matchLabels: { run: 'ledger' } } },
      });
      await stage.run(10_000);
      await stage.commit('log 2', { [SET]: logSet({ image: 'log:2' }) });
      await stage.sync();
      await stage.until('Soaking');
      await stage.run(3_600_000);
      expect(await logImages(stage)).toEqual({ 'log:2': 10 });
      expect(await shown(stage)).toMatchObject({
        phase: 'Running',
        message: expect.stringContaining('default/none'),
      });
      stage.transcript.note('kubectl delete poddisruptionbudget none -n default');
      await stage.user.delete(resources.PodDisruptionBudget, { namespace: 'default', name: 'none' });
      await stage.until('Succeeded');
    },
  },
];
