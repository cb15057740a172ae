import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { lead } from '../runtime/lead.ts';
import { patchSpec, templateOf } from '../runtime/stage.ts';
import type { Ledger } from './ledger.ts';
import { phaseOf, type Scene } from './play.ts';
import { serves } from './serving.ts';

type Deed = (scene: Scene) => Promise<void>;

/** `web:1` and so on, as the image of the only container. */
export function web(version: number, env?: string): JsonObject {
  const template = templateOf('web', `web:${version}`);
  if (env === undefined) return template;
  const spec = {
    containers: [{ name: 'main', image: `web:${version}`, env: [{ name: 'LOG', value: env }] }],
  };
  return { ...template, spec };
}

/** What a plan starts from, newest first. */
export function from(mode: Mode, ...templates: JsonObject[]): Pick<RolloutPlanSpec, 'from'> {
  return { from: templates.map((template) => ({ hash: templateHash(template), mode })) };
}

/** The next commit: a manifest with this template, and a plan that leads there on top of the one that was there. */
export function commit(template: JsonObject, parts: Partial<RolloutPlanSpec>, spec: JsonObject = {}): Deed {
  return async ({ stage, ledger }) => {
    const present = ledger.plan()?.['spec'] as RolloutPlanSpec | undefined;
    const supersedes = present === undefined ? {} : { supersedes: [present.digest] };
    await lead(stage, template, { ...supersedes, ...parts }, spec);
  };
}

/** The manifest alone changes, as with a commit that leaves the plan as it is, or a `git revert`. */
export function manifest(spec: JsonObject): Deed {
  return ({ stage }) => patchSpec(stage, 'web', spec);
}

export function approve(step: string): Deed {
  return async ({ stage, ledger }) => {
    const plan = ledger.plan();
    if (plan === undefined) throw new Error('there is no plan to approve');
    const { digest } = plan['spec'] as RolloutPlanSpec;
    await stage.user.create(resources.RolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name: `approve-${step}`, namespace: 'shop' },
      spec: { target: { kind: 'CloneSet', name: 'web' }, action: 'Approve', step, digest, by: 'mona' },
    });
  };
}

/** A pod with this image goes, as with a drained node. */
export function lose(image: string): Deed {
  return async ({ stage, ledger }) => {
    const pod = ledger.pods().find((p) => p.spec.containers[0]?.image === image);
    if (pod === undefined) throw new Error(`no pod runs ${image}`);
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: pod.metadata.name });
  };
}

/** A pod with this image goes, and another one serves in its place. */
export function replaced(image: string): Deed {
  return async (scene) => {
    const before = new Set(scene.ledger.pods().map(({ metadata }) => metadata.uid));
    await lose(image)(scene);
    await scene.when('a successor', (ledger) => {
      const pods = ledger.pods();
      const isNew = pods.some(({ metadata }) => !before.has(metadata.uid));
      return isNew && pods.length === before.size && pods.every(serves);
    });
  };
}

export function phase(wanted: string): Deed {
  return ({ when }) => when(`phase ${wanted}`, (ledger) => phaseOf(ledger) === wanted);
}

/** So many pods are asked to run this image, whether they do already or not. */
export function podsAt(image: string, count: number): Deed {
  return ({ when }) => when(`${count} pods at ${image}`, (ledger) => countAt(ledger, image) >= count);
}

/** So many pods are there, those on their way out included, and all of them serve. */
export function ready(count: number): Deed {
  return ({ when }) =>
    when(`${count} ready pods`, (ledger) => {
      const pods = ledger.pods();
      return pods.length === count && pods.every(serves);
    });
}

function countAt(ledger: Ledger, image: string): number {
  return ledger.pods().filter((pod) => pod.spec.containers[0]?.image === image).length;
}
