import type { NodeUnits } from '../../semantics/kinds/git-units.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import { countText } from '../../semantics/values/text.ts';
import type { Forecast } from '../forecast/forecast.ts';
import type { Change } from '../plan/change.ts';

/** Which numbers of nodes a forecast is for: how many fit is not in git. */
export function nodeSentences(change: Change, expected: number): string[] {
  const own = change.head?.normal.units;
  if (own?.of !== 'nodes') return [];
  const { nouns } = change.type.facts;
  return own.shown === undefined
    ? [
        `How many ${nouns.units} fit is not in git: the numbers are for ${countText(expected, nouns.unit, nouns.units)}. Set assume in kruise.yaml to change that.`,
      ]
    : [`kruise.yaml assumes ${countText(expected, nouns.unit, nouns.units)}.`];
}

/** The zones of an example: which nodes are in which zone is not in git. */
const ZONES = 3;

/**
 * What share of a zone has no pod at most: nodes are taken by name, so that all that change at a time may be in one zone.
 *
 * Example: 30 nodes, 4 at a time. Of three zones of 10 nodes each, one may lack 4 pods, which is 40%.
 */
export function zoneSentences({ window, replicas }: Forecast): string[] {
  const { maxUnavailable } = window;
  if (maxUnavailable === 0) return [];
  const inZone = replicas.expected / ZONES;
  const percent = Math.min(100, Math.ceil((100 * maxUnavailable) / inZone));
  return [
    `All ${countText(maxUnavailable, 'node')} without a pod at a time may be in one zone: with ${ZONES} zones of one size, up to ${percent}% of it.`,
  ];
}

/** How many units a new target gets, and the pods of a target that comes or goes, of nodes; undefined: it has other units. */
export function podsOnNodes({ base, head, type }: Change): { wanted: string; pods: string } | undefined {
  const own = (head ?? base)?.normal.units;
  const { unit } = type.facts.nouns;
  return own?.of === 'nodes' ? { wanted: `on each ${unit} that fits`, pods: 'all of its pods' } : undefined;
}

/** `the pods of all nodes`, or `the pods of 7 of 10 nodes`: a node itself is never updated. */
export function podsOfNodes(
  { unit, units }: UnitNouns,
  { shown }: NodeUnits,
  moving: number,
  replicas: number,
): string {
  const all = countText(replicas, unit, units);
  if (moving !== replicas) return `the pods of ${moving} of ${all}`;
  return `the pods of ${shown === undefined ? `all ${units}` : all}`;
}
