import type { VirtualClock } from 'kruise-sandbox/clock';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { planOfSet, setWith } from '../runtime/sidecar-world.ts';

const MINUTE = 60_000;
const SELECTOR = { matchLabels: { app: 'side' } };

/**
 * A SidecarSet that updates a pod of nobody under a plan, which a user approves. Returns whether the pod has the new sidecar,
 * the plan has ended, and the command is answered.
 */
export async function runSidecarSet(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const [before, after] = ['log:1', 'log:2'].map((image) => setWith(image, { selector: SELECTOR }));
  if (before === undefined || after === undefined) return false;
  await admin.create(sidecarSets, before);
  await clock.advance(MINUTE);
  await admin.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'side', namespace: 'shop', labels: SELECTOR.matchLabels },
    spec: { containers: [{ name: 'main', image: 'main:1' }] },
  });
  await clock.advance(MINUTE);
  const plan = planOfSet(before, after, [
    { id: 'agree', approve: {} },
    { id: 'all', update: { to: '100%' } },
  ]);
  await admin.create(resources.ClusterRolloutPlan, plan);
  await admin.patch(
    sidecarSets,
    { name: 'log' },
    { type: 'merge', body: { spec: { containers: [{ name: 'log', image: 'log:2' }] } } },
  );
  await clock.advance(MINUTE);
  await admin.create(resources.ClusterRolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'ClusterRolloutCommand',
    metadata: { name: 'yes' },
    spec: {
      target: { kind: 'SidecarSet', name: 'log' },
      action: 'Approve',
      step: 'agree',
      digest: objectOf(plan['spec'])['digest'] ?? '',
      by: 'admin',
    },
  });
  await clock.advance(5 * MINUTE);
  const pod = await admin.get(resources.Pod, { namespace: 'shop', name: 'side' });
  const ended = await admin.get(resources.ClusterRolloutPlan, { name: 'sidecarset-log' });
  const answered = await admin.get(resources.ClusterRolloutCommand, { name: 'yes' });
  return (
    JSON.stringify(pod['spec']).includes('log:2') &&
    objectOf(ended['status'])['phase'] === 'Succeeded' &&
    objectOf(answered['status'])['result'] === 'Accepted'
  );
}
