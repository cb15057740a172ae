import type { PlanPredecessor, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitRun, RunWords } from '../../semantics/kinds/run-in-git.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { hostAccess } from '../../semantics/run/host-access.ts';
import { parallelismOf, startsOf, UNLIMITED } from '../../semantics/run/wave.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import type { Change } from '../plan/change.ts';
import { EXAMPLE_NUMBERS } from '../plan/numbers-of-units.ts';
import { isMutable } from '../validate/template-rules.ts';
import { gateText } from './gate-text.ts';
import { gatesOf, sum } from './gates.ts';
import { imagesOf } from './images.ts';

/** How a run goes over its units, as far as git shows. How many units there are is not in git. */
export interface WaveForecast {
  /** The numbers of units that the forecast is for. */
  units: readonly number[];
  /** kruise.yaml states the number. */
  isStated: boolean;
  rows: readonly RunRow[];
  /** Labels of units of whose values at most one runs at a time, each with the steps to which that applies. */
  spread: readonly { key: string; steps: readonly string[] }[];
  /** Why the time that the plan takes has no limit, one clause each; empty: it has one. */
  unlimited: readonly string[];
  /** The sum of the time limits of the steps that have one, milliseconds. */
  limitMs: number;
  /** The sum of all soaks, milliseconds. */
  soakMs: number;
  /** IDs of the steps that wait for a check. */
  checks: readonly string[];
  /** The sum of the times for which checks must pass, milliseconds. */
  checksMs: number;
  /** A unit on which it fails does not stop it. */
  toleratesFailure: boolean;
  words: RunWords;
}

/** What a plan of a run will do. */
export interface RunForecast extends WaveForecast {
  /** What changed since the run before; empty: there was none at base. */
  fields: readonly ClassifiedField[];
  /** What the pod may do to its unit, beyond its containers. */
  hostAccess: readonly string[];
  /** IDs of the steps that wait for approval. */
  approvals: readonly string[];
  /** Units that join after its end run it, too. */
  isEndless: boolean;
  /** The target itself is paused: it begins on no unit. */
  paused: boolean;
  /** Whether the images cannot change: no container has a mutable tag. */
  reproducible: boolean;
  /** Targets whose rollouts must finish first. */
  after: readonly PlanPredecessor[];
  /** The group of the rollout queue. */
  group: string | undefined;
  irreversible: string | undefined;
}

/** One step of the plan of a run. */
export interface RunRow {
  id: string;
  gate: boolean;
  what: string;
  /** One for each number of units of the forecast; undefined for a gate. */
  waves: readonly Wave[] | undefined;
}

/** A step at one number of units. */
export interface Wave {
  units: number;
  /** How many units the run was started on when the step is done. */
  started: number;
  /** How many run it at one time, at most. */
  atOnce: number;
}

/** Predicts the plan of a run. Undefined for a change without a plan, or of another kind. */
export function runForecastOf({ head, plan, classification, assumedUnits }: Change): RunForecast | undefined {
  const units = head?.normal.units;
  if (head === undefined || plan === undefined || units?.of !== 'run') return undefined;
  const { run } = units;
  const { steps } = plan.spec;
  return {
    ...waveForecastOf(steps, run, { assumedUnits, paused: head.normal.paused }),
    fields: classification?.fields ?? [],
    hostAccess: hostAccess(head.normal.template),
    approvals: gatesOf(steps).approvals,
    isEndless: run.isEndless,
    paused: head.normal.paused,
    reproducible: imagesOf(head.normal.template).every((image) => !isMutable(image, 'tag')),
    after: plan.spec.after ?? [],
    group: plan.spec.group,
    irreversible: plan.spec.irreversible,
  };
}

/** Predicts how a run goes through its steps. */
export function waveForecastOf(
  steps: readonly Step[],
  run: GitRun,
  { assumedUnits, paused }: { assumedUnits: number | undefined; paused: boolean },
): WaveForecast {
  const units = assumedUnits === undefined ? EXAMPLE_NUMBERS : [assumedUnits];
  const waves = units.map((count) => wavesOf(steps, run, count));
  const { soakMs, checks, checksMs } = gatesOf(steps);
  return {
    units,
    isStated: assumedUnits !== undefined,
    rows: steps.map((step, index) => ({
      id: step.id,
      gate: step.run === undefined,
      what: step.run === undefined ? gateText(step) : runText(step.run),
      waves:
        step.run === undefined
          ? undefined
          : waves.flatMap((each) => (each[index] === undefined ? [] : [each[index]])),
    })),
    spread: spreadOf(steps),
    unlimited: unlimitedBy(steps, paused),
    limitMs: sum(steps.map(({ timeout }) => parseDuration(timeout ?? '') ?? 0)),
    soakMs,
    checks,
    checksMs,
    toleratesFailure: run.toleratesFailure,
    words: run.words,
  };
}

/** Each step at a number of units, by the rules that start them; undefined for gates. */
function wavesOf(steps: readonly Step[], { parallelism }: GitRun, units: number): (Wave | undefined)[] {
  const names = Array.from({ length: units }, (_, index) => ({ name: String(index), domain: undefined }));
  let started = 0;
  return steps.map(({ run }): Wave | undefined => {
    if (run === undefined) return undefined;
    const allowed = allowedPods(run, units);
    // Nothing runs at its start, so this is the most that run at one time. With `spread` they are all of one domain.
    const atOnce = startsOf({
      waiting: names.slice(started),
      active: [],
      started,
      wasStarted: () => false,
      allowed,
      parallelism: parallelismOf(parallelism, run.parallelism, units),
      isSpread: run.spread !== undefined,
    }).length;
    if (atOnce > 0) started = Math.max(started, allowed);
    return { units, started, atOnce };
  });
}

function runText({ to, atLeast = 0, parallelism, spread }: NonNullable<Step['run']>): string {
  return [
    `run on ${to}${atLeast > 1 ? `, at least ${atLeast}` : ''}`,
    ...(parallelism === undefined || parallelism === UNLIMITED ? [] : [`parallelism ${parallelism}`]),
    ...(spread === undefined ? [] : [`one ${spread} at a time`]),
  ].join(', ');
}

function spreadOf(steps: readonly Step[]): RunForecast['spread'] {
  const keys = new Set(steps.flatMap(({ run }) => (run?.spread === undefined ? [] : [run.spread])));
  return [...keys].map((key) => ({
    key,
    steps: steps.filter(({ run }) => run?.spread === key).map(({ id }) => id),
  }));
}

function unlimitedBy(steps: readonly Step[], paused: boolean): string[] {
  const open = steps.filter(({ run, timeout }) => run !== undefined && timeout === undefined);
  const waiting = steps.filter(({ approve, timeout }) => approve !== undefined && timeout === undefined);
  const clause = (of: readonly Step[], one: string, several: string): string[] =>
    of.length === 0 ? [] : [`${of.map(({ id }) => id).join(', ')} ${of.length === 1 ? one : several}`];
  return [
    ...(paused ? ['the target itself is paused'] : []),
    ...clause(open, 'has no timeout', 'have no timeout'),
    ...clause(waiting, 'waits for a person', 'wait for a person'),
  ];
}
