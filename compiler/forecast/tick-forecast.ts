import type { PlanPredecessor, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import type { GitRuns } from '../../semantics/kinds/run-in-git.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import { hostAccess } from '../../semantics/run/host-access.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import type { Change } from '../plan/change.ts';
import { isMutable } from '../validate/template-rules.ts';
import { gateText } from './gate-text.ts';
import { type Gates, gatesOf } from './gates.ts';
import { imagesOf } from './images.ts';
import { type WaveForecast, waveForecastOf } from './run-forecast.ts';

/** What a plan over the times of a schedule will do, as far as git shows. */
export interface TickForecast extends Gates {
  fields: readonly ClassifiedField[];
  rows: readonly { id: string; gate: boolean; what: string }[];
  /** What the pods may do to their nodes, beyond their containers. */
  hostAccess: readonly string[];
  /** The target itself is paused: no time runs. */
  paused: boolean;
  /** A template runs at the times that the plan does not allow: the one before. False: nothing does. */
  hasStable: boolean;
  isNativeEnough: boolean;
  /** How each time goes over nodes; undefined: it creates nothing that runs on nodes. */
  runs: { waves: WaveForecast; nouns: UnitNouns; hasWaves: boolean } | undefined;
  /** Whether the images cannot change: no container has a mutable tag. */
  reproducible: boolean;
  /** Targets whose rollouts must finish first. */
  after: readonly PlanPredecessor[];
  /** The group of the rollout queue. */
  group: string | undefined;
}

/** Predicts a plan over the times of a schedule. Undefined for a change without a plan, or of another kind. */
export function tickForecastOf({
  base,
  head,
  plan,
  classification,
  assumedUnits,
}: Change): TickForecast | undefined {
  const units = head?.normal.units;
  const schedule = units?.of === 'ticks' ? units.schedule : undefined;
  if (head === undefined || plan === undefined || schedule === undefined) return undefined;
  const { steps, after = [], group } = plan.spec;
  const pods = podTemplateOf(head.normal) ?? {};
  return {
    fields: classification?.fields ?? [],
    rows: steps.map((step) => ({
      id: step.id,
      gate: step.update === undefined,
      what: step.update === undefined ? gateText(step) : countText(step.update.to),
    })),
    hostAccess: hostAccess(pods),
    ...gatesOf(steps),
    paused: head.normal.paused,
    hasStable: base !== undefined || !schedule.isGated,
    isNativeEnough: schedule.isNativeEnough,
    runs: schedule.runs && runsOf(schedule.runs, plan.spec.waves, assumedUnits),
    reproducible: imagesOf(pods).every((image) => !isMutable(image, 'tag')),
    after,
    group,
  };
}

/** Without waves a run begins on every node that its own parallelism allows. */
function runsOf(
  { run, nouns }: GitRuns,
  waves: readonly Step[] = [{ id: 'run', run: { to: '100%' } }],
  assumedUnits: number | undefined,
): TickForecast['runs'] {
  const forecast = waveForecastOf(waves, run, { assumedUnits, paused: false });
  return { waves: forecast, nouns, hasWaves: waves.length > 1 };
}

function countText(to: number | string): string {
  if (to === '100%') return 'every time from now on; done after one more success';
  return to === 1 ? 'one time runs it' : `until ${to} times have run it`;
}
