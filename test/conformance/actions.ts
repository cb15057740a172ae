import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { phaseOf, unitsBy } from './play.ts';
import { act, all, type ScriptStep, NAME, locationOf, planResources, type Setup } from './subject.ts';

/** The parts of a plan that differ between worlds. */
export interface PlanOptions {
  mode: Mode;
  /** The manifests that it starts from, newest first. */
  from: readonly KubeObject[];
  /** Default: all at once. */
  steps?: Step[];
  bound?: RolloutPlanSpec['to']['bound'];
  /** Whether it supersedes the present plan. Default true. */
  supersedes?: boolean;
  attempt?: number;
}

function planSpec({ subject, ledger }: Setup, manifest: KubeObject, way: PlanOptions): RolloutPlanSpec {
  const { mode, from, steps = [all], bound = {}, supersedes = true, attempt } = way;
  const present = ledger.plan()?.['spec'] as RolloutPlanSpec | undefined;
  const { apiVersion, kind } = manifest;
  const claims = subject.claimsOf?.(manifest);
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion, kind, name: NAME },
    to: { hash: subject.hashOf(manifest), bound, ...(claims !== undefined && { claims }) },
    from: from.map((state) => ({ hash: subject.hashOf(state), mode })),
    steps,
    ...(present !== undefined && supersedes && { supersedes: [present.digest] }),
    ...(attempt !== undefined && { attempt }),
  };
  return { ...spec, digest: planDigest(spec) };
}

/** Writes the plan object of the target. */
export async function writePlan({ subject, user, ledger }: Setup, spec: RolloutPlanSpec): Promise<void> {
  const { plan } = planResources(subject.kind);
  const present = ledger.plan();
  const metadata = present?.metadata ?? locationOf(plan, planName(subject.kind.id.kind));
  const written = { apiVersion: 'plan.kruise.io/v1alpha1', kind: plan.kind, metadata, spec };
  if (present === undefined) await user.create(plan, written);
  else await user.replace(plan, written);
}

/** The name that the compiler gives the plan of `web`. */
function planName(kind: string): string {
  return `${kind.toLowerCase()}-${NAME}`;
}

async function patchTarget({ subject, user }: Setup, spec: JsonObject): Promise<void> {
  const { resource } = subject.kind;
  await user.patch(resource, locationOf(resource), { type: 'merge', body: { spec } });
}

/** The next commit: a manifest, and a plan to it on top of the present plan. */
export function commit(manifest: KubeObject, way: PlanOptions): ScriptStep {
  return act(async (setup) => {
    await writePlan(setup, planSpec(setup, manifest, way));
    await patchTarget(setup, manifest['spec'] as JsonObject);
  });
}

/** Changes only the manifest, as a commit without a plan or a `git revert` does. */
export function apply(manifest: KubeObject): ScriptStep {
  return act((setup) => patchTarget(setup, manifest['spec'] as JsonObject));
}

/** Changes only some fields of the target. */
export function patch(spec: JsonObject): ScriptStep {
  return act((setup) => patchTarget(setup, spec));
}

/** Creates a target together with its plan. */
export function create(manifest: KubeObject, way: PlanOptions): ScriptStep {
  return act(async (setup) => {
    await writePlan(setup, planSpec(setup, manifest, way));
    await setup.user.create(setup.subject.kind.resource, manifest);
  });
}

export function approve(step: string): ScriptStep {
  return command('Approve', step);
}

/** A user sends a command; `step`: what it is about, where it is an approval. */
export function command(action: RolloutCommandSpec['action'], step?: string): ScriptStep {
  return act(async ({ subject, user, ledger }) => {
    const present = ledger.plan();
    if (present === undefined) throw new Error('there is no plan that a command could be about');
    const { digest, target } = present['spec'] as RolloutPlanSpec;
    const { command: resource } = planResources(subject.kind);
    await user.create(resource, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: resource.kind,
      metadata: locationOf(resource, [action.toLowerCase(), ...(step === undefined ? [] : [step])].join('-')),
      spec: { target, action, ...(step === undefined ? {} : { step }), digest, by: 'mona' },
    });
  });
}

/**
 * Blocks the plan for ten minutes, and then restores it. Meanwhile no unit comes to another revision, and some are not on the
 * new one. Updates that are in progress may finish first.
 */
export function interrupted(spoil: (setup: Setup, present: KubeObject) => Promise<void>): ScriptStep[] {
  let before: KubeObject | undefined;
  const spoilt = act(async (setup) => {
    before = setup.ledger.plan();
    if (before === undefined) throw new Error('there is no plan');
    await spoil(setup, before);
  });
  return stopped(
    spoilt,
    act(async (setup) => writePlan(setup, before?.['spec'] as RolloutPlanSpec)),
  );
}

/** One step stops a roll-out in the middle, and the other lets it go on; in between nothing is taken, for ten minutes. */
export function stopped(stop: ScriptStep, goOn: ScriptStep): ScriptStep[] {
  return [
    stop,
    async (setup) => {
      await setup.clock.advance(UNDER_WAY_MS);
      await standsStill(setup);
      const { length } = Object.keys(unitsBy(setup.ledger));
      if (length < 2) throw new Error(`the change came to its end all the same: ${revisionsOf(setup)}`);
    },
    goOn,
  ];
}

/**
 * For ten minutes no unit goes or comes to another revision. What was on its way out may go, and what was gone before may still be
 * replaced: a request may fail, and is sent again later.
 */
export const standsStill: ScriptStep = async (setup) => {
  const { isReplaced = () => false } = setup.subject;
  await setup.when('no pod is on its way out', (ledger) => {
    const pods = ledger.pods();
    return pods.every((pod) => pod.metadata.deletionTimestamp === undefined && !isReplaced(pod, pods));
  });
  const before = setup.ledger.units();
  await setup.clock.advance(STILL_MS);
  const now = new Map(setup.ledger.units().map(({ id, revision }) => [id, revision]));
  const moved = before.filter(({ id, revision }) => now.get(id) !== revision);
  if (moved.length > 0)
    throw new Error(`units went, or came to another revision: ${moved.map(({ id }) => id).join(', ')}`);
};

/** The plan comes into a phase, and leaves it again after so long. */
export function spends(inPhase: string, leastMs: number, mostMs: number): ScriptStep {
  return async ({ when, clock }) => {
    await when(`phase ${inPhase}`, (ledger) => phaseOf(ledger) === inPhase);
    const began = clock.now();
    await when(`the end of ${inPhase}`, (ledger) => phaseOf(ledger) !== inPhase);
    const ms = clock.now() - began;
    if (ms < leastMs || ms > mostMs)
      throw new Error(`it was ${inPhase} for ${ms} ms, and not ${leastMs} to ${mostMs}`);
  };
}

const UNDER_WAY_MS = 120_000;
const STILL_MS = 600_000;

function revisionsOf({ ledger }: Setup): string {
  return JSON.stringify(ledger.units().map(({ id, revision }) => [id, revision]));
}

export function deletePlan(): ScriptStep[] {
  return interrupted(async ({ subject, user }, { metadata: { namespace, name } }) => {
    const at = namespace === undefined ? { name } : { namespace, name };
    await user.delete(planResources(subject.kind).plan, at);
  });
}

/** The steps of the plan are edited by hand, so that its digest does not match. */
export function tamperWithPlan(): ScriptStep[] {
  return interrupted(async (setup, { spec }) => {
    await writePlan(setup, { ...(spec as RolloutPlanSpec), steps: [{ id: 'now', update: { to: '100%' } }] });
  });
}

/** Another plan to another revision replaces the object, without superseding the first one. */
export function replacePlan(manifest: KubeObject, way: PlanOptions): ScriptStep[] {
  return interrupted(async (setup) =>
    writePlan(setup, planSpec(setup, manifest, { ...way, supersedes: false })),
  );
}

/** Deletes a pod on this revision, as the drain of a node does. */
export function lose(revision: string): ScriptStep {
  return act(async ({ user, ledger }) => {
    const lost = ledger.units().find((unit) => unit.revision === revision);
    const pod = ledger.pods().find(({ metadata }) => metadata.uid === lost?.id);
    if (pod === undefined) throw new Error(`no pod runs ${revision}`);
    const { namespace = '', name } = pod.metadata;
    await user.delete(resources.Pod, { namespace, name });
  });
}

/** Deletes pods on this revision at once: all, or so many, the first by name. */
export function loseAll(revision: string, most = Infinity): ScriptStep {
  return act(async ({ user, ledger }) => {
    const there = new Set(ledger.units().flatMap((unit) => (unit.revision === revision ? [unit.id] : [])));
    const pods = ledger.pods().filter(({ metadata: { uid = '' } }) => there.has(uid));
    pods.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const { metadata } of pods.slice(0, most)) {
      const { namespace = '', name } = metadata;
      await user.delete(resources.Pod, { namespace, name });
    }
  });
}

/** Deletes a pod on this revision, and waits until a replacement serves. */
export function replaced(revision: string): ScriptStep {
  return async (setup) => {
    const before = new Set(setup.ledger.units().map(({ id }) => id));
    await lose(revision)(setup);
    await setup.when('a successor', (ledger) => {
      const units = ledger.units();
      return units.some(({ id }) => !before.has(id)) && isServing(units, before.size);
    });
  };
}

export function phase(wanted: string): ScriptStep {
  return ({ when }) => when(`phase ${wanted}`, (ledger) => phaseOf(ledger) === wanted);
}

/** Waits until this many units have the spec of a revision. */
export function unitsAt(revision: string, count: number): ScriptStep {
  return ({ when }) => when(`${count} at ${revision}`, (ledger) => (unitsBy(ledger)[revision] ?? 0) >= count);
}

/** Waits until there are this many units, including terminating ones, and all of them serve. */
export function ready(count: number): ScriptStep {
  return ({ when }) => when(`${count} ready`, (ledger) => isServing(ledger.units(), count));
}

function isServing(units: readonly { serves: boolean }[], count: number): boolean {
  return units.length === count && units.every(({ serves }) => serves);
}
