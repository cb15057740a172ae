import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { NodeUnits } from '../../semantics/kinds/git-units.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import { listed } from '../../semantics/values/listed.ts';
import { formatSelector } from '../../semantics/values/selector.ts';
import { countText } from '../../semantics/values/text.ts';
import type { FleetForecast, StepOnNodes } from '../forecast/fleet.ts';
import type { Forecast } from '../forecast/forecast.ts';
import { labeledOf, selectorsOf } from '../forecast/node-model.ts';
import type { Change } from '../plan/change.ts';
import { shorten } from '../text/escape.ts';

/** Which numbers of nodes a forecast is for: how many fit is not in git, nor how many have which labels. */
export function nodeSentences(change: Change, expected: number): string[] {
  const own = change.head?.normal.units;
  if (own?.of !== 'nodes') return [];
  const { nouns } = change.type.facts;
  return [
    own.shown === undefined
      ? `How many ${nouns.units} fit is not in git: the numbers are for ${countText(expected, nouns.unit, nouns.units)}. Set assume in kruise.yaml to change that.`
      : `kruise.yaml assumes ${countText(expected, nouns.unit, nouns.units)}.`,
    ...labelSentences(change.plan?.spec.steps ?? [], expected),
  ];
}

const MOST_CHARACTERS = 120;

function labelSentences(steps: readonly Step[], expected: number): string[] {
  return selectorsOf(steps).map((selector, place) => {
    const text = shorten(formatSelector(selector), MOST_CHARACTERS);
    return `How many nodes have ${text} is not in git either: the numbers are for ${labeledOf(expected, place)}. If a cluster has none, the step waits for one, unless its batch says atLeast: 0.`;
  });
}

/**
 * How much of a zone has no available pod at most, by the simulation. Where nothing was simulated: nodes are taken by name, so that all
 * that change at a time may be in one zone.
 *
 * Example of the latter: 30 nodes, 4 at a time. Of three zones of 10 nodes each, one may lack 4 pods, which is 40%.
 */
export function zoneSentences({ fleet, window, replicas }: Forecast, zones: number): string[] {
  if (fleet !== undefined) return fleetSentences(fleet);
  const { maxUnavailable } = window;
  if (maxUnavailable === 0) return [];
  const inZone = replicas.expected / zones;
  const percent = Math.min(100, Math.ceil((100 * maxUnavailable) / inZone));
  return [
    `All ${countText(maxUnavailable, 'node')} without a pod at a time may be in one zone: with ${countText(zones, 'zone')} of one size, up to ${percent}% of it.`,
  ];
}

function fleetSentences({ rows, zones }: FleetForecast): string[] {
  const unavailable = Math.max(0, ...rows.map((row) => row.unavailable));
  const percent = Math.max(0, ...rows.flatMap((row) => row.zones));
  const model = `with ${countText(zones, 'zone')} of one size, and nodes named zone by zone`;
  return unavailable === 0
    ? ['No node is without an available pod.']
    : [
        `At most ${countText(unavailable, 'node is', 'nodes are')} without an available pod at a time, and ${percent}% of a zone: ${model}.`,
      ];
}

/** So many zones are listed one by one. */
const MOST_ZONES = 5;

/** `0%, 0%, 12%`: the highest share of each zone without an available pod during a step; of many zones the highest of all. */
export function zonesText({ zones }: StepOnNodes): string {
  if (zones.length > MOST_ZONES) return `up to ${Math.max(0, ...zones)}%`;
  return zones.map((percent) => `${percent}%`).join(', ');
}

/** How a rollout goes through failure domains, where a step says so. */
export function spreadSentences(steps: readonly Step[]): string[] {
  const keys = new Set(steps.flatMap(({ update }) => update?.spread ?? []));
  return [...keys].map((key) => {
    const of = steps.filter(({ update }) => update !== undefined);
    const own = of.filter(({ update }) => update?.spread === key).map(({ id }) => id);
    const where = own.length === of.length ? 'Nodes' : `In ${listed(own, 'and')} nodes`;
    return `${where} are updated in one ${key} after the other; those without that label come last, together. A way back does not wait for that.`;
  });
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
