import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { World as Sandbox } from 'kruise-sandbox';
import { planDigest } from '../../semantics/plan/digest.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { randomOf } from '../random.ts';
import { apply, commit, patch, writePlan } from './actions.ts';
import { phaseOf } from './play.ts';
import { act, type Change, type ScriptStep, type State, type Subject, type World } from './subject.ts';

/** What somebody does to the limits of a rollout that is on its way. */
export interface LimitMove {
  /** How many commits to the store come before it. */
  after: number;
  /** The manifest is edited, or the plan is continued with this limit; `both`: in one commit. */
  what: 'manifest' | 'plan' | 'both';
  to: IntOrPercent;
}

/** A rollout of which people move the limits. */
export interface LimitWorld extends World {
  moves: readonly LimitMove[];
  /** The same with other moves. */
  withMoves(moves: readonly LimitMove[]): World;
}

const UNITS = 8;
const LIMITS: readonly IntOrPercent[] = [1, 2, 3, '25%', '50%'];
/** Worlds of each change: which are played is drawn. */
const WORLDS = 40;

/** Worlds in which limits are raised and lowered at any moment, for a kind of which manifests say them. */
export function limitWorldsOf(subject: Subject): LimitWorld[] {
  return subject.changes
    .filter((change) => isLimited(subject, change))
    .flatMap((change) => Array.from({ length: WORLDS }, (_, seed) => drawnWorld(change, seed + 1)));
}

/** Whether the limit of a manifest is what its steps state: some strategies have a fixed one. */
function isLimited({ kind, sizeOf }: Subject, { states: [{ manifest }] }: Change): boolean {
  const grown = sized(manifest);
  const stated = (limit: number) => kind.limits.windowFields(withLimit(grown, limit)).maxUnavailable;
  const isValid = kind.validate(withLimit(grown, 2)).length === 0;
  return isValid && sizeOf(grown, UNITS) === UNITS && stated(2) === 2 && stated(3) === 3;
}

function drawnWorld({ title, mode, states }: Change, seed: number): LimitWorld {
  const random = randomOf(seed);
  const oneOf = <Of>(values: readonly Of[]): Of => values[Math.floor(random() * values.length)] as Of;
  const [first, second] = states.map(({ manifest, revision }): State => ({
    manifest: sized(manifest),
    revision,
  })) as [State, State];
  const [own, planned] = [oneOf(LIMITS), oneOf([undefined, ...LIMITS])];
  const goesBack = random() < 0.25;
  const drawn = Array.from({ length: 1 + Math.floor(random() * 4) }, (): LimitMove => ({
    after: 1 + Math.floor(random() * 25),
    what: oneOf(['manifest', 'plan', 'both']),
    to: oneOf(LIMITS),
  }));
  const window = planned === undefined ? {} : { window: { maxUnavailable: planned } };
  const steps: Step[] = [
    { id: 'some', update: { to: '25%', ...window } },
    { id: 'soak', soak: { for: '5s' } },
    { id: 'all', update: { to: '100%', ...window } },
  ];
  const withMoves = (moves: readonly LimitMove[]): World => ({
    title: `${title}: ${seed}: ${own} at a time, ${planned ?? 'unsaid'} in the plan, ${moves.map(textOf).join(', ')}${goesBack ? ', back' : ''}`,
    target: withLimit(first.manifest, own),
    prepare: withNodes,
    script: [
      commit(withLimit(second.manifest, own), { mode, from: [first.manifest], steps }),
      ...moves.flatMap((move) => [afterCommits(move.after), moved(move)]),
      ...(goesBack ? [accepted, apply(withLimit(first.manifest, own))] : []),
    ],
    end: goesBack
      ? { phase: 'Reverted', units: { [first.revision]: UNITS } }
      : { phase: 'Succeeded', units: { [second.revision]: UNITS } },
  });
  return { ...withMoves(drawn), moves: drawn, withMoves };
}

function textOf({ after, what, to }: LimitMove): string {
  return `${what} ${to} after ${after}`;
}

function moved({ what, to }: LimitMove): ScriptStep {
  const [manifest, plan] = [patch(limitOf(to)), continued(to)];
  if (what === 'manifest') return manifest;
  if (what === 'plan') return plan;
  return act(async (setup) => {
    await plan(setup);
    await manifest(setup);
  });
}

/** The plan that is present with another limit, as `kruise plan --continue` writes it. */
function continued(maxUnavailable: IntOrPercent): ScriptStep {
  return act(async (setup) => {
    const plan = setup.ledger.plan();
    if (plan === undefined) throw new Error('there is no plan to continue');
    const { digest, ...present } = plan['spec'] as RolloutPlanSpec;
    const supersedes = [digest, ...(present.supersedes ?? [])].slice(0, 10);
    const steps = present.steps.map((step) =>
      step.update === undefined ? step : { ...step, update: { ...step.update, window: { maxUnavailable } } },
    );
    const spec = { ...present, supersedes, steps };
    await writePlan(setup, { ...spec, digest: planDigest(spec) });
  });
}

/** Waits for so many commits of anybody; less, where the rollout ends before. */
function afterCommits(count: number): ScriptStep {
  return async ({ sandbox, when }) => {
    let seen = 0;
    const stop = sandbox.onCommit(() => void (seen += 1));
    await when(`${count} commits`, (ledger) => seen >= count || phaseOf(ledger) === 'Succeeded');
    stop();
  };
}

/** A plan that arrives together with the way back would wait for its manifest. */
const accepted: ScriptStep = ({ when }) =>
  when('the plan is accepted', (ledger) => {
    const { spec, status } = (ledger.plan() ?? {}) as {
      spec?: RolloutPlanSpec;
      status?: { digest?: string };
    };
    return spec !== undefined && spec.digest === status?.digest;
  });

/** With so many units, where its manifest says that. */
function sized(manifest: KubeObject): KubeObject {
  const spec = objectOf(manifest['spec']);
  return { ...manifest, spec: { ...spec, ...('replicas' in spec && { replicas: UNITS }) } };
}

/** As many nodes, which are the units of kinds whose manifests do not say it. */
function withNodes({ nodes, server }: Sandbox): void {
  const { items } = server.list('user', resources.Node);
  for (let n = items.length + 1; n <= UNITS; n += 1) nodes.add(`node-${n}`);
}

function limitOf(maxUnavailable: IntOrPercent): JsonObject {
  return { updateStrategy: { rollingUpdate: { maxUnavailable } } };
}

function withLimit(manifest: KubeObject, maxUnavailable: IntOrPercent): KubeObject {
  const spec = objectOf(manifest['spec']);
  const strategy = objectOf(spec['updateStrategy']);
  const rollingUpdate = { ...objectOf(strategy['rollingUpdate']), maxUnavailable };
  return { ...manifest, spec: { ...spec, updateStrategy: { ...strategy, rollingUpdate } } };
}
