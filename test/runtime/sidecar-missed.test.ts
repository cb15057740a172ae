import { afterEach, describe, expect, test } from 'vitest';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { PROGRESS_ANNOTATION } from '../../semantics/plan/memory.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { listOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createAdmission } from '../../cli/sandbox/admission.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import type { RuntimeOptions } from '../../runtime/options.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const webhooks: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
const MINUTE = 60_000;
const STEPS = [
  { id: 'half', update: { to: '50%' } },
  { id: 'soak', soak: { for: '20m' } },
  { id: 'all', update: { to: '100%' } },
];

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function withoutWebhook({ user }: SidecarWorld): Promise<void> {
  const { items } = await user.list(webhooks, {});
  for (const { metadata } of items) await user.delete(webhooks, { name: metadata.name });
}

/** The frozen number of pods in the record of the plan. */
async function frozen({ user }: SidecarWorld): Promise<unknown> {
  const { items } = await user.list(resources.ControllerRevision, {});
  const texts = items.map(({ metadata }) => metadata.annotations?.[PROGRESS_ANNOTATION]);
  return objectOf(parsedJson(textOf(texts.find((text) => text !== undefined))))['frozenN'];
}

describe('pods that have nothing of a set that selects them (kinds.md, rule 5.5)', () => {
  test('a condition counts them, and names one; it ends with them', async () => {
    scene = await sidecarWorld();
    await scene.deployment('web', 2);
    await scene.set('log:1');
    const [found] = listOf((await scene.status())['conditions']);
    expect(found).toMatchObject({
      type: 'plan.kruise.io/PodsMissed',
      status: 'True',
      reason: 'NotInjected',
      message: expect.stringMatching(
        /^2 pods that the set selects have none of its containers, such as shop\/web-/,
      ) as string,
    });
    await scene.scale('web', 0);
    await scene.scale('web', 2);
    expect((await scene.status())['conditions']).toBeUndefined();
  });

  test('the mirror of a static pod counts nowhere, and is never changed, whatever is on record there', async () => {
    scene = await sidecarWorld({ policy: 'Auto' });
    const mirror = { 'kubernetes.io/config.mirror': 'x' };
    await scene.bare('early', 'shop', mirror);
    await scene.set('main:1', undefined, { containers: [{ name: 'main', image: 'main:1' }] });
    await scene.bare('late', 'shop', mirror);
    await scene.bare('recorded', 'shop', { ...mirror, 'kruise.io/sidecarset-injected-list': 'log' });
    await scene.set('main:2', undefined, { containers: [{ name: 'main', image: 'main:2' }] });
    await scene.clock.advance(MINUTE);
    expect(await scene.status()).toMatchObject({ matchedPods: 0 });
    expect((await scene.status())['conditions']).toBeUndefined();
    expect((await scene.pods()).map(({ spec }) => spec.containers.map(({ image }) => image))).toEqual([
      ['main:1'],
      ['main:1'],
      ['main:1'],
    ]);
  });

  test('more of them than at the start of a step stop its clock', async () => {
    scene = await sidecarWorld();
    await scene.set('log:1');
    await scene.deployment('web', 4);
    await scene.set('log:2', STEPS);
    await scene.until('Soaking');
    await withoutWebhook(scene);
    await scene.scale('web', 5);
    await scene.clock.advance(60 * MINUTE);
    expect(await scene.plan()).toMatchObject({
      phase: 'Soaking',
      message: expect.stringContaining('and 1 pod that was created without its containers') as string,
    });
    createAdmission(scene.world.server);
    await scene.scale('web', 4);
    await scene.until('Succeeded', 60 * MINUTE);
  });
});

describe('pods of others that are gone for a while (kinds.md, rule 5.6)', () => {
  test.each([
    ['nine minutes do not narrow a step', 9, 8],
    ['ten minutes do', 12, 2],
  ])('%s', async (_title, minutes, expected) => {
    scene = await sidecarWorld();
    await scene.set('log:1');
    await scene.deployment('web', 8);
    await scene.set('log:2', STEPS);
    await scene.until('Soaking');
    expect(await frozen(scene)).toBe(8);
    await scene.scale('web', 2);
    await scene.clock.advance(minutes * MINUTE - 30_000);
    await scene.scale('web', 8);
    expect(await frozen(scene)).toBe(expected);
  });

  test.each([
    ['before a restart, and nine after it, do not narrow a step', 9, 8],
    ['after a restart do', 12, 2],
  ])('minutes without a runtime do not count: ten %s', async (_title, minutes, expected) => {
    let options: RuntimeOptions | undefined;
    scene = await sidecarWorld({
      start(given) {
        options = given;
        return createRuntime(given);
      },
    });
    if (options === undefined) throw new Error('no runtime was started');
    await scene.set('log:1');
    await scene.deployment('web', 8);
    await scene.set('log:2', STEPS);
    await scene.until('Soaking');
    await scene.scale('web', 2);
    await scene.runtime.stop();
    await scene.clock.advance(60 * MINUTE);
    scene.runtime = createRuntime(options);
    scene.runtime.start();
    await scene.clock.advance(minutes * MINUTE);
    await scene.scale('web', 8);
    expect(await frozen(scene)).toBe(expected);
  });
});
