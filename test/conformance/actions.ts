import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { phaseOf, unitsBy } from './play.ts';
import { act, all, type Deed, NAME, placeOf, planResources, type Scene } from './subject.ts';

/** A plan without its target, its goal and its digest. */
export interface PlanOptions {
  mode: Mode;
  /** What it starts from, newest first. */
  from: readonly KubeObject[];
  /** Default: all at once. */
  steps?: Step[];
  bound?: RolloutPlanSpec['to']['bound'];
  /** Whether it lists the plan that is there. Default true. */
  supersedes?: boolean;
}

function planSpec({ subject, ledger }: Scene, manifest: KubeObject, way: PlanOptions): RolloutPlanSpec {
  const { mode, from, steps = [all], bound = {}, supersedes = true } = way;
  const present = ledger.plan()?.['spec'] as RolloutPlanSpec | undefined;
  const { apiVersion, kind } = manifest;
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion, kind, name: NAME },
    to: { hash: subject.hashOf(manifest), bound },
    from: from.map((state) => ({ hash: subject.hashOf(state), mode })),
    steps,
    ...(present !== undefined && supersedes && { supersedes: [present.digest] }),
  };
  return { ...spec, digest: planDigest(spec) };
}

async function writePlan({ subject, user, ledger }: Scene, spec: RolloutPlanSpec): Promise<void> {
  const { plan } = planResources(subject.kind);
  const present = ledger.plan();
  const metadata = present?.metadata ?? placeOf(plan, planName(subject.kind.id.kind));
  const written = { apiVersion: 'plan.kruise.io/v1alpha1', kind: plan.kind, metadata, spec };
  if (present === undefined) await user.create(plan, written);
  else await user.replace(plan, written);
}

/** As the compiler calls the plan of `web`. */
function planName(kind: string): string {
  return `${kind.toLowerCase()}-${NAME}`;
}

async function patchTarget({ subject, user }: Scene, spec: JsonObject): Promise<void> {
  const { resource } = subject.kind;
  await user.patch(resource, placeOf(resource), { type: 'merge', body: { spec } });
}

/** The next commit: a manifest, and a plan that leads there on top of the one that was there. */
export function commit(manifest: KubeObject, way: PlanOptions): Deed {
  return act(async (scene) => {
    await writePlan(scene, planSpec(scene, manifest, way));
    await patchTarget(scene, manifest['spec'] as JsonObject);
  });
}

/** The manifest alone changes, as with a commit that leaves the plan as it is, or a `git revert`. */
export function apply(manifest: KubeObject): Deed {
  return act((scene) => patchTarget(scene, manifest['spec'] as JsonObject));
}

/** Some of the target's fields alone. */
export function patch(spec: JsonObject): Deed {
  return act((scene) => patchTarget(scene, spec));
}

/** A target that comes with its plan where nothing was. */
export function create(manifest: KubeObject, way: PlanOptions): Deed {
  return act(async (scene) => {
    await writePlan(scene, planSpec(scene, manifest, way));
    await scene.user.create(scene.subject.kind.resource, manifest);
  });
}

export function approve(step: string): Deed {
  return act(async ({ subject, user, ledger }) => {
    const present = ledger.plan();
    if (present === undefined) throw new Error('there is no plan to approve');
    const { digest, target } = present['spec'] as RolloutPlanSpec;
    const { command } = planResources(subject.kind);
    await user.create(command, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: command.kind,
      metadata: placeOf(command, `approve-${step}`),
      spec: {
        target,
        action: 'Approve',
        step,
        digest,
        by: 'mona',
      },
    });
  });
}

/**
 * Something is done to the plan that keeps it from going on, for ten minutes, and is undone: nothing comes to another
 * revision meanwhile, and some are not on the new one. What was under way when it was done may end first.
 */
export function interrupted(spoil: (scene: Scene, present: KubeObject) => Promise<void>): Deed[] {
  let before: KubeObject | undefined;
  return [
    act(async (scene) => {
      before = scene.ledger.plan();
      if (before === undefined) throw new Error('there is no plan');
      await spoil(scene, before);
    }),
    async (scene) => {
      await scene.clock.advance(UNDER_WAY_MS);
      const there = revisionsOf(scene);
      await scene.clock.advance(STILL_MS);
      const now = revisionsOf(scene);
      if (now !== there) throw new Error(`units came to another revision: ${there} → ${now}`);
      const { length } = Object.keys(unitsBy(scene.ledger));
      if (length < 2) throw new Error(`the change came to its end all the same: ${now}`);
    },
    act(async (scene) => writePlan(scene, before?.['spec'] as RolloutPlanSpec)),
  ];
}

const UNDER_WAY_MS = 120_000;
const STILL_MS = 600_000;

function revisionsOf({ ledger }: Scene): string {
  return JSON.stringify(ledger.units().map(({ id, revision }) => [id, revision]));
}

export function deletePlan(): Deed[] {
  return interrupted(async ({ subject, user }, { metadata: { namespace, name } }) => {
    const at = namespace === undefined ? { name } : { namespace, name };
    await user.delete(planResources(subject.kind).plan, at);
  });
}

/** Its steps are edited by hand: what the digest was made over is something else. */
export function tamperWithPlan(): Deed[] {
  return interrupted(async (scene, { spec }) => {
    await writePlan(scene, { ...(spec as RolloutPlanSpec), steps: [{ id: 'now', update: { to: '100%' } }] });
  });
}

/** A plan takes its place that does not list it, and leads somewhere else. */
export function replacePlan(manifest: KubeObject, way: PlanOptions): Deed[] {
  return interrupted(async (scene) =>
    writePlan(scene, planSpec(scene, manifest, { ...way, supersedes: false })),
  );
}

/** A pod on this revision goes, as with a drained node. */
export function lose(revision: string): Deed {
  return act(async ({ user, ledger }) => {
    const lost = ledger.units().find((unit) => unit.revision === revision);
    const pod = ledger.pods().find(({ metadata }) => metadata.uid === lost?.id);
    if (pod === undefined) throw new Error(`no pod runs ${revision}`);
    const { namespace = '', name } = pod.metadata;
    await user.delete(resources.Pod, { namespace, name });
  });
}

/** A pod on this revision goes, and another one serves in its place. */
export function replaced(revision: string): Deed {
  return async (scene) => {
    const before = new Set(scene.ledger.units().map(({ id }) => id));
    await lose(revision)(scene);
    await scene.when('a successor', (ledger) => {
      const units = ledger.units();
      return units.some(({ id }) => !before.has(id)) && isServing(units, before.size);
    });
  };
}

export function phase(wanted: string): Deed {
  return ({ when }) => when(`phase ${wanted}`, (ledger) => phaseOf(ledger) === wanted);
}

/** So many units are asked to be on this revision, whether they are already or not. */
export function unitsAt(revision: string, count: number): Deed {
  return ({ when }) => when(`${count} at ${revision}`, (ledger) => (unitsBy(ledger)[revision] ?? 0) >= count);
}

/** So many units are there, those on their way out included, and all of them serve. */
export function ready(count: number): Deed {
  return ({ when }) => when(`${count} ready`, (ledger) => isServing(ledger.units(), count));
}

function isServing(units: readonly { serves: boolean }[], count: number): boolean {
  return units.length === count && units.every(({ serves }) => serves);
}
