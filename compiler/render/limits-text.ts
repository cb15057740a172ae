import { listed } from '../../semantics/values/listed.ts';
import { countText } from '../../semantics/values/text.ts';
import type { Disruption } from '../../semantics/limits/slots.ts';
import type { Forecast } from '../forecast/forecast.ts';
import { disruptionOf } from '../forecast/most-unavailable.ts';
import type { Change, ChangeLimit } from '../plan/change.ts';

/** What other objects in git make of the pace of an update: one sentence for each that limits it. */
export function limitSentences(change: Change, forecast: Forecast): string[] {
  const how = disruptionOf(change, forecast.mode);
  const paced =
    how === undefined
      ? []
      : change.limits.flatMap((limit) => limitText(limit, how, forecast.window.maxUnavailable));
  return [...paced, ...change.limits.flatMap(evictionsText)];
}

/** Whether another object in git lets no pod of the target be updated. */
export function isBlocked(change: Change, forecast: Forecast): boolean {
  const how = disruptionOf(change, forecast.mode);
  return how !== undefined && change.limits.some(({ of }) => of(how)?.most === 0);
}

/** @param own the most pods that the target itself makes unavailable at a time */
function limitText({ name, of }: ChangeLimit, how: Disruption, own: number): string[] {
  const found = of(how);
  if (found === undefined) return [];
  const { most, total } = found;
  const allowed = `${name} lets ${most === 0 ? 'none' : most} of ${countText(total, 'pod')} be unavailable`;
  if (most === 0) return [`${allowed}: no pod is updated as long as it does.`];
  if (most >= own) return [`${allowed}.`];
  return [`${allowed}: steps of ${own} go ${most === 1 ? 'one' : most} at a time.`];
}

/** A pod of two PodDisruptionBudgets cannot be evicted at all: that of an object goes where somebody else has one. */
function evictionsText({ name, evictionsBy }: ChangeLimit): string[] {
  if (evictionsBy.length === 0) return [];
  const shown = listed(evictionsBy.slice(0, MOST_NAMED), 'and');
  const others = evictionsBy.length - MOST_NAMED;
  return [`Evictions go by ${shown}${others > 0 ? ` and ${others} more` : ''}, and not by ${name}.`];
}

const MOST_NAMED = 3;
