import { failing, serviceAccount } from 'kruise-sandbox';
import { afterEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { launchWorld, type LaunchWorld, ordered, startOrder } from '../runtime/launch-world.ts';

const RUNTIME = serviceAccount('kruise-system', 'kruise-runtime').name;

let it: LaunchWorld;

afterEach(async () => it.stop());

/** A world with the policies that restrict the account of the runtime. */
async function restricted(): Promise<void> {
  it = await launchWorld();
  const text = deployOutputs(kinds, crds).get('deploy/policy/runtime.yaml') ?? '';
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubeObject;
    const plural = object.kind.endsWith('Binding')
      ? 'validatingadmissionpolicybindings'
      : 'validatingadmissionpolicies';
    it.world.server.create('admin', { group: 'admissionregistration.k8s.io', version: 'v1', plural }, object);
  }
}

test('the policies let the runtime start the containers of foreign pods in their order', async () => {
  await restricted();
  it.run(it.world.cluster(RUNTIME));
  await it.workload('Deployment', ordered('main', 'agent'), 2);
  await it.clock.advance(60_000);
  expect((await it.pods()).map(startOrder)).toEqual(['main agent', 'main agent']);
  expect(it.errors).toEqual([]);
});

test('the policies let it say on such a pod why its containers wait', async () => {
  await restricted();
  const message = 'configmaps are forbidden';
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message });
  it.run(
    failing(it.world.cluster(RUNTIME), ({ resource }) =>
      resource.plural === 'configmaps' ? forbidden : undefined,
    ),
  );
  await it.workload('Deployment', ordered('main', 'agent'));
  await it.clock.advance(60_000);
  expect(await it.events()).toEqual([
    `Pod FailedLaunch: release containers: ${message}: launch orders are off in namespace shop. Bind the ClusterRole kruise-runtime-launch there, or add the component launch-everywhere of deploy/`,
  ]);
});
