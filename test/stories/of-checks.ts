import { web } from './manifests.ts';
import { held, images, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];
const before = web({ replicas: 3, maxUnavailable: 1 });
const after = { [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, image: NEW }) };

/** `kruise.yaml`: one pod, then the given steps, then the rest. */
function afterCanary(between: string, more = ''): string {
  return `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  between: {${between}}
${more}`;
}

const errorRate = afterCanary(
  'check: [{use: error-rate, args: {service: web}, for: 5m}]',
  '  onFailure: Revert\n',
);

/** The configuration of the runtime: the check `error-rate`. */
const config = {
  checks: [
    {
      name: 'error-rate',
      prometheus: {
        address: 'http://prometheus.monitoring:9090',
        query: 'sum(rate(errors{service="{service}"}[1m])) / sum(rate(requests{service="{service}"}[1m]))',
      },
      args: { service: {} },
      pass: { below: 0.01 },
    },
  ],
};

/** The response of Prometheus to an instant query with one number. */
function number(value: number): { status: number; body: string } {
  const result = [{ metric: {}, value: [0, String(value)] }];
  return { status: 200, body: JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }) };
}

export const checks: readonly Story[] = [
  {
    file: 'paused-for-an-hour',
    title: 'Paused for an hour in the middle of a soak',
    summary:
      'Four minutes into a soak of ten a user pauses the rollout, and resumes it an hour later. The clock was stopped: six minutes are left.',
    files: { 'kruise.yaml': afterCanary('soak: 10m'), [MANIFEST]: before },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', after);
      await stage.sync();
      await stage.until('Soaking');
      await stage.run(240_000);
      await stage.command('pause', { reason: 'the football match' });
      await stage.run(3_600_000);
      expect(await held(stage)).toMatch(
        /^Paused: mona paused it: the football match.*kruise resume CloneSet\/web/,
      );
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      await stage.command('resume');
      const resumed = stage.clock.now();
      await stage.until('Running');
      expect(stage.clock.now() - resumed).toBe(360_000);
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'check-pods-fails',
    title: 'The check `pods` finds a crash',
    summary:
      'The canary works, and crashes two minutes later. The check `pods` allows no restart: the step fails, and the rollout halts with two pods on the old image.',
    files: { 'kruise.yaml': afterCanary('check: [{use: pods, for: 5m}]'), [MANIFEST]: before },
    async play(stage, expect) {
      stage.world.images.set(NEW, { crashAfterMs: 120_000 });
      await settled(stage);
      await stage.commit('nginx 1.27, which crashes after a while', after);
      await stage.sync();
      await stage.until('Checking');
      await stage.until('Halted');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      expect(await shown(stage)).toMatchObject({
        phase: 'Halted',
        conditions: expect.arrayContaining([expect.objectContaining({ reason: 'CheckFailed' })]),
      });
      expect(await held(stage)).toMatch(/^Halted: .*kruise resume CloneSet\/web/);
    },
  },
  {
    file: 'check-nodes-fails',
    title: 'The check `nodes` finds a node that is not ready',
    summary:
      'The kubelet of the canary’s node stops. The check `nodes` watches the nodes under the new pods: it fails, the rollout halts, and its message names the node.',
    files: { 'kruise.yaml': afterCanary('check: [{use: nodes, for: 5m}]'), [MANIFEST]: before },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', after);
      await stage.sync();
      await stage.until('Checking');
      await stage.run(60_000);
      const canary = (await stage.pods()).find((pod) => pod.spec.containers[0]?.image === NEW);
      const node = String(canary?.spec['nodeName']);
      stage.transcript.note(`${node} falls silent`);
      stage.world.nodes.stopKubelet(node);
      await stage.until('Halted');
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      expect(await held(stage)).toContain(`node ${node} does not have Ready=True`);
    },
  },
  {
    file: 'check-prometheus-passes',
    title: 'A check asks Prometheus, and passes',
    summary:
      'The plan names the check `error-rate` of the runtime’s configuration. Prometheus is away at first, which proves nothing; then it answers 0.2 %, and five passing minutes later the rest follows.',
    files: { 'kruise.yaml': errorRate, [MANIFEST]: before },
    runtime: { config },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', after);
      await stage.sync();
      await stage.until('Checking');
      await stage.run(120_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Checking' });
      stage.transcript.note('Prometheus is back: 0.2 % of the requests fail');
      stage.web.answer = number(0.002);
      const back = stage.clock.now();
      await stage.until('Running');
      expect(stage.clock.now() - back).toBeGreaterThanOrEqual(300_000);
      expect(stage.clock.now() - back).toBeLessThanOrEqual(330_000);
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'check-prometheus-fails',
    title: 'A check asks Prometheus, and fails',
    summary:
      'Three minutes into the check the error rate climbs to 4 %. The plan has onFailure Revert, so the updated pod is reverted in place.',
    files: { 'kruise.yaml': errorRate, [MANIFEST]: before },
    runtime: { config },
    async play(stage, expect) {
      stage.web.answer = number(0.002);
      await settled(stage);
      await stage.commit('nginx 1.27', after);
      await stage.sync();
      await stage.until('Checking');
      await stage.run(180_000);
      stage.transcript.note('4 % of the requests fail');
      stage.web.answer = number(0.04);
      await stage.until('Reverted');
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      expect(await held(stage)).toMatch(/^Reverted: .*error-rate.*0\.04/);
    },
  },
];
